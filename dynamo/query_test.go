package dynamo_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// sharded creates a project of acme with a number of shards, and makes it that of the fixture.
func (f *fixture) sharded(n int) {
	f.Helper()
	p := tracker.Project{ID: tracker.ProjectID(fmt.Sprint("shards", n)), Key: fmt.Sprint("S", n),
		Name: "Sharded", Shards: n}
	f.d = withEmpties(f.project(f.store, p, everyField()...), tracker.EmptiesIndexed)
	f.wire.Reset()
}

// query returns a query of all keys of a column of the fixture's project.
func (f *fixture) query(c tracker.Column) columns.KeyQuery {
	return columns.KeyQuery{Project: f.d.Project.ID, Shards: f.d.Project.Shards, Column: c}
}

// rowsOf writes issues 1 to n of acme and returns them in this order. Every third has no integer, and the
// integers have ties. Most are assigned to uada.
func (f *fixture) rowsOf(n int) []tracker.Issue {
	f.Helper()
	var all []tracker.Issue
	for num := int64(1); num <= int64(n); num++ {
		i := tracker.Issue{ID: f.d.Project.IssueID(fmt.Sprintf("i%03d", num)), Num: num, Name: "x",
			State:  "open",
			Values: map[tracker.FieldID]tracker.Value{"flong": tracker.Text("all have this")}}
		if num%3 != 0 {
			i.Values["fint"] = tracker.Int(num * 7 % 5)
		}
		if num%5 > 1 {
			i.Assignees = []tracker.Participant{"tcore", "uada"}
		}
		if num%2 == 0 {
			i.Values["ftags"] = tracker.Set([]string{"Even", fmt.Sprintf("Rest %d", num%4)})
		}
		all = append(all, i)
	}
	f.must(f.store.PutIssues(f.Context(), f.d, all))
	return all
}

// keys returns the answer to a query of the index.
func (f *fixture) keys(q columns.KeyQuery) columns.KeyPage {
	f.Helper()
	page, err := f.store.QueryKeys(f.Context(), q)
	f.must(err)
	return page
}

// idsOf returns the ids of issues.
func idsOf(issues []tracker.Issue) (out []tracker.IssueID) {
	for _, i := range issues {
		out = append(out, i.ID)
	}
	return out
}

// keysOf returns the keys that a partition must hold, in order. It skips issues for which ss returns nil.
func keysOf(issues []tracker.Issue, ss func(tracker.Issue) []byte) []columns.IndexKey {
	var out []columns.IndexKey
	for _, i := range issues {
		if s := ss(i); s != nil {
			out = append(out, columns.IndexKey{Issue: i.ID, SS: s})
		}
	}
	slices.SortFunc(out, func(a, b columns.IndexKey) int { return bytes.Compare(a.SS, b.SS) })
	return out
}

func byNum(i tracker.Issue) []byte { return sortkey.Num(i.Num) }

func byInt(i tracker.Issue) []byte {
	if v, ok := i.Values["fint"]; ok {
		return sortkey.Join(sortkey.Int(v.Int()), i.Num)
	}
	return nil
}

// TestQueryKeys compares random queries with a slice in memory: bounds at, between and beyond rows, in both
// directions, with various limits. One request, or one to each shard, returns the expected keys and whether
// there are more.
//
//test:engine
func TestQueryKeys(t *testing.T) {
	f := setup(t)
	for _, n := range []int{1, 2, 7} {
		t.Run(fmt.Sprint(n, " shards"), func(t *testing.T) {
			f.sharded(n)
			f.randomQueries(t)
		})
	}
}

