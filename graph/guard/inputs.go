package guard

import (
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/internal/setting"
)

// This file checks the inputs of a request: the JSON of its variables and extensions, and the values that the
// fields of the operation read from them. The generated executor reads a variable again for each field that
// uses it: 400 aliases with a list of 20,000 elements read 8,000,000 values.

// asciiPerValue and othersPerValue are the numbers of bytes of a string that take as long as one value when
// the string is read again. Bytes outside ASCII take longer, because such strings are folded, normalized and
// counted in characters.
const (
	asciiPerValue  = 64
	othersPerValue = 16
)

// rereadCost returns the cost in values of reading a string again.
func rereadCost(text string) int {
	others := 0
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			others++
		}
	}
	return (len(text)-others)/asciiPerValue + others/othersPerValue
}

// size is the size of a JSON value. reread is the cost in values of reading its strings again.
type size struct{ values, reread, nesting int }

func sizeOf(v any) size {
	s := size{values: 1}
	add := func(inner any) {
		i := sizeOf(inner)
		s.values += i.values
		s.reread += i.reread
		s.nesting = max(s.nesting, i.nesting+1)
	}
	switch v := v.(type) {
	case map[string]any:
		s.nesting = 1
		for name, inner := range v {
			s.reread += rereadCost(name)
			add(inner)
		}
	case []any:
		s.nesting = 1
		for _, inner := range v {
			add(inner)
		}
	case string:
		s.reread = rereadCost(v)
	}
	return s
}

// checkInputs checks the number of values and the nesting of variables and extensions.
func (l Limits) checkInputs(p *graphql.RawParams) error {
	values := 0
	for _, input := range []map[string]any{p.Variables, p.Extensions} {
		for _, v := range input {
			s := sizeOf(v)
			if s.nesting > l.Nesting {
				return setting.Exceeded("nested lists and objects in the variables or extensions", s.nesting,
					"Nesting", l.Nesting, "make the input less deep")
			}
			values += s.values
		}
	}
	if values > l.Values {
		return setting.Exceeded("values in the variables and extensions", values, "Values", l.Values,
			"send fewer in one request")
	}
	return nil
}

// reading counts the values that the fields of an operation read.
type reading struct {
	op    *graphql.OperationContext
	sizes map[string]size // by variable, of those already read
	// the cost of reading a literal again, for literals already read. Spreading a fragment again reads its
	// literals again.
	texts map[*ast.Value]int
	taken int
	limit int
}

// checkReading rejects an operation whose fields read too many values.
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
		}
		if r.taken > r.limit {
			return setting.Exceeded("values that the fields of the operation take, a variable again for each",
				r.taken,
				"Values", r.limit, "let fewer fields take the variable, or send fewer values")
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
			n = rereadCost(v.Raw)
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
			r.taken += s.reread // the first read is covered by the bytes of the body
		}
		r.taken += s.values
	}
	for _, child := range v.Children {
		r.value(child.Value)
	}
}
