package importer

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"issuegrid/internal/importer/forms"
	"issuegrid/tracker"
)

// namesOfTargets lists common column names by target, folded and reduced to letters from a to z and digits.
// It has the names of built-in columns in every language of the web client, whose exports have them. If
// several columns match a target, the one whose name is earlier in the list wins.
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

// gridNum is the name of the number in the grid's export.
const gridNum = "#"

// hint returns the target that the name of a column suggests, and the rank of the name for it; 0 is the best.
// Any other name suggests ToField.
func hint(name string) (to Target, rank int) {
	if name == gridNum {
		return ToNum, len(hints()[ToNum])
	}
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, tracker.Lookalike(name))
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
//
// have are the existing projects of the file, and receiving those of them that receive rows. A column of
// which an import has made one of their fields, or with the name of one, becomes that field. Of other columns
// the name alone determines what they become: cells that do not fit reject their rows. Otherwise a single bad
// cell would turn the state or the row key into a new field, and with another row key every row would be a
// new issue.
//
// The row key becomes a field, too, because the grid has no other column for it, if the user may create one
// and there is room.
//
// Numbers and dates in the form of a country are read if it is clear which they are; nothing is guessed.
func (p *profile) mapping(have, receiving []*tracker.Definition, issuesOnly bool) *Mapping {
	exported := p.exported()
	best, keyed := p.targets(have, receiving, exported)
	columns := map[int]string{} // that can be fields
	for i, name := range p.names {
		_, isBuiltin := builtinOf(best, i)
		isBuiltin = isBuiltin || i == keyed && exported[i] != ""
		if !isBuiltin && !rejectColumn(p.names, name) && exported[i] != ToSkip {
			if columns[i] = name; exported != nil {
				columns[i] = exportedField(name)
			} else if len(name) > maxColumnName {
				columns[i] = short(name)
			}
		}
	}
	existing := fieldsOf(columns, have, exported != nil)
	lists, listed := p.lists(best, keyed, existing), map[int]string{}
	used := newFieldNames()
	for _, d := range have {
		for _, f := range d.Fields {
			used.taken[folded(f.Name)] = true
		}
	}
	m, shownKey := &Mapping{Columns: []Column{}}, -1
	for i, c := range p.columns {
		name, f := p.names[i], existing[i]
		if rejectColumn(p.names, name) {
			continue
		}
		column := Column{Column: name, To: ToField}
		list := lists[i]
		if list != "" && p.repeats[i] != i {
			column.Name, column.Type = listed[p.repeats[i]], list
			m.Columns = append(m.Columns, column)
			continue
		}
		to, isBuiltin := builtinOf(best, i)
		if isBuiltin {
			column.To = to
		}
		if i == keyed {
			m.Columns = append(m.Columns, Column{Column: name, To: ToRowKey})
			if !isBuiltin && (exported[i] != "" || f != nil && f.Archived || issuesOnly && !isIn(f, have)) {
				continue
			}
			shownKey = len(m.Columns)
		}
		// An empty column of keys says nothing. As a field, it would take the keys of later files.
		suggested, _ := hint(name)
		noKeys := suggested == ToRowKey && c.filled == 0 && exported == nil && f == nil && i != keyed
		if exported[i] == ToSkip || noKeys {
			m.Columns = append(m.Columns, Column{Column: name, To: ToSkip})
			continue
		}
		if column.To == ToField {
			if f != nil {
				column.become(f)
			} else {
				column.Name, column.Type = used.free(columns[i]), cmp.Or(list, c.fieldType())
				used.taken[folded(column.Name)] = true
				if i == keyed {
					column.Type = c.textType() // whatever the keys of later files are
				}
			}
			if exported != nil && column.Separator != "" {
				column.Separator, column.Quotes = ExportedSeparator, false
			}
		}
		if list != "" { // each cell is one member
			column.Separator, column.Quotes = "", false
			listed[i] = column.Name
		}
		c.settle(&column)
		if column.To == ToState { // a word in another case is no reason to open every issue
			n, casesDiffer := c.options()
			column.IgnoreCase = casesDiffer || n == 0 // too many to know
		}
		m.Columns = append(m.Columns, column)
	}
	if shownKey >= 0 && existing[keyed] == nil && m.Columns[shownKey].To == ToField && !m.fits(have) {
		m.Columns = slices.Delete(m.Columns, shownKey, shownKey+1)
	}
	num, numbered := best[ToNum]
	numbered = numbered && p.columns[num].filled > 0
	if keyed < 0 && !numbered && !hasKeys(receiving) {
		m.RowKey = contentKey // else a person says what identifies the rows
	}
	return m
}