func (f *fixture) randomQueries(t *testing.T) {
	issues := f.rowsOf(30)
	member, empties := f.query("ftags"), f.query("fdate")
	member.Member, empties.Empties = "rest 2", true
	way := columns.WaysOf("uada", tracker.RoleAssignee)
	assigned, closed := columns.KeyQuery{Project: f.d.Project.ID, Way: way[0]},
		columns.KeyQuery{Project: f.d.Project.ID, Way: way[1]}
	partitions := map[string]struct {
		query columns.KeyQuery
		keys  []columns.IndexKey
	}{
		"num":  {f.query(tracker.ColumnNum), keysOf(issues, byNum)},
		"fint": {f.query("fint"), keysOf(issues, byInt)},
		"member": {member,
			keysOf(issues, func(i tracker.Issue) []byte {
				if i.Num%4 != 2 {
					return nil
				}
				return sortkey.Num(i.Num)
			})},
		"empty": {f.query("fdate"), nil},
		"way": {assigned,
			keysOf(issues, func(i tracker.Issue) []byte {
				if len(i.Assignees) == 0 {
					return nil
				}
				return sortkey.Num(i.Num)
			})},
		"empty way": {closed, nil},
		"empties": {empties,
			keysOf(issues, byNum)},
		"unknown":  {columns.KeyQuery{Project: "nowhere", Column: "fint"}, nil},
		"no field": {f.query("nofield"), nil},
	}
	names := slices.Sorted(maps.Keys(partitions))
	bounds := [][]byte{nil, {0}, {0xff, 0xff, 0xff}}
	for _, p := range partitions {
		for _, k := range p.keys {
			bounds = append(bounds, k.SS, append(slices.Clone(k.SS), 0))
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		p := partitions[rapid.SampledFrom(names).Draw(rt, "partition")]
		q := p.query
		q.From, q.To = rapid.SampledFrom(bounds).Draw(rt, "from"), rapid.SampledFrom(bounds).Draw(rt, "to")
		q.Descending = rapid.Bool().Draw(rt, "descending")
		q.Limit = rapid.SampledFrom([]int{0, 1, 2, 5, 29, 30, 31}).Draw(rt, "limit")
		q.CountOnly = rapid.Bool().Draw(rt, "count only")
		var span []columns.IndexKey
		for _, k := range p.keys {
			if (q.From == nil || bytes.Compare(k.SS, q.From) >= 0) &&
				(q.To == nil || bytes.Compare(k.SS, q.To) < 0) {
				span = append(span, k)
			}
		}
		if q.Descending {
			slices.Reverse(span)
		}
		f.wire.Reset()
		page, err := f.store.QueryKeys(t.Context(), q)
		if err != nil {
			rt.Fatal(err)
		}
		want := span
		if q.Limit > 0 && q.Limit < len(span) {
			want = span[:q.Limit]
		}
		if page.Count != len(want) {
			rt.Errorf("count %d, want %d", page.Count, len(want))
		}
		if q.CountOnly {
			if len(page.Keys) > 0 {
				rt.Errorf("a count returned %d keys", len(page.Keys))
			}
		} else if diff := cmp.Diff(len(want), len(page.Keys)); diff != "" || !slices.EqualFunc(want,
			page.Keys, sameKey) {
			rt.Errorf("keys %v, want %v", page.Keys, want)
		}
		// Last may also be set at the end of the range, because DynamoDB does not look ahead, but then it is
		// the last key.
		if page.Last == nil && len(want) < len(span) {
			rt.Errorf("the range ends after %d of %d keys", len(want), len(span))
		}
		if page.Last != nil && (len(want) == 0 || !bytes.Equal(page.Last, want[len(want)-1].SS) ||
			q.Limit == 0) {
			rt.Errorf("last is %x, keys %v", page.Last, want)
		}
		if n := f.wire.Calls()["Query"]; n > f.d.Project.ShardCount() || page.Queries != n {
			rt.Errorf("%d requests and %d reported, want at most %d", n, page.Queries,
				f.d.Project.ShardCount())
		}
	})
}

// TestLastAtTheBound checks that a page has no Last if the last key that DynamoDB examined is the end of the
// range: there is nothing more to read.
//
//test:engine
func TestLastAtTheBound(t *testing.T) {
	f := setup(t)
	keys := keysOf(f.rowsOf(10), byNum)
	for _, test := range []struct {
		limit int
		want  []columns.IndexKey
		last  bool
	}{
		{3, keys[1:4], true},
		{5, keys[1:5], false}, // the fifth examined key is To
		{6, keys[1:5], false},
		{0, keys[1:5], false},
	} {
		page := f.keys(columns.KeyQuery{Project: project, Column: tracker.ColumnNum, From: keys[1].SS,
			To: keys[5].SS, Limit: test.limit})
		if !slices.EqualFunc(test.want, page.Keys, sameKey) || (page.Last != nil) != test.last {
			t.Errorf("limit %d: %d keys, last %x", test.limit, len(page.Keys), page.Last)
		}
	}
}

