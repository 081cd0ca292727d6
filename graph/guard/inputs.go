package guard

import (
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/tracker"
)

// The inputs of a request: the JSON of its variables and extensions, before the library walks it, and what the fields of the operation take of it. The
// generated executor reads a variable again for each field that takes it, so that 400 aliases of a list of 20,000 are 8,000,000 values.

// asciiPerValue and othersPerValue are how many bytes of a text that is read once more take the time of one value: those of ASCII, and others, which are folded,
// normalized and counted as characters.
const (
	asciiPerValue  = 64
	othersPerValue = 16
)

// again is how many values a text counts as that is read once more.
func again(text string) int {
	others := 0
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			others++
		}
	}
	return (len(text)-others)/asciiPerValue + others/othersPerValue
}

// size is how large a value of JSON is. again is what its texts count when it is read once more.
type size struct{ values, again, nesting int }

func sizeOf(v any) size {
	s := size{values: 1}
	add := func(inner any) {
		i := sizeOf(inner)
		s.values += i.values
		s.again += i.again
		s.nesting = max(s.nesting, i.nesting+1)
	}
	switch v := v.(type) {
	case map[string]any:
		s.nesting = 1
		for name, inner := range v {
			s.again += again(name)
			add(inner)
		}
	case []any:
		s.nesting = 1
		for _, inner := range v {
			add(inner)
		}
	case string:
		s.again = again(v)
	}
	return s
}

// checkInputs refuses variables and extensions that are too many or too deep.
func (l Limits) checkInputs(p *graphql.RawParams) error {
	values := 0
	for _, given := range []map[string]any{p.Variables, p.Extensions} {
		for _, v := range given {
			s := sizeOf(v)
			if s.nesting > l.Nesting {
				return Over("lists and objects in each other in the variables or extensions", s.nesting, "Nesting", l.Nesting, "make the input less deep")
			}
			values += s.values
		}
	}
	if values > l.Values {
		return Over("values in the variables and extensions", values, "Values", l.Values, "send fewer in one request")
	}
	return nil
}

// reading counts what the fields of an operation take.
type reading struct {
	op    *graphql.OperationContext
	sizes map[string]size    // of variables that were taken
	texts map[*ast.Value]int // what the texts of the query count as that were taken, when they are taken once more: by each spread of their fragment
	taken int
	limit int
}

// checkReading refuses an operation whose fields take too much, and one that skips or includes by a variable that is null: the library allows it where
// the variable has a default, and then fails.
func (l Limits) checkReading(op *graphql.OperationContext) error {
	r := reading{op: op, sizes: map[string]size{}, texts: map[*ast.Value]int{}, limit: l.Values}
	return r.set(op.Operation.SelectionSet)
}

func (r *reading) set(set ast.SelectionSet) error {
	for _, s := range set {
		var directives ast.DirectiveList
		var inner ast.SelectionSet
		switch s := s.(type) {
		case *ast.Field:
			r.arguments(s.Arguments)
			directives, inner = s.Directives, s.SelectionSet
		case *ast.InlineFragment:
			directives, inner = s.Directives, s.SelectionSet
		case *ast.FragmentSpread:
			directives, inner = s.Directives, s.Definition.SelectionSet
		}
		for _, d := range directives {
			r.arguments(d.Arguments)
			if condition := d.Arguments.ForName("if"); condition != nil && condition.Value.Kind == ast.Variable && r.op.Variables[condition.Value.Raw] == nil {
				return tracker.Bad("$"+condition.Value.Raw, "@%s takes true or false, and not null", d.Name)
			}
		}
		if r.taken > r.limit {
			return Over("values that the fields of the operation take, a variable again for each", r.taken, "Values", r.limit, "let fewer fields take the variable, or send fewer values")
		}
		if err := r.set(inner); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) arguments(all ast.ArgumentList) {
	for _, a := range all {
		r.value(a.Value)
	}
}

func (r *reading) value(v *ast.Value) {
	r.taken++
	switch v.Kind {
	case ast.StringValue, ast.BlockValue, ast.EnumValue, ast.IntValue, ast.FloatValue:
		n, before := r.texts[v]
		if !before {
			n = again(v.Raw)
			r.texts[v] = n
		} else {
			r.taken += n
		}
	case ast.Variable:
		s, before := r.sizes[v.Raw]
		if !before {
			s = sizeOf(r.op.Variables[v.Raw])
			r.sizes[v.Raw] = s
		} else {
			r.taken += s.again // the first time, its bytes are those of the body
		}
		r.taken += s.values
	}
	for _, child := range v.Children {
		r.value(child.Value)
	}
}
