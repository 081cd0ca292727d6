package graph_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/graph"
	"issuegrid/relative"
	"issuegrid/tracker"
)

// clocked is a world whose server has a clock that stands still.
type clocked struct {
	*world
	now time.Time
	// The values of the issues, by number.
	dates map[int]string
	times map[int]time.Time
}

// newClocked creates a world with 120 issues, whose dates and times are within 40 days of the clock. Some
// have none.
func newClocked(t *testing.T, now time.Time) *clocked {
	t.Helper()
	s := newServer(t)
	c := &clocked{now: now, dates: map[int]string{}, times: map[int]time.Time{}}
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
		if r.IntN(5) > 0 {
			c.times[num] = now.Add(time.Duration(r.IntN(80*24*60)-40*24*60) * time.Minute)
			values = append(values,
				c.given(tracker.TypeDateTime, c.times[num].UTC().Format(time.RFC3339Nano)))
		}
		inputs = append(inputs, map[string]any{"name": "Issue", "values": values})
	}
	for part := range slices.Chunk(inputs, 60) {
		var created struct {
			CreateIssues struct {
				Results []struct{ Issue struct{ ID string } }
			}
		}
		c.data(t, `mutation($p: ID!, $i: [NewIssueInput!]!) { createIssues(input: {project: $p, issues: $i}) {
			results { issue { id } } } }`, map[string]any{"p": c.project, "i": part}, &created)
	}
	return c
}

// relativePage is a page of a grid with relative times.
type relativePage struct {
	Nodes    []struct{ Num int }
	Edges    []struct{ Cursor string }
	PageInfo struct {
		HasNextPage, HasPreviousPage bool
		StartCursor, EndCursor       *string
	}
	TotalCount int
	RelativeTo *string
}

func (p *relativePage) nums() (out []int) {
	for _, n := range p.Nodes {
		out = append(out, n.Num)
	}
	return out
}

const relativeQuery = `query($p: ID!, $first: Int, $after: String, $last: Int, $before: String,
	$zone: String! = "UTC", $where: IssueFilter, $orderBy: [IssueOrder!]) { project(id: $p) {
	issues(first: $first, after: $after, last: $last, before: $before, timeZone: $zone, where: $where, orderBy: $orderBy) {
		nodes { num } edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
		totalCount relativeTo } } }`

func (c *clocked) page(t *testing.T, variables map[string]any) relativePage {
	t.Helper()
	variables["p"] = c.project
	var got struct{ Project struct{ Issues relativePage } }
	c.data(t, relativeQuery, variables, &got)
	return got.Project.Issues
}

// of returns a condition on a field of a type.
func (c *clocked) of(kind tracker.FieldType, compared map[string]any) map[string]any {
	return map[string]any{"fields": []any{map[string]any{"field": c.fields[kind],
		members[kind]: map[string]any{"relative": compared}}}}
}

var relativeBases = []string{"NOW", "TODAY", "START_OF_WEEK", "START_OF_MONTH", "START_OF_QUARTER",
	"START_OF_YEAR"}

var relativeUnits = []string{"MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"}

var relativeOperators = map[string]func(order int) bool{
	"eq": func(order int) bool { return order == 0 }, "lt": func(order int) bool { return order < 0 },
	"lte": func(order int) bool { return order <= 0 }, "gt": func(order int) bool { return order > 0 },
	"gte": func(order int) bool { return order >= 0 },
}

