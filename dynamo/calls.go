package dynamo

import (
	"context"

	"issuegrid/dynamo/internal/client"
	"issuegrid/tracker"
)

// What a caller sees of the calls that are made for it.
type (
	// Meter adds up what calls cost. It is safe for concurrent use.
	Meter = client.Meter
	// Cost is what a number of calls cost.
	Cost = client.Cost
	// Capacity is an amount of read and write capacity units.
	Capacity = client.Capacity
	// Call is what became of one call of DynamoDB's API, all its attempts together.
	Call = client.Call
	// SetupError is why the table can't be used before whoever runs the server has mended something.
	SetupError = client.SetupError
)

// The codes of calls that end without an answer.
const (
	CallCancelled = client.CallCancelled // the context ended
	// the connection failed, the attempt took too long, or the answer was none of the API
	CallUnanswered = client.CallUnanswered
)

// NewMeter returns a meter that stands at zero.
func NewMeter() *Meter { return client.NewMeter() }

// Confine returns a context in which no request reaches a key of another tenant, whatever asks for it (I1).
// It is for a session whose tenant is known before any handle is made. A request that would is not sent, and
// is an internal error: that is a defect.
func Confine(ctx context.Context, t tracker.TenantID) context.Context { return client.Confine(ctx, t) }
