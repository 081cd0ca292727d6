package bench

import (
	"context"
	"net/http"
	"runtime/debug"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// BenchmarkPage compares a page of 100 rows and 8 columns over HTTP and GraphQL with the same two calls made
// with the SDK alone, at 8 clients. It compares the server's CPU time with that of the process that makes the
// bare calls, and the latencies. It also compares the server's CPU time with and without gzip. Rounds of all
// three alternate. It fails if the server needs more than 1.5 times the CPU time or 1.3 times the latency.
//
// The bare calls run with Go's default GOGC, 100, as in a program that only uses the SDK. The server sets its
// own.
func BenchmarkPage(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // dynamotest.Main sets the server's
	const clients = 8
	pages := 200
	if testing.Short() {
		pages = 100
	}
	db, _ := dynamotest.Open(b, grouped)
	fill(b, db, 1000, benchFields)
	s := startServer(b, db.Table())
	bare := bareClient()
	query := gridQuery()
	zipping := *s
	zipping.client = http.DefaultClient // accepts gzip
	page := func(s *server) func() {
		return func() {
			if rows, _ := s.page(b, query, nil); rows != 100 {
				b.Errorf("%d rows", rows)
			}
		}
	}
	serve, serveZipped := page(s), page(&zipping)
	call := func() { barePage(b, bare, db.Table(), tenant) }
	run(pages, clients, serve) // warm up
	run(pages, clients, serveZipped)
	run(pages, clients, call)
	cpu, latency := newRatio("cpu-ratio"), newRatio("latency-ratio")
	zip := newRatio("gzip-cpu-ratio")
	var bareCPU, serveCPU []float64
	for b.Loop() {
		hold(b, 7, func() {
			before := ownCPU(b)
			bareLatency := run(pages, clients, call)
			bareTime := ownCPU(b) - before
			before = s.cpu(b)
			serveLatency := run(pages, clients, serve)
			serveTime := s.cpu(b) - before
			before = s.cpu(b)
			run(pages, clients, serveZipped)
			zip.add(float64(s.cpu(b)-before) / float64(serveTime))
			cpu.add(float64(serveTime) / float64(bareTime))
			latency.add(float64(median(serveLatency)) / float64(median(bareLatency)))
			bareCPU = append(bareCPU, bareTime.Seconds()*1000/float64(pages))
			serveCPU = append(serveCPU, serveTime.Seconds()*1000/float64(pages))
		}, cpu, latency, zip)
	}
	b.ReportMetric(median(bareCPU), "bare-cpu-ms/page")
	b.ReportMetric(median(serveCPU), "server-cpu-ms/page")
}

func bareClient() *dynamodb.Client {
	endpoint := dynamotest.Endpoint()
	return dynamodb.NewFromConfig(aws.Config{Region: "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("bench", "bench", "")},
		func(o *dynamodb.Options) {
			o.BaseEndpoint = &endpoint
			// The embedded engine drops about one connection in 1,000 calls in the middle of a response.
			// Without this limit the SDK's own delay, up to seconds, would dominate the 99th percentile.
			o.Retryer = retry.AddWithMaxBackoffDelay(retry.NewStandard(), 5*time.Millisecond)
		})
}

// barePage makes the two calls of a page: it queries the index for keys and reads the documents by these
// keys.
func barePage(b *testing.B, client *dynamodb.Client, table string, of tracker.TenantID) {
	ctx := context.Background()
	out, err := client.Query(ctx, &dynamodb.QueryInput{
		TableName: &table, IndexName: aws.String("grid"), Limit: aws.Int32(105),
		ProjectionExpression:   aws.String("PK,SS"),
		KeyConditionExpression: aws.String("SK = :p"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":p": &types.AttributeValueMemberS{Value: string(of) + "/xvalue-b1.c2"}},
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	check(b, err)
	keys := make([]map[string]types.AttributeValue, 100)
	for i := range keys {
		keys[i] = map[string]types.AttributeValue{"PK": out.Items[i]["PK"],
			"SK": &types.AttributeValueMemberS{Value: string(of) + "/project-b1"}}
	}
	got, err := client.BatchGetItem(ctx,
		&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{table: {Keys: keys}},
			ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
	check(b, err)
	if n := len(got.Responses[table]); n != 100 {
		b.Errorf("%d documents", n)
	}
}
