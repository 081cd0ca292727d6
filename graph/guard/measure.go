package guard

import (
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/internal/setting"
	"issuegrid/tracker"
)

// The library validates a fragment again for each operation and fragment that reaches it, and finds variables
// and fragments by linear search. The length of a query therefore says little about its cost. The sizes here
// count a fragment as often as the library reads it.

const (
	// stepsPerToken is the limit on the steps of validating a query, per token allowed.
	stepsPerToken = 4
	// lookupsPerStep is the number of variables or fragments that the library compares in the time of one
	// step.
	lookupsPerStep = 25
)

// sizes are the sizes of a parsed query.
//
// Example: { a: f(x: [1, $v]) { g ...F } } fragment F on T { h } has one alias and two parts. The operation
// has 3 selections (f, g and the spread) and depth 2, uses one variable, and spreads F once at depth 2.
type sizes struct {
	aliases, directives, variables int
	operations, fragments          []*part
	byName                         map[string]int // indexes in fragments
}

// part is an operation or a fragment, not including the fragments that it spreads.
type part struct {
	name       string
	tokens     int // without comments; those of an input count more the deeper they are nested
	uses       int // of variables, including their definitions
	selections int
	depth      int
	spreads    []spread // in the order of the source

	begun, done bool   // of the rest, which includes the fragments that are spread, directly or indirectly
	reached     []bool // by index in sizes.fragments
	all         int    // selections; those of a fragment count once for each spread
	deepest     int    // depth
}

// spread is a fragment that a part spreads at a depth.
type spread struct {
	name  string
	depth int
}

// measure measures a query, without the fragments that its parts spread.
func measure(doc *ast.QueryDocument) *sizes {
	s := &sizes{byName: map[string]int{}}
	for _, o := range doc.Operations {
		p := s.part("", o.SelectionSet, o.Directives, o.VariableDefinitions)
		s.operations = append(s.operations, p)
	}
	for n, f := range doc.Fragments {
		p := s.part(f.Name, f.SelectionSet, f.Directives, f.VariableDefinition)
		s.fragments = append(s.fragments, p)
		if _, twice := s.byName[f.Name]; !twice {
			s.byName[f.Name] = n
		}
	}
	return s
}

// check checks the sizes of a query, and rejects fragment cycles.
func (s *sizes) check(l Limits) error {
	for _, c := range []struct {
		has, limit      int
		is, name, lower string
	}{
		{len(s.operations), l.Operations, "operations in the query", "Operations",
			"send the one that is to run"},
		{len(s.fragments), l.Fragments, "fragments in the query", "Fragments",
			"send those that the operation spreads, or merge some"},
		{s.variables, l.Variables, "variables that the query defines", "Variables",
			"put several values into one list"},
		{s.aliases, l.Aliases, "aliases in the query", "Aliases", "select fewer columns at once"},
		{s.directives, l.Directives, "directives in the query", "Directives",
			"leave out what is not wanted instead of skipping it"},
	} {
		if c.has > c.limit {
			return setting.Exceeded(c.is, c.has, c.name, c.limit, c.lower)
		}
	}
	depth, selections, steps, err := s.total()
	if err == nil {
		err = l.checkDepth(depth)
	}
	switch limit := stepsPerToken * l.Tokens; {
	case err != nil:
		return err
	case selections > l.Selections:
		return setting.Exceeded("fields that the query selects, its fragments wherever they are spread",
			selections, "Selections", l.Selections,
			"select fewer columns, or spread fewer fragments")
	case steps > limit:
		return setting.Exceeded("steps to check the query", steps, "4 x Tokens", limit,
			"let fewer operations and fragments share a fragment, define fewer variables, or send deep "+
				"inputs in variables")
	}
	return nil
}

// total returns the greatest depth, the selections of all operations, and the steps of validating the query.
func (s *sizes) total() (depth, selections, steps int, err error) {
	for _, p := range append(s.operations[:len(s.operations):len(s.operations)], s.fragments...) {
		if err := s.follow(p); err != nil {
			return 0, 0, 0, err
		}
		depth = max(depth, p.deepest)
		steps += s.steps(p)
		for f, reached := range p.reached {
			if reached {
				steps += s.steps(s.fragments[f])
			}
		}
	}
	for _, p := range s.operations {
		selections = atMost(selections + p.all)
	}
	return depth, selections, steps, nil
}

