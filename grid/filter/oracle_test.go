package filter_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"issuegrid/columns"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

var (
	project = tracker.Project{ID: "p1", States: []tracker.State{{ID: "sc", Name: "New"}, {ID: "sa", Name: "Open"}, {ID: "sb", Name: "Done"}}}
	options = []tracker.Option{{ID: "oc", Name: "S"}, {ID: "oa", Name: "M"}, {ID: "ob", Name: "L"}} // whose ids are in another order

	definition = tracker.NewDefinition(project, []*tracker.Field{
		{ID: "text", Name: "Sign Off", Type: tracker.TypeText},
		{ID: "long", Name: "Notes", Type: tracker.TypeLongText},
		{ID: "int", Name: "Num Items", Type: tracker.TypeInteger},
		{ID: "float", Name: "Weight", Type: tracker.TypeNumber},
		{ID: "date", Name: "Start", Type: tracker.TypeDate},
		{ID: "datetime", Name: "End", Type: tracker.TypeDateTime},
		{ID: "bool", Name: "Urgent", Type: tracker.TypeBoolean},
		{ID: "select", Name: "Size", Type: tracker.TypeSelect, Options: options},
		{ID: "multi", Name: "Labels", Type: tracker.TypeMultiSelect, Options: options},
		{ID: "tags", Name: "Tags", Type: tracker.TypeTags},
		{ID: "user", Name: "Owner", Type: tracker.TypeUser},
	})
)

var (
	ranks = &domain{name: "rank", kind: sortkey.KindInt, pool: []any{0, 1, 2},
		encode:  func(v any) sortkey.Value { return sortkey.Rank(v.(int)) },
		compare: func(a, b any) int { return cmp.Compare(a.(int), b.(int)) }}
	bools = &domain{name: "bool", kind: sortkey.KindInt, pool: []any{false, true},
		encode: func(v any) sortkey.Value { return sortkey.Bool(v.(bool)) },
		compare: func(a, b any) int {
			switch {
			case a == b:
				return 0
			case b.(bool):
				return -1
			}
			return 1
		}}
	instants = &domain{name: "instant", kind: sortkey.KindInt, pool: []any{at(0, 0), at(0, 1), at(0, 86399999999), at(1, 0), at(-719162, 0), at(20000, 5)},
		encode:  func(v any) sortkey.Value { return sortkey.Time(v.(time.Time)) },
		compare: func(a, b any) int { return a.(time.Time).Compare(b.(time.Time)) }}
	days = &domain{name: "day", kind: sortkey.KindInt, pool: []any{at(-719162, 0), at(-1, 0), at(0, 0), at(1, 0), at(20000, 0)},
		encode:  func(v any) sortkey.Value { return sortkey.Date(v.(time.Time)) },
		compare: func(a, b any) int { return a.(time.Time).Compare(b.(time.Time)) }}
)

// at is an instant by its day since 1970 and the microsecond in that day.
func at(day, micros int64) time.Time { return time.UnixMicro(day*86400e6 + micros).UTC() }

// column is a column of the grid, and how the tests have values of it. Of a set of members the values are []string, and domain is nil.
type column struct {
	id     tracker.Column
	domain *domain
	// members are what a set may have, and more that a condition may ask for.
	members []string
	store   func(any) tracker.Value // of custom fields and the description
}

func storeText(v any) tracker.Value { return tracker.Text(v.(string)) }
func storeSet(v any) tracker.Value  { return tracker.Set(v.([]string)) }

// longs are texts that are held outside the document; a text of as many bytes as it may have within is not.
var longs = []any{strings.Repeat("Éclair ", 60), strings.Repeat("x", maxComparable) + "y", strings.Repeat("a", tracker.MaxInlineText+1),
	strings.Repeat("a", tracker.MaxInlineText), strings.Repeat("ß", 600)}

// phrase is a tag that folds to more than a key can hold.
var phrase = strings.Repeat("\ufdfa", 50)

