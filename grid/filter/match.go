package filter

import (
	"slices"

	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Truth is the result of evaluating a condition on an issue.
type Truth int8

// The truths. Unknown means that the result depends on a long text outside the document that was not read.
const (
	No Truth = iota
	Unknown
	Yes
)

func truth(b bool) Truth {
	if b {
		return Yes
	}
	return No
}

// Subject evaluates conditions on one issue. Matcher.Subject makes it. It must be used by the goroutine of
// its Matcher. It caches what it has computed, so neither the issue nor a text in Texts may be changed.
type Subject struct {
	Issue *tracker.Issue
	// Texts are the long texts that were read, by column. They may be added after a call of Meets.
	Texts map[tracker.Column]string

	matcher *Matcher
	known   []known // by column index; may be shorter than the columns of the matcher
}

// known is the cached information about the value of one column.
type known struct {
	encoded, searched bool
	value             sortkey.Value
	found             set      // needles of the column that its text contains
	members           []string // members of a set, sorted, with tags folded
}

func (s *Subject) of(c tracker.Column) (*known, int) {
	at := s.matcher.columnIndex(c)
	if at >= len(s.known) {
		grown := make([]known, max(at+1, len(s.matcher.columns)))
		copy(grown, s.known)
		s.known = grown
	}
	return &s.known[at], at
}

// Meets reports whether the issue matches a condition. Nil matches every issue. Errors are those of
// Matcher.Work.
func (s *Subject) Meets(c Condition) (Truth, error) {
	if c == nil {
		return Yes, nil
	}
	return c.meets(s)
}

func (c Not) meets(s *Subject) (Truth, error) {
	t, err := s.Meets(c.Condition)
	return Yes - t, err
}

func (c And) meets(s *Subject) (Truth, error) {
	worst := Yes
	for _, m := range c {
		t, err := s.Meets(m)
		if err != nil {
			return No, err
		}
		if worst = min(worst, t); worst == No {
			break
		}
	}
	return worst, nil
}

func (c Or) meets(s *Subject) (Truth, error) {
	best := No
	for _, m := range c {
		t, err := s.Meets(m)
		if err != nil {
			return No, err
		}
		if best = max(best, t); best == Yes {
			break
		}
	}
	return best, nil
}

func (c In) meets(s *Subject) (Truth, error) {
	if c.Column.Nullable() {
		switch v := s.stored(c.Column); {
		case v.Kind == tracker.KindNone:
			return truth(c.Values.None), nil
		case c.Values.all() || len(c.Values.Ranges) == 0:
			return truth(c.Values.all()), nil
		case v.Kind == tracker.KindSet:
			return No, nil // sets have no encoded value
		}
	}
	v, t, err := s.value(c.Column)
	if t != Yes || err != nil {
		return t, err
	}
	return truth(c.Values.Contains(v)), nil
}

func (c Has) meets(s *Subject) (Truth, error) {
	stored := s.stored(c.Column).Set()
	if len(stored) == 0 {
		return No, nil
	}
	k, _ := s.of(c.Column)
	if k.members == nil {
		k.members = slices.Clone(stored)
		if columns.FoldsColumn(s.matcher.definition, c.Column) {
			var err error
			if k.members, err = s.matcher.foldTags(stored); err != nil {
				return No, err
			}
		}
		slices.Sort(k.members)
	}
	_, has := slices.BinarySearch(k.members, c.Member)
	return truth(has), nil
}

func (c Contains) meets(s *Subject) (Truth, error) {
	text, t := s.text(c.Column)
	if t != No && c.Folded == "" {
		return Yes, nil // every text contains ""
	}
	if t != Yes {
		return t, nil
	}
	k, at := s.of(c.Column)
	n := &s.matcher.needles[at]
	needle, ok := n.index[c.Folded]
	if !ok {
		var one needles
		one.add(c.Folded)
		found, err := s.matcher.search(text, &one)
		return truth(found.has(0)), err
	}
	if !k.searched {
		var err error
		if k.found, err = s.matcher.search(text, n); err != nil {
			return No, err
		}
		k.searched = true
	}
	return truth(k.found.has(needle)), nil
}

func (c Is) meets(s *Subject) (Truth, error) {
	if v := s.stored(c.Column); v.Kind == tracker.KindLong {
		return truth(v.Long().Holds(c.Text)), nil
	}
	text, t := s.text(c.Column)
	if t != Yes {
		return t, nil
	}
	return truth(text == c.Text), nil
}

func (c Refers) meets(s *Subject) (Truth, error) {
	v := s.stored(c.Column)
	user := v.User()
	switch c.Column {
	case tracker.ColumnCreatedBy:
		user = s.Issue.Author
	case tracker.ColumnUpdatedBy:
		user = s.Issue.Editor
	}
	return truth(v.Kind != tracker.KindNone && user == c.User), nil
}

// stored returns the value of a custom field or the description in the document.
func (s *Subject) stored(c tracker.Column) tracker.Value {
	return s.Issue.Value(c)
}

// text returns a text of the issue. The Truth is No if there is none, and Unknown if it was not read.
func (s *Subject) text(c tracker.Column) (string, Truth) {
	if c == tracker.ColumnName {
		return s.Issue.Name, Yes
	}
	switch v := s.stored(c); v.Kind {
	case tracker.KindNone:
		return "", No
	case tracker.KindLong:
		text, read := s.Texts[c]
		if !read {
			return "", Unknown
		}
		return text, Yes
	default:
		return v.Text(), Yes
	}
}

// value returns the encoded value in a column. The Truth is No if there is none, and Unknown if it is a long
// text that was not read.
func (s *Subject) value(c tracker.Column) (sortkey.Value, Truth, error) {
	k, _ := s.of(c)
	if k.encoded {
		return k.value, Yes, nil
	}
	var err error
	if columns.Textual(s.matcher.definition, c) {
		text, t := s.text(c)
		if t != Yes {
			return nil, t, nil
		}
		if k.value, err = s.matcher.encode(text); err != nil {
			return nil, No, err
		}
	} else if !c.Nullable() {
		k.value = columns.BuiltinValue(&s.matcher.definition.Project, s.Issue, c)
	} else if v := s.stored(c); v.Kind != tracker.KindNone {
		k.value = columns.SortValue(s.matcher.definition.Field(c.Field()), v)
	} else {
		return nil, No, nil
	}
	k.encoded = true
	return k.value, Yes, nil
}

// SortValue returns the encoded value in a sortable column. It reports false if there is none, or if it is a
// long text that was not read. Errors are those of Matcher.Work.
func (s *Subject) SortValue(c tracker.Column) (sortkey.Value, bool, error) {
	v, t, err := s.value(c)
	return v, t == Yes && c != tracker.ColumnDescription, err
}

// LongTexts returns references to the texts outside the document that evaluating a condition may require.
func LongTexts(i *tracker.Issue, c Condition) []tracker.LongRef {
	s := Subject{Issue: i}
	var out []tracker.LongRef
	for _, column := range Columns(c) {
		if !column.Nullable() {
			continue
		}
		if v := s.stored(column); v.Kind == tracker.KindLong {
			out = append(out, tracker.LongRef{Issue: i.ID, Column: column, Long: v.Long()})
		}
	}
	return out
}
