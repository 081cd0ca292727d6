package filter_test

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"issuegrid/grid/filter"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

var (
	project = tracker.Project{ID: "p1",
		States: []tracker.State{{ID: "sc", Name: "New"}, {ID: "sa", Name: "Open"}, {ID: "sb", Name: "Done"}}}
	// in an order different from that of their ids
	options = []tracker.Option{{ID: "oc", Name: "S"}, {ID: "oa", Name: "M"}, {ID: "ob", Name: "L"}}

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
	instants = &domain{name: "instant", kind: sortkey.KindInt,
		pool: []any{instant(0, 0), instant(0, 1), instant(0, 86399999999), instant(1, 0),
			instant(-719162, 0), instant(20000, 5)},
		encode:  func(v any) sortkey.Value { return sortkey.Time(v.(time.Time)) },
		compare: func(a, b any) int { return a.(time.Time).Compare(b.(time.Time)) }}
	days = &domain{name: "day", kind: sortkey.KindInt,
		pool:    []any{instant(-719162, 0), instant(-1, 0), instant(0, 0), instant(1, 0), instant(20000, 0)},
		encode:  func(v any) sortkey.Value { return sortkey.Date(v.(time.Time)) },
		compare: func(a, b any) int { return a.(time.Time).Compare(b.(time.Time)) }}
)

// instant returns the time at a microsecond of a day, both counted from 0; day 0 is 1970-01-01.
func instant(day, micros int64) time.Time { return time.UnixMicro(day*86400e6 + micros).UTC() }

// column is a column of the grid with its test values. For sets the values are []string, and domain is nil.
type column struct {
	id     tracker.Column
	domain *domain
	// members are the candidates for members of a set, and for operands.
	members []string
	store   func(any) tracker.Value // for custom fields and the description
}

func storeText(v any) tracker.Value { return tracker.Text(v.(string)) }

// storeUser returns a reference to the user that a name is that of, or only the name.
func storeUser(v any) tracker.Value {
	name := v.(string)
	if user := namesake(name); user != "" {
		return tracker.UserValue(name, user)
	}
	return tracker.Text(name)
}

// namesake returns the user with a name: one of two, or "" for names that nobody has.
func namesake(name string) tracker.UserID {
	return []tracker.UserID{"", "u1", "u2"}[len(name)%3]
}
func storeSet(v any) tracker.Value { return tracker.Set(v.([]string)) }

// longs are texts that are stored outside the document. The exception is the one of MaxInlineText bytes,
// which is not.
var longs = []any{strings.Repeat("Éclair ", 60), strings.Repeat("x", maxComparable) + "y",
	strings.Repeat("a", tracker.MaxInlineText+1),
	strings.Repeat("a", tracker.MaxInlineText), strings.Repeat("ß", 600)}

// phrase is a tag whose folded form is too long for a key.
var phrase = strings.Repeat("\ufdfa", 50)

var testColumns = []column{
	{id: tracker.ColumnNum, domain: ints},
	{id: tracker.ColumnName, domain: texts},
	{id: tracker.ColumnState, domain: ranks},
	{id: tracker.ColumnCreated, domain: instants},
	{id: tracker.ColumnUpdated, domain: instants},
	{id: tracker.ColumnCreatedBy, domain: texts, store: storeText},
	{id: tracker.ColumnUpdatedBy, domain: texts, store: storeText},
	{id: tracker.ColumnDescription, domain: texts, store: storeText},
	{id: "text", domain: texts, store: storeText},
	{id: "long", domain: texts, store: storeText},
	{id: "user", domain: texts, store: storeUser},
	{id: "int", domain: ints, store: func(v any) tracker.Value { return tracker.Int(v.(int64)) }},
	{id: "float", domain: floats, store: func(v any) tracker.Value { return tracker.Float(v.(float64)) }},
	{id: "date", domain: days, store: func(v any) tracker.Value {
		return tracker.Text(v.(time.Time).Format(time.DateOnly))
	}},
	{id: "datetime", domain: instants, store: func(v any) tracker.Value {
		return tracker.Text(v.(time.Time).Format(time.RFC3339Nano))
	}},
	{id: "bool", domain: bools, store: func(v any) tracker.Value { return tracker.Bool(v.(bool)) }},
	{id: "select", domain: ranks, store: func(v any) tracker.Value {
		return tracker.Text(string(options[v.(int)].ID))
	}},
	{id: "multi", members: []string{"oa", "ob", "oc"}, store: storeSet},
	{id: "tags", members: []string{"Éclair", "eclair", "b", "\u0301", "\u0308", "a\x00", phrase, phrase + "!",
		strings.ToUpper("straße"), "straße"}, store: storeSet},
}

// GoString keeps the output of failed rapid tests short.
func (c column) GoString() string { return string(c.id) }

// always reports whether every issue has a value in the column.
func (c column) always() bool { return c.store == nil }

// textual reports whether the column supports Contains.
func (c column) textual() bool { return c.domain == texts }

// mayBeLong reports whether long values are stored outside the document.
func (c column) mayBeLong() bool {
	return c.id == tracker.ColumnDescription || c.id == "text" || c.id == "long"
}

// row is an issue in the oracle's model: its values by column. A column without a value is missing.
type row struct {
	values map[tracker.Column]any
	read   map[tracker.Column]bool // long texts that were read
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
			r.values[c.id] = rapid.SliceOfNDistinct(rapid.SampledFrom(c.members), 1, 3,
				rapid.ID[string]).Draw(t, string(c.id))
			continue
		}
		v := c.domain.draw(t, string(c.id))
		if c.mayBeLong() && rapid.Bool().Draw(t, "long") {
			v = rapid.SampledFrom(longs).Draw(t, string(c.id))
		}
		if v == "" && !c.always() {
			continue // an empty string is no value
		}
		r.values[c.id] = v
	}
	return r
}

// reading returns the row with all its long texts read, or none.
func (r row) reading(all bool) row {
	out := row{r.values, map[tracker.Column]bool{}}
	for _, c := range testColumns {
		out.read[c.id] = all
	}
	return out
}

var issueID = tracker.IssueID{Project: project.ID, Issue: "i1"}

// ref returns the reference to a long text.
func (r row) ref(c column) tracker.LongRef {
	text := r.values[c.id].(string)
	return tracker.LongRef{Issue: issueID, Column: c.id, Long: tracker.Long{ID: tracker.NewLongID(text, ""),
		Bytes: len(text), Parts: 1}}
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
		case tracker.ColumnCreatedBy:
			i.CreatedBy = v.(string)
		case tracker.ColumnUpdatedBy:
			i.UpdatedBy = v.(string)
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

// meets calls s.Meets, which must not fail.
func meets(s *filter.Subject, c filter.Condition) filter.Truth {
	t, err := s.Meets(c)
	if err != nil {
		panic(err)
	}
	return t
}
