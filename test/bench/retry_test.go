package bench

import (
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// caller makes three kinds of calls, each of one request: a batch of 10 keys, an update, and a transaction.
type caller struct {
	name  string
	calls [3]func() error
}

// newRetries is the environment variable that enables the SDK's new retry behavior, which is not the default
// yet. The SDK reads it when a client is created and on every call.
const newRetries = "AWS_NEW_RETRIES_2026"

// weather is a set of faults.
type weather struct {
	name   string
	faults dynamotest.Faults
}

// BenchmarkFaults prints how calls fare on an engine behind a proxy that injects faults, made by this
// server's code and by the SDK with its own retries: the number of lost calls, and the latency of the others,
// also as a multiple of the median without faults.
func BenchmarkFaults(b *testing.B) {
	const calls, clients, rounds = 1500, 8, 3
	db, _ := dynamotest.Open(b, func(s *dynamo.Settings) { s.Transport = nil })
	fill(b, db, 10, benchFields)
	proxy := dynamotest.NewProxy(b, dynamotest.Endpoint(), 5)
	mixed := func(p float64) dynamotest.Faults {
		p /= 6
		return dynamotest.Faults{DropBefore: p, DropAfter: p, ErrorBefore: p, ErrorAfter: p, Throttle: p,
			Conflict: p}
	}
	all := []weather{{"none", dynamotest.Faults{}}, {"5 % of 500", dynamotest.Faults{ErrorBefore: 0.05}},
		{"5 % mixed", mixed(0.05)}, {"20 % mixed", mixed(0.2)}}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\tfaults\tlost\trequests a call\tp50\tp99\tp99 / p50 without\t\n")
	for b.Loop() {
		b.Setenv(newRetries, "false")
		callers := []caller{ours(b, db.Table(), proxy.URL()), sdk(b, "SDK", db.Table(), proxy.URL())}
		b.Setenv(newRetries, "true")
		callers = append(callers, sdk(b, newRetries, db.Table(), proxy.URL()))
		fares := make([]fare, len(callers)*len(all))
		for range rounds {
			for n := range fares {
				c, now := callers[n/len(all)], all[n%len(all)]
				b.Setenv(newRetries, strconv.FormatBool(c.name == newRetries))
				proxy.SetFaults(now.faults)
				proxy.Reset()
				fares[n].add(c, calls, clients)
				for _, requests := range proxy.Calls() {
					fares[n].requests += requests
				}
			}
		}
		for n, f := range fares {
			p50, p99, base := median(f.p50), median(f.p99), median(fares[n/len(all)*len(all)].p50)
			fmt.Fprintf(w, "%s\t%s\t%.2f %%\t%.2f\t%.1f ms\t%.0f ms\t%.0f x\t\n", callers[n/len(all)].name,
				all[n%len(all)].name, 100*float64(f.lost)/(rounds*calls),
				float64(f.requests)/(rounds*calls), p50.Seconds()*1000, p99.Seconds()*1000,
				p99.Seconds()/base.Seconds())
		}
	}
	check(b, w.Flush())
}

// fare holds the number of lost calls of a caller, the total number of requests, and for each round the
// latencies of the calls that succeeded.
type fare struct {
	lost, requests int
	p50, p99       []time.Duration
}

// add makes n calls.
func (f *fare) add(c caller, n, clients int) {
	var next atomic.Int64
	var mu sync.Mutex
	var took []time.Duration
	run(n, clients, func() {
		start := time.Now()
		err := c.calls[int(next.Add(1))%len(c.calls)]()
		d := time.Since(start)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			f.lost++
			return
		}
		took = append(took, d)
	})
	slices.Sort(took)
	f.p50, f.p99 = append(f.p50, took[len(took)/2]), append(f.p99, took[len(took)*99/100])
}

func benchIssue(n int) tracker.IssueID {
	return tracker.IssueID{Project: project, Issue: tracker.IDFor("bench", strconv.Itoa(n))}
}

func ours(b *testing.B, table, url string) caller {
	db, err := dynamo.Open(b.Context(), dynamo.Settings{Table: table, Endpoint: url, Embedded: true})
	check(b, err)
	t, err := db.Tenant(tenant)
	check(b, err)
	ids := make([]tracker.IssueID, 10)
	for n := range ids {
		ids[n] = benchIssue(n + 1)
	}
	return caller{"issuegrid", [3]func() error{
		func() error { _, err := t.Issues(b.Context(), ids); return err },
		func() error { _, err := t.ReserveNums(b.Context(), project, 1); return err },
		func() error {
			id := newTenant(b)
			return db.CreateTenant(b.Context(), tracker.Tenant{ID: id, Name: "Bench " + string(id)})
		},
	}}
}

func newTenant(b *testing.B) tracker.TenantID {
	id, err := tracker.NewID(rand.Reader)
	check(b, err)
	return tracker.TenantID(id)
}

// sdk returns a caller that makes similar calls with the SDK alone, in the retry mode set in the environment.
func sdk(b *testing.B, name, table, url string) caller {
	client := dynamodb.NewFromConfig(aws.Config{Region: "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("bench", "bench", "")},
		func(o *dynamodb.Options) { o.BaseEndpoint, o.HTTPClient = &url, dynamotest.PlainClient() })
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	key := func(pk, sk string) map[string]types.AttributeValue {
		return map[string]types.AttributeValue{"PK": text(pk), "SK": text(sk)}
	}
	keys := make([]map[string]types.AttributeValue, 10)
	for n := range keys {
		keys[n] = key("bench/issue-b1."+benchIssue(n+1).Issue, "bench/project-b1")
	}
	return caller{name, [3]func() error{
		func() error {
			_, err := client.BatchGetItem(b.Context(),
				&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
					table: {Keys: keys}}})
			return err
		},
		func() error {
			_, err := client.UpdateItem(b.Context(),
				&dynamodb.UpdateItemInput{TableName: &table, Key: key("bench/sdk", "*"),
					UpdateExpression: aws.String("ADD n :n"),
					ExpressionAttributeValues: map[string]types.AttributeValue{
						":n": &types.AttributeValueMemberN{Value: "1"}}})
			return err
		},
		func() error {
			put := types.Put{TableName: &table, Item: key(string(newTenant(b)), "*"),
				ConditionExpression: aws.String("attribute_not_exists(PK)")}
			_, err := client.TransactWriteItems(b.Context(),
				&dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Put: &put}}})
			return err
		},
	}}
}