func sameKey(a, b columns.IndexKey) bool { return a.Issue == b.Issue && bytes.Equal(a.SS, b.SS) }

// walk reads a range to its end, page by page, and returns the keys, their count and the number of requests.
func (f *fixture) walk(t tester, q columns.KeyQuery) (keys []columns.IndexKey, count, requests int) {
	t.Helper()
	for {
		page := f.keys(q)
		if page.Examined < page.Count || page.Examined > 0 && page.RCU <= 0 {
			t.Errorf("%d keys of %d examined, for %g RCU", page.Count, page.Examined, page.RCU)
		}
		if n := len(page.Keys); n > 0 && bytes.Equal(page.Last, page.Keys[n-1].SS) &&
			page.LastIssue != page.Keys[n-1].Issue {
			t.Errorf("the last key is of issue %v, want %v", page.LastIssue, page.Keys[n-1].Issue)
		}
		if page.Last != nil && !page.LastIssue.Valid() {
			t.Errorf("the last key is of issue %v, which is not valid", page.LastIssue)
		}
		keys, count, requests = append(keys, page.Keys...), count+page.Count, requests+1
		if page.Last == nil {
			return keys, count, requests
		}
		if q.Descending {
			q.To = page.Last
		} else {
			q.From = append(slices.Clone(page.Last), 0)
		}
	}
}

// TestHasFilter filters in DynamoDB. Items that the filter drops count towards the limit, and continuing from
// Last still returns every match.
//
//test:engine
func TestHasFilter(t *testing.T) {
	f := setup(t)
	for _, n := range []int{1, 7} {
		t.Run(fmt.Sprint(n, " shards"), func(t *testing.T) {
			f.sharded(n)
			f.hasFilters(t)
		})
	}
}

func (f *fixture) hasFilters(t *testing.T) {
	limits := []int{0, 7}
	if tier.Verifying() {
		limits = append(limits, 31, 1, 40) // 31: as many as there are
	}
	issues := f.rowsOf(30)
	// without values, so without the attribute `has`
	bare := tracker.Issue{ID: f.d.Project.IssueID("bare"), Num: 31, Name: "x", State: "open"}
	f.must(f.store.PutIssues(t.Context(), f.d, []tracker.Issue{bare}))
	issues = append(issues, bare)
	for _, test := range []struct {
		with, without []tracker.Column
		want          func(tracker.Issue) bool
	}{
		{nil, []tracker.Column{"fint"}, func(i tracker.Issue) bool { return i.Num%3 == 0 || i.Num == 31 }},
		{nil, []tracker.Column{"ftags"}, func(i tracker.Issue) bool { return i.Num%2 != 0 }},
		{nil, []tracker.Column{"flong"}, func(i tracker.Issue) bool { return i.Num == 31 }},
		{nil, []tracker.Column{"fdate"}, func(tracker.Issue) bool { return true }},
		// a prefix of an id does not match
		{nil, []tracker.Column{"fin"}, func(tracker.Issue) bool { return true }},
		{nil, []tracker.Column{"fint", "ftags"}, func(i tracker.Issue) bool {
			return i.Num == 31 || i.Num%3 == 0 && i.Num%2 != 0
		}},
		{[]tracker.Column{"fint"}, nil, func(i tracker.Issue) bool { return i.Num%3 != 0 && i.Num != 31 }},
		{[]tracker.Column{"fint", "flong"}, []tracker.Column{"ftags"}, func(i tracker.Issue) bool {
			return i.Num%3 != 0 && i.Num%2 != 0 && i.Num != 31
		}},
		{[]tracker.Column{"fdate"}, nil, func(tracker.Issue) bool { return false }},
	} {
		for _, descending := range []bool{false, true} {
			for _, limit := range limits {
				t.Run(fmt.Sprintf("with %s, without %s, descending %t, limit %d", test.with, test.without,
					descending, limit), func(t *testing.T) {
					want := keysOf(issues, func(i tracker.Issue) []byte {
						if !test.want(i) {
							return nil
						}
						return sortkey.Num(i.Num)
					})
					if descending {
						slices.Reverse(want)
					}
					q := f.query(tracker.ColumnNum)
					q.With, q.Without, q.Descending, q.Limit = test.with, test.without, descending, limit
					keys, count, requests := f.walk(t, q)
					if !slices.EqualFunc(want, keys, sameKey) || count != len(want) {
						t.Errorf("count %d, keys %v, want %v", count, keys, want)
					}
					one := f.d.Project.ShardCount() == 1 // otherwise a few more keys are examined
					if one && limit > 0 && requests < len(issues)/limit || limit == 0 && requests != 1 {
						t.Errorf("%d requests", requests)
					}
					q.CountOnly = true
					keys, count, _ = f.walk(t, q)
					if count != len(want) || len(keys) > 0 {
						t.Errorf("counted %d with %d keys, want %d with none", count, len(keys), len(want))
					}
				})
			}
		}
	}
}