// TestRelativeTimes compares filters with every base, unit and operator, in several zones around a change of
// the clocks, with what package relative computes.
func TestRelativeTimes(t *testing.T) {
	now := time.Date(2026, 3, 29, 22, 30, 0, 123456000, time.UTC) // March 30 in Berlin
	c := newClocked(t, now)
	r := rand.New(rand.NewPCG(1, 1))
	zones := []string{"UTC", "Europe/Berlin", "America/Los_Angeles", "Pacific/Kiritimati"}
	operators := []string{"eq", "lt", "lte", "gt", "gte"}
	some := 0
	for b, base := range relativeBases {
		for u, unit := range relativeUnits {
			for _, operator := range operators {
				zone := zones[r.IntN(len(zones))]
				location, err := time.LoadLocation(zone)
				if err != nil {
					t.Fatal(err)
				}
				plus := r.IntN(7) - 3
				at := relative.Time{Base: relative.Base(b), Plus: plus, Unit: relative.Unit(u)}
				date, dateErr := at.Date(now.In(location))
				instant, err := at.Instant(now.In(location))
				if err != nil || dateErr != nil {
					t.Fatal(err, dateErr)
				}
				for kind, order := range map[tracker.FieldType]func(num int) (int, bool){
					tracker.TypeDate: func(num int) (int, bool) {
						d, ok := c.dates[num]
						return strings.Compare(d, date), ok
					},
					tracker.TypeDateTime: func(num int) (int, bool) {
						at, ok := c.times[num]
						return at.Compare(instant), ok
					},
				} {
					var want []int
					for num := 1; num <= 120; num++ {
						if order, ok := order(num); ok && relativeOperators[operator](order) {
							want = append(want, num)
						}
					}
					given := map[string]any{"base": base, "plus": plus, "unit": unit}
					got := c.page(t, map[string]any{"first": 500, "zone": zone,
						"where": c.of(kind, map[string]any{operator: given})})
					if nums := got.nums(); !slices.Equal(nums, want) || got.TotalCount != len(want) {
						t.Errorf("%s %s %v in %s: %d rows, count %d, want %d", kind, operator, given, zone,
							len(nums), got.TotalCount, len(want))
					}
					if got.RelativeTo == nil || *got.RelativeTo != "2026-03-29T22:30:00.123456Z" {
						t.Errorf("relative to %v", got.RelativeTo)
					}
					if len(want) > 0 && len(want) < len(c.dates) {
						some++
					}
				}
			}
		}
	}
	if some < 150 {
		t.Errorf("only %d filters matched some issues", some)
	}
	// Built-in times, several operators, and negation. The issues were created by the clock of the store.
	c.now = time.Now()
	recent := map[string]any{"relative": map[string]any{
		"gte": map[string]any{"base": "NOW", "plus": -1, "unit": "HOUR"},
		"lt":  map[string]any{"base": "NOW", "plus": 1}}}
	for _, where := range []map[string]any{{"createdAt": recent}, {"updatedAt": recent}} {
		if got := c.page(t, map[string]any{"first": 500, "where": where}); got.TotalCount != 120 {
			t.Errorf("%v: %d rows", where, got.TotalCount)
		}
		got := c.page(t, map[string]any{"first": 500, "where": map[string]any{"not": where}})
		if got.TotalCount != 0 || got.RelativeTo == nil {
			t.Errorf("not %v: %d rows, relative to %v", where, got.TotalCount, got.RelativeTo)
		}
	}
}

