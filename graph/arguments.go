package graph

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/tracker"
)

// separate returns the errors that err joins, or err alone. Errors of a field are in the order in which the
// schema declares the arguments that they are about.
func separate(ctx context.Context, err error) []error {
	all := joined(err)
	if f := fieldOfContext(ctx); f != nil && len(all) > 1 {
		slices.SortStableFunc(all, func(a, b error) int {
			return slices.Compare(positionOf(f.Definition, a), positionOf(f.Definition, b))
		})
	}
	return all
}

// ofArgument returns err; the error that an object does not exist is about the argument that names it.
func ofArgument(ctx context.Context, err error) error {
	e, ok := errors.AsType[*tracker.Error](err)
	if f := fieldOfContext(ctx); f != nil && ok && e.Path == "" {
		return tracker.MissingAt(naming(f), err)
	}
	return err
}

// fieldOfContext returns the field that is being resolved, or nil.
func fieldOfContext(ctx context.Context) *ast.Field {
	if fc := graphql.GetFieldContext(ctx); fc != nil && fc.Field.Field != nil && fc.Field.Definition != nil {
		return fc.Field.Field
	}
	return nil
}

// naming returns the path of the argument that names the object that a field is about: of a mutation, the
// first id of its input, and of another field, the argument with an id or a name. It returns "" if the field
// has none.
func naming(f *ast.Field) string {
	for _, a := range f.Arguments {
		d := f.Definition.Arguments.ForName(a.Name)
		if d == nil {
			continue
		}
		if a.Name == "input" {
			return firstID(a.Name, d.Type)
		}
		if d.Type.NamedType == "ID" || slices.Contains([]string{"key", "name", "num"}, a.Name) {
			return a.Name
		}
	}
	return ""
}

// firstID returns the path of the first id in an input, or "" if it has none. path is that of the input.
func firstID(path string, t *ast.Type) string {
	if t.NamedType == "ID" {
		return path
	}
	if input := parsedSchema.Types[t.NamedType]; input != nil && input.Kind == ast.InputObject && t.NonNull {
		for _, member := range input.Fields {
			if found := firstID(path+"."+member.Name, member.Type); found != "" {
				return found
			}
		}
	}
	return ""
}

// positionOf returns the position of the input that an error is about: of each part of its path, the index
// in the list, or among the members that the schema declares. Errors about no input are first.
func positionOf(field *ast.FieldDefinition, err error) []int {
	e, ok := err.(*tracker.Error)
	if !ok || e.Path == "" {
		return nil
	}
	var at []int
	var input *ast.Definition // that has the next member; nil for the arguments
	separator := func(r rune) bool { return strings.ContainsRune(".[]", r) }
	for i, part := range strings.FieldsFunc(e.Path, separator) {
		if n, err := strconv.Atoi(part); err == nil {
			at = append(at, n)
			continue
		}
		var of *ast.Type
		n := math.MaxInt // for what no input object has
		switch {
		case i == 0:
			n = slices.IndexFunc(field.Arguments,
				func(a *ast.ArgumentDefinition) bool { return a.Name == part })
			if n >= 0 {
				of = field.Arguments[n].Type
			}
		case input != nil:
			n = slices.IndexFunc(input.Fields, func(m *ast.FieldDefinition) bool { return m.Name == part })
			if n >= 0 {
				of = input.Fields[n].Type
			}
		}
		if input = nil; of != nil {
			input = parsedSchema.Types[of.Name()]
		}
		at = append(at, n)
	}
	return at
}
