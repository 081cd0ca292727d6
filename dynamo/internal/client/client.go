// Package client makes the calls to the engine. It has the retry policy, limits on time and memory, the
// metering of costs, the check that no request leaves its tenant, the decoder of responses, and the
// translation of the SDK's errors. New makes a Client. This package must not know issues or projects; of
// items it knows only the key attributes (package layout).
package client

import (
	"context"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// Settings configure a Client.
type Settings struct {
	// Endpoint is the URL of the engine; empty means AWS's endpoint for the configuration's region.
	Endpoint string
	// Transport wraps the HTTP transport to the engine, if not nil.
	Transport func(http.RoundTripper) http.RoundTripper
	// Observe, if not nil, is called after each call, in the call's goroutine.
	Observe func(context.Context, Call)
	// Turn, if not nil, waits until a tenant may send a call, and returns what is called when the call has
	// ended. It fails with Unavailable when ctx ends.
	Turn func(ctx context.Context, t tracker.TenantID) (done func(), err error)
}

// Client is the SDK's client with this program's retries, memory limits and meter. The client of a tenant's
// handle confines its requests to the tenant, unless the session's context already does. Its meter counts
// operations on items. Client is a value: Metered and Of return copies that share its connections and its
// retry budget.
type Client struct {
	*dynamodb.Client
	tenant tracker.TenantID // empty for the client of the table
	meter  *account.Meter
	policy *retries
	idle   func()
}

// New makes a client for the whole table, with a new meter. It sends no requests.
func New(cfg aws.Config, s Settings) Client {
	connections := newTransport()
	var transport http.RoundTripper = connections
	if s.Transport != nil {
		transport = s.Transport(transport)
	}
	policy := &retries{observe: s.Observe, turn: s.Turn}
	sdk := dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		o.HTTPClient = &httpClient{transport}
		o.Retryer = aws.NopRetryer{}
		o.APIOptions = append(o.APIOptions, policy.attach, confineRequests, decodeItems)
		if s.Endpoint != "" {
			o.BaseEndpoint = &s.Endpoint
		}
	})
	return Client{Client: sdk, meter: account.NewMeter(), policy: policy,
		idle: connections.CloseIdleConnections}
}

// CloseIdle closes idle connections.
func (c Client) CloseIdle() { c.idle() }

// Metered returns a copy of the client with another meter.
func (c Client) Metered(m *account.Meter) Client {
	c.meter = m
	return c
}

// Of returns a copy of the client that is confined to the items of one tenant.
func (c Client) Of(t tracker.TenantID) Client {
	c.tenant = t
	return c
}

// Tenant returns the tenant that the client is confined to, or "".
func (c Client) Tenant() tracker.TenantID { return c.tenant }

// RestOfBatch waits before the unprocessed rest of a batch is sent again. done is the number of items
// processed, and stuck counts consecutive responses without any.
func (c Client) RestOfBatch(ctx context.Context, done int, stuck *int) error {
	return c.policy.rest(ctx, done, stuck)
}

// AfterConflict waits before a change is repeated for the nth time, n from 1, because of a concurrent change.
// It returns err when the maximum is reached.
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

// The following operations on items are confined and metered.

// Query reads a page of a partition.
func (c Client) Query(ctx context.Context, in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	return c.Client.Query(c.within(ctx), in)
}

// Scan reads a page of a segment of the table.
func (c Client) Scan(ctx context.Context, in *dynamodb.ScanInput) (*dynamodb.ScanOutput, error) {
	return c.Client.Scan(c.within(ctx), in)
}

// BatchGetItem reads up to 100 items by their keys.
func (c Client) BatchGetItem(ctx context.Context,
	in *dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error) {
	return c.Client.BatchGetItem(c.within(ctx), in)
}

// BatchWriteItem puts and deletes up to 25 items.
func (c Client) BatchWriteItem(ctx context.Context,
	in *dynamodb.BatchWriteItemInput) (*dynamodb.BatchWriteItemOutput, error) {
	return c.Client.BatchWriteItem(c.within(ctx), in)
}

// TransactWriteItems makes up to 100 writes atomically.
func (c Client) TransactWriteItems(ctx context.Context,
	in *dynamodb.TransactWriteItemsInput) (*dynamodb.TransactWriteItemsOutput, error) {
	return c.Client.TransactWriteItems(c.within(ctx), in)
}

// UpdateItem updates an item.
func (c Client) UpdateItem(ctx context.Context,
	in *dynamodb.UpdateItemInput) (*dynamodb.UpdateItemOutput, error) {
	return c.Client.UpdateItem(c.within(ctx), in)
}
