package graph_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/graph"
	"issuegrid/tracker"
)

// clocked is a world whose server has a clock that stands still.
type clocked struct {
	*world
	now   time.Time
	dates map[int]string // the values of the issues, by number
}

// newClocked creates a world with 120 issues, whose dates are within 40 days of the clock. Some have none.
func newClocked(t *testing.T, now time.Time) *clocked {
	t.Helper()
	s := newServer(t)
	c := &clocked{now: now, dates: map[int]string{}}
	begin := sessions(s.db)
	s.Server = httptest.NewServer(graph.NewHandler(func(ctx context.Context) *graph.Session {
		of := begin(ctx)
		of.Now = func() time.Time { return c.now }
		return of
	}))
	t.Cleanup(s.Close)
	c.world = newWorld(t, s)
	r := rand.New(rand.NewPCG(7, 7))
	var inputs []any
	for num := 1; num <= 120; num++ {
		var values []any
		if r.IntN(5) > 0 {
			c.dates[num] = now.AddDate(0, 0, r.IntN(80)-40).Format(time.DateOnly)
			values = append(values, c.given(tracker.TypeDate, c.dates[num]))
		}
		inputs = append(inputs, map[string]any{"name": "Issue", "values": values})
	}
	for part := range slices.Chunk(inputs, 60) {
		c.mutate(t, mutation("createIssues", "results { issue { id } }"),
			inputOf("projectId", c.project, "issues", part))
	}
	return c
}

// relativePage is a page of a grid with relative times.
type relativePage struct {
	connection[struct{ Num int }]
	RelativeTo *string
}

const relativeQuery = `query($p: ID!, $first: Int, $after: String, $last: Int, $before: String,
	$zone: TimeZone! = "UTC", $where: IssueFilter, $orderBy: [IssueOrder!]) { project(id: $p) {
	issues(first: $first, after: $after, last: $last, before: $before, timeZone: $zone, where: $where, orderBy: $orderBy) {
		nodes { num } edges { cursor node { num } } ` + flags + ` totalCount relativeTo } } }`

func (c *clocked) page(t *testing.T, variables map[string]any) relativePage {
	t.Helper()
	variables["p"] = c.project
	return get[relativePage](t, c.server, "project.issues", relativeQuery, variables)
}

// of returns a condition on a field of a type.
func (c *clocked) of(kind tracker.FieldType, compared map[string]any) map[string]any {
	return map[string]any{"fields": []any{map[string]any{"fieldId": c.fields[kind],
		members[kind]: map[string]any{"relative": compared}}}}
}

// TestWalkAcrossMidnight checks that all pages of a walk have the filter of its first page, forward and
// backward, in two orders, and that a new walk has another.
func TestWalkAcrossMidnight(t *testing.T) {
	evening := time.Date(2026, 10, 24, 21, 59, 59, 999999000, time.UTC) // 1 µs before midnight in Berlin
	c := newClocked(t, evening)
	where := c.of(tracker.TypeDate, map[string]any{"gte": map[string]any{"base": "START_OF_DAY"}})
	for _, order := range [][]any{nil, {inputOf("column", inputOf("fieldId", c.fields[tracker.TypeDate]))}} {
		page := func(paging ...any) relativePage {
			t.Helper()
			return c.page(t, inputOf(append(paging, "zone", "Europe/Berlin", "where", where,
				"orderBy", order)...))
		}
		c.now = evening
		all := page("first", 500)
		c.now = evening.Add(48 * time.Hour)
		later := page("first", 500)
		if len(later.Nodes) == 0 || len(later.Nodes) >= len(all.Nodes) {
			t.Fatalf("%d rows, and %d two days later", len(all.Nodes), len(later.Nodes))
		}
		for size, from := range map[string]string{"first": "after", "last": "before"} {
			c.now = evening
			var cursor any
			rows := walkOneWay(t, 7, size == "last", func(string) connection[struct{ Num int }] {
				p := page(size, 7, from, cursor)
				if p.TotalCount != len(all.Nodes) || p.RelativeTo == nil ||
					*p.RelativeTo != "2026-10-24T21:59:59.999999Z" {
					t.Fatalf("count %d, relative to %v", p.TotalCount, p.RelativeTo)
				}
				c.now = c.now.Add(time.Microsecond + 7*time.Hour)
				if cursor = p.PageInfo.EndCursor; size == "last" {
					cursor = p.PageInfo.StartCursor
				}
				return p.connection
			})
			same(t, size, all.Nodes, rows)
		}
		// Without relative times, a cursor has no time, and one that has is accepted.
		plain := c.page(t, map[string]any{"first": 3, "after": all.PageInfo.StartCursor, "orderBy": order})
		if plain.RelativeTo != nil || strings.Contains(*plain.PageInfo.EndCursor, ".") {
			t.Errorf("relative to %v, cursor %s", plain.RelativeTo, *plain.PageInfo.EndCursor)
		}
		// A walk begins at a cursor that has no time.
		began := page("first", 3, "after", plain.PageInfo.EndCursor)
		if want := tracker.FormatDateTime(c.now); *began.RelativeTo != want {
			t.Errorf("relative to %s, want %s", *began.RelativeTo, want)
		}
	}
}