// receiving returns those of the projects that receive rows: not that of rows without a project, if there are
// none.
func (p *profile) receiving(have []*tracker.Definition) []*tracker.Definition {
	at := p.projectAt
	if at < 0 || !p.columns[at].fits(ToProjectKey) || p.columns[at].filled == 0 ||
		p.columns[at].filled < p.rows-p.broken ||
		len(fieldsOf(map[int]string{at: p.names[at]}, have, false)) > 0 {
		return have
	}
	none := func(d *tracker.Definition) bool { return !p.columns[at].distinct[d.Project.Key] }
	return slices.DeleteFunc(slices.Clone(have), none)
}

// hasKeys reports whether rows of a project were identified by a column.
func hasKeys(have []*tracker.Definition) bool {
	return slices.ContainsFunc(have, func(d *tracker.Definition) bool { return d.Project.RowKeys != nil })
}

// isIn reports whether all projects have a field with the name of f, which may be nil.
func isIn(f *tracker.Field, have []*tracker.Definition) bool {
	lacks := func(d *tracker.Definition) bool { return f == nil || fieldNamed(d, f.Name) == nil }
	return !slices.ContainsFunc(have, lacks)
}

// fits reports whether the projects have room for the fields of the mapping.
func (m *Mapping) fits(have []*tracker.Definition) bool {
	names := map[string]bool{}
	for i := range m.Columns {
		if c := &m.Columns[i]; c.To == ToField {
			names[folded(c.Name)] = true
		}
	}
	fits := len(names) <= tracker.MaxFields
	for _, d := range have {
		all := maps.Clone(names)
		for _, f := range d.Fields {
			all[folded(f.Name)] = true
		}
		fits = fits && len(all) <= tracker.MaxFields
	}
	return fits
}

// targets returns the columns of the built-in targets but the row key, and the column of that, or -1.
// exported is what the built-in columns become if the file is an export, otherwise nil.
func (p *profile) targets(have, receiving []*tracker.Definition, exported map[int]Target) (
	best map[Target]int, keyed int) {
	best, keyed = map[Target]int{}, -1
	folds := foldedNames(p.names)
	for _, d := range receiving {
		if keyed < 0 {
			keyed = p.keyColumn(folds, exported, d)
		}
	}
	keyless := hasKeys(receiving) // no other column is the row key
	hasIssues := slices.ContainsFunc(have, func(d *tracker.Definition) bool { return d.MaxIssueNum > 0 })
	// The names of fields, and of the columns of which imports have made fields.
	named, imported, keys := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, d := range have {
		for _, f := range d.Fields {
			named[folded(f.Name)], imported[f.Column], keys[folded(f.Column)] = true, true, true
		}
	}
	isField := func(i int, to Target, fits bool) bool {
		if to == ToRowKey { // a field that was created in the grid can be for the keys
			return keys[folds[i]] || named[folds[i]] && (hasIssues || !fits)
		}
		return imported[p.names[i]] || named[folds[i]]
	}
	for i, c := range p.columns {
		to, rank := hint(p.names[i])
		fits := to != ToField && c.fits(to)
		switch {
		case exported != nil && (exported[i] == "" || exported[i] == ToSkip),
			to == ToRowKey && keyless, to == ToField, !fits && !c.mayBe(to, have):
			continue
		case exported == nil && isField(i, to, fits):
			continue
		}
		if at, ok := best[to]; ok {
			_, before := hint(p.names[at])
			if fits == p.columns[at].fits(to) && before <= rank || !fits {
				continue
			}
		}
		best[to] = i
	}
	if _, ok := best[ToProjectKey]; !ok {
		delete(best, ToProjectName)
	}
	if at, ok := best[ToRowKey]; ok {
		keyed = at
		delete(best, ToRowKey)
	}
	if exported != nil && keyed >= 0 && exported[keyed] != ToRowKey {
		for i, to := range exported {
			if to == ToRowKey {
				exported[i] = ToSkip // the key of the copy, not of the project
			}
		}
	}
	return best, keyed
}

