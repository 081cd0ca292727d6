package guard

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// mergeableFields is the rule that fields of one name in the answer can be merged (GraphQL, 5.3.2). The library compares each two of them, and
// each two of what they select, and so on: 36 KB take it 3 s, 117 KB 30 s. Here all fields of a name are merged at once, and each is
// compared with the first, so that it takes the time of writing the query with its fragments put in, which Limits.Selections bounds.
//
// Example: { a { x y: name } ...F } fragment F on T { a { y: id } } has one group, a, whose two selection sets make two groups, x and y; the two fields
// of y are not the same.
//
// Two questions are asked of each group. Do all its fields have the same shape, that is, could one client type hold any of them? And are those that can
// be of the same object the same field with the same arguments? Fields of different object types can't; they are compared for their shape alone, and so
// is all that they select.
func mergeableFields(l Limits) core.Rule {
	return core.Rule{Name: "OverlappingFieldsCanBeMerged", RuleFunc: func(observers *core.Events, add core.AddErrFunc) {
		m := merging{limits: l, add: add, arguments: map[*ast.Field]int{}, texts: map[string]int{}}
		observers.OnOperation(func(w *core.Walker, op *ast.OperationDefinition) {
			m.schema = w.Schema
			m.merge([]ast.SelectionSet{op.SelectionSet}, shapes|sameness)
		})
	}}
}

// questions are those that are asked of the fields of a name.
type questions int

const (
	shapes questions = 1 << iota
	sameness
)

const (
	// visitsPerSelection is how often a selection may be merged: twice, as a rule, but more often where types and their interfaces select alike.
	visitsPerSelection = 4
	// comparisons of names, in squares of Limits.Fields, are what the executor may need to merge: it looks through all names for each field, and again for
	// each fragment around it.
	comparisons = 12
)

// merging is the merging of the operations of a query.
type merging struct {
	schema    *ast.Schema
	limits    Limits
	add       core.AddErrFunc
	path      []string           // of names in the answer
	arguments map[*ast.Field]int // numbers of texts
	texts     map[string]int     // arguments as they are written, with their numbers
	visits    int
	compared  int
	ended     bool // because there is too much to merge
}

// group is the fields of one name in the answer of one object.
type group struct {
	name   string
	fields []*ast.Field
}

// collector gathers the groups of one object.
type collector struct {
	*merging
	groups  []group
	places  map[string]int // of the names among the groups
	visited map[*ast.FragmentDefinition]bool
}

func (c *collector) collect(set ast.SelectionSet, level int) {
	for _, s := range set {
		c.visits++
		switch s := s.(type) {
		case *ast.Field:
			place, ok := c.places[s.Alias]
			if !ok {
				place = len(c.groups)
				c.places[s.Alias] = place
				c.groups = append(c.groups, group{name: s.Alias})
			}
			c.groups[place].fields = append(c.groups[place].fields, s)
			c.compared += level * (place + 1)
		case *ast.InlineFragment:
			c.collect(s.SelectionSet, level+1)
		case *ast.FragmentSpread:
			if s.Definition != nil && !c.visited[s.Definition] {
				c.visited[s.Definition] = true
				c.collect(s.Definition.SelectionSet, level+1)
			}
		}
	}
}

// merge merges selection sets that are of one object, and asks the questions of what they select.
func (m *merging) merge(sets []ast.SelectionSet, ask questions) {
	if m.ended {
		return
	}
	c := collector{merging: m, places: map[string]int{}, visited: map[*ast.FragmentDefinition]bool{}}
	for _, set := range sets {
		c.collect(set, 1)
	}
	if m.tooMuch(len(c.groups)) {
		return
	}
	for _, g := range c.groups {
		m.path = append(m.path, g.name)
		m.ask(g, ask)
		m.path = m.path[:len(m.path)-1]
	}
}

// tooMuch ends the merging when a limit is reached.
func (m *merging) tooMuch(names int) bool {
	var err error
	visits, compared := visitsPerSelection*m.limits.Selections, comparisons*m.limits.Fields*m.limits.Fields
	switch {
	case names > m.limits.Fields:
		err = Over("fields of different names in one selection set, with all that is merged into it", names, "Fields", m.limits.Fields, "select fewer of them at once")
	case m.visits > visits:
		err = Over("fields to merge", m.visits, "4 x Selections", visits, "select fewer fields of types beside the same fields of their interface")
	case m.compared > compared:
		err = Over("names to compare when fields are merged", m.compared, "12 x Fields x Fields", compared,
			"select fewer fields at once, or by fewer fragments in each other")
	default:
		return false
	}
	m.ended = true
	m.add(core.Message("%s", err.Error()))
	return true
}

