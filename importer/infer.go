package importer

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"issuegrid/tracker"
)

// namesOfTargets lists common column names by target, reduced to lower-case letters and digits. If several
// columns match a target, the one whose name is earlier in the list wins. The grid reads the same file.
//
//go:embed names.json
var namesOfTargets []byte

// hints maps the names in namesOfTargets to their targets.
var hints = sync.OnceValue(func() map[Target][]string {
	var out map[Target][]string
	if err := json.Unmarshal(namesOfTargets, &out); err != nil {
		panic(err)
	}
	return out
})

// hint returns the target that the name of a column suggests, and the rank of the name for it; 0 is the best.
// Any other name suggests ToField.
func hint(name string) (to Target, rank int) {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
	for to, names := range hints() {
		if rank := slices.Index(names, plain); rank >= 0 {
			return to, rank
		}
	}
	return ToField, 0
}

// mapping infers a mapping from the names of a file's columns and all its cells. It does not check that the
// mapping is complete: a file may have no column for the name of its issues. Of the columns whose cells fit a
// built-in target, the one with the best name becomes the target; every other column becomes a custom field
// of the narrowest type that can hold all its cells.
func (p *profile) mapping() *Mapping {
	best := map[Target]int{}
	for i, c := range p.columns {
		to, rank := hint(p.names[i])
		if to == ToField || !c.fits(to) {
			continue
		}
		if at, ok := best[to]; ok {
			if _, better := hint(p.names[at]); better <= rank {
				continue
			}
		}
		best[to] = i
	}
	if _, ok := best[ToProjectKey]; !ok {
		delete(best, ToProjectName)
	}
	m := &Mapping{}
	var used []string
	for i, c := range p.columns {
		name := p.names[i]
		if rejectColumn(name) {
			continue
		}
		column := Column{Column: name, To: ToField}
		if to, _ := hint(name); to != ToField && bestIs(best, to, i) {
			column.To = to
		}
		if column.To == ToField {
			column.Name, column.Type = fieldName(name, used), c.fieldType()
			used = append(used, column.Name)
		}
		m.Columns = append(m.Columns, column)
	}
	_, keyed := best[ToRowKey]
	_, numbered := best[ToNum]
	if !keyed && !numbered {
		m.RowKey = contentKey
	}
	return m
}

func bestIs(best map[Target]int, to Target, i int) bool {
	at, ok := best[to]
	return ok && at == i
}

// fits reports whether the cells are valid for the target that the column's name suggests.
func (c *columnProfile) fits(to Target) bool {
	switch to {
	case ToProjectKey:
		return c.filled > 0 && c.keys && c.distinct != nil
	case ToProjectName:
		return c.distinct != nil
	case ToNum:
		return c.filled > 0 && c.nums && c.seen != nil
	case ToRowKey:
		return c.filled > 0 && c.seen != nil
	case ToState:
		return c.options()
	case ToCreated, ToUpdated:
		return c.filled > 0 && (c.dateTime || c.date)
	case ToName:
		return c.longest <= tracker.MaxIssueName
	}
	return true
}

// options reports whether the values can be the options of one field: no two differ only in case.
func (c *columnProfile) options() bool {
	seen := map[string]bool{}
	for name := range c.distinct {
		seen[folded(name)] = true
	}
	return c.filled > 0 && c.distinct != nil && len(seen) == len(c.distinct)
}

// fieldName returns a valid name for a field that no other column has.
func fieldName(column string, used []string) string {
	runes := []rune(column)
	name := string(runes[:min(len(runes), tracker.MaxName)])
	for slices.ContainsFunc(used, func(other string) bool { return folded(other) == folded(name) }) {
		name += "_"
	}
	return name
}