// TestWalkAcrossMidnight checks that all pages of a walk have the filter of its first page, forward and
// backward, in two orders, and that a new walk has another.
func TestWalkAcrossMidnight(t *testing.T) {
	evening := time.Date(2026, 10, 24, 21, 59, 59, 999999000, time.UTC) // 1 µs before midnight in Berlin
	c := newClocked(t, evening)
	where := c.of(tracker.TypeDate, map[string]any{"gte": map[string]any{"base": "TODAY"}})
	byDate := []any{map[string]any{"column": map[string]any{"field": c.fields[tracker.TypeDate]}}}
	page := func(more map[string]any) relativePage {
		t.Helper()
		variables := map[string]any{"zone": "Europe/Berlin", "where": where}
		for name, value := range more {
			variables[name] = value
		}
		return c.page(t, variables)
	}
	for _, order := range [][]any{nil, byDate} {
		c.now = evening
		all := page(map[string]any{"first": 500, "orderBy": order})
		c.now = evening.Add(48 * time.Hour)
		later := page(map[string]any{"first": 500, "orderBy": order})
		if len(later.Nodes) == 0 || len(later.Nodes) >= len(all.Nodes) {
			t.Fatalf("%d rows, and %d two days later", len(all.Nodes), len(later.Nodes))
		}
		walk := func(forward bool) (nums []int) {
			t.Helper()
			c.now = evening
			size, from := "first", "after"
			if !forward {
				size, from = "last", "before"
			}
			variables := map[string]any{size: 7, "orderBy": order}
			for {
				p := page(variables)
				if p.TotalCount != len(all.Nodes) || p.RelativeTo == nil ||
					*p.RelativeTo != "2026-10-24T21:59:59.999999Z" {
					t.Fatalf("count %d, relative to %v", p.TotalCount, p.RelativeTo)
				}
				for i, e := range p.Edges {
					if i == 0 && e.Cursor != *p.PageInfo.StartCursor ||
						i == len(p.Edges)-1 && e.Cursor != *p.PageInfo.EndCursor {
						t.Fatalf("the edges and pageInfo have different cursors")
					}
				}
				c.now = c.now.Add(time.Microsecond + 7*time.Hour)
				if forward {
					nums = append(nums, p.nums()...)
					if variables[from] = p.PageInfo.EndCursor; !p.PageInfo.HasNextPage {
						return nums
					}
				} else {
					nums = append(p.nums(), nums...)
					if variables[from] = p.PageInfo.StartCursor; !p.PageInfo.HasPreviousPage {
						return nums
					}
				}
			}
		}
		for _, forward := range []bool{true, false} {
			if got := walk(forward); !slices.Equal(got, all.nums()) {
				t.Errorf("forward %t: a walk returns %v, want %v", forward, got, all.nums())
			}
		}
		// Without relative times, a cursor has no time, and one that has is accepted.
		plain := c.page(t, map[string]any{"first": 3, "after": all.PageInfo.StartCursor, "orderBy": order})
		if plain.RelativeTo != nil || strings.Contains(*plain.PageInfo.EndCursor, ".") {
			t.Errorf("relative to %v, cursor %s", plain.RelativeTo, *plain.PageInfo.EndCursor)
		}
		// A walk begins at a cursor that has no time.
		began := page(map[string]any{"first": 3, "after": plain.PageInfo.EndCursor, "orderBy": order})
		if want := tracker.FormatDateTime(c.now); *began.RelativeTo != want {
			t.Errorf("relative to %s, want %s", *began.RelativeTo, want)
		}
	}
}

// TestRelativeTimesRefused checks zones that do not exist, times out of range, and damaged cursors.
func TestRelativeTimesRefused(t *testing.T) {
	c := newClocked(t, time.Date(2026, 3, 29, 22, 30, 0, 0, time.UTC))
	today := map[string]any{"base": "TODAY"}
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
			"plus": 1_000_001}})}, "where.fields[0].date.relative.lt.plus", "the limit is 1000000"},
		{map[string]any{"where": c.of(tracker.TypeDateTime, map[string]any{"gt": map[string]any{"base": "NOW",
			"plus": -9_999, "unit": "YEAR"}})}, "where.fields[0].dateTime.relative.gt",
			"not in the years 0001 to 9999"},
		{map[string]any{"where": map[string]any{"createdAt": map[string]any{"relative": map[string]any{
			"eq": map[string]any{"base": "NOW", "plus": 9_999, "unit": "YEAR"}}}}},
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
		for name, value := range test.variables {
			variables[name] = value
		}
		a := c.ask(t, relativeQuery, variables)
		if len(a.Errors) != 1 || !strings.Contains(a.Errors[0].Message, test.says) ||
			test.argument != "" && (a.Errors[0].Extensions["code"] != "BAD_USER_INPUT" ||
				fmt.Sprint(a.Errors[0].Extensions["argument"]) != test.argument) {
			t.Errorf("%v: %+v, want %s: %s", test.variables, a.Errors, test.argument, test.says)
		}
	}
}