const relativeGroups = `query($p: ID!, $first: Int, $after: String, $keys: [String!], $issuesAfter: String,
	$groupsAfter: String, $where: IssueFilter, $by: [IssueGroupBy!]!) { project(id: $p) {
	groups(first: $first, after: $after, keys: $keys, by: $by, where: $where, timeZone: "Europe/Berlin") { relativeTo
		pageInfo { endCursor hasNextPage } nodes { key totalCount
			issues(first: 2, after: $issuesAfter) { relativeTo nodes { num } pageInfo { endCursor hasNextPage } }
			groups(first: 2, after: $groupsAfter) { relativeTo nodes { key totalCount } pageInfo { endCursor hasNextPage } } } } } }`

type pageEnd struct {
	EndCursor   *string
	HasNextPage bool
}

// relativeGroup is a group with the first pages of its issues and groups.
type relativeGroup struct {
	Key        string
	TotalCount int
	Issues     struct {
		RelativeTo *string
		Nodes      []struct{ Num int }
		PageInfo   pageEnd
	}
	Groups struct {
		RelativeTo *string
		Nodes      []struct {
			Key        string
			TotalCount int
		}
		PageInfo pageEnd
	}
}

type relativeGroupPage struct {
	RelativeTo *string
	Nodes      []relativeGroup
	PageInfo   pageEnd
}

func (c *clocked) groups(t *testing.T, variables map[string]any) relativeGroupPage {
	t.Helper()
	variables["p"] = c.project
	return get[relativeGroupPage](t, c.server, "project.groups", relativeGroups, variables)
}