// keyColumn returns the index of the column that identifies the rows of a project, or -1 if the file has none
// that did. In an export, the columns of fields come before the key. folds are the folded names of the
// columns.
func (p *profile) keyColumn(folds []string, exported map[int]Target, d *tracker.Definition) int {
	if exported != nil {
		names := make([]string, len(p.names))
		for i, name := range p.names {
			if exported[i] == "" {
				names[i] = exportedField(name)
			}
		}
		if at := keyColumn(names, foldedNames(names), d); at >= 0 {
			return at
		}
	}
	return keyColumn(p.names, folds, d)
}

// keyColumn returns the index of the first name that identifies the rows of a project, or -1. Case is ignored
// where no other field is made of a column with this spelling.
func keyColumn(names, folds []string, d *tracker.Definition) int {
	for _, key := range d.Project.RowKeys {
		if at := slices.Index(names, key); at >= 0 {
			return at
		}
		same := folded(key)
		for at, fold := range folds {
			isOwn := func(f *tracker.Field) bool { return f.Column == names[at] }
			if fold == same && !slices.Contains(d.Project.RowKeys, names[at]) &&
				!slices.ContainsFunc(d.Fields, isOwn) {
				return at
			}
		}
	}
	return -1
}

// foldedNames returns the names of columns as a project compares names.
func foldedNames(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = folded(name)
	}
	return out
}

// origin is the name of the column of which an import makes a field.
func origin(f *tracker.Field) string { return cmp.Or(f.Column, f.Name) }

// fieldsOf returns the existing fields that columns become, by index. A column becomes the field with its
// name, or that an import has made of a column with its name, which may have been renamed since. Case is
// ignored only for columns whose names differ from each other in more than case.
//
// The columns of an export have the names of the fields.
func fieldsOf(columns map[int]string, have []*tracker.Definition, exported bool) map[int]*tracker.Field {
	all, known := []*tracker.Field(nil), map[string]bool{}
	for _, d := range have {
		for _, f := range d.Fields {
			if key := folded(f.Name); !known[key] {
				all, known[key] = append(all, f), true
			}
		}
	}
	alike := map[string]int{}
	for _, name := range columns {
		alike[folded(name)]++
	}
	out, taken := map[int]*tracker.Field{}, map[*tracker.Field]bool{}
	name := func(f *tracker.Field) string { return f.Name }
	both := func(f *tracker.Field) string {
		if tracker.Canonical(origin(f)) == tracker.Canonical(f.Name) {
			return f.Name
		}
		return ""
	}
	type pass struct {
		key        func(string) string
		of         func(*tracker.Field) string
		ignoreCase bool
	}
	passes := []pass{{tracker.Canonical, both, false}, {tracker.Canonical, origin, false},
		{tracker.Canonical, name, false}, {folded, origin, true}, {folded, name, true}}
	if exported {
		passes = []pass{{tracker.Canonical, name, false}, {folded, name, true}}
	}
	for _, pass := range passes {
		by := map[string][]*tracker.Field{}
		for _, f := range all {
			key := pass.key(pass.of(f))
			by[key] = append(by[key], f)
		}
		for _, i := range slices.Sorted(maps.Keys(columns)) {
			key := pass.key(columns[i])
			if key == "" || out[i] != nil || pass.ignoreCase && alike[folded(columns[i])] > 1 {
				continue
			}
			for ; len(by[key]) > 0 && out[i] == nil; by[key] = by[key][1:] {
				if f := by[key][0]; !taken[f] {
					out[i], taken[f] = f, true
				}
			}
		}
	}
	return out
}

