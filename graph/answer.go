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

	"issuegrid/graph/guard"
	"issuegrid/graph/model"
	"issuegrid/internal/account"
	"issuegrid/internal/setting"
	"issuegrid/tracker"
)

// A response may be much larger than its request and than the data read for it, for example with nested lists
// of definitions or a long text under fifty aliases. Its size is known only while it is made, so it is
// measured then. A response that exceeds a limit is abandoned as a whole.

// answerMeter measures a response while it is made.
type answerMeter struct {
	limits  *guard.Limits
	account *account.Account // of the operation; may be nil
	bytes   atomic.Int64     // of JSON, approximately: punctuation is estimated
	held    atomic.Int64     // bytes of memory reserved for the response
	// fields and objects that the executor has resolved, in quarters
	fields atomic.Int64
	// from *ast.Field to the bytes that each of its objects has in addition to its resolved fields
	perObject sync.Map
	abandoned atomic.Pointer[tracker.Error] // the reason; nil if not abandoned
}

// restart discards what was measured, except the memory that was reserved.
func (a *answerMeter) restart(l *guard.Limits, op *account.Account) {
	a.limits, a.account = l, op
	a.bytes.Store(0)
	a.fields.Store(0)
}

// abandon abandons the response. The first reason is kept.
func (a *answerMeter) abandon(why *tracker.Error) { a.abandoned.CompareAndSwap(nil, why) }

// Active reports whether the response is still being made: it was not abandoned, the client has not
// disconnected, and the deadline has not passed.
func (a *answerMeter) Active(ctx context.Context) bool {
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

// The estimated memory of making a response.
const (
	// fieldMemory is for a field or object that the executor resolves: the data to be written.
	fieldMemory = 512
	// byteMemory is for a byte of JSON: in the buffer of its list, in the buffer of the response, while these
	// grow, and in compression.
	byteMemory = 3
	// holdStep is the minimum amount of memory to reserve at once, in bytes.
	holdStep = 64 << 10
)

// hold reserves memory for the response up to a total of all bytes.
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

// memory returns the memory of the response with n more bytes of JSON.
func (a *answerMeter) memory(n int) int64 {
	return byteMemory*(a.bytes.Load()+int64(n)) + fieldMemory*a.fields.Load()/4
}

// countFields counts n fields or objects.
func (a *answerMeter) countFields(ctx context.Context, n int) {
	a.account.Spend(time.Duration(n) * account.FieldCPU)
	quarters := int64(4 * n)
	if f, ok := ctx.Value(failedKey{}).(*atomic.Bool); ok && f.Load() {
		quarters = int64(n)
	}
	if a.fields.Add(quarters) > 4*int64(a.limits.AnswerFields) {
		a.abandon(setting.Exceeded("fields in the answer, at least", a.limits.AnswerFields+1, "AnswerFields",
			a.limits.AnswerFields,
			"select fewer nested fields, or fewer objects at a time; changes that a mutation has made are "+
				"kept"))
	}
}

// failedKey is the key of an *atomic.Bool that is true after a compiled row of a grid has failed. The
// executor then resolves every field of all rows. As the client did not ask for this work, each field counts
// as a quarter.
type failedKey struct{}

// countObjects counts the n objects that a field returned, including the bytes that the executor writes for
// each: braces and __typename.
func (a *answerMeter) countObjects(ctx context.Context, f graphql.CollectedField, n int) {
	each, known := a.perObject.Load(f.Field)
	if !known {
		each, _ = a.perObject.LoadOrStore(f.Field, len("{},")+typenames(f.Selections))
	}
	a.countFields(ctx, n)
	a.countBytes(ctx, n*each.(int))
}

// longTypename is the length of the longest type names.
const longTypename = 24

// typenames returns the number of bytes of __typename in one object, under all its aliases. Fragments count
// for every type.
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

// countBytes counts n bytes.
func (a *answerMeter) countBytes(ctx context.Context, n int) {
	a.checkSize(a.bytes.Add(int64(n)))
	a.hold(ctx, a.memory(0))
}

// Count counts a row of row bytes. The list that it was written to has n bytes, and countBytes will count
// it when it is complete.
func (a *answerMeter) Count(ctx context.Context, row, n int) {
	a.account.Spend(time.Duration(row) * account.ByteCPU)
	a.checkSize(a.bytes.Load() + int64(n))
	a.hold(ctx, a.memory(n))
}

// Room returns the number of bytes that the response may still grow.
func (a *answerMeter) Room() int { return max(0, a.limits.Answer-int(a.bytes.Load())) }

// MaxErrors returns how many errors the response shows.
func (a *answerMeter) MaxErrors() int { return a.limits.Errors }

func (a *answerMeter) checkSize(bytes int64) {
	if bytes > int64(a.limits.Answer) {
		a.abandon(setting.Exceeded("bytes of the answer, at least", int(bytes), "Answer", a.limits.Answer,
			"ask for smaller pages, or for less of each row; what a mutation has changed is changed"))
	}
}

// punctuation is the number of bytes around a member in JSON: quotation marks, colon and comma.
const punctuation = 6

// abandoned replaces every field of an abandoned response. It is not an error, because there would be one for
// each field.
var abandoned = graphql.Null

// measured is the field middleware that measures the response. Compiled rows of grids count only by their
// bytes.
func measured(ctx context.Context, next graphql.Resolver) (any, error) {
	a := &session(ctx).answer
	if a.countFields(ctx, 1); !a.Active(ctx) {
		return abandoned, nil
	}
	resolved, err := next(ctx)
	if err != nil {
		return nil, err
	}
	f := graphql.GetFieldContext(ctx).Field
	if len(f.Selections) > 0 {
		a.countObjects(ctx, f, objectsIn(resolved))
	}
	n := len(f.Alias) + punctuation + jsonBytes(resolved)
	if _, written := resolved.(rendered); !written {
		a.account.Spend(time.Duration(n) * account.ByteCPU)
	}
	if a.countBytes(ctx, n); !a.Active(ctx) {
		return abandoned, nil
	}
	return resolved, nil
}

// objectsIn returns the number of objects that a field returned, without those that are already written.
func objectsIn(resolved any) int {
	if _, written := resolved.(graphql.Marshaler); written || resolved == nil {
		return 0
	}
	if list := reflect.ValueOf(resolved); list.Kind() == reflect.Slice {
		return list.Len()
	}
	return 1
}

// jsonBytes returns the minimum length of a scalar in JSON. It returns 0 for objects; their fields are
// measured separately.
func jsonBytes(v any) (n int) {
	switch v := v.(type) {
	case rendered:
		return len(v)
	case string:
		return stringBytes(v)
	case *model.SavedFilter:
		if v != nil {
			return len(*v)
		}
	case *string:
		if v != nil {
			return stringBytes(*v)
		}
	case []string:
		for _, s := range v {
			n += stringBytes(s) + 3
		}
	}
	return n
}

// stringBytes returns the length of a string in JSON, where a control character has six bytes.
func stringBytes(s string) int {
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

// replaceAbandoned replaces an abandoned response by an error with the reason.
func replaceAbandoned(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
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
