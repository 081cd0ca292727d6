package importer

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"maps"
	"regexp"
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
// have are the existing projects that receive rows. A column with the name of one of their fields becomes
// that field. Of other columns the name alone determines what they become: cells that do not fit reject their
// rows. Otherwise a single bad cell would turn the state or the row key into a new field, and with another
// row key every row would be a new issue.
//
// The row key becomes a field, too, because the grid has no other column for it. With issuesOnly, an existing
// project gets no such field.
//
// Numbers and dates in the form of a country are read if it is clear which they are; nothing is guessed.
func (p *profile) mapping(have []*tracker.Definition, issuesOnly bool) *Mapping {
	best, exported := map[Target]int{}, p.exported()
	suggested, keyed := p.suggestions(have)
	for i, c := range p.columns {
		to := suggested[i].to
		if exported != nil && exported[i] == "" ||
			exported == nil && i != keyed && fieldIn(have, p.names[i]) != nil {
			to = ToField
		}
		if to == ToField || !c.fits(to) && !c.mayBe(to, have) {
			continue
		}
		if at, ok := best[to]; ok {
			fits := c.fits(to)
			if fits == p.columns[at].fits(to) && suggested[at].rank <= suggested[i].rank || !fits {
				continue
			}
		}
		best[to] = i
	}
	if _, ok := best[ToProjectKey]; !ok {
		delete(best, ToProjectName)
	}
	at, hasKey := best[ToRowKey]
	showsKey := hasKey && exported == nil &&
		(len(have) == 0 || keyed < 0 && !issuesOnly || fieldIn(have, p.names[at]) != nil)
	lists, named := p.lists(best, have), map[int]string{}
	for i, name := range p.names {
		to, isBest := bestOf(best, i)
		switch {
		case to == ToRowKey && showsKey:
			named[i] = short(name)
		case rejectColumn(p.names, name) || exported[i] == ToSkip || isBest:
		case lists[i] != "" && p.repeats[i] != i:
		case exported != nil:
			named[i] = exportedField(name)
		default:
			named[i] = short(name)
		}
	}
	m, existing := &Mapping{Columns: []Column{}}, fieldsOf(named, have)
	used, listed := newFieldNames(), map[int]string{}
	for _, f := range existing {
		used.taken[folded(f.Name)] = true
	}
	for i, c := range p.columns {
		name := p.names[i]
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
		if to, isBest := bestOf(best, i); isBest {
			column.To = to
		}
		// An empty column of keys says nothing. As a field, it would take the keys of later files.
		noKeys := suggested[i].to == ToRowKey && c.filled == 0 && exported == nil && existing[i] == nil
		if exported[i] == ToSkip || noKeys {
			m.Columns = append(m.Columns, Column{Column: name, To: ToSkip})
			continue
		}
		t := cmp.Or(list, c.fieldType())
		if column.To == ToRowKey && showsKey {
			m.Columns = append(m.Columns, column)
			column.To = ToField
			if t = tracker.TypeText; c.long() { // whatever the keys of later files are
				t = tracker.TypeLongText
			}
		}
		if column.To == ToField {
			f := existing[i]
			if f == nil {
				column.Name, column.Type = used.free(named[i]), t
				f = fieldIn(have, column.Name)
			}
			if f != nil {
				column.become(f)
				if c.areOptions(f) {
					column.Separator, column.Quotes = "", false
				}
				if exported != nil && column.Separator != "" {
					column.Separator, column.Quotes = ExportedSeparator, false
				}
			}
			used.taken[folded(column.Name)] = true
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
	if num, numbered := best[ToNum]; !hasKey && (!numbered || p.columns[num].filled == 0) {
		m.RowKey = contentKey
	}
	return m
}

// suggestion is a target that the name of a column suggests, and the rank of the name for it.
type suggestion struct {
	to   Target
	rank int
}

// suggestions are those of the names of all columns. In a project that an import has filled, the column that
// was the row key then is the only one that can be it; keyed is its index, or -1.
func (p *profile) suggestions(have []*tracker.Definition) (all []suggestion, keyed int) {
	keyed = -1
	for _, d := range have {
		key := d.Project.RowKey
		if keyed < 0 && key != "" {
			keyed = slices.Index(p.names, key)
		}
		if keyed < 0 && key != "" {
			keyed = slices.IndexFunc(p.names, func(n string) bool { return folded(n) == folded(key) })
		}
	}
	if keyed >= 0 && p.columns[keyed].filled == 0 {
		keyed = -1
	}
	for i, name := range p.names {
		to, rank := hint(name)
		if i == keyed {
			to = ToRowKey
		} else if to == ToRowKey && keyed >= 0 {
			to = ToField
		}
		all = append(all, suggestion{to, rank})
	}
	return all, keyed
}

// lists returns, for each column, the type of the field of which its cells are members, if other columns have
// the same name in the header: trackers write the labels of an issue so.
func (p *profile) lists(best map[Target]int, have []*tracker.Definition) map[int]tracker.FieldType {
	groups, out := map[int][]int{}, map[int]tracker.FieldType{}
	for i, first := range p.repeats {
		groups[first] = append(groups[first], i)
	}
	for first, group := range groups {
		builtin := slices.ContainsFunc(group, func(i int) bool {
			_, isBest := bestOf(best, i)
			return rejectColumn(p.names, p.names[i]) || isBest
		})
		if len(group) < 2 || builtin {
			continue
		}
		t := p.listType(group)
		if f := fieldIn(have, p.names[first]); f != nil && t != "" {
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
	case !texts: // numbers, dates and the like
		return ""
	case few && len(words) <= maxSelect && int64(len(words)*minRepeat) <= filled:
		return tracker.TypeMultiSelect
	}
	return tracker.TypeTags
}

// fieldsOf returns the existing fields that columns become, by index. Names that differ only in case are
// equal, but several columns of an earlier file may have had such names: then the field of the one that was
// spelled like this column is taken, although free has appended to its name.
func fieldsOf(columns map[int]string, have []*tracker.Definition) map[int]*tracker.Field {
	spelled, equal := map[string][]*tracker.Field{}, map[string]*tracker.Field{}
	for _, d := range have {
		for _, f := range d.Fields {
			if key := folded(f.Name); equal[key] == nil {
				equal[key] = f
				name := tracker.Canonical(f.Name)
				spelled[name] = append(spelled[name], f)
				if base := appendedTo.FindStringSubmatch(name); base != nil {
					spelled[base[1]] = append(spelled[base[1]], f)
				}
			}
		}
	}
	for _, fields := range spelled {
		slices.SortStableFunc(fields, func(a, b *tracker.Field) int { return len(a.Name) - len(b.Name) })
	}
	out, taken := map[int]*tracker.Field{}, map[*tracker.Field]bool{}
	for _, i := range slices.Sorted(maps.Keys(columns)) {
		name := tracker.Canonical(columns[i])
		for len(spelled[name]) > 0 && out[i] == nil {
			if f := spelled[name][0]; !taken[f] {
				out[i], taken[f] = f, true
			}
			spelled[name] = spelled[name][1:]
		}
	}
	for _, i := range slices.Sorted(maps.Keys(columns)) {
		if f := equal[folded(columns[i])]; out[i] == nil && f != nil && !taken[f] {
			out[i], taken[f] = f, true
		}
	}
	return out
}

// appendedTo matches the names that free makes of another name.
var appendedTo = regexp.MustCompile("^(.+)_[0-9]*$")

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

// areOptions reports whether all cells with a separator are options of a field. Its options were then rather
// the cells of several columns.
func (c *columnProfile) areOptions(f *tracker.Field) bool {
	some := false
	for cell := range c.distinct {
		if strings.Contains(cell, listSeparator) {
			if _, ok := f.OptionNamed(cell); !ok {
				return false
			}
			some = true
		}
	}
	return some
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
		if t == tracker.TypeDateTime && len(choices) <= 1 && c.times.Local() {
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
	case ToNum, ToState, ToCreated, ToUpdated:
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

// bestOf returns the target of which a column is the best one.
func bestOf(best map[Target]int, column int) (to Target, ok bool) {
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