// lists returns, for each column, the type of the field of which its cells are members, if other columns have
// the same name in the header: trackers write the labels of an issue so.
func (p *profile) lists(best map[Target]int, keyed int,
	existing map[int]*tracker.Field) map[int]tracker.FieldType {
	groups, out := map[int][]int{}, map[int]tracker.FieldType{}
	for i, first := range p.repeats {
		groups[first] = append(groups[first], i)
	}
	for first, group := range groups {
		builtin := slices.ContainsFunc(group, func(i int) bool {
			_, isBuiltin := builtinOf(best, i)
			return isBuiltin || i == keyed || rejectColumn(p.names, p.names[i])
		})
		if len(group) < 2 || builtin {
			continue
		}
		t := p.listType(group)
		if f := existing[first]; f != nil {
			if t = f.Type; f.Archived || !takes(t, "separator") {
				t = ""
			}
		}
		for _, i := range group {
			out[i] = t
		}
	}
	return out
}

// listType returns the type of a field whose members are the cells of several columns, or "" if some are not
// short, or none has words.
func (p *profile) listType(group []int) tracker.FieldType {
	words, filled, few, texts := map[string]bool{}, int64(0), true, false
	for _, i := range group {
		c := p.columns[i]
		if c.filled == 0 {
			continue
		}
		if c.newline || c.longest > tracker.MaxTag {
			return ""
		}
		t := c.fieldType()
		texts = texts || (t == tracker.TypeText || t == tracker.TypeSelect) && c.open() == nil
		few = few && c.distinct != nil
		for word := range c.distinct {
			words[word] = true
		}
		filled += c.filled
	}
	switch {
	case !texts && filled > 0: // numbers, dates and the like
		return ""
	case few && len(words) <= maxSelect && int64(len(words)*minRepeat) <= filled:
		return tracker.TypeMultiSelect
	}
	return tracker.TypeTags
}

// become makes the column that of an existing field. An archived field takes no new values.
func (c *Column) become(f *tracker.Field) {
	c.Name, c.Type = f.Name, f.Type
	switch {
	case f.Archived:
		*c = Column{Column: c.Column, To: ToSkip}
	case takes(f.Type, "separator"):
		c.Separator, c.Quotes = listSeparator, true
	}
}

// choices are what the cells of a column can be, as far as they are numbers or times of a type, if that is
// not clear. Other cells do not count: they reject their rows in any case.
func (c *columnProfile) choices(t tracker.FieldType) []forms.Choice {
	switch t {
	case tracker.TypeInteger, tracker.TypeNumber:
		return c.numbers.Choices()
	case tracker.TypeDate, tracker.TypeDateTime:
		if choices := c.times.Choices(t); len(choices) > 1 {
			return choices
		}
	}
	return nil
}

// settle sets the decimal separator or the formats of a column of a mapping, if its cells need them and they
// are clear. It names the zone of times that have none.
func (c *columnProfile) settle(column *Column) {
	switch t := column.cells(); t {
	case tracker.TypeInteger, tracker.TypeNumber:
		column.Decimal = c.numbers.Decimal(t)
	case tracker.TypeDate, tracker.TypeDateTime:
		choices := c.times.Choices(t)
		if len(choices) == 1 {
			column.Formats = choices[0].Formats
		}
		if t == tracker.TypeDateTime && c.times.Local(len(choices) == 1) {
			column.Zone = assumedZone
		}
	}
}

// assumedZone is the zone of times without one in an inferred mapping.
const assumedZone = "UTC"

// cells is the type of the cells of a column, which is that of its field if it becomes one.
func (c *Column) cells() tracker.FieldType {
	if c.To == ToCreated || c.To == ToUpdated {
		return tracker.TypeDateTime
	}
	return c.Type
}

// texts reports whether a cell of white space is a value of the column, and not empty.
func (c *Column) texts() bool {
	return c.To == ToDescription || c.To == ToField && (c.Type == tracker.TypeText ||
		c.Type == tracker.TypeLongText)
}

// trims reports whether white space at the ends of the column's cells is no part of their values.
func (c *Column) trims() bool {
	switch c.To {
	case ToNum, ToState, ToCreated, ToUpdated, ToRowKey:
		return true
	case ToField:
		return c.Type != tracker.TypeText && c.Type != tracker.TypeLongText && c.Type != tracker.TypeTags &&
			c.Type != tracker.TypeMultiSelect
	}
	return false
}