// ask asks the questions of a group, and then of what its fields select.
func (m *merging) ask(g group, ask questions) {
	if ask&shapes != 0 && !m.sameShape(g.fields) {
		return
	}
	if ask&sameness == 0 {
		m.below(g.fields, shapes)
		return
	}
	objects := byObject(g.fields)
	for _, fields := range objects {
		if !m.same(fields) {
			return
		}
	}
	if len(objects) == 1 {
		m.below(g.fields, ask)
		return
	}
	if ask&shapes != 0 {
		m.below(g.fields, shapes)
	}
	for _, fields := range objects {
		m.below(fields, sameness)
	}
}

func (m *merging) below(fields []*ast.Field, ask questions) {
	var sets []ast.SelectionSet
	for _, f := range fields {
		if len(f.SelectionSet) > 0 {
			sets = append(sets, f.SelectionSet)
		}
	}
	if len(sets) > 0 {
		m.merge(sets, ask)
	}
}

// byObject divides fields into those that can be of the same object. A field of an interface or union can be of any.
func byObject(fields []*ast.Field) [][]*ast.Field {
	first := fields[0].ObjectDefinition
	if !slices.ContainsFunc(fields, func(f *ast.Field) bool { return f.ObjectDefinition != first }) {
		return [][]*ast.Field{fields}
	}
	objects, abstract := map[string][]*ast.Field{}, []*ast.Field{}
	var names []string
	for _, f := range fields {
		switch of := f.ObjectDefinition; {
		case of == nil: // which another rule refuses
		case of.Kind != ast.Object:
			abstract = append(abstract, f)
		default:
			if objects[of.Name] == nil {
				names = append(names, of.Name)
			}
			objects[of.Name] = append(objects[of.Name], f)
		}
	}
	if len(names) == 0 {
		return [][]*ast.Field{abstract} // of several interfaces
	}
	var out [][]*ast.Field
	for _, name := range names {
		out = append(out, append(objects[name], abstract...))
	}
	return out
}

// sameShape compares the types of fields with that of the first whose field is known.
func (m *merging) sameShape(fields []*ast.Field) bool {
	var first *ast.Field
	for _, f := range fields {
		switch {
		case f.Definition == nil:
		case first == nil:
			first = f
		case !m.shaped(first.Definition.Type, f.Definition.Type):
			return m.conflict(f, `they return conflicting types "`+first.Definition.Type.String()+`" and "`+f.Definition.Type.String()+`"`)
		}
	}
	return true
}

func (m *merging) shaped(a, b *ast.Type) bool {
	if a.NonNull != b.NonNull || (a.Elem == nil) != (b.Elem == nil) {
		return false
	}
	if a.Elem != nil {
		return m.shaped(a.Elem, b.Elem)
	}
	one, other := m.schema.Types[a.NamedType], m.schema.Types[b.NamedType]
	return a.NamedType == b.NamedType || !one.IsLeafType() && !other.IsLeafType()
}

// same compares the names and arguments of fields with those of the first.
func (m *merging) same(fields []*ast.Field) bool {
	for _, f := range fields {
		first := fields[0]
		switch {
		case f == first || f.ObjectDefinition == nil:
		case f.Name != first.Name:
			return m.conflict(f, `"`+first.Name+`" and "`+f.Name+`" are different fields`)
		case m.argumentsOf(f) != m.argumentsOf(first):
			return m.conflict(f, "they have differing arguments")
		}
	}
	return true
}

// argumentsOf numbers the arguments of a field, whatever their order: equal ones have the same number.
func (m *merging) argumentsOf(f *ast.Field) int {
	if len(f.Arguments) == 0 {
		return -1
	}
	number, ok := m.arguments[f]
	if !ok {
		all := make([]string, len(f.Arguments))
		for i, a := range f.Arguments {
			all[i] = a.Name + ":" + a.Value.String()
		}
		slices.Sort(all)
		text := strings.Join(all, ",")
		if number, ok = m.texts[text]; !ok {
			number = len(m.texts)
			m.texts[text] = number
		}
		m.arguments[f] = number
	}
	return number
}

// conflict reports two fields that can't be merged.
func (m *merging) conflict(f *ast.Field, because string) bool {
	m.add(func(err *gqlerror.Error) {
		subfields := ""
		for _, name := range m.path[1:] {
			subfields += `subfields "` + name + `" conflict because `
		}
		err.Message = `Fields "` + m.path[0] + `" conflict because ` + subfields + because + ". Use different aliases on the fields to fetch both if this was intentional."
	}, core.At(f.Position))
	return false
}
