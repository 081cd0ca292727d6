// Package client is how calls reach the engine: the one policy by which requests are sent again, the bounds
// of their time and memory, the meter of what they cost, the check that none reaches beyond its tenant, the
// decoder of responses, and the translation of the SDK's errors. Start with New. Nothing here may know what
// an issue or a project is, but for the attributes of the keys (package layout).
package client

import (
	"context"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"issuegrid/tracker"
)

// Settings say how calls reach the engine.
type Settings struct {
	// Endpoint is the URL of something that speaks DynamoDB's API; empty for Amazon's own in the
	// configuration's region.
	Endpoint string
	// Transport wraps the HTTP transport to the engine; nil leaves it as it is.
	Transport func(http.RoundTripper) http.RoundTripper
	// Observe is called after each call, in the goroutine of the call. Nil costs nothing.
	Observe func(context.Context, Call)
}

// Client is the SDK's, with the policy of this program: retries, bounded memory, and a meter. That of a
// tenant's handle confines its requests to the tenant, unless the session has done so already. What is asked
// of items is counted by its meter. It is a value: Metered and Of return others, which share its connections
// and its budget of retries.
type Client struct {
	*dynamodb.Client
	tenant tracker.TenantID // empty for that of the table
	meter  *Meter
	policy *retries
	idle   func()
}

// New makes a client for a table as a whole, with a meter that stands at zero. It sends nothing.
func New(cfg aws.Config, s Settings) Client {
	connections := newTransport()
	var transport http.RoundTripper = connections
	if s.Transport != nil {
		transport = s.Transport(transport)
	}
	policy := &retries{observe: s.Observe}
	sdk := dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		o.HTTPClient = &httpClient{transport}
		o.Retryer = aws.NopRetryer{}
		o.APIOptions = append(o.APIOptions, policy.attach, confineRequests, decodeItems)
		if s.Endpoint != "" {
			o.BaseEndpoint = &s.Endpoint
		}
	})
	return Client{Client: sdk, meter: NewMeter(), policy: policy, idle: connections.CloseIdleConnections}
}

// CloseIdle closes connections on which nothing is under way.
func (c Client) CloseIdle() { c.idle() }

// Metered returns the same client with another meter.
func (c Client) Metered(m *Meter) Client {
	c.meter = m
	return c
}

// Of returns the same client for the items of one tenant.
func (c Client) Of(t tracker.TenantID) Client {
	c.tenant = t
	return c
}

// Tenant returns the tenant to whose items the client is confined; empty for none.
func (c Client) Tenant() tracker.TenantID { return c.tenant }

// RestOfBatch waits before what an engine has left of a batch is sent again. done is how much it has done,
// and stuck counts the answers in a row with nothing done.
func (c Client) RestOfBatch(ctx context.Context, done int, stuck *int) error {
	return c.policy.rest(ctx, done, stuck)
}

// AfterConflict waits before the n-th time, n from 1, that a change is made again because somebody else was
// faster. It returns err when that was too often.
func (c Client) AfterConflict(ctx context.Context, n int, err error) error {
	return c.policy.again(ctx, n, contended, err)
}

func (c Client) within(ctx context.Context) context.Context {
	ctx = context.WithValue(ctx, meterKey{}, c.meter)
	if _, confined := ctx.Value(confinedKey{}).(tracker.TenantID); confined || c.tenant == "" {
		return ctx
	}
	return Confine(ctx, c.tenant)
}

// These are the operations on items. They are confined and metered.

// Query reads a page of a partition.
func (c Client) Query(ctx context.Context, in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	return c.Client.Query(c.within(ctx), in)
}

// Scan reads a page of a segment of the table.
func (c Client) Scan(ctx context.Context, in *dynamodb.ScanInput) (*dynamodb.ScanOutput, error) {
	return c.Client.Scan(c.within(ctx), in)
}

// BatchGetItem reads up to 100 items by their keys.
func (c Client) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error) {
	return c.Client.BatchGetItem(c.within(ctx), in)
}

// BatchWriteItem puts and deletes up to 25 items.
func (c Client) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput) (*dynamodb.BatchWriteItemOutput, error) {
	return c.Client.BatchWriteItem(c.within(ctx), in)
}

// TransactWriteItems makes up to 100 writes, all or none.
func (c Client) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput) (*dynamodb.TransactWriteItemsOutput, error) {
	return c.Client.TransactWriteItems(c.within(ctx), in)
}

// UpdateItem changes an item.
func (c Client) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput) (*dynamodb.UpdateItemOutput, error) {
	return c.Client.UpdateItem(c.within(ctx), in)
}
