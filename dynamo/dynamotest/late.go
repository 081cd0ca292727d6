package dynamotest

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// LateSuffix is the suffix that the name of a table's late copy has.
const LateSuffix = "-late"

// lateIndex makes the indexes of tables lag, as DynamoDB's do, but by a number of writes instead of by time.
// Reads of an index are sent to a copy of the table that receives writes later. Everything else is sent to
// the table itself. Its laws:
//
//   - At any time, a copy equals its table a number of writes ago. So writes are sent one at a time, and
//     those that the engine has accepted are sent to the copy in the same order, without unprocessed items of
//     a batch.
//   - A transaction repeated with the same ClientRequestToken is also repeated on the copy, with a token
//     derived from it, so that the engine recognizes the repetition there as well.
//   - The caller must ensure that a request completes even if its client no longer waits, so that no write is
//     in a table and never in its copy.
//
// The laws do not hold if an engine dies during a write, or if it removes an expired item, which remains in
// the copy. Requests to copies have no valid signature because they are modified; the engine must not check
// it.
type lateIndex struct {
	t  testing.TB
	on atomic.Bool // not guarded by mu, so that only index reads and writes wait for it

	mu      sync.Mutex
	lag     int
	copied  map[string]bool // tables that have a copy
	pending []write         // writes not yet applied to the copies, oldest first
}

// write is a request that applies to copies what another one did to their tables.
type write struct {
	request *Request
	send    func(*Request) *Response
}

func (l *lateIndex) set(lag int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lag = lag
	l.on.Store(true)
}

func (l *lateIndex) catchUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.follow(0)
}

// serve is an Interceptor.
func (l *lateIndex) serve(r *Request, send Send) *Response {
	if l.on.Load() {
		switch r.Operation {
		case "CreateTable", "DeleteTable":
			return l.table(r, send)
		case "Query", "Scan":
			return l.read(r, send)
		case "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems":
			return l.write(r, send)
		}
	}
	return send(r)
}

// table creates or deletes a table and its copy.
func (l *lateIndex) table(r *Request, send Send) *Response {
	l.mu.Lock()
	defer l.mu.Unlock()
	name, body := tableOf(r.Body)
	delete(body, "StreamSpecification") // nothing reads the stream of a copy
	a := send(r)
	switch {
	case !a.ok():
		return a
	case r.Operation == "CreateTable":
		l.copied[name] = true
	case !l.copied[name]:
		return a
	default:
		if delete(l.copied, name); len(l.copied) == 0 {
			l.pending = nil
		}
		l.follow(0) // the remaining writes may concern other tables too
	}
	l.do(write{r.with(format(late(name, body))), send})
	return a
}

// read sends a read of an index to the copy.
func (l *lateIndex) read(r *Request, send Send) *Response {
	name, body := tableOf(r.Body)
	if body["IndexName"] == nil {
		return send(r)
	}
	l.mu.Lock()
	copied := l.copied[name]
	if copied {
		l.follow(l.lag)
	}
	l.mu.Unlock()
	if !copied {
		l.t.Errorf("dynamotest: read of an index of the table %s, which has no late copy: it was created "+
			"before Lag was called", name)
		return send(r)
	}
	a := send(r.with(format(late(name, body))))
	if a.ok() {
		var answer object
		parse(a.Body, &answer)
		if consumed := answer["ConsumedCapacity"]; consumed != nil {
			_, o := tableOf(consumed)
			a.Body = format(replaced(answer, "ConsumedCapacity", replaced(o, "TableName", name)))
		}
	}
	return a
}

func (l *lateIndex) write(r *Request, send Send) *Response {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := send(r)
	if a.ok() {
		if body := l.copyOf(r, a); body != nil {
			l.pending = append(l.pending, write{r.with(body), send})
		}
	}
	return a
}

// copyOf returns the body of the request that applies to the copies what r did to their tables, or nil if r
// did not change a table with a copy.
func (l *lateIndex) copyOf(r *Request, a *Response) []byte {
	name, body := tableOf(r.Body)
	switch r.Operation {
	case "BatchWriteItem":
		var all map[string][]any
		parse(body["RequestItems"], &all)
		left, items := unprocessed(a), map[string][]any{}
		for name, writes := range all {
			done := slices.DeleteFunc(writes, func(w any) bool {
				return slices.ContainsFunc(left[name], func(u any) bool { return reflect.DeepEqual(w, u) })
			})
			if l.copied[name] && len(done) > 0 {
				items[name+LateSuffix] = done
			}
		}
		if len(items) == 0 {
			return nil
		}
		return format(replaced(body, "RequestItems", items))
	case "TransactWriteItems":
		var all []object
		parse(body["TransactItems"], &all)
		var items []any
		for _, item := range all {
			for action, o := range item {
				if name, o := tableOf(o); l.copied[name] {
					items = append(items, map[string]object{action: late(name, o)})
				}
			}
		}
		if len(items) == 0 {
			return nil
		}
		if token := body["ClientRequestToken"]; token != nil {
			// the maximum length of a token
			body = replaced(body, "ClientRequestToken", fmt.Sprintf("%.18x", sha256.Sum256(token)))
		}
		return format(replaced(body, "TransactItems", items))
	}
	if !l.copied[name] {
		return nil
	}
	return format(late(name, body))
}

// follow applies writes to the copies until at most n are pending.
func (l *lateIndex) follow(n int) {
	for len(l.pending) > n {
		next := l.pending[0]
		l.pending = l.pending[1:]
		l.do(next)
	}
}

// do applies a write to the copies. If it fails, the copies are invalid and the test fails.
func (l *lateIndex) do(w write) {
	a := w.send(w.request)
	if !a.ok() || len(unprocessed(a)) > 0 {
		l.t.Errorf("dynamotest: write to a late copy failed: %s: %d %s %v", w.request.Operation, a.Status,
			a.Body, a.Err)
	}
}

// tableOf returns the table that a part of a request or response names, or "", and the part.
func tableOf(part []byte) (name string, o object) {
	parse(part, &o)
	if o["TableName"] != nil {
		parse(o["TableName"], &name)
	}
	return name, o
}

// late returns a part of a request with the name of the table replaced by that of its copy.
func late(name string, part object) object { return replaced(part, "TableName", name+LateSuffix) }

// unprocessed returns the unprocessed writes in a response to BatchWriteItem, by table.
func unprocessed(a *Response) map[string][]any {
	var answer struct{ UnprocessedItems map[string][]any }
	parse(a.Body, &answer)
	return answer.UnprocessedItems
}