var testColumns = []column{
	{id: tracker.ColumnNum, domain: ints},
	{id: tracker.ColumnName, domain: texts},
	{id: tracker.ColumnState, domain: ranks},
	{id: tracker.ColumnCreated, domain: instants},
	{id: tracker.ColumnUpdated, domain: instants},
	{id: tracker.ColumnDescription, domain: texts, store: storeText},
	{id: "text", domain: texts, store: storeText},
	{id: "long", domain: texts, store: storeText},
	{id: "user", domain: texts, store: storeText},
	{id: "int", domain: ints, store: func(v any) tracker.Value { return tracker.Int(v.(int64)) }},
	{id: "float", domain: floats, store: func(v any) tracker.Value { return tracker.Float(v.(float64)) }},
	{id: "date", domain: days, store: func(v any) tracker.Value { return tracker.Text(v.(time.Time).Format(time.DateOnly)) }},
	{id: "datetime", domain: instants, store: func(v any) tracker.Value { return tracker.Text(v.(time.Time).Format(time.RFC3339Nano)) }},
	{id: "bool", domain: bools, store: func(v any) tracker.Value { return tracker.Bool(v.(bool)) }},
	{id: "select", domain: ranks, store: func(v any) tracker.Value { return tracker.Text(string(options[v.(int)].ID)) }},
	{id: "multi", members: []string{"oa", "ob", "oc"}, store: storeSet},
	{id: "tags", members: []string{"Éclair", "eclair", "b", "\u0301", "\u0308", "a\x00", phrase, phrase + "!", strings.ToUpper("straße"), "straße"}, store: storeSet},
}

// GoString keeps what rapid prints of a failure short.
func (c column) GoString() string { return string(c.id) }

func columnOf(id tracker.Column) column {
	return testColumns[slices.IndexFunc(testColumns, func(c column) bool { return c.id == id })]
}

// always tells whether every issue has a value in the column.
func (c column) always() bool { return c.store == nil }

// textual tells whether a condition may ask for what a text contains.
func (c column) textual() bool { return c.domain == texts }

// mayBeLong tells whether a long value is held outside the document.
func (c column) mayBeLong() bool {
	return c.id == tracker.ColumnDescription || c.id == "text" || c.id == "long"
}

// row is an issue as the oracle sees it: its values by their columns, of which those that it has not are missing.
type row struct {
	values map[tracker.Column]any
	read   map[tracker.Column]bool // which of the long texts
}

func (r row) long(c column) bool {
	s, _ := r.values[c.id].(string)
	return c.mayBeLong() && len(s) > tracker.MaxInlineText
}

func (r row) unread(c column) bool { return r.long(c) && !r.read[c.id] }

func (r row) String() string {
	var out []string
	for _, c := range testColumns {
		if v, ok := r.values[c.id]; ok {
			out = append(out, fmt.Sprintf("%s: %s", c.id, show(v)))
			if r.unread(c) {
				out = append(out, "(not read)")
			}
		}
	}
	return strings.Join(out, " ")
}

func drawRow(t *rapid.T) row {
	r := row{map[tracker.Column]any{}, map[tracker.Column]bool{}}
	for _, c := range testColumns {
		if !c.always() && rapid.IntRange(0, 2).Draw(t, "null") == 0 {
			continue
		}
		if c.domain == nil {
			r.values[c.id] = rapid.SliceOfNDistinct(rapid.SampledFrom(c.members), 1, 3, rapid.ID[string]).Draw(t, string(c.id))
			continue
		}
		v := c.domain.draw(t, string(c.id))
		if c.mayBeLong() && rapid.Bool().Draw(t, "long") {
			v = rapid.SampledFrom(longs).Draw(t, string(c.id))
		}
		if v == "" && !c.always() {
			continue // an empty text is no value
		}
		r.values[c.id] = v
	}
	return r
}

// reading is the row when all its long texts were read, or none of them.
func (r row) reading(all bool) row {
	out := row{r.values, map[tracker.Column]bool{}}
	for _, c := range testColumns {
		out.read[c.id] = all
	}
	return out
}

