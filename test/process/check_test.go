//go:build unix

package process

import (
	"context"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/test/harness"
)

// plainTable is the table of a server's embedded engine, accessed through the AWS SDK.
type plainTable struct {
	t      *testing.T
	client *dynamodb.Client
}

func plainTableOf(t *testing.T, data string) *plainTable {
	return &plainTable{t, dynamodb.New(dynamodb.Options{HTTPClient: dynamotest.PlainClient(),
		Region: "us-east-1", BaseEndpoint: aws.String(harness.EngineURL(t, data)),
		Credentials: credentials.NewStaticCredentialsProvider("embedded", "embedded", "")})}
}

func plainKey(pk, sk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: pk},
		"SK": &types.AttributeValueMemberS{Value: sk}}
}

func (p *plainTable) delete(pk, sk string) {
	p.t.Helper()
	if _, err := p.client.DeleteItem(context.Background(),
		&dynamodb.DeleteItemInput{TableName: aws.String("issuegrid"), Key: plainKey(pk, sk)}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *plainTable) put(pk, sk string) {
	p.t.Helper()
	if _, err := p.client.PutItem(context.Background(),
		&dynamodb.PutItemInput{TableName: aws.String("issuegrid"), Item: plainKey(pk, sk)}); err != nil {
		p.t.Fatal(err)
	}
}

// TestCheck runs the check command against the table of a running server: when it is consistent, with a
// defect that can be repaired, and with one that can't. Then it checks the table of a server that has
// stopped.
func TestCheck(t *testing.T) {
	t.Parallel()
	data := harness.SampleData(t)
	server := harness.Start(t, harness.ServeArgs(data))
	server.Serving()
	table := plainTableOf(t, data)
	check := func(code int, stdout, stderr string, args ...string) {
		t.Helper()
		p := harness.Start(t, append([]string{"check", "--data", data, "--settle", "0s"}, args...))
		p.Wants(code)
		if !strings.Contains(p.Stdout.String(), stdout) || !strings.Contains(p.Stderr.String(), stderr) {
			t.Errorf("check %v: stdout %q and stderr %q, want %q and %q", args, &p.Stdout, &p.Stderr, stdout,
				stderr)
		}
	}
	sound, cost := "No damage was found.\n", " read and 0 write capacity units.\n"
	check(0, sound, cost)
	check(0, "in 1 project and 2000 issues.\n"+sound, cost, "--project", "UDVmMjEvYzBkZQ")

	table.delete("0807/issue-35e9.020e", "0807/xvalue-35e9.name")
	missing := "\nmissing index entry: 1 (--repair repairs it)\n  a value has no index entry: its row is " +
		"missing where a grid is sorted or filtered by it\n    FRB-1, 0807/issue-35e9.020e "
	found := "issuegrid: the table is damaged; `check --repair` repairs"
	check(harness.ExitFailed, missing, found)
	check(harness.ExitFailed, missing, found, "--tenant", "0807", "--project", "35e9")
	check(0, sound, cost, "--project", "UDVmMjEvYzBkZQ")
	check(0, "\nmissing index entry: 1 (repaired)\n", "write capacity units", "--repair", "--segments", "1")
	check(0, sound, cost)

	table.put("0807/issue-35e9.020e", "nonsense")
	for _, args := range [][]string{nil, {"--repair"}} {
		check(harness.ExitFailed, "\nunknown item: 1 (--repair cannot repair it)\n",
			"issuegrid: the table is damaged; `check --repair` cannot repair ", args...)
	}
	check(harness.ExitFailed, "", "issuegrid: --tenant: there is no tenant with the name or id \"Nobody\"",
		"--tenant", "Nobody")
	check(harness.ExitFailed, "", "issuegrid: --project: the tenant has no project with the key or id "+
		"\"NONE\"\n", "--tenant", "0807", "--project", "NONE")
	table.delete("0807/issue-35e9.020e", "nonsense")

	server.Signal(syscall.SIGTERM)
	server.Wants(0)
	check(0, sound, cost)
}
