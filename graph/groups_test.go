package graph_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/sample"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// issueGroup is a group in a response.
type issueGroup struct {
	Key                  string
	Name, Text, From, To *string
	State, Option        *struct{ ID, Name string }
	Boolean              *bool
	Collapsed            bool
	TotalCount           int
	TotalCountPrecision  string
	Issues               *issuePage
	Groups               *groupPage
	Summary              *columnSummary
}

type issuePage struct {
	Nodes    []struct{ Num int }
	PageInfo pageInfo
}

type groupPage struct {
	Nodes      []issueGroup
	Edges      []struct{ Cursor string }
	PageInfo   pageInfo
	Incomplete bool
}

type pageInfo struct {
	HasNextPage, HasPreviousPage bool
	StartCursor, EndCursor       *string
}

const groupMembers = `key name text from to state { id name } option { id name } boolean collapsed totalCount
	totalCountPrecision`

// groups reads a page of groups.
func (s *server) groups(t testing.TB, p *sample.Project, arguments, below string) (groupPage, answer) {
	t.Helper()
	var got struct{ Project struct{ Groups groupPage } }
	a := s.data(t, fmt.Sprintf(`{ project(id: %q) { groups(%s) { nodes { %s %s } edges { cursor } incomplete
		pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`, projectID(p), arguments,
		groupMembers, below), nil, &got)
	return got.Project.Groups, a
}

// grouping is a grouping with the groups of an issue in memory: their names, each with a string that sorts
// like the group.
type grouping struct {
	by     string
	groups func(*tracker.Issue) map[string]string
}

func one(name, sort string) map[string]string { return map[string]string{name: sort} }

// generatedGroupings returns groupings of the generated project by all types of columns.
func generatedGroupings(p *sample.Project) map[string]grouping {
	builtin := func(name string) string { return fmt.Sprintf("column: {builtin: %s}", name) }
	field := func(id string) string { return fmt.Sprintf("column: {field: %q}", fieldID(p, id)) }
	value := func(id tracker.FieldID, groups func(tracker.Value) map[string]string) func(
		*tracker.Issue) map[string]string {
		return func(i *tracker.Issue) map[string]string {
			if v := i.Values[id]; v.Kind != tracker.KindNone {
				return groups(v)
			}
			return nil
		}
	}
	index := func(n int) string { return fmt.Sprintf("%04d", n) }
	d := tracker.NewDefinition(p.Project, pointers(p.Fields))
	optionsOf := func(id tracker.FieldID) func(v tracker.Value) map[string]string {
		f := d.Field(id)
		return func(v tracker.Value) map[string]string {
			ids := v.Set()
			if f.Type == tracker.TypeSelect {
				ids = []string{v.Text()}
			}
			out := map[string]string{}
			for _, id := range ids {
				o, _ := f.Option(tracker.OptionID(id))
				n, _ := f.OptionRank(o.ID)
				out[o.Name] = index(n)
			}
			return out
		}
	}
	berlin, _ := time.LoadLocation("Europe/Berlin")
	return map[string]grouping{
		"state": {builtin("STATE"), func(i *tracker.Issue) map[string]string {
			s, _ := p.Project.State(i.State)
			n, _ := p.Project.StateRank(i.State)
			return one(s.Name, index(n))
		}},
		"letters of names": {builtin("NAME") + ", firstLetter: true",
			func(i *tracker.Issue) map[string]string {
				letter := string([]rune(sortkey.Fold(i.Name))[:1])
				return one(letter, letter)
			}},
		"months of creation": {builtin("CREATED_AT") + ", period: MONTH",
			func(i *tracker.Issue) map[string]string {
				at := i.Created.In(berlin)
				first := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, berlin)
				return one(tracker.FormatDateTime(first.UTC()), first.UTC().Format(time.RFC3339))
			}},
		"numbers of issues": {builtin("NUM") + ", width: 250", func(i *tracker.Issue) map[string]string {
			low := int(i.Num) / 250 * 250
			return one(strconv.Itoa(low), index(low))
		}},
		"text": {field("f01"), value("f01", func(v tracker.Value) map[string]string {
			return one(v.Text(), sortkey.Fold(v.Text()))
		})},
		"integer": {field("f03") + ", width: 5000", value("f03", func(v tracker.Value) map[string]string {
			low := int(math.Floor(float64(v.Int())/5000)) * 5000
			return one(strconv.Itoa(low), index(low/5000+100))
		})},
		"quarters": {field("f05") + ", period: QUARTER",
			value("f05", func(v tracker.Value) map[string]string {
				at, _ := time.Parse(time.DateOnly, v.Text())
				first := time.Date(at.Year(), (at.Month()-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC)
				return one(first.Format(time.DateOnly), first.Format(time.DateOnly))
			})},
		"Boolean": {field("f07"), value("f07", func(v tracker.Value) map[string]string {
			return one(strconv.FormatBool(v.Bool()), strconv.FormatBool(v.Bool()))
		})},
		"option":  {field("f08"), value("f08", optionsOf("f08"))},
		"options": {field("f09"), value("f09", optionsOf("f09"))},
		"tags": {field("f10"), value("f10", func(v tracker.Value) map[string]string {
			out := map[string]string{}
			for _, tag := range v.Set() {
				out[tag] = sortkey.Fold(tag)
			}
			return out
		})},
		"user": {field("f11"), value("f11", func(v tracker.Value) map[string]string {
			return one(v.Text(), sortkey.Fold(v.Text()))
		})},
	}
}

func pointers(fields []tracker.Field) (out []*tracker.Field) {
	for i := range fields {
		out = append(out, &fields[i])
	}
	return out
}

