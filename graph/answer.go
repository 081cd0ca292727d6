package graph

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/account"
	"issuegrid/graph/guard"
	"issuegrid/tracker"
)

// An answer may be very much larger than the question, and than what is read for it: lists of definitions
// that lead to each other, a long text under fifty names. How large it gets is known only while it is made;
// so it is measured then, and one that outgrows its limits is given up as a whole.

// answerMeter measures the answer that is being made.
type answerMeter struct {
	limits  *guard.Limits
	account *account.Account // of the operation; may be nil
	bytes   atomic.Int64     // of JSON, about: what is between the values is estimated
	held    atomic.Int64     // bytes of memory that are held for the answer
	// quarters of fields and objects that the executor has resolved one by one
	fields atomic.Int64
	// of each *ast.Field with objects below it, the bytes that each of them has without a field being
	// resolved
	unasked   sync.Map
	abandoned atomic.Pointer[tracker.Error] // why the answer is given up
}

// abandon gives the answer up.
func (a *answerMeter) abandon(why *tracker.Error) { a.abandoned.CompareAndSwap(nil, why) }

// goesOn reports whether the answer is still made: nobody has given it up, its client waits for it, and there
// is time left to make it.
func (a *answerMeter) goesOn(ctx context.Context) bool {
	if err := a.account.Check(ctx); err != nil {
		why, ok := errors.AsType[*tracker.Error](err)
		if !ok {
			why = &tracker.Error{Code: tracker.Unavailable, Message: "the request was canceled or timed out",
				Cause: err}
		}
		a.abandon(why)
	}
	return a.abandoned.Load() == nil
}

// What making an answer takes of the process. Benchmarks compare it with what it takes in truth (TestUnits).
const (
	// fieldCPU and fieldMemory are for a field or object that the executor resolves: its goroutine or its
	// call, and what is to be written of it.
	fieldCPU    = 3 * time.Microsecond
	fieldMemory = 512
	// byteCPU and byteMemory are for a byte of JSON: in the list that it is written to, in what the whole
	// answer is put together in, while these grow, and when it is compressed.
	byteCPU    = 14 * time.Nanosecond
	byteMemory = 3
	// holdStep is the least memory that is held at once.
	holdStep = 64 << 10
)

// hold holds so much memory for the answer in all, if it does not hold that yet.
func (a *answerMeter) hold(ctx context.Context, all int64) {
	for held := a.held.Load(); all > held; held = a.held.Load() {
		step := max(all-held, holdStep)
		if !a.held.CompareAndSwap(held, held+step) {
			continue
		}
		if why, failed := errors.AsType[*tracker.Error](a.account.Hold(ctx, step)); failed {
			a.abandon(why)
		}
		return
	}
}

// takes is the memory that the answer takes with n bytes more.
func (a *answerMeter) takes(n int) int64 {
	return byteMemory*(a.bytes.Load()+int64(n)) + fieldMemory*a.fields.Load()/4
}

// resolves counts n fields or objects.
func (a *answerMeter) resolves(ctx context.Context, n int) {
	a.account.Spend(time.Duration(n) * fieldCPU)
	quarters := int64(4 * n)
	if f, ok := ctx.Value(failedKey{}).(*atomic.Bool); ok && f.Load() {
		quarters = int64(n)
	}
	if a.fields.Add(quarters) > 4*int64(a.limits.AnswerFields) {
		a.abandon(guard.LimitError("fields in the answer, at least", a.limits.AnswerFields+1, "AnswerFields",
			a.limits.AnswerFields,
			"select fewer nested fields, or fewer objects at a time; changes that a mutation has made are "+
				"kept"))
	}
}

// failedKey leads to an atomic.Bool that becomes true when the rows of a grid can't be written at once
// because a value of one has failed. The executor then resolves every field of all of them, which no client
// has asked for: each counts as a quarter.
type failedKey struct{}

// objects counts the n objects that a field has come to, with what the executor writes of each of them
// itself: its braces and its __typename.
func (a *answerMeter) objects(ctx context.Context, f graphql.CollectedField, n int) {
	each, known := a.unasked.Load(f.Field)
	if !known {
		each, _ = a.unasked.LoadOrStore(f.Field, len("{},")+typenames(f.Selections))
	}
	a.resolves(ctx, n)
	a.grows(ctx, n*each.(int))
}

