package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// mostAttempts is the maximum number of times that a request is sent.
const mostAttempts = 9

// scripted is a DB whose responses come from a script, immediately and without a network, so that in a
// testing/synctest bubble only pauses and deadlines take time. Requests after the end of the script succeed.
// It is created outside the bubble because a DB keeps a goroutine.
type scripted struct {
	*testing.T
	db     *dynamo.DB
	store  *dynamo.Tenant
	script []dynamotest.Interceptor
	always dynamotest.Interceptor // used instead of the script if set
	sent   []time.Time
	bodies [][]byte
}

func newScripted(t *testing.T, options ...func(*dynamo.Settings)) *scripted {
	s := &scripted{T: t}
	s.db = newDB(t, append(options,
		intercepted(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
			s.sent, s.bodies = append(s.sent, time.Now()), append(s.bodies, r.Body)
			if s.always != nil {
				return s.always(r, send)
			}
			if len(s.script) == 0 {
				return fine(r, send)
			}
			next := s.script[0]
			s.script = s.script[1:]
			return next(r, send)
		}))...)
	var err error
	if s.store, err = s.db.Tenant(acme); err != nil {
		t.Fatal(err)
	}
	return s
}

// attempts returns the number of requests sent since its last call.
func (s *scripted) attempts() int {
	n := len(s.sent)
	s.sent, s.bodies = nil, nil
	return n
}

// recover makes enough successful calls to refill the retry budget.
func (s *scripted) recover() {
	s.always, s.script = nil, nil
	for range 2 * mostAttempts {
		if err := s.reserve(context.Background()); err != nil {
			s.Fatal(err)
		}
	}
	s.attempts()
}

// reserve makes a call that sends UpdateItem.
func (s *scripted) reserve(ctx context.Context) error {
	first, err := s.store.ReserveNums(ctx, project, 1)
	if err == nil && first != 7 {
		s.Errorf("got number %d, want 7", first)
	}
	return err
}

// create makes a call that sends TransactWriteItems.
func (s *scripted) create(ctx context.Context) error {
	return s.db.CreateTenant(ctx, tracker.Tenant{ID: "new", Name: "x"})
}

// fine returns a successful response that is valid for every operation.
func fine(*dynamotest.Request, func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
	return &dynamotest.Response{Status: http.StatusOK,
		Body: []byte(
			`{"Items":[],"Responses":{},"Attributes":{"n":{"N":"7"}},"Table":{"TableStatus":"ACTIVE"}}`)}
}

// lost fails as if the connection was reset before a response.
func lost(*dynamotest.Request, func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
	return &dynamotest.Response{Err: errors.New("internal-detail: connection reset")}
}

// hanging never responds; it fails when the request's context ends.
func hanging(r *dynamotest.Request, _ func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
	<-r.Context().Done()
	return &dynamotest.Response{Err: r.Context().Err()}
}

// says responds with an error of the DynamoDB API.
func says(code string) dynamotest.Interceptor { return dynamotest.Refuse("", code) }

// status responds with an HTTP status and an HTML body, as a load balancer does.
func status(n int) dynamotest.Interceptor {
	return func(*dynamotest.Request, dynamotest.Send) *dynamotest.Response {
		return &dynamotest.Response{Status: n, Body: []byte("<html>internal-detail</html>")}
	}
}

// cancelled responds that a transaction was canceled for the given reasons.
func cancelled(reasons ...string) dynamotest.Interceptor {
	all := make([]string, len(reasons))
	for n, reason := range reasons {
		all[n] = fmt.Sprintf(`{"Code":%q}`, reason)
	}
	body := fmt.Sprintf(
		`{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","message":"internal-detail","CancellationReasons":[%s]}`,
		strings.Join(all, ","))
	return func(*dynamotest.Request, dynamotest.Send) *dynamotest.Response {
		return &dynamotest.Response{Status: http.StatusBadRequest, Body: []byte(body)}
	}
}
