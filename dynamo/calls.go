package dynamo

import (
	"context"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// Types that describe the DynamoDB calls made for a caller.
type (
	// Call is the result of a DynamoDB API call, including its retries.
	Call = client.Call
	// SetupError reports that the table cannot be used until the operator corrects the setup.
	SetupError = client.SetupError
)

// Types and limits of the packages on which this one is built.
type (
	// Key is the primary key of an item.
	Key = layout.Key
	// ListQuery selects a page of a list.
	ListQuery = store.ListQuery
	// List is a list of the index: of tenants or projects by name, or of deleted issues.
	List[ID any] = store.List[ID]
	// Listed is a row of a list: an id and its position.
	Listed[ID any] = store.Listed[ID]
	// HistoryQuery selects entries of the history of an issue or a project.
	HistoryQuery = store.HistoryQuery
)

const (
	// MaxBatch is DynamoDB's limit on the number of keys of a BatchGetItem call.
	MaxBatch = store.MaxBatch
	// MaxCountQueries is the maximum number of Queries of a count, of 1 MB of keys each: about 70,000 rows.
	MaxCountQueries = store.MaxCountQueries
)

// Codes of calls that end without a response.
const (
	CallCancelled = client.CallCancelled // the context was canceled
	// the connection failed, the attempt timed out, or the response was not one of the API
	CallUnanswered = client.CallUnanswered
)

// Confine returns a context in which no request can access a key of another tenant (I1). It is for a session
// whose tenant is known before a handle is created. A request that would access such a key is not sent. It
// fails with an internal error, because it is a bug.
func Confine(ctx context.Context, t tracker.TenantID) context.Context { return client.Confine(ctx, t) }
