package validation

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"

	"issuegrid/internal/setting"
)

// mergeableFields is the rule that fields with the same response name can be merged (GraphQL, 5.3.2). It
// merges all fields of a name at once and compares each with the first. The time is proportional to the
// length of the query with its fragments expanded, which Validator.Selections bounds.
//
// Example: { a { x y: name } ...F } fragment F on T { a { y: id } } has one group, a, whose two selection
// sets make two groups, x and y. The two fields of y differ.
//
// Each group is checked for two properties. Its fields must have the same shape, that is, one client type can
// hold any of them. Those of its fields that can belong to the same object must be the same field with the
// same arguments. Fields of different object types cannot belong to the same object; for them and for what
// they select only the shape is checked.
func (v *Validator) mergeableFields() core.Rule {
	return core.Rule{Name: "OverlappingFieldsCanBeMerged",
		RuleFunc: func(observers *core.Events, add core.AddErrFunc) {
			m := merging{limits: v, add: add, arguments: map[*ast.Field]int{}, texts: map[string]int{}}
			observers.OnOperation(func(w *core.Walker, op *ast.OperationDefinition) {
				m.schema = w.Schema
				m.merge([]ast.SelectionSet{op.SelectionSet}, shapes|sameness)
			})
		}}
}

// checks are the properties to check in a group of fields.
type checks int

const (
	shapes checks = 1 << iota
	sameness
)

const (
	// visitsPerSelection limits how often a selection is merged. Usually this is twice, but more often if the
	// same fields are selected on types and on their interfaces.
	visitsPerSelection = 4
	// comparisons limits the name comparisons of the executor's own merging, in units of the square of
	// Validator.Fields: it searches all names for each field, and again for each enclosing fragment.
	comparisons = 12
)

// merging is the state of merging the operations of a query.
type merging struct {
	schema    *ast.Schema
	limits    *Validator
	add       core.AddErrFunc
	path      []string           // response names
	arguments map[*ast.Field]int // numbers of the fields' argument lists
	texts     map[string]int     // argument lists as strings, with their numbers
	visits    int
	compared  int
	stopped   bool // because a limit was exceeded
}

// group is the fields with one response name in one object.
type group struct {
	name   string
	fields []*ast.Field
}

// collector collects the groups of one object.
type collector struct {
	*merging
	groups  []group
	indexes map[string]int // indexes in groups, by response name
	visited map[*ast.FragmentDefinition]bool
}

func (c *collector) collect(set ast.SelectionSet, level int) {
	for _, s := range set {
		c.visits++
		switch s := s.(type) {
		case *ast.Field:
			index, ok := c.indexes[s.Alias]
			if !ok {
				index = len(c.groups)
				c.indexes[s.Alias] = index
				c.groups = append(c.groups, group{name: s.Alias})
			}
			c.groups[index].fields = append(c.groups[index].fields, s)
			c.compared += level * (index + 1)
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

// merge merges selection sets of the same object and checks the resulting groups.
func (m *merging) merge(sets []ast.SelectionSet, todo checks) {
	if m.stopped {
		return
	}
	c := collector{merging: m, indexes: map[string]int{}, visited: map[*ast.FragmentDefinition]bool{}}
	for _, set := range sets {
		c.collect(set, 1)
	}
	if m.exceeded(len(c.groups)) {
		return
	}
	for _, g := range c.groups {
		m.path = append(m.path, g.name)
		m.check(g, todo)
		m.path = m.path[:len(m.path)-1]
	}
}

// exceeded reports whether a limit is exceeded. If so, it adds an error and ends the merging.
func (m *merging) exceeded(names int) bool {
	var err error
	visits, compared := visitsPerSelection*m.limits.Selections, comparisons*m.limits.Fields*m.limits.Fields
	switch {
	case names > m.limits.Fields:
		err = setting.Exceeded("fields of different names in one selection set, with those merged into it",
			names, "Fields", m.limits.Fields, "select fewer of them at once")
	case m.visits > visits:
		err = setting.Exceeded("fields to merge", m.visits, "4 x Selections", visits,
			"select fewer fields both of types and of their interface")
	case m.compared > compared:
		err = setting.Exceeded("names to compare when fields are merged", m.compared, "12 x Fields x Fields",
			compared,
			"select fewer fields at once, or use fewer nested fragments")
	default:
		return false
	}
	m.stopped = true
	m.add(core.Message("%s", err.Error()))
	return true
}

// check checks a group, and then what its fields select.
func (m *merging) check(g group, todo checks) {
	if todo&shapes != 0 && !m.sameShape(g.fields) {
		return
	}
	if todo&sameness == 0 {
		m.mergeSelections(g.fields, shapes)
		return
	}
	objects := byObject(g.fields)
	for _, fields := range objects {
		if !m.same(fields) {
			return
		}
	}
	if len(objects) == 1 {
		m.mergeSelections(g.fields, todo)
		return
	}
	if todo&shapes != 0 {
		m.mergeSelections(g.fields, shapes)
	}
	for _, fields := range objects {
		m.mergeSelections(fields, sameness)
	}
}

func (m *merging) mergeSelections(fields []*ast.Field, todo checks) {
	var sets []ast.SelectionSet
	for _, f := range fields {
		if len(f.SelectionSet) > 0 {
			sets = append(sets, f.SelectionSet)
		}
	}
	if len(sets) > 0 {
		m.merge(sets, todo)
	}
}

// byObject divides fields into those that can belong to the same object. A field of an interface or union can
// belong to any object.
func byObject(fields []*ast.Field) [][]*ast.Field {
	first := fields[0].ObjectDefinition
	if !slices.ContainsFunc(fields, func(f *ast.Field) bool { return f.ObjectDefinition != first }) {
		return [][]*ast.Field{fields}
	}
	objects, abstract := map[string][]*ast.Field{}, []*ast.Field{}
	var names []string
	for _, f := range fields {
		switch of := f.ObjectDefinition; {
		case of == nil: // another rule reports it
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
		return [][]*ast.Field{abstract} // of several interfaces only
	}
	var out [][]*ast.Field
	for _, name := range names {
		out = append(out, append(objects[name], abstract...))
	}
	return out
}

// sameShape compares the types of fields with that of the first one with a known definition.
func (m *merging) sameShape(fields []*ast.Field) bool {
	var first *ast.Field
	for _, f := range fields {
		switch {
		case f.Definition == nil:
		case first == nil:
			first = f
		case !m.sameTypeShape(first.Definition.Type, f.Definition.Type):
			return m.conflict(f, `they return conflicting types "`+first.Definition.Type.String()+`" and "`+
				f.Definition.Type.String()+`"`)
		}
	}
	return true
}

func (m *merging) sameTypeShape(a, b *ast.Type) bool {
	if a.NonNull != b.NonNull || (a.Elem == nil) != (b.Elem == nil) {
		return false
	}
	if a.Elem != nil {
		return m.sameTypeShape(a.Elem, b.Elem)
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

// argumentsOf returns a number that identifies the arguments of a field. Equal arguments in any order have
// equal numbers.
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

// conflict reports two fields that cannot be merged.
func (m *merging) conflict(f *ast.Field, because string) bool {
	m.add(func(err *gqlerror.Error) {
		subfields := ""
		for _, name := range m.path[1:] {
			subfields += `subfields "` + name + `" conflict because `
		}
		err.Message = `Fields "` + m.path[0] + `" conflict because ` + subfields + because +
			". Use different aliases on the fields to fetch both if this was intentional."
	}, core.At(f.Position))
	return false
}
