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

// LateSuffix is what the name of a table's late copy has behind that of the table.
const LateSuffix = "-late"

// lateIndex makes the indexes of tables lag, as those of DynamoDB do, but by a number of writes and not by time: what is asked of an index is
// answered from a copy of the table, to which the writes come later. Everything else goes to the table itself. Its laws:
//
//   - A copy is at every moment what its table was some writes ago. So writes are sent one after the other, and each that the engine took goes
//     to the copy in the same order, without what the engine left unprocessed of a batch.
//   - A transaction that was sent again with its ClientRequestToken goes to the copy again as well, with a token that is made from that one, so that
//     the engine takes it for a repetition there if it did so here.
//   - Whoever uses it sees to it that what it sends goes on when the client no longer waits, so that nothing is in a table that will not be in its
//     copy.
//
// The laws end where an engine dies under a write, and where it removes an item because it has expired, which stays in the copy.
// What goes to copies has no valid signature, because it is altered; the engine must be one that does not look.
type lateIndex struct {
	t  testing.TB
	on atomic.Bool // outside of mu, so that only what is about an index or writes has to wait for others

	mu     sync.Mutex
	lag    int
	copied map[string]bool // the tables that have a copy
	behind []write         // what the copies have not seen, the oldest first
}

// write is a request that does to copies what one did to their tables.
type write struct {
	request *Request
	send    func(*Request) *Answer
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
func (l *lateIndex) serve(r *Request, send func(*Request) *Answer) *Answer {
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

// table makes or removes a table, and its copy with it.
func (l *lateIndex) table(r *Request, send func(*Request) *Answer) *Answer {
	l.mu.Lock()
	defer l.mu.Unlock()
	name, body := tableOf(r.Body)
	delete(body, "StreamSpecification") // of a copy nobody reads it
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
			l.behind = nil
		}
		l.follow(0) // what is left may be about both this table and others
	}
	l.do(write{r.with(format(late(name, body))), send})
	return a
}

// read lets the copy answer what is asked of an index.
func (l *lateIndex) read(r *Request, send func(*Request) *Answer) *Answer {
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
		l.t.Errorf("dynamotest: an index of the table %s is read, which has no late copy: it was not made while indexes lag", name)
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

func (l *lateIndex) write(r *Request, send func(*Request) *Answer) *Answer {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := send(r)
	if a.ok() {
		if again := l.again(r, a); again != nil {
			l.behind = append(l.behind, write{r.with(again), send})
		}
	}
	return a
}

// again is the body of the request that does to the copies what r did to their tables; nil if no table has a copy that r did anything to.
func (l *lateIndex) again(r *Request, a *Answer) []byte {
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
			body = replaced(body, "ClientRequestToken", fmt.Sprintf("%.18x", sha256.Sum256(token))) // as long as a token may be
		}
		return format(replaced(body, "TransactItems", items))
	}
	if !l.copied[name] {
		return nil
	}
	return format(late(name, body))
}

// follow lets the copies catch up until they are behind by n writes at the most.
func (l *lateIndex) follow(n int) {
	for len(l.behind) > n {
		next := l.behind[0]
		l.behind = l.behind[1:]
		l.do(next)
	}
}

// do does to copies what was done to their tables. What succeeded there succeeds here; otherwise the copies are none, and the test has failed.
func (l *lateIndex) do(w write) {
	a := w.send(w.request)
	if !a.ok() || len(unprocessed(a)) > 0 {
		l.t.Errorf("dynamotest: a late copy can't follow its table: %s: %d %s %v", w.request.Operation, a.Status, a.Body, a.Err)
	}
}

// tableOf returns the table that a part of a request or of an answer is about, "" if it names none, and the part.
func tableOf(part []byte) (name string, o object) {
	parse(part, &o)
	if o["TableName"] != nil {
		parse(o["TableName"], &name)
	}
	return name, o
}

// late is a part of a request, made to be about the table's copy.
func late(name string, part object) object { return replaced(part, "TableName", name+LateSuffix) }

// unprocessed are the writes that an answer to BatchWriteItem gives back, by table.
func unprocessed(a *Answer) map[string][]any {
	var answer struct{ UnprocessedItems map[string][]any }
	parse(a.Body, &answer)
	return answer.UnprocessedItems
}
