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

// mostAttempts is how often a request is sent at the most.
const mostAttempts = 9

// scripted is an engine that answers what it is told to, at once, and without a network, so that time stands
// still but for pauses and deadlines (testing/synctest). Requests behind the end of the script succeed. It is
// made outside of the bubble, because a DB keeps a goroutine.
type scripted struct {
	*testing.T
	db     *dynamo.DB
	store  *dynamo.Tenant
	script []dynamotest.Interceptor
	always dynamotest.Interceptor // instead of the script
	sent   []time.Time
	bodies [][]byte
}

func newScripted(t *testing.T, options ...func(*dynamo.Settings)) *scripted {
	s := &scripted{T: t}
	s.db = newDB(t, append(options,
		intercepted(func(r *dynamotest.Request,
			send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
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

// attempts returns how many requests were sent since it was last asked.
func (s *scripted) attempts() int {
	n := len(s.sent)
	s.sent, s.bodies = nil, nil
	return n
}

// recover earns the budget of retries that a call may have spent.
func (s *scripted) recover() {
	s.always, s.script = nil, nil
	for range 2 * mostAttempts {
		if err := s.reserve(context.Background()); err != nil {
			s.Fatal(err)
		}
	}
	s.attempts()
}

// reserve is a call of UpdateItem.
func (s *scripted) reserve(ctx context.Context) error {
	first, err := s.store.ReserveNums(ctx, project, 1)
	if err == nil && first != 7 {
		s.Errorf("the number is %d", first)
	}
	return err
}

// create is a call of TransactWriteItems.
func (s *scripted) create(ctx context.Context) error {
	return s.db.CreateTenant(ctx, tracker.Tenant{ID: "new", Name: "x"})
}

// fine is an answer that suits every operation.
func fine(*dynamotest.Request, func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
	return &dynamotest.Response{Status: http.StatusOK,
		Body: []byte(
			`{"Items":[],"Responses":{},"Attributes":{"n":{"N":"7"}},"Table":{"TableStatus":"ACTIVE"}}`)}
}

// lost is an answer that does not come.
func lost(*dynamotest.Request, func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
	return &dynamotest.Response{Err: errors.New("internal-detail: connection reset")}
}

// hanging is a connection on which nothing comes.
func hanging(r *dynamotest.Request, _ func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
	<-r.Context().Done()
	return &dynamotest.Response{Err: r.Context().Err()}
}

// says answers with an error of the API.
func says(code string) dynamotest.Interceptor { return dynamotest.Refuse("", code) }

// status answers with an HTTP status, and what is no answer of the API, as a load balancer does.
func status(n int) dynamotest.Interceptor {
	return func(*dynamotest.Request, func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		return &dynamotest.Response{Status: n, Body: []byte("<html>internal-detail</html>")}
	}
}

// cancelled answers that a transaction was cancelled for these reasons.
func cancelled(reasons ...string) dynamotest.Interceptor {
	all := make([]string, len(reasons))
	for n, reason := range reasons {
		all[n] = fmt.Sprintf(`{"Code":%q}`, reason)
	}
	body := fmt.Sprintf(
		`{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","message":"internal-detail","CancellationReasons":[%s]}`,
		strings.Join(all, ","))
	return func(*dynamotest.Request, func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		return &dynamotest.Response{Status: http.StatusBadRequest, Body: []byte(body)}
	}
}