// longTypename is as long as the longest names of types.
const longTypename = 24

// typenames is how many bytes the __typename of one object has, under all its names. Fragments count for
// every type.
func typenames(set ast.SelectionSet) (n int) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			if s.Name == "__typename" {
				n += len(s.Alias) + punctuation + longTypename
			}
		case *ast.InlineFragment:
			n += typenames(s.SelectionSet)
		case *ast.FragmentSpread:
			n += typenames(s.Definition.SelectionSet)
		}
	}
	return n
}

// grows counts n bytes.
func (a *answerMeter) grows(ctx context.Context, n int) {
	a.outgrown(a.bytes.Add(int64(n)))
	a.hold(ctx, a.takes(0))
}

// row counts a row that was written to a list, which now has n bytes and will be counted as a whole.
func (a *answerMeter) row(ctx context.Context, row, n int) {
	a.account.Spend(time.Duration(row) * byteCPU)
	a.outgrown(a.bytes.Load() + int64(n))
	a.hold(ctx, a.takes(n))
}

// room is how many bytes the answer may still grow.
func (a *answerMeter) room() int { return max(0, a.limits.Answer-int(a.bytes.Load())) }

func (a *answerMeter) outgrown(bytes int64) {
	if bytes > int64(a.limits.Answer) {
		a.abandon(guard.LimitError("bytes of the answer, at least", int(bytes), "Answer", a.limits.Answer,
			"ask for smaller pages, or for less of each row; what a mutation has changed is changed"))
	}
}

// punctuation is what JSON has around a member: quotation marks, colon and comma.
const punctuation = 6

// abandoned stands for every field of an answer that is given up. It is no error, because of these there
// would be one for each field.
var abandoned = graphql.Null

// measured is the field middleware that measures. Fields of the rows of grids, which are written at once,
// count by their bytes only.
func measured(ctx context.Context, next graphql.Resolver) (any, error) {
	a := &session(ctx).answer
	if a.resolves(ctx, 1); !a.goesOn(ctx) {
		return abandoned, nil
	}
	resolved, err := next(ctx)
	if err != nil {
		return nil, err
	}
	f := graphql.GetFieldContext(ctx).Field
	if len(f.Selections) > 0 {
		a.objects(ctx, f, objectsIn(resolved))
	}
	n := len(f.Alias) + punctuation + jsonBytes(resolved)
	if _, written := resolved.(rendered); !written {
		a.account.Spend(time.Duration(n) * byteCPU)
	}
	if a.grows(ctx, n); !a.goesOn(ctx) {
		return abandoned, nil
	}
	return resolved, nil
}

// objectsIn is how many objects are in what a field has come to, those left out that are written already.
func objectsIn(resolved any) int {
	if _, written := resolved.(graphql.Marshaler); written || resolved == nil {
		return 0
	}
	if list := reflect.ValueOf(resolved); list.Kind() == reflect.Slice {
		return list.Len()
	}
	return 1
}

// jsonBytes is how long a value is in JSON, at least; what it is of is measured by its own fields.
func jsonBytes(v any) (n int) {
	switch v := v.(type) {
	case rendered:
		return len(v)
	case string:
		return textBytes(v)
	case *string:
		if v != nil {
			return textBytes(*v)
		}
	case []string:
		for _, s := range v {
			n += textBytes(s) + 3
		}
	}
	return n
}

// textBytes is how long a text is in JSON, where a control character takes six bytes.
func textBytes(s string) int {
	n := len(s)
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ':
			n += 5
		case c == '"' || c == '\\':
			n++
		}
	}
	return n
}

// whole replaces an answer that was given up by the reason.
func whole(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	response := next(ctx)
	s, ok := ctx.Value(sessionKey{}).(*Session)
	if response == nil || !ok {
		return response
	}
	if why := s.answer.abandoned.Load(); why != nil {
		response.Data, response.Errors = nil, gqlerror.List{presentOne(ctx, why)}
	}
	return response
}
