package filter

import (
	"strings"

	"issuegrid/dynamo"
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

// Subject is an issue as conditions look at it.
type Subject struct {
	Definition *tracker.Definition
	Issue      *tracker.Issue
	// Texts are the long texts that were read, by their columns.
	Texts map[tracker.Column]string
}

// Meets tells whether the issue meets a condition. Nil always holds.
func (s *Subject) Meets(c Condition) Truth {
	switch c := c.(type) {
	case nil:
		return Yes
	case In:
		return s.in(c)
	case Has:
		return truth(s.has(c))
	case Contains:
		text, t := s.text(c.Column)
		if t == Unknown && c.Folded == "" {
			return Yes // whatever the text is
		}
		if t != Yes {
			return t
		}
		return truth(strings.Contains(sortkey.Fold(text), c.Folded))
	case Not:
		return Yes - s.Meets(c.Condition)
	case And:
		worst := Yes
		for _, m := range c {
			if worst = min(worst, s.Meets(m)); worst == No {
				break
			}
		}
		return worst
	case Or:
		best := No
		for _, m := range c {
			if best = max(best, s.Meets(m)); best == Yes {
				break
			}
		}
		return best
	}
	return No
}

func (s *Subject) in(c In) Truth {
	if c.Column.Builtin() && c.Column != tracker.ColumnDescription {
		return truth(c.Values.Contains(dynamo.BuiltinValue(&s.Definition.Project, s.Issue, c.Column)))
	}
	v := s.stored(c.Column)
	f := s.Definition.Field(c.Column.Field())
	switch {
	case v.Kind == tracker.KindNone:
		return truth(c.Values.None)
	case c.Values.all() || len(c.Values.Ranges) == 0:
		return truth(c.Values.all())
	case v.Kind == tracker.KindSet:
		return No // ranges mean nothing of sets
	}
	if c.Column == tracker.ColumnDescription || f.Type == tracker.TypeText || f.Type == tracker.TypeLongText {
		text, t := s.text(c.Column)
		if t != Yes {
			return t
		}
		return truth(c.Values.Contains(sortkey.Text(text)))
	}
	return truth(c.Values.Contains(dynamo.SortValue(f, v)))
}

func (s *Subject) has(c Has) bool {
	f := s.Definition.Field(c.Column.Field())
	for _, member := range s.stored(c.Column).Set() {
		if f.Type == tracker.TypeTags {
			member = dynamo.FoldTag(member)
		}
		if member == c.Member {
			return true
		}
	}
	return false
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

// LongTexts lists the texts outside the document that a condition may look at.
func (s *Subject) LongTexts(c Condition) []tracker.LongRef {
	var out []tracker.LongRef
	for _, column := range Columns(c) {
		if column.Builtin() && column != tracker.ColumnDescription {
			continue
		}
		if v := s.stored(column); v.Kind == tracker.KindLong {
			out = append(out, tracker.LongRef{Issue: s.Issue.ID, Column: column, Long: v.Long()})
		}
	}
	return out
}

// SortValue encodes what the issue has in a column that a grid can be sorted by; false where it has nothing, or a long text that was not read.
func (s *Subject) SortValue(c tracker.Column) (sortkey.Value, bool) {
	if c.Builtin() {
		return dynamo.BuiltinValue(&s.Definition.Project, s.Issue, c), c != tracker.ColumnDescription
	}
	v := s.stored(c)
	if v.Kind == tracker.KindLong {
		text, t := s.text(c)
		return sortkey.Text(text), t == Yes
	}
	if v.Kind == tracker.KindNone {
		return nil, false
	}
	return dynamo.SortValue(s.Definition.Field(c.Field()), v), true
}
