package graph

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/tracker"
)

// An answer may be very much larger than the question, and than what is read for it: lists of definitions that lead to each other, a long text under
// fifty names. How large it gets is known only while it is made; so it is measured then, and one that outgrows its limits is given up as a whole.

// answerMeter measures the answer that is being made. The zero value has no limits.
type answerMeter struct {
	limits    *Limits
	bytes     atomic.Int64 // of JSON, about: what is between the values is estimated
	fields    atomic.Int64 // that the executor has resolved one by one
	once      sync.Once
	abandoned atomic.Pointer[tracker.Error] // why the answer is given up
}

// abandon gives the answer up.
func (a *answerMeter) abandon(why *tracker.Error) {
	a.once.Do(func() { a.abandoned.Store(why) })
}

// goesOn tells whether the answer is still made: nobody has given it up, and its client waits for it.
func (a *answerMeter) goesOn(ctx context.Context) bool {
	if gone(ctx) {
		a.abandon(&tracker.Error{Code: tracker.Unavailable, Message: "the request was cancelled", Cause: ctx.Err()})
	}
	return a.abandoned.Load() == nil
}

// resolves counts a field.
func (a *answerMeter) resolves() {
	if a.limits != nil && a.fields.Add(1) > int64(a.limits.AnswerFields) {
		a.abandon(over("fields in the answer, at least", a.limits.AnswerFields+1, "AnswerFields", a.limits.AnswerFields,
			"ask for less in each other, or for fewer objects at once; what a mutation has changed is changed"))
	}
}

// grows counts n bytes.
func (a *answerMeter) grows(n int) { a.outgrown(a.bytes.Add(int64(n))) }

// row counts the bytes of a list that has n so far, and will be counted as a whole.
func (a *answerMeter) row(n int) { a.outgrown(a.bytes.Load() + int64(n)) }

func (a *answerMeter) outgrown(bytes int64) {
	if a.limits != nil && bytes > int64(a.limits.Answer) {
		a.abandon(over("bytes of the answer, at least", int(bytes), "Answer", a.limits.Answer,
			"ask for smaller pages, or for less of each row; what a mutation has changed is changed"))
	}
}

// punctuation is what JSON has around a member: quotation marks, colon and comma.
const punctuation = 6

// abandoned stands for every field of an answer that is given up. It is no error, because of these there would be one for each field.
var abandoned = graphql.Null

// measured is the field middleware that measures. Fields of the rows of grids, which are written at once, count by their bytes only.
func measured(ctx context.Context, next graphql.Resolver) (any, error) {
	a := &session(ctx).answer
	if a.resolves(); !a.goesOn(ctx) {
		return abandoned, nil
	}
	resolved, err := next(ctx)
	if err != nil {
		return nil, err
	}
	if a.grows(len(graphql.GetFieldContext(ctx).Field.Alias) + punctuation + jsonBytes(resolved)); !a.goesOn(ctx) {
		return abandoned, nil
	}
	return resolved, nil
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