// open are the choices of a column all of whose cells are numbers, dates or datetimes, if it is not clear
// which, or if numbers are not written alike.
func (c *columnProfile) open() []forms.Choice {
	if c.numbers.All(c.filled) {
		if choices := c.choices(tracker.TypeNumber); choices != nil {
			return choices
		}
		return c.numbers.Unlike(c.number)
	}
	for _, t := range []tracker.FieldType{tracker.TypeDate, tracker.TypeDateTime} {
		if c.times.All(t, c.filled) {
			return c.choices(t)
		}
	}
	return nil
}

// openAs are the choices of a column that becomes some columns of a mapping. If one is a number or a time,
// these are about the cells that are one: how numbers are read that are not written alike is then decided.
func (c *columnProfile) openAs(mapped []*Column) []forms.Choice {
	for _, column := range mapped {
		switch t := column.cells(); {
		case c.choices(t) != nil:
			return c.choices(t)
		case t == tracker.TypeInteger || t == tracker.TypeNumber:
			return nil
		}
	}
	return c.open()
}

// builtinOf returns the built-in target that a column becomes.
func builtinOf(best map[Target]int, column int) (to Target, ok bool) {
	for to, at := range best {
		if at == column {
			return to, true
		}
	}
	return "", false
}

// listSeparator separates the members of an existing MULTI_SELECT or TAGS field in an inferred mapping. The
// grid exports them with it and a space, and in quotes if they contain it.
const listSeparator = ","

// mayBe reports whether a column becomes the target in an existing project although some of its cells do not
// fit.
func (c *columnProfile) mayBe(to Target, have []*tracker.Definition) bool {
	return len(have) > 0 && c.filled > 0 && to != ToProjectKey && to != ToProjectName
}

// fits reports whether the cells are valid for the target that the column's name suggests.
func (c *columnProfile) fits(to Target) bool {
	if c.filled == 0 { // each built-in column may be empty, but for the row key
		return to != ToRowKey
	}
	switch to {
	case ToProjectKey:
		return c.keys && c.distinct != nil
	case ToProjectName:
		return c.distinct != nil
	case ToNum:
		return c.nums && c.seen != nil && !c.padded // 007 would be shown as 7
	case ToRowKey:
		return c.seen != nil
	case ToState:
		return c.distinct != nil
	case ToCreated, ToUpdated:
		return c.times.Is(tracker.TypeDate, c.filled) || c.times.Is(tracker.TypeDateTime, c.filled)
	case ToName:
		return 10*c.overlong <= c.filled // their rows are rejected
	}
	return true
}

// options returns the number of options that the values can be, or 0 if they cannot, and whether two of them
// differ only in case. White space at their ends and the form in Unicode do not make other options.
func (c *columnProfile) options() (n int, casesDiffer bool) {
	written, keys := map[string]bool{}, map[string]bool{}
	for name := range c.distinct {
		written[tracker.Canonical(name)], keys[folded(name)] = true, true
	}
	return len(keys), len(keys) < len(written)
}

// fieldNames are the names of fields that columns become. Names that a project considers equal count as one.
type fieldNames struct {
	taken map[string]bool
	// tried is how many names were derived from a name, so that many equal names take linear time.
	tried map[string]int
}

// newFieldNames returns the names that a new field cannot have, which are those of built-in columns.
func newFieldNames() *fieldNames {
	return &fieldNames{taken: map[string]bool{"name": true, "state": true, "description": true},
		tried: map[string]int{}}
}

// free returns a valid name for a new field that no other column has: that of the column, or else with _, _2,
// _3 and so on appended.
func (n *fieldNames) free(column string) string {
	runes := []rune(short(column))
	name, base := string(runes), folded(string(runes))
	for n.taken[folded(name)] {
		suffix := "_"
		if n.tried[base]++; n.tried[base] > 1 {
			suffix += strconv.Itoa(n.tried[base])
		}
		name = string(runes[:min(len(runes), tracker.MaxName-len(suffix))]) + suffix
	}
	return name
}

// short returns the name of a column, cut in the middle if it is too long for that of a field: in forms,
// questions with the same beginning differ at the end.
func short(column string) string {
	runes := []rune(column)
	if len(runes) <= tracker.MaxName {
		return column
	}
	const begin, room = tracker.MaxName / 2, len("_9999") // what free appends
	end := len(runes) - (tracker.MaxName - room - begin - 1)
	return tracker.Shown(string(runes[:begin])) + "…" + tracker.Shown(string(runes[end:]))
}