var issueID = tracker.IssueID{Project: project.ID, Issue: "i1"}

// ref is where the document says that a long text is.
func (r row) ref(c column) tracker.LongRef {
	bytes := len(r.values[c.id].(string))
	return tracker.LongRef{Issue: issueID, Column: c.id, Long: tracker.Long{Bytes: bytes, Parts: 1}}
}

func (r row) subject(conditions ...filter.Condition) *filter.Subject {
	return r.subjectOf(filter.NewMatcher(definition, conditions...))
}

func (r row) subjectOf(m *filter.Matcher) *filter.Subject {
	i := &tracker.Issue{ID: issueID, Values: map[tracker.FieldID]tracker.Value{}}
	subject := m.Subject(i)
	s := &subject
	s.Texts = map[tracker.Column]string{}
	for _, c := range testColumns {
		v, ok := r.values[c.id]
		if !ok {
			continue
		}
		switch c.id {
		case tracker.ColumnNum:
			i.Num = v.(int64)
		case tracker.ColumnName:
			i.Name = v.(string)
		case tracker.ColumnState:
			i.State = project.States[v.(int)].ID
		case tracker.ColumnCreated:
			i.Created = v.(time.Time)
		case tracker.ColumnUpdated:
			i.Updated = v.(time.Time)
		default:
			stored := c.store(v)
			if r.long(c) {
				stored = tracker.LongText(r.ref(c).Long)
				if r.read[c.id] {
					s.Texts[c.id] = v.(string)
				}
			}
			if c.id == tracker.ColumnDescription {
				i.Description = stored
			} else {
				i.Values[c.id.Field()] = stored
			}
		}
	}
	return s
}

// meets asks a Subject whose Matcher has no Work.
func meets(s *filter.Subject, c filter.Condition) filter.Truth {
	t, err := s.Meets(c)
	if err != nil {
		panic(err)
	}
	return t
}

// question is a condition twice: as package filter has it, and as the oracle's answer to it.
type question struct {
	condition filter.Condition
	truth     func(row) filter.Truth
	columns   []tracker.Column
	text      string
}

func truth(b bool) filter.Truth {
	if b {
		return filter.Yes
	}
	return filter.No
}

// holds is the truth of a question when everything is known.
func (q question) holds(r row) bool { return q.truth(r.reading(true)) == filter.Yes }

// draw makes a question of few columns, so that its parts meet in them, and mostly of few parts, because many add up to always or never.
func draw(t *rapid.T) question {
	n := rapid.SampledFrom([]int{3, 2, 4, 1}).Draw(t, "how many columns")
	few := rapid.SliceOfNDistinct(rapid.SampledFrom(testColumns), n, n, func(c column) tracker.Column { return c.id }).Draw(t, "columns")
	return drawOf(t, few, rapid.SampledFrom([]int{2, 3, 4}).Draw(t, "depth"))
}

func drawOf(t *rapid.T, few []column, depth int) question {
	op := "leaf"
	if depth > 0 {
		op = rapid.SampledFrom([]string{"and", "or", "and", "or", "leaf", "not"}).Draw(t, "op")
	}
	switch op {
	case "and", "or":
		parts := make([]question, rapid.SampledFrom([]int{2, 2, 2, 3, 3, 3, 4, 4, 2, 3, 1, 1, 4, 2, 3, 0}).Draw(t, "parts"))
		for i := range parts {
			parts[i] = drawOf(t, few, depth-1)
		}
		return several(op, parts...)
	case "not":
		return not(drawOf(t, few, depth-1))
	}
	return leaf(t, rapid.SampledFrom(few).Draw(t, "column"))
}

func not(q question) question {
	opposite := map[filter.Truth]filter.Truth{filter.Yes: filter.No, filter.No: filter.Yes, filter.Unknown: filter.Unknown}
	return question{filter.Not{Condition: q.condition}, func(r row) filter.Truth { return opposite[q.truth(r)] }, q.columns, "not " + q.text}
}