// expectedGroup is a group in memory.
type expectedGroup struct {
	name   string // empty for none
	sort   string
	issues []int
}

func (g grouping) of(issues []tracker.Issue) (out []expectedGroup) {
	all := map[string]*expectedGroup{}
	for i := range issues {
		groups := g.groups(&issues[i])
		if len(groups) == 0 {
			groups = map[string]string{"": "\xff"}
		}
		for name, sort := range groups {
			if all[name] == nil {
				all[name] = &expectedGroup{name: name, sort: sort}
			}
			all[name].issues = append(all[name].issues, int(issues[i].Num))
		}
	}
	for _, x := range all {
		slices.Sort(x.issues)
		out = append(out, *x)
	}
	slices.SortFunc(out, func(a, b expectedGroup) int { return strings.Compare(a.sort, b.sort) })
	return out
}

// loadGenerated returns a server with the first issues of the generated project, one of its states, and those
// of the issues that are in it.
func loadGenerated(t *testing.T, n int) (*server, *sample.Project, tracker.State, []tracker.Issue) {
	p := sample.Generated()
	p.Issues = p.Issues[:n]
	state := p.Project.States[1]
	return load(t, p), &p, state, issuesIn(p.Issues, state.ID)
}

// issuesIn returns the issues in a state.
func issuesIn(issues []tracker.Issue, state tracker.OptionID) []tracker.Issue {
	return slices.DeleteFunc(slices.Clone(issues), func(i tracker.Issue) bool { return i.State != state })
}

// TestGroups compares the groups of a project by all types of columns with those in memory, without and with
// filters: their order, names, counts and issues, in both directions.
func TestGroups(t *testing.T) {
	s, p, state, inState := loadGenerated(t, 600)
	groupings := generatedGroupings(p)
	for n, name := range slices.Sorted(maps.Keys(groupings)) {
		g := groupings[name]
		for _, filtered := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", filtered), func(t *testing.T) {
				issues, where := p.Issues, ""
				if filtered {
					issues, where = inState, fmt.Sprintf("where: {state: {eq: %q}}, ", state.Name)
				}
				s.compareGroups(t, p, g.of(issues), fmt.Sprintf(
					`timeZone: "Europe/Berlin", %sby: [{%s}], `, where, g.by), 1+n%4)
			})
		}
	}
}

// compareGroups walks through groups in both directions.
func (s *server) compareGroups(t *testing.T, p *sample.Project, want []expectedGroup, arguments string,
	size int) {
	t.Helper()
	for _, ways := range [][2]string{{"first", "after"}, {"last", "before"}} {
		var all []issueGroup
		for cursor := "null"; ; {
			got, _ := s.groups(t, p, fmt.Sprintf("%s%s: %d, %s: %s", arguments, ways[0], size, ways[1],
				cursor), "issues(first: 500) { nodes { num } pageInfo { hasNextPage } }")
			more, end, back := got.PageInfo.HasNextPage, got.PageInfo.EndCursor, got.PageInfo.HasPreviousPage
			if ways[0] == "first" {
				all = append(all, got.Nodes...)
			} else {
				all = append(got.Nodes, all...)
				more, end, back = back, got.PageInfo.StartCursor, more
			}
			if got.Incomplete || len(got.Edges) != len(got.Nodes) || len(got.Nodes) > size ||
				more && len(got.Nodes) < size || back != (cursor != "null") {
				t.Fatalf("a page %+v", got)
			}
			if !more {
				break
			}
			cursor = null(*end)
		}
		if len(all) != len(want) {
			t.Fatalf("%d groups, want %d: %+v", len(all), len(want), all)
		}
		for i, x := range all {
			name := ""
			if x.Name != nil {
				name = *x.Name
			}
			var nums []int
			for _, n := range x.Issues.Nodes {
				nums = append(nums, n.Num)
			}
			if !strings.EqualFold(name, want[i].name) || x.TotalCount != len(want[i].issues) ||
				x.TotalCountPrecision != "EXACT" {
				t.Errorf("group %d is %q of %d issues, want %q of %d", i, name, x.TotalCount, want[i].name,
					len(want[i].issues))
			}
			if diff := cmp.Diff(nums, want[i].issues[:min(500, len(want[i].issues))]); diff != "" {
				t.Errorf("group %q (-got +want):\n%s", name, diff)
			}
		}
	}
}

// TestGroupValues checks the members of groups that have a value of their type.
func TestGroupValues(t *testing.T) {
	p := sample.Generated()
	p.Issues = p.Issues[:100]
	s := load(t, p)
	show := func(s *string) string {
		if s == nil {
			return "null"
		}
		return *s
	}
	for name, want := range map[string]string{
		"state":   "text null, from null, to null, state true, option false, boolean false",
		"text":    "text true, from null, to null, state false, option false, boolean false",
		"integer": "text null, from 0, to 5000, state false, option false, boolean false",
		"option":  "text null, from null, to null, state false, option true, boolean false",
		"options": "text null, from null, to null, state false, option true, boolean false",
		"Boolean": "text null, from null, to null, state false, option false, boolean true",
	} {
		g := generatedGroupings(&p)[name]
		page, _ := s.groups(t, &p, fmt.Sprintf("first: 1, by: [{%s}]", g.by), "")
		x := page.Nodes[0]
		text := show(x.Text)
		if x.Text != nil {
			text = strconv.FormatBool(x.Name != nil && *x.Name == text)
		}
		got := fmt.Sprintf("text %s, from %s, to %s, state %t, option %t, boolean %t", text, show(x.From),
			show(x.To), x.State != nil, x.Option != nil, x.Boolean != nil)
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
