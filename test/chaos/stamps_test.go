//go:build unix

package chaos_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"issuegrid/tracker"
)

// Every change has a unique number, its stamp, and all values that it writes contain the stamp. The columns
// of a project form groups, and a change always writes whole groups, so that the columns of a group have the
// same stamp in every state that ever existed. The stamp also determines which columns have no value.

// column is a custom field, or a built-in column, whose id is its name.
type column struct {
	id      string
	n       int
	kind    tracker.FieldType
	options []string
}

// group is a set of columns that are written together. The stamp is read from the first one, which is an
// integer or the name.
type group []*column

// project is a project with groups. birth is written only when an issue is created. Group 0 contains the
// built-in columns.
type project struct {
	id, key string
	birth   *column
	groups  []group
	columns map[string]*column
	// people can be the assignees of issues, which are a column of group 0.
	people []person
	// fickle reports whether the project has additional fields whose definitions change.
	fickle bool
	states []string
}

// person is a user or a team.
type person struct{ id, name string }

// assignees returns the people to whom a change with the stamp assigns an issue, and the others.
func (p *project) assignees(stamp int) (is, others []person) {
	for n, person := range p.people {
		if stamp*(n+3)%5 < 2 {
			is = append(is, person)
		} else {
			others = append(others, person)
		}
	}
	return is, others
}

func idsOf(people []person) []string {
	ids := make([]string, len(people))
	for i, p := range people {
		ids[i] = p.id
	}
	return ids
}

// shown holds the values of columns by column ID in a comparable form. Columns without a value are omitted.
type shown map[string]string

// text returns a string that contains the stamp. For some stamps the string is long.
func (c *column) text(stamp int) string {
	text := fmt.Sprintf("s%d of %d", stamp, c.n)
	switch (stamp + c.n) % 5 {
	case 1:
		text += strings.Repeat(" and more", 40)
	case 2:
		if c.kind == tracker.TypeLongText {
			text += strings.Repeat(" and much more", 400)
		}
	}
	return text
}

// empty reports whether a change with the stamp leaves the column without a value.
func (c *column) empty(stamp int) bool { return (stamp+c.n)%6 == 5 }

// value returns the value that a change with the stamp writes, as a ValueInput, and how it is shown.
func (c *column) value(stamp int) (any, string) {
	switch c.kind {
	case tracker.TypeText, tracker.TypeLongText:
		return map[string]any{"text": c.text(stamp)}, c.text(stamp)
	case tracker.TypeInteger:
		return map[string]any{"integer": strconv.Itoa(stamp)}, strconv.Itoa(stamp)
	case tracker.TypeNumber:
		return map[string]any{"number": float64(stamp) + 0.5}, fmt.Sprint(float64(stamp) + 0.5)
	case tracker.TypeDate:
		day := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, stamp).Format(time.DateOnly)
		return map[string]any{"date": day}, day
	case tracker.TypeDateTime:
		at := time.Date(2000, 1, 1, 0, 0, stamp, 0, time.UTC).Format(time.RFC3339)
		return map[string]any{"dateTime": at}, at
	case tracker.TypeBoolean:
		return map[string]any{"boolean": stamp%2 == 0}, fmt.Sprint(stamp%2 == 0)
	case tracker.TypeSelect:
		o := c.options[stamp%len(c.options)]
		return map[string]any{"optionId": o}, o
	case tracker.TypeMultiSelect:
		all := []string{c.options[stamp%len(c.options)], c.options[(stamp+1)%len(c.options)]}
		return map[string]any{"optionIds": all}, joined(all)
	case tracker.TypeTags:
		all := []string{fmt.Sprint("t", stamp), fmt.Sprint("m", stamp%4), "all"}
		return map[string]any{"tags": all}, joined(all)
	default:
		return map[string]any{"user": fmt.Sprint("User ", stamp)}, fmt.Sprint("User ", stamp)
	}
}

func joined(set []string) string { return strings.Join(slices.Sorted(slices.Values(set)), ",") }

// want returns how the columns of a group are shown after a change.
func (p *project) want(g, stamp int) shown {
	out := shown{}
	if g == 0 {
		out["name"], out["state"] = fmt.Sprint("s", stamp), p.states[stamp%len(p.states)]
		if d := description.text(stamp); !description.empty(stamp) {
			out["description"] = d
		}
		var names []string
		for is, _ := p.assignees(stamp); len(is) > 0; is = is[1:] {
			names = append(names, is[0].name)
		}
		if names != nil {
			out["assignees"] = joined(names)
		}
		return out
	}
	for i, c := range p.groups[g] {
		if i == 0 || !c.empty(stamp) {
			_, out[c.id] = c.value(stamp)
		}
	}
	return out
}

var description = &column{id: "description", kind: tracker.TypeLongText}