// several joins questions. One answer decides: Yes an or, No an and; otherwise what is unknown leaves the whole unknown.
func several(op string, members ...question) question {
	out := question{text: "(" + op}
	conditions := make([]filter.Condition, len(members))
	for i, m := range members {
		conditions[i] = m.condition
		out.columns = append(out.columns, m.columns...)
		out.text += " " + m.text
	}
	out.text += ")"
	decides, otherwise := filter.Yes, filter.No
	out.condition = filter.Or(conditions)
	if op == "and" {
		decides, otherwise = filter.No, filter.Yes
		out.condition = filter.And(conditions)
	}
	out.truth = func(r row) filter.Truth {
		answers := make([]filter.Truth, len(members))
		for i, m := range members {
			answers[i] = m.truth(r)
		}
		switch {
		case slices.Contains(answers, decides):
			return decides
		case slices.Contains(answers, filter.Unknown):
			return filter.Unknown
		}
		return otherwise
	}
	return out
}

func leaf(t *rapid.T, c column) question {
	switch {
	case c.domain == nil && rapid.IntRange(0, 3).Draw(t, "has") > 0:
		return has(c, rapid.SampledFrom(c.members).Draw(t, "member"))
	case c.domain == nil:
		return presence(c, rapid.SampledFrom([]string{"null", "any", "null", "any", "nothing", "everything"}).Draw(t, "presence"))
	case c.textual() && rapid.IntRange(0, 2).Draw(t, "contains") == 0:
		return contains(c, rapid.SampledFrom([]string{"", "a", "É", "lair", "x\x00", "xy", "ß"}).Draw(t, "needle"))
	}
	return in(c, c.domain.set(t, rapid.IntRange(0, 2).Draw(t, "depth")))
}

func has(c column, member string) question {
	name := member
	if c.id == "tags" {
		name = columns.FoldTag(member)
	}
	same := func(m string) bool {
		folded := sortkey.Fold(m)
		return m == member || c.id == "tags" && folded != "" && folded == sortkey.Fold(member)
	}
	return question{filter.Has{Column: c.id, Member: name}, func(r row) filter.Truth {
		members, _ := r.values[c.id].([]string)
		return truth(slices.ContainsFunc(members, same))
	}, []tracker.Column{c.id}, fmt.Sprintf("%s has %s", c.id, show(member))}
}

// presence asks whether there is a value, which is all that an In can ask of a set of members.
func presence(c column, what string) question {
	values := map[string]filter.Values{"nothing": {}, "null": filter.NoValue(), "any": filter.Any(), "everything": filter.Any().Or(filter.NoValue())}[what]
	return question{filter.In{Column: c.id, Values: values}, func(r row) filter.Truth {
		_, ok := r.values[c.id]
		return truth(what == "everything" || what == "null" && !ok || what == "any" && ok)
	}, []tracker.Column{c.id}, fmt.Sprintf("%s %s", c.id, what)}
}

func contains(c column, needle string) question {
	folded := sortkey.Fold(needle)
	return question{filter.Contains{Column: c.id, Folded: folded}, func(r row) filter.Truth {
		text, ok := r.values[c.id].(string)
		switch {
		case !ok || folded == "":
			return truth(ok)
		case r.unread(c):
			return filter.Unknown
		}
		return truth(strings.Contains(sortkey.Fold(text), folded))
	}, []tracker.Column{c.id}, fmt.Sprintf("%s contains %s", c.id, show(needle))}
}

func in(c column, s set) question {
	// Bounds that leave all values, or none, decide without a look at the text.
	n := len(s.values.Ranges)
	decided := n == 0 || n == 1 && len(s.values.Ranges[0].From) == 0 && s.values.Ranges[0].To == nil
	return question{filter.In{Column: c.id, Values: s.values}, func(r row) filter.Truth {
		if r.unread(c) && !decided {
			return filter.Unknown
		}
		return truth(s.has(r.values[c.id]))
	}, []tracker.Column{c.id}, fmt.Sprintf("%s %s", c.id, s.text)}
}
