package filter

import (
	"slices"

	"issuegrid/columns"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// Truth is what a document tells about a condition.
type Truth int8

// The truths. Unknown means that a long text decides, which is not in the document.
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

// Subject is an issue as conditions look at it. Matcher.Subject makes it. It is for the goroutine of its
// Matcher, and remembers what it has found out about the issue, so neither the issue nor a text that was
// given may change.
type Subject struct {
	Issue *tracker.Issue
	// Texts are the long texts that were read, by their columns. They may be given after the Subject has been
	// asked.
	Texts map[tracker.Column]string

	matcher *Matcher
	known   []known // by the places of columns; shorter where nothing is known of the last ones
}

// known is what has been found out about the value of one column.
type known struct {
	encoded, searched bool
	value             sortkey.Value
	found             set      // of the column's needles
	members           []string // of a set, tags folded; sorted
}

func (s *Subject) of(c tracker.Column) (*known, int) {
	at := s.matcher.place(c)
	if at >= len(s.known) {
		grown := make([]known, max(at+1, len(s.matcher.columns)))
		copy(grown, s.known)
		s.known = grown
	}
	return &s.known[at], at
}

// Meets reports whether the issue meets a condition. Nil always holds. An error is one of Matcher.Work.
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
	if Nullable(c.Column) {
		switch v := s.stored(c.Column); {
		case v.Kind == tracker.KindNone:
			return truth(c.Values.None), nil
		case c.Values.all() || len(c.Values.Ranges) == 0:
			return truth(c.Values.all()), nil
		case v.Kind == tracker.KindSet:
			return No, nil // ranges mean nothing of sets
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
		if columns.Folds(s.matcher.definition.Field(c.Column.Field()).Type) {
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
		return Yes, nil // whatever the text is
	}
	if t != Yes {
		return t, nil
	}
	k, at := s.of(c.Column)
	n := &s.matcher.needles[at]
	needle, ok := n.places[c.Folded]
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

// stored is the value that the document has in a custom field or the description.
func (s *Subject) stored(c tracker.Column) tracker.Value {
	if c == tracker.ColumnDescription {
		return s.Issue.Description
	}
	return s.Issue.Values[c.Field()]
}

// text is a text of the issue; No where there is none, Unknown where it was not read.
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

// value encodes what the issue has in a column: No where it has nothing, Unknown where that is a long text
// which was not read.
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
	} else if !Nullable(c) {
		k.value = columns.BuiltinValue(&s.matcher.definition.Project, s.Issue, c)
	} else if v := s.stored(c); v.Kind != tracker.KindNone {
		k.value = columns.SortValue(s.matcher.definition.Field(c.Field()), v)
	} else {
		return nil, No, nil
	}
	k.encoded = true
	return k.value, Yes, nil
}

// SortValue encodes what the issue has in a column that a grid can be sorted by; false where it has nothing,
// or a long text that was not read. An error is one of Matcher.Work.
func (s *Subject) SortValue(c tracker.Column) (sortkey.Value, bool, error) {
	v, t, err := s.value(c)
	return v, t == Yes && c != tracker.ColumnDescription, err
}

// LongTexts lists the texts outside the document that a condition may look at.
func LongTexts(i *tracker.Issue, c Condition) []tracker.LongRef {
	s := Subject{Issue: i}
	var out []tracker.LongRef
	for _, column := range Columns(c) {
		if !Nullable(column) {
			continue
		}
		if v := s.stored(column); v.Kind == tracker.KindLong {
			out = append(out, tracker.LongRef{Issue: i.ID, Column: column, Long: v.Long()})
		}
	}
	return out
}