// TestGroupsAcrossMidnight checks that all pages of groups, of the issues of a group, and of its groups have
// the filter of the first page of their walk.
func TestGroupsAcrossMidnight(t *testing.T) {
	const began = "2026-10-24T21:59:59.999999Z" // 1 µs before midnight in Berlin
	evening, err := time.Parse(time.RFC3339Nano, began)
	if err != nil {
		t.Fatal(err)
	}
	c := newClocked(t, evening)
	variables := func(more ...any) map[string]any {
		return inputOf(append(more,
			"where", c.of(tracker.TypeDate, map[string]any{"gte": map[string]any{"base": "START_OF_DAY"}}),
			"by", []any{inputOf("column", inputOf("fieldId", c.fields[tracker.TypeDate]), "period", "WEEK"),
				inputOf("column", inputOf("builtin", "NUM"), "width", 10)})...)
	}
	all := c.groups(t, variables("first", 100))
	c.now = evening.Add(100 * time.Hour)
	later := c.groups(t, variables("first", 100))
	if len(all.Nodes) < 4 || all.Nodes[1].TotalCount < 4 || all.Nodes[0].Key == later.Nodes[0].Key {
		t.Fatalf("%d groups, the first are %+v and later %+v", len(all.Nodes), all.Nodes[:2], later.Nodes[0])
	}
	check := func(what string, at *string) {
		t.Helper()
		if at == nil || *at != began {
			t.Errorf("%s are relative to %v", what, at)
		}
	}

	c.now = evening
	var walked []relativeGroup
	for cursor := any(nil); ; {
		page := c.groups(t, variables("first", 3, "after", cursor))
		walked = append(walked, page.Nodes...)
		check("groups", page.RelativeTo)
		for _, g := range page.Nodes { // which begin with the page
			check("the issues of a group", g.Issues.RelativeTo)
			check("the groups of a group", g.Groups.RelativeTo)
		}
		if c.now = c.now.Add(40 * time.Hour); !page.PageInfo.HasNextPage {
			break
		}
		cursor = *page.PageInfo.EndCursor
	}
	same(t, "the groups", len(all.Nodes), len(walked))
	for i, want := range all.Nodes {
		got := walked[i]
		same(t, "a group", []any{want.Key, want.TotalCount, want.Issues.Nodes, want.Groups.Nodes},
			[]any{got.Key, got.TotalCount, got.Issues.Nodes, got.Groups.Nodes})
		issues, groups := want.Issues, want.Groups
		count, below := len(issues.Nodes), 0
		for issues.PageInfo.HasNextPage {
			issues = c.groups(t, variables("keys", []any{want.Key}, "issuesAfter",
				*issues.PageInfo.EndCursor)).Nodes[0].Issues
			count += len(issues.Nodes)
			check("more issues of a group", issues.RelativeTo)
		}
		for {
			for _, g := range groups.Nodes {
				below += g.TotalCount
			}
			if !groups.PageInfo.HasNextPage {
				break
			}
			groups = c.groups(t, variables("keys", []any{want.Key}, "groupsAfter",
				*groups.PageInfo.EndCursor)).Nodes[0].Groups
			check("more groups of a group", groups.RelativeTo)
		}
		if count != want.TotalCount || below != want.TotalCount {
			t.Errorf("group %d: %d issues, and %d in its groups, want %d", i, count, below, want.TotalCount)
		}
	}
}

// TestViewGroupsInTimeZone checks that the groups of a view have the relative times of the time zone.
func TestViewGroupsInTimeZone(t *testing.T) {
	c := newClocked(t, time.Date(2026, 10, 24, 22, 30, 0, 0, time.UTC)) // the next day in Berlin
	v := c.save(t, c.server, inputOf("name", "V",
		"filter", c.of(tracker.TypeDate, map[string]any{"gte": map[string]any{"base": "START_OF_DAY"}}),
		"groupBy", []any{inputOf("column", inputOf("builtin", "STATE"))}))
	for zone, today := range map[string]string{"UTC": "2026-10-24", "Europe/Berlin": "2026-10-25"} {
		want := 0
		for _, date := range c.dates {
			if date >= today {
				want++
			}
		}
		same(t, zone, []map[string]int{{"totalCount": want}}, get[[]map[string]int](t, c.server,
			"node.groups.nodes", `query($v: ID!, $z: TimeZone!) { node(id: $v) { ... on View {
				groups(timeZone: $z) { nodes { totalCount } } } } }`,
			map[string]any{"v": v.ID, "z": zone}))
	}
}

// TestReadAt checks that a summary has the time of its operation.
func TestReadAt(t *testing.T) {
	c := newClocked(t, time.Date(2026, 10, 24, 22, 30, 0, 123456000, time.UTC))
	for _, later := range []time.Duration{0, time.Hour} {
		c.now = c.now.Add(later)
		same(t, "the time", tracker.FormatDateTime(c.now), get[string](t, c.server,
			"project.issues.summary.readAt", `query($p: ID!) { project(id: $p) { issues(first: 0) {
				summary(column: {builtin: CREATED_AT}) { readAt } } } }`,
			map[string]any{"p": c.project}))
	}
}

