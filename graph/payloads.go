package graph

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// payloadErrors is the field middleware that moves the errors of a root field of a mutation to its payload,
// if `errors` of the payload is selected. Otherwise they are errors of the response, so that no client
// misses them. Errors that a client can't avoid by another input are always errors of the response.
func payloadErrors(ctx context.Context, next graphql.Resolver) (any, error) {
	resolved, err := next(ctx)
	fc := graphql.GetFieldContext(ctx)
	if err == nil || fc.Object != "Mutation" {
		return resolved, err
	}
	var codes []tracker.Code
	for _, one := range joined(err) {
		code := tracker.CodeOf(one)
		switch code {
		case tracker.BadInput, tracker.NotFound, tracker.Conflict, tracker.Forbidden:
			codes = append(codes, code)
		default:
			return resolved, err
		}
	}
	if !inPayload(ctx, "errors") {
		return resolved, err
	}
	s := session(ctx)
	s.refused = append(s.refused, codes...)
	all := userErrors(ctx, err)
	if limit := s.answer.MaxErrors(); len(all) > limit { // as in a response
		all = append(all[:limit-1], &model.UserError{Code: all[limit-1].Code,
			Message: "there are more errors; a payload shows at most " + strconv.Itoa(limit)})
	}
	out := reflect.New(payloads()[fc.Field.Name])
	out.Elem().FieldByName("Errors").Set(reflect.ValueOf(all))
	return out.Interface(), nil
}

// inPayload reports whether a member of the payload of a mutation is selected. If more are given, they are
// the type of the member and one of its own.
func inPayload(ctx context.Context, member string, deeper ...string) bool {
	s, payload := newSelected(ctx, nil), graphql.GetFieldContext(ctx).Field
	fields := s.below(payload, payload.Definition.Type.Name())
	if len(deeper) == 0 {
		return hasField(fields, member)
	}
	return slices.ContainsFunc(fields, func(f graphql.CollectedField) bool {
		return f.Name == member && hasField(s.below(f, deeper[0]), deeper[1])
	})
}

// payloads returns the type of the payload of each mutation, which is a struct with Errors.
var payloads = sync.OnceValue(func() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	resolvers := reflect.TypeFor[MutationResolver]()
	for i := range resolvers.NumMethod() {
		m := resolvers.Method(i)
		for _, f := range parsedSchema.Mutation.Fields {
			if strings.EqualFold(f.Name, m.Name) {
				all[f.Name] = m.Type.Out(0).Elem()
			}
		}
	}
	return all
})
