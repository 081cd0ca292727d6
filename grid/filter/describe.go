package filter

import (
	"bytes"
	"strconv"
	"strings"

	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// Name returns the display name of a column: the name of a custom field in quotes, or the name of a built-in
// column.
func Name(d *tracker.Definition, c tracker.Column) string {
	if c.Builtin() {
		return string(c)
	}
	if f := field(d, c); f != nil {
		return strconv.Quote(f.Name)
	}
	return string(c)
}

func field(d *tracker.Definition, c tracker.Column) *tracker.Field {
	if d == nil || c.Builtin() {
		return nil
	}
	return d.Field(c.Field())
}

// Describe returns a condition in words. Nil has no description.
func Describe(d *tracker.Definition, c Condition) string {
	if c == nil {
		return ""
	}
	return c.describe(d)
}

func (c Contains) describe(d *tracker.Definition) string {
	return Name(d, c.Column) + " contains " + strconv.Quote(c.Folded)
}

func (c Is) describe(d *tracker.Definition) string {
	return Name(d, c.Column) + " is " + strconv.Quote(c.Text)
}

func (c Refers) describe(d *tracker.Definition) string {
	if c.User == "" {
		return Name(d, c.Column) + " is only a name"
	}
	return Name(d, c.Column) + " is the " + DescribeParticipant(tracker.UserParticipant(c.User))
}

func (c Not) describe(d *tracker.Definition) string { return "not (" + Describe(d, c.Condition) + ")" }
func (c And) describe(d *tracker.Definition) string { return describeAll(d, c, " and ", "always") }
func (c Or) describe(d *tracker.Definition) string  { return describeAll(d, c, " or ", "never") }

func describeAll(d *tracker.Definition, all []Condition, between, none string) string {
	if len(all) == 0 {
		return none
	}
	words := make([]string, len(all))
	for i, c := range all {
		words[i] = Describe(d, c)
	}
	if len(words) == 1 {
		return words[0]
	}
	return "(" + strings.Join(words, between) + ")"
}

// DescribeParticipant returns a participant in words.
func DescribeParticipant(p tracker.Participant) string {
	if team, ok := p.Team(); ok {
		return "team " + string(team)
	}
	user, _ := p.User()
	return "user " + string(user)
}

func (c Has) describe(d *tracker.Definition) string {
	if _, ok := c.Column.Role(); ok {
		return Name(d, c.Column) + " has the " + DescribeParticipant(tracker.Participant(c.Member))
	}
	member := c.Member
	if f := field(d, c.Column); f != nil {
		if o, ok := f.Option(tracker.OptionID(c.Member)); ok {
			member = o.Name
		}
	}
	return Name(d, c.Column) + " has " + strconv.Quote(member)
}

func (c In) describe(d *tracker.Definition) string {
	name := Name(d, c.Column)
	var words []string
	if c.Values.None {
		words = append(words, name+" is empty")
	}
	for _, r := range c.Values.Ranges {
		words = append(words, describeRange(d, c.Column, name, r))
	}
	const most = 5
	if n := len(words); n > most {
		words = append(words[:most], "... ("+strconv.Itoa(n)+" in all)")
	}
	return strings.Join(words, " or ")
}

func describeRange(d *tracker.Definition, c tracker.Column, name string, r Range) string {
	if v, ok := columns.Display(d, c, r.From); ok && bytes.Equal(after(r.From), r.To) {
		return name + " = " + v
	}
	var words []string
	if len(r.From) > 0 {
		words = append(words, ">= "+bound(d, c, r.From))
	}
	if r.To != nil {
		words = append(words, "< "+bound(d, c, r.To))
	}
	if len(words) == 0 {
		return name
	}
	return name + " " + strings.Join(words, " and ")
}

// bound describes a bound: a value, the position after a value, or the beginning of a string.
func bound(d *tracker.Definition, c tracker.Column, b []byte) string {
	if v, ok := columns.Display(d, c, b); ok {
		return v
	}
	if n := len(b); n > 0 && b[n-1] > 0 {
		before := bytes.Clone(b)
		before[n-1]--
		if v, ok := columns.Display(d, c, before); ok {
			return "what follows " + v
		}
	}
	return strconv.Quote(string(b)) + "..."
}