// TestRelativeTimesRefused checks zones that do not exist, times out of range, and damaged cursors.
func TestRelativeTimesRefused(t *testing.T) {
	c := newClocked(t, time.Date(2026, 3, 29, 22, 30, 0, 0, time.UTC))
	today := map[string]any{"base": "START_OF_DAY"}
	where := c.of(tracker.TypeDate, map[string]any{"gte": today})
	cursor := *c.page(t, map[string]any{"first": 1, "where": where}).PageInfo.EndCursor
	bare, mark, _ := strings.Cut(cursor, ".")
	for _, test := range []struct {
		variables map[string]any
		argument  string
		says      string
	}{
		{map[string]any{"zone": ""}, "timeZone", `"" is not the name of a time zone`},
		{map[string]any{"zone": "Local"}, "timeZone", `"Local" is not the name of a time zone`},
		{map[string]any{"zone": "posixrules"}, "timeZone", `"posixrules" is not the name of a time zone`},
		{map[string]any{"zone": "Mars/Base"}, "timeZone", `"Mars/Base" is not the name of a time zone`},
		{map[string]any{"zone": "+01:00"}, "timeZone", `"+01:00" is not the name of a time zone`},
		{map[string]any{"zone": "../UTC"}, "timeZone", `"../UTC" is not the name of a time zone`},
		{map[string]any{"zone": "/etc/localtime"}, "timeZone", "is not the name of a time zone"},
		{map[string]any{"zone": "Europe"}, "timeZone", `"Europe" is not the name of a time zone`},
		{map[string]any{"zone": strings.Repeat("x", 65)}, "timeZone",
			"the name has 65 bytes; the limit is 64"},
		{map[string]any{"where": c.of(tracker.TypeDate, map[string]any{})},
			"where.fields[0].date.relative", "at least one operator, such as `eq`"},
		{map[string]any{"where": c.of(tracker.TypeDate, map[string]any{"lt": map[string]any{"base": "NOW",
			"offset": 1_000_001}})}, "where.fields[0].date.relative.lt.offset", "the limit is 1000000"},
		{map[string]any{"where": c.of(tracker.TypeDateTime, map[string]any{"gt": map[string]any{"base": "NOW",
			"offset": -9_999, "unit": "YEAR"}})}, "where.fields[0].dateTime.relative.gt",
			"not in the years 0001 to 9999"},
		{map[string]any{"where": map[string]any{"createdAt": map[string]any{"relative": map[string]any{
			"eq": map[string]any{"base": "NOW", "offset": 9_999, "unit": "YEAR"}}}}},
			"where.createdAt.relative.eq", "not in the years 0001 to 9999"},
		{map[string]any{"where": c.of(tracker.TypeText, map[string]any{"eq": today})}, "", "relative"},
		{map[string]any{"after": bare + "."}, "after", "not a cursor"},
		{map[string]any{"after": bare + ".x"}, "after", "not a cursor"},
		{map[string]any{"after": bare + ".0" + mark}, "after", "not a cursor"},
		{map[string]any{"after": bare + ".+" + mark}, "after", "not a cursor"},
		{map[string]any{"after": cursor + "." + mark}, "after", "not a cursor"},
		{map[string]any{"after": bare + ".9223372036854775807"}, "after", "not a cursor"},
		{map[string]any{"after": bare + ".-9223372036854775808"}, "after", "not a cursor"},
		{map[string]any{"after": "." + mark}, "after", "not a cursor"},
		{map[string]any{"after": mark}, "after", "not a cursor"},
	} {
		variables := map[string]any{"p": c.project, "where": where, "first": 3}
		maps.Copy(variables, test.variables)
		a := c.ask(t, relativeQuery, variables)
		if len(a.Errors) != 1 || !strings.Contains(a.Errors[0].Message, test.says) ||
			test.argument != "" && a.outcome() != "BAD_USER_INPUT "+test.argument {
			t.Errorf("%v: %+v, want %s: %s", test.variables, a.Errors, test.argument, test.says)
		}
	}
}
