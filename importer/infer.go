package importer

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"issuegrid/tracker"
)

// namesOfTargets are the usual names of columns, in lower case and without anything but letters and digits,
// by the target that they stand for; of several columns for one target, the earlier name wins. The grid reads
// the same file.
//
//go:embed names.json
var namesOfTargets []byte

// hints are the names of namesOfTargets.
var hints = sync.OnceValue(func() map[Target][]string {
	var out map[Target][]string
	if err := json.Unmarshal(namesOfTargets, &out); err != nil {
		panic(err)
	}
	return out
})

// hint tells what a column is by its name, and how good the name is for that: 0 is best. ToField for any
// other name.
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

// mapping makes a mapping from the names of a file's columns and all its cells. It does not check that the
// mapping is complete: a file may have no column that could be the name of its issues. A built-in target
// takes the column with the best name among those whose cells fit; every other column becomes a custom field
// of the narrowest type that holds all its cells.
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

// fits tells whether the cells can be what the column's name says.
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

// options tells whether the values can be the options of one list: no two differ in case only.
func (c *columnProfile) options() bool {
	seen := map[string]bool{}
	for name := range c.distinct {
		seen[folded(name)] = true
	}
	return c.filled > 0 && c.distinct != nil && len(seen) == len(c.distinct)
}

// fieldName makes a name that a field can have, and that no other column has.
func fieldName(column string, used []string) string {
	runes := []rune(column)
	name := string(runes[:min(len(runes), tracker.MaxName)])
	for slices.ContainsFunc(used, func(other string) bool { return strings.EqualFold(other, name) }) {
		name += "_"
	}
	return name
}