// TestQueryPagesOfAMegabyte reads partitions that are larger than one response of DynamoDB. Continuing from
// Last returns every key exactly once, in both directions.
//
//test:engine
func TestQueryPagesOfAMegabyte(t *testing.T) {
	f := setup(t)
	// Each issue has 400 field ids of 32 bytes in `has`, 13 KB in the index. Their values have no index
	// entries.
	fields := make([]*tracker.Field, tracker.MaxFields)
	values := make(map[tracker.FieldID]tracker.Value, len(fields))
	for n := range fields {
		fields[n] = &tracker.Field{ID: tracker.FieldID(fmt.Sprintf("f%03d%s", n,
			strings.Repeat("x", tracker.MaxID-4))), Type: tracker.TypeLongText}
		values[fields[n].ID] = tracker.Text("x")
	}
	d := tracker.NewDefinition(f.d.Project, fields)
	const many = 200
	var issues []tracker.Issue
	for num := int64(1); num <= many; num++ {
		i := tracker.Issue{ID: tracker.IssueID{Project: project, Issue: fmt.Sprintf("i%d", num)}, Num: num,
			Name: "x", State: "open", Values: values}
		if num%50 == 0 {
			i.Values = nil
		}
		issues = append(issues, i)
	}
	f.must(f.store.PutIssues(t.Context(), d, issues))
	want := keysOf(issues, byNum)
	for _, descending := range []bool{false, true} {
		t.Run(fmt.Sprintf("descending %t", descending), func(t *testing.T) {
			want := slices.Clone(want)
			if descending {
				slices.Reverse(want)
			}
			keys, _, requests := f.walk(t,
				columns.KeyQuery{Project: project, Column: tracker.ColumnNum, Descending: descending})
			if !slices.EqualFunc(want, keys, sameKey) {
				t.Errorf("got %d keys, want %d: %v", len(keys), len(want), keys)
			}
			if requests < 3 {
				t.Errorf("%d requests for more than 2 MB, want at least 3 for the test to be meaningful",
					requests)
			}
			// A limit that one response cannot reach.
			keys, _, limited := f.walk(t, columns.KeyQuery{Project: project, Column: tracker.ColumnNum,
				Descending: descending, Limit: many})
			if !slices.EqualFunc(want, keys, sameKey) || limited < requests {
				t.Errorf("with a limit, got %d keys in %d requests", len(keys), limited)
			}
			without, count, _ := f.walk(t,
				columns.KeyQuery{Project: project, Column: tracker.ColumnNum, Descending: descending,
					Without: []tracker.Column{fields[0].ID.Column()}})
			if len(without) != many/50 || count != many/50 {
				t.Errorf("%d keys and a count of %d without a value, want %d", len(without), count, many/50)
			}
		})
	}
}

// TestQueriesHaveALimit checks that each Query of keys has a limit, because the embedded engine reads all
// keys of a partition before it cuts the response.
//
//test:engine
func TestQueriesHaveALimit(t *testing.T) {
	f := setup(t)
	f.rowsOf(3)
	var limits []int
	f.wire.Intercept(dynamotest.Before("", func(r *dynamotest.Request) {
		var in struct{ Limit int }
		if err := json.Unmarshal(r.Body, &in); err != nil {
			t.Error(err)
		}
		limits = append(limits, in.Limit)
	}))
	for _, q := range []columns.KeyQuery{{CountOnly: true}, {}, {Limit: 2},
		{Without: []tracker.Column{"fint"}}} {
		q.Project, q.Column = project, tracker.ColumnNum
		f.keys(q)
	}
	if want := []int{15_000, 15_000, 2, 15_000}; !slices.Equal(limits, want) {
		t.Errorf("limits %v, want %v", limits, want)
	}
}
