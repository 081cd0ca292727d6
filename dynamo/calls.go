package dynamo

import (
	"context"

	"issuegrid/dynamo/internal/client"
	"issuegrid/tracker"
)

// Types that describe the DynamoDB calls made for a caller.
type (
	// Call is the result of a DynamoDB API call, including its retries.
	Call = client.Call
	// SetupError reports that the table cannot be used until the operator corrects the setup.
	SetupError = client.SetupError
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
