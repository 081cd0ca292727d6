package guard_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/parser"

	"issuegrid/graph/guard"
	"issuegrid/graph/guard/guardtest"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// parsedSizes are the sizes of a parsed query.
type parsedSizes struct {
	guard.Sizes
	nesting int // of lists and objects
	written int // nesting of selection sets, without fragments
	doc     *ast.QueryDocument
	around  []string // enclosing fragments
	cycle   bool
}

// sizesOf counts the sizes of a parsed query with its fragments expanded. It sets cycle for fragment cycles.
func sizesOf(doc *ast.QueryDocument) *parsedSizes {
	p := &parsedSizes{doc: doc}
	p.Operations, p.Fragments = len(doc.Operations), len(doc.Fragments)
	for _, o := range doc.Operations {
		p.variables(o.VariableDefinitions)
		p.directives(o.Directives)
		p.source(o.SelectionSet, 1)
		p.Selections += p.selections(o.SelectionSet, 1)
	}
	for _, f := range doc.Fragments {
		p.variables(f.VariableDefinition)
		p.directives(f.Directives)
		p.source(f.SelectionSet, 1)
		p.around = []string{f.Name}
		p.selections(f.SelectionSet, 1)
		p.around = nil
	}
	return p
}

func (p *parsedSizes) variables(all ast.VariableDefinitionList) {
	p.Variables += len(all)
	for _, v := range all {
		levels := 0
		for t := v.Type; t.Elem != nil; t = t.Elem {
			levels++
		}
		p.nesting = max(p.nesting, levels)
		p.input(v.DefaultValue, 0)
		p.directives(v.Directives)
	}
}

func (p *parsedSizes) directives(all ast.DirectiveList) {
	p.Directives += len(all)
	for _, d := range all {
		p.arguments(d.Arguments)
	}
}

func (p *parsedSizes) arguments(all ast.ArgumentList) {
	for _, a := range all {
		p.input(a.Value, 0)
	}
}

func (p *parsedSizes) input(v *ast.Value, around int) {
	if v == nil {
		return
	}
	if v.Kind == ast.ListValue || v.Kind == ast.ObjectValue {
		around++
	}
	p.nesting = max(p.nesting, around)
	for _, c := range v.Children {
		p.input(c.Value, around)
	}
}

// source counts what occurs in the source once.
func (p *parsedSizes) source(set ast.SelectionSet, depth int) {
	p.written = max(p.written, depth)
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			if s.Alias != s.Name {
				p.Aliases++
			}
			p.arguments(s.Arguments)
			p.directives(s.Directives)
			if len(s.SelectionSet) > 0 {
				p.source(s.SelectionSet, depth+1)
			}
		case *ast.InlineFragment:
			p.directives(s.Directives)
			p.source(s.SelectionSet, depth+1)
		case *ast.FragmentSpread:
			p.directives(s.Directives)
		}
	}
}

// selections counts the selections with fragments expanded, up to a limit.
func (p *parsedSizes) selections(set ast.SelectionSet, depth int) int {
	p.Depth = max(p.Depth, depth)
	n := len(set)
	for _, s := range set {
		if n > 1<<20 || p.cycle {
			p.cycle = true
			return n
		}
		switch s := s.(type) {
		case *ast.Field:
			if len(s.SelectionSet) > 0 {
				n += p.selections(s.SelectionSet, depth+1)
			}
		case *ast.InlineFragment:
			n += p.selections(s.SelectionSet, depth+1)
		case *ast.FragmentSpread:
			f := p.doc.Fragments.ForName(s.Name)
			if f == nil {
				continue
			}
			if slices.Contains(p.around, f.Name) {
				p.cycle = true
				return n
			}
			p.around = append(p.around, f.Name)
			n += p.selections(f.SelectionSet, depth+1)
			p.around = p.around[:len(p.around)-1]
		}
	}
	return n
}

