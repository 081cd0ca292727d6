package filter_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"issuegrid/grid/filter"
	"issuegrid/internal/columns"
	"issuegrid/internal/fold"
	"issuegrid/tracker"
)

// question is a condition of package filter together with the result that the oracle expects.
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

// holds returns the expected result if all texts were read.
func (q question) holds(r row) bool { return q.truth(r.reading(true)) == filter.Yes }

// draw generates a question that uses few columns, so that its parts interact. Most questions have few parts,
// because those with many are usually always or never true.
func draw(t *rapid.T) question {
	n := rapid.SampledFrom([]int{3, 2, 4, 1}).Draw(t, "how many columns")
	few := rapid.SliceOfNDistinct(rapid.SampledFrom(testColumns), n, n, func(c column) tracker.Column {
		return c.id
	}).Draw(t, "columns")
	return drawOf(t, few, rapid.SampledFrom([]int{2, 3, 4}).Draw(t, "depth"))
}

func drawOf(t *rapid.T, few []column, depth int) question {
	op := "leaf"
	if depth > 0 {
		op = rapid.SampledFrom([]string{"and", "or", "and", "or", "leaf", "not"}).Draw(t, "op")
	}
	switch op {
	case "and", "or":
		parts := make([]question, rapid.SampledFrom([]int{2, 2, 2, 3, 3, 3, 4, 4, 2, 3, 1, 1, 4, 2, 3,
			0}).Draw(t, "parts"))
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
	opposite := map[filter.Truth]filter.Truth{filter.Yes: filter.No, filter.No: filter.Yes,
		filter.Unknown: filter.Unknown}
	return question{filter.Negate(q.condition), func(r row) filter.Truth {
		return opposite[q.truth(r)]
	}, q.columns, "not " + q.text}
}

// several joins questions with and or or. One result decides: Yes for or, No for and. Otherwise the result is
// Unknown if any part is.
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
		results := make([]filter.Truth, len(members))
		for i, m := range members {
			results[i] = m.truth(r)
		}
		switch {
		case slices.Contains(results, decides):
			return decides
		case slices.Contains(results, filter.Unknown):
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
		return presence(c, rapid.SampledFrom([]string{"null", "any", "null", "any", "nothing",
			"everything"}).Draw(t, "presence"))
	case c.id == "user" && rapid.IntRange(0, 2).Draw(t, "refers") == 0:
		return refers(c, rapid.SampledFrom([]tracker.UserID{"", "u1", "u2", "u3"}).Draw(t, "user"))
	case c.textual() && rapid.IntRange(0, 2).Draw(t, "contains") == 0:
		return contains(c, rapid.SampledFrom([]string{"", "a", "É", "lair", "x\x00", "xy", "ß"}).Draw(t,
			"needle"))
	case c.textual() && rapid.IntRange(0, 2).Draw(t, "is") == 0:
		return is(c, rapid.SampledFrom([]string{"", "a", "A", "Éclair", "eclair", "x\x00", "ß"}).Draw(t,
			"text"))
	}
	return in(c, c.domain.set(t, rapid.IntRange(0, 2).Draw(t, "depth")))
}

func has(c column, member string) question {
	name := member
	if c.id == "tags" {
		name = columns.FoldTag(member)
	}
	same := func(m string) bool {
		folded := fold.String(m)
		return m == member || c.id == "tags" && folded != "" && folded == fold.String(member)
	}
	return question{filter.Has{Column: c.id, Member: name}, func(r row) filter.Truth {
		members, _ := r.values[c.id].([]string)
		return truth(slices.ContainsFunc(members, same))
	}, []tracker.Column{c.id}, fmt.Sprintf("%s has %s", c.id, show(member))}
}

// presence tests only whether there is a value. No other In is meaningful on a set.
func presence(c column, what string) question {
	values := map[string]filter.Values{"nothing": {}, "null": filter.NoValue(), "any": filter.Any(),
		"everything": filter.Any().Or(filter.NoValue())}[what]
	return question{filter.In{Column: c.id, Values: values}, func(r row) filter.Truth {
		_, ok := r.values[c.id]
		return truth(what == "everything" || what == "null" && !ok || what == "any" && ok)
	}, []tracker.Column{c.id}, fmt.Sprintf("%s %s", c.id, what)}
}

func contains(c column, needle string) question {
	folded := fold.String(needle)
	return question{filter.Contains{Column: c.id, Folded: folded}, func(r row) filter.Truth {
		text, ok := r.values[c.id].(string)
		switch {
		case !ok || folded == "":
			return truth(ok)
		case r.unread(c):
			return filter.Unknown
		}
		return truth(strings.Contains(fold.String(text), folded))
	}, []tracker.Column{c.id}, fmt.Sprintf("%s contains %s", c.id, show(needle))}
}

func is(c column, s string) question {
	return question{filter.Is{Column: c.id, Text: s}, func(r row) filter.Truth {
		text, ok := r.values[c.id].(string)
		return truth(ok && text == s) // a document has the length and the checksum of a long text
	}, []tracker.Column{c.id}, fmt.Sprintf("%s is %s", c.id, show(s))}
}

func refers(c column, user tracker.UserID) question {
	return question{filter.Refers{Column: c.id, User: user}, func(r row) filter.Truth {
		name, ok := r.values[c.id].(string)
		return truth(ok && namesake(name) == user)
	}, []tracker.Column{c.id}, fmt.Sprintf("%s refers to %q", c.id, user)}
}

func in(c column, s set) question {
	// Ranges that include all values, or none, do not depend on the text.
	n := len(s.values.Ranges)
	decided := n == 0 || n == 1 && len(s.values.Ranges[0].From) == 0 && s.values.Ranges[0].To == nil
	return question{filter.In{Column: c.id, Values: s.values}, func(r row) filter.Truth {
		if r.unread(c) && !decided {
			return filter.Unknown
		}
		return truth(s.has(r.values[c.id]))
	}, []tracker.Column{c.id}, fmt.Sprintf("%s %s", c.id, s.text)}
}