// input returns a change of groups as an IssueUpdateInput or, if it isNew, an IssueCreateInput. states has
// the ids of the states.
func (p *project) input(stamp int, states []string, isNew bool, groups ...int) map[string]any {
	in := map[string]any{}
	var values []any
	for _, g := range groups {
		if g == 0 {
			in["name"], in["stateId"] = fmt.Sprint("s", stamp), states[stamp%len(states)]
			in["description"] = ""
			if !description.empty(stamp) {
				in["description"] = description.text(stamp)
			}
			is, others := p.assignees(stamp)
			if in["assigneeIds"] = idsOf(is); !isNew {
				delete(in, "assigneeIds")
				in["assignees"] = map[string]any{"addIds": idsOf(is), "removeIds": idsOf(others)}
			}
			continue
		}
		for i, c := range p.groups[g] {
			if i > 0 && c.empty(stamp) {
				if !isNew {
					values = append(values, map[string]any{"fieldId": c.id, "clear": true})
				}
				continue
			}
			v, _ := c.value(stamp)
			values = append(values, map[string]any{"fieldId": c.id, "value": v})
		}
	}
	if values != nil {
		in["values"] = values
	}
	return in
}

// given is a value of a field as clients see it.
type given struct {
	Field          struct{ ID string }
	Text           *string
	Integer        *string
	Number         *float64
	Date, DateTime *string
	Boolean        *bool
	Option         *struct{ ID string }
	Options        []struct{ ID string }
	Tags           []string
	User           *string
}

const selectedValue = `{ field { id } ... on TextValue { text } ... on LongTextValue { text } ... on IntegerValue { integer } ... on NumberValue { number } ` +
	`... on DateValue { date } ... on DateTimeValue { dateTime } ... on BooleanValue { boolean } ... on SelectValue { option { id } } ` +
	`... on MultiSelectValue { options { id } } ... on TagsValue { tags } ... on UserValue { user: name } }`

func (g *given) String() string {
	switch {
	case g.Text != nil:
		return *g.Text
	case g.Integer != nil:
		return *g.Integer
	case g.Number != nil:
		return fmt.Sprint(*g.Number)
	case g.Date != nil:
		return *g.Date
	case g.DateTime != nil:
		return *g.DateTime
	case g.Boolean != nil:
		return fmt.Sprint(*g.Boolean)
	case g.Option != nil:
		return g.Option.ID
	case g.Options != nil:
		var ids []string
		for _, o := range g.Options {
			ids = append(ids, o.ID)
		}
		return joined(ids)
	case g.Tags != nil:
		return joined(g.Tags)
	case g.User != nil:
		return *g.User
	}
	return "?"
}

// document is an issue as clients see it.
type document struct {
	ID          string
	Num         int
	Version     int64
	Name        string
	State       struct{ Name string }
	Description *string
	Assignees   []struct{ Name string }
	Values      []*given
}

const selectedDocument = `{ id num version name state { name } description assignees { name } values ` + selectedValue + ` }`

// shown returns the values of the columns in the project's groups.
func (d *document) shown(p *project) shown {
	out := shown{"name": d.Name, "state": d.State.Name}
	if d.Description != nil {
		out["description"] = *d.Description
	}
	var names []string
	for _, a := range d.Assignees {
		names = append(names, a.Name)
	}
	if names != nil {
		out["assignees"] = joined(names)
	}
	for _, v := range d.Values {
		if p.columns[v.Field.ID] != nil {
			out[v.Field.ID] = v.String()
		}
	}
	return out
}

// stamps returns the stamps of all groups, that of the birth group first. It returns an error unless the
// values shown are exactly those that the stamps imply.
func (p *project) stamps(s shown) ([]int, error) {
	stamps := make([]int, 1, len(p.groups)+1)
	var err error
	if stamps[0], err = strconv.Atoi(s[p.birth.id]); err != nil {
		return nil, fmt.Errorf("the birth is %q", s[p.birth.id])
	}
	seen := 1
	for g := range p.groups {
		first := "name"
		if g > 0 {
			first = p.groups[g][0].id
		}
		stamp, err := strconv.Atoi(strings.TrimPrefix(s[first], "s"))
		if err != nil {
			return nil, fmt.Errorf("group %d has the stamp %q", g, s[first])
		}
		stamps = append(stamps, stamp)
		want := p.want(g, stamp)
		for id, v := range want {
			if s[id] != v {
				return nil, fmt.Errorf("group %d has the stamp %d, and %s is %.40q, not %.40q", g, stamp, id,
					s[id], v)
			}
		}
		seen += len(want)
	}
	if len(s) != seen {
		return nil, fmt.Errorf("%d columns have a value, and by the stamps %v it should be %d", len(s),
			stamps, seen)
	}
	return stamps, nil
}