// tokens counts the tokens of a query, those of an input as often as the library reads them.
func tokens(t *testing.T, query string) (n int) {
	t.Helper()
	lex, parens, inputs := lexer.New(&ast.Source{Input: query}), 0, 0
	for {
		token, err := lex.ReadToken()
		if err != nil {
			t.Fatal(err)
		}
		switch token.Kind {
		case lexer.EOF:
			return n
		case lexer.Comment:
			continue
		}
		n += 1 + inputs/2
		switch {
		case token.Kind == lexer.ParenL:
			parens++
		case token.Kind == lexer.ParenR:
			parens--
		case parens > 0 && (token.Kind == lexer.BraceL || token.Kind == lexer.BracketL):
			inputs++
		case parens > 0 && (token.Kind == lexer.BraceR || token.Kind == lexer.BracketR):
			inputs--
		}
	}
}

// TestSizes compares the sizes of the queries of all attacks with those counted with fragments expanded, and
// checks that their tokens are accepted up to the limits on nesting and on depth, and not beyond.
func TestSizes(t *testing.T) {
	l := guard.DefaultLimits()
	compared := map[string]int{}
	names := slices.Sorted(maps.Keys(guardtest.Families))
	for i := range tier.Cases(100, 1000) {
		family := names[i%len(names)]
		var request struct{ Query string }
		if json.Unmarshal([]byte(guardtest.New(family, uint64(i)).Body), &request) != nil {
			continue
		}
		doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: request.Query}, l.Tokens+1)
		if err != nil || l.CheckTokens(request.Query) != nil ||
			len(doc.Operations)+len(doc.Fragments) > l.Operations+l.Fragments {
			continue
		}
		want := sizesOf(doc)
		if want.cycle {
			continue
		}
		got, err := guard.SizesOf(doc)
		lexed := tokens(t, request.Query)
		if more := got.Tokens - lexed; more < 0 || more > 4*len(doc.Operations) {
			t.Fatalf("%s, seed %d: %d tokens, measured as %d: %.300s", family, i, lexed, got.Tokens,
				request.Query)
		}
		got.Tokens = 0
		if diff := cmp.Diff(want.Sizes, got); diff != "" || err != nil {
			t.Fatalf("%s, seed %d (-expanded +got): %v\n%s%.300s", family, i, err, diff, request.Query)
		}
		exact := l
		exact.Nesting, exact.Depth = want.nesting, want.written
		if err := exact.CheckTokens(request.Query); err != nil {
			t.Fatalf("%s, seed %d: %v\n%.300s", family, i, err, request.Query)
		}
		for _, limit := range []*int{&exact.Nesting, &exact.Depth} {
			if *limit--; *limit >= 0 && exact.CheckTokens(request.Query) == nil {
				t.Fatalf("%s, seed %d: accepted with %+v\n%.300s", family, i, exact, request.Query)
			}
			*limit++
		}
		compared[family]++
	}
	if len(compared) < 30 {
		t.Errorf("compared only %v", compared)
	}
}

// TestDeepQueries checks that a query is refused before it is parsed if its brackets are nested too deeply,
// also if an error of its syntax follows.
func TestDeepQueries(t *testing.T) {
	l := guard.DefaultLimits()
	for name, deep := range map[string]string{
		"selection sets":   strings.Repeat("{a", 5000),
		"inline fragments": strings.Repeat("{...", 5000),
		"lists":            "{a(x:" + strings.Repeat("[", 5000),
		"objects":          "{a(x:" + strings.Repeat("{x:", 5000),
		"types":            "query($x:" + strings.Repeat("[", 5000),
		"in a fragment":    "fragment F on Query " + strings.Repeat("{a", 5000),
		"in parentheses":   "{a(x:" + strings.Repeat("{x:[", 2000),
	} {
		for _, end := range []string{"", "$", "}", ")", "]", "\"", "%"} {
			if err := l.CheckTokens(deep + end); tracker.CodeOf(err) != tracker.BadInput {
				t.Errorf("%s, and then %q: %v", name, end, err)
			}
		}
	}
}