// steps returns the number of steps for validating a part once.
func (s *sizes) steps(p *part) int {
	return p.tokens + p.uses*s.variables/lookupsPerStep + len(p.spreads)*len(s.fragments)/lookupsPerStep
}

// follow adds the fragments that a part spreads.
func (s *sizes) follow(p *part) error {
	if p.done {
		return nil
	}
	if p.begun {
		return tracker.Bad("", "the fragment %s spreads itself, directly or indirectly", Shorten(p.name))
	}
	p.begun, p.reached, p.all, p.deepest = true, make([]bool, len(s.fragments)), p.selections, p.depth
	for _, spread := range p.spreads {
		n, ok := s.byName[spread.name]
		if !ok {
			continue // the library rejects unknown fragments
		}
		f := s.fragments[n]
		if err := s.follow(f); err != nil {
			return err
		}
		if !p.reached[n] {
			p.reached[n] = true
			for other, reached := range f.reached {
				p.reached[other] = p.reached[other] || reached
			}
		}
		p.all = atMost(p.all + f.all)
		p.deepest = max(p.deepest, spread.depth+f.deepest)
	}
	p.done = true
	return nil
}

// atMost caps n, so that sums do not overflow. No limit exceeds the cap.
func atMost(n int) int { return min(n, 1<<31) }

// part measures an operation or a fragment.
func (s *sizes) part(name string, set ast.SelectionSet, directives ast.DirectiveList,
	variables ast.VariableDefinitionList) *part {
	p := &part{name: name, tokens: 4}
	s.variables += len(variables)
	for n, v := range variables {
		if n == 0 {
			p.tokens += 2 // parentheses
		}
		p.uses++
		p.tokens += 3
		p.typed(v.Type, 0)
		if v.DefaultValue != nil {
			p.tokens++
			p.input(v.DefaultValue, 0)
		}
		s.directed(p, v.Directives)
	}
	s.directed(p, directives)
	s.set(p, set, 1)
	return p
}

// set measures a selection set.
func (s *sizes) set(p *part, set ast.SelectionSet, depth int) {
	p.depth = max(p.depth, depth)
	p.tokens += 2
	p.selections += len(set)
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			p.tokens++
			if selection.Alias != selection.Name {
				s.aliases++
				p.tokens += 2
			}
			p.arguments(selection.Arguments)
			s.directed(p, selection.Directives)
			if len(selection.SelectionSet) > 0 {
				s.set(p, selection.SelectionSet, depth+1)
			}
		case *ast.InlineFragment:
			if p.tokens++; selection.TypeCondition != "" {
				p.tokens += 2
			}
			s.directed(p, selection.Directives)
			s.set(p, selection.SelectionSet, depth+1)
		case *ast.FragmentSpread:
			p.tokens += 2
			p.spreads = append(p.spreads, spread{selection.Name, depth})
			s.directed(p, selection.Directives)
		}
	}
}

func (s *sizes) directed(p *part, directives ast.DirectiveList) {
	s.directives += len(directives)
	for _, d := range directives {
		p.tokens += 2
		p.arguments(d.Arguments)
	}
}

func (p *part) arguments(all ast.ArgumentList) {
	for n, a := range all {
		if n == 0 {
			p.tokens += 2 // parentheses
		}
		p.tokens += 2
		p.input(a.Value, 0)
	}
}

// token counts tokens inside so many lists and objects.
func (p *part) token(n, around int) { p.tokens += n * (1 + around/2) }

// typed measures the type of a variable.
func (p *part) typed(t *ast.Type, around int) {
	p.token(1, around) // the name, or a bracket
	if t.NonNull {
		p.token(1, around)
	}
	if t.Elem != nil {
		p.typed(t.Elem, around+1)
		p.token(1, around+1)
	}
}

// input measures a value inside so many lists and objects. The library reads it again for every second of
// them.
func (p *part) input(v *ast.Value, around int) {
	p.token(1, around)
	switch v.Kind {
	case ast.Variable:
		p.uses++
		p.token(1, around)
	case ast.ListValue, ast.ObjectValue:
		around++
		p.token(1, around)
	}
	for _, c := range v.Children {
		if v.Kind == ast.ObjectValue {
			p.token(2, around)
		}
		p.input(c.Value, around)
	}
}
