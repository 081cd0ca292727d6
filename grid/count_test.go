package grid_test

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		rows, megabyte, n, queries int
		exact                      bool
	}{
		{0, 0, 0, 1, true},
		{7, 0, 7, 1, true},
		{7, 8, 7, 1, true},
		{7, 7, 7, 2, true}, // the response that ends with the last key does not report the end
		{245, 10, 245, grid.CountQueries, true},
		{249, 10, 249, grid.CountQueries, true},
		{250, 10, 250, grid.CountQueries, false},
		{1000, 10, 250, grid.CountQueries, false},
	} {
		s := byState.fill(plain(c.rows, 0))
		s.megabyte = c.megabyte
		got, err := grid.Count(t.Context(), s.source(), grid.Request{Project: project})
		if got.N != c.n || got.Exact != c.exact || (got.Next == nil) != c.exact || err != nil {
			t.Errorf("%+v: got %+v, %v", c, got, err)
		}
		if len(s.calls) != c.queries {
			t.Errorf("%+v: got %d queries", c, len(s.calls))
		}
		for _, call := range s.calls {
			if q := call.query; q.Column != tracker.ColumnState || !q.CountOnly || q.Limit != 0 {
				t.Errorf("unexpected query %+v", q)
			}
		}
	}
}

func TestCountFails(t *testing.T) {
	s := newStore()
	s.before = func(call) error { return errBroken }
	if n, err := grid.Count(t.Context(), s.source(), grid.Request{Project: project}); !errors.Is(err,
		errBroken) || n != (grid.Counted{}) {
		t.Errorf("got %+v, %v, want nothing, %v", n, err, errBroken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s = newStore()
	if _, err := grid.Count(ctx, grid.Source{Index: ignoresContext{s}},
		grid.Request{Project: project}); !errors.Is(err, context.Canceled) || len(s.calls) > 0 {
		t.Errorf("cancelled context: got %v after %d calls", err, len(s.calls))
	}
}

// TestCountOfTheBudget counts by a filter that reads documents, in projects with about as many issues as
// documents may be read. The count of as many is exact.
func TestCountOfTheBudget(t *testing.T) {
	const budget = grid.DefaultBudget
	for _, more := range []int{-1, 0, 1000} { // the last batch may be larger than the rest of the budget
		w := newWorld(1, 1)
		w.megabyte = 0
		for range budget + more {
			w.insert()
		}
		contains, err := new(filter.Operands).Contains(tracker.ColumnName, "b")
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, i := range w.issues {
			if !strings.Contains(strings.ToLower(i.Name), "b") { // which no index tells
				want++
			}
		}
		r := grid.Request{Project: project, Definition: w.definition, Where: filter.Negate(contains)}
		source := grid.Source{Index: w, Fetch: w.fetch, Texts: w.texts}
		got, err := grid.Count(t.Context(), source, r)
		n, exact := got.N, got.Exact
		if exact != (more <= 0) || exact && n != want || n > want || n < want/2 || err != nil {
			t.Errorf("%d issues more than the budget: got %d, %t, %v, want %d", more, n, exact, err, want)
		}
		if n := countOn(t, source, r, got); n != want {
			t.Errorf("%d issues more than the budget: continued to %d, want %d", more, n, want)
		}
	}
}

// countOn continues a count to its end.
func countOn(t *testing.T, source grid.Source, r grid.Request, got grid.Counted) int {
	t.Helper()
	for steps := 0; !got.Exact; steps++ {
		if steps > 1000 {
			t.Fatalf("the count does not end; it is at %+v", got)
		}
		var err error
		if r.CountFrom, err = grid.ParseCountPosition(got.Next.String(), r); err != nil {
			t.Fatal(err)
		}
		if got, err = grid.Count(t.Context(), source, r); err != nil {
			t.Fatal(err)
		}
	}
	return got.N
}

// TestCountInParts counts projects whose keys take several Queries. They are read in parts, in parallel, and
// a count that stops at its budget continues to the exact number, also if issues are created meanwhile.
func TestCountInParts(t *testing.T) {
	state := func(states int, i int64) int64 { return i * 7919 % (i%3 + 1) % int64(states) }
	for _, c := range []struct {
		rows, states, megabyte int
		queries, steps         int // of one count, or until it stops
		exact                  bool
	}{
		{15_999, 5, 20_000, 1, 1, true}, // one part
		{16_000, 5, 20_000, 1, 1, true},
		{24_000, 1, 9000, 3, 2, true},
		{24_000, 3, 9000, 5, 3, true},
		{24_000, 100, 9000, 3, 3, true}, // too many states for parts
		{24_000, 3, 500, 26, 13, false},
		{24_000, 100, 500, 25, 25, false},
	} {
		rows := make([]row, c.rows)
		for i := range rows {
			rows[i] = row{num: int64(i + 1), value: state(c.states, int64(i))}
		}
		slices.SortStableFunc(rows, func(a, b row) int {
			return cmp.Compare(a.value.(int64), b.value.(int64))
		})
		s := newStore()
		for _, row := range rows {
			byState.put(s, project, row)
		}
		s.megabyte = c.megabyte
		d := tracker.NewDefinition(tracker.Project{ID: project, States: statesOf(c.states)}, nil)
		d.MaxIssueNum = int64(c.rows)
		r := grid.Request{Project: project, Definition: d}
		var got grid.Counted
		var err error
		steps := 0
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			got, err = grid.Count(t.Context(), grid.Source{Index: slow{s}}, r)
			steps = int(time.Since(began) / time.Second)
		})
		if err != nil || got.Exact != c.exact || got.Exact != (got.N == c.rows) || got.N > c.rows {
			t.Errorf("%+v: got %+v, %v", c, got, err)
		}
		if len(s.calls) != c.queries || steps != c.steps {
			t.Errorf("%+v: got %d Queries in %d steps", c, len(s.calls), steps)
		}
		if got.Exact {
			continue
		}
		byState.put(s, project, row{num: int64(c.rows + 1), value: int64(c.states - 1)})
		d.MaxIssueNum++
		// The part in which it was created may have been counted before.
		if n := countOn(t, s.source(), r, got); n < c.rows || n > c.rows+1 {
			t.Errorf("%+v: continued to %d", c, n)
		}
		// The position is bound to the filter, and to the order of the states.
		other, moved := r, r
		other.Where = filter.In{Column: tracker.ColumnState, Values: filter.Equal(sortkey.Int(0))}
		states := slices.Clone(d.Project.States)
		slices.Reverse(states)
		moved.Definition = tracker.NewDefinition(tracker.Project{ID: project, States: states}, nil)
		for _, r := range []grid.Request{other, moved} {
			_, err = grid.ParseCountPosition(got.Next.String(), r)
			if tracker.CodeOf(err) != tracker.BadInput || !tracker.Outdated(err) {
				t.Errorf("of another filter or definition: %v", err)
			}
		}
	}
}

// TestCountOfManyRanges checks that ranges with few keys take one Query each, however large the project is,
// and that there is a limit on Queries.
func TestCountOfManyRanges(t *testing.T) {
	byInt := column{id: "3fe6", encode: encodeInt, values: ints}
	rows := make([]row, 200)
	for i := range rows {
		rows[i] = row{num: int64(i+1) * 10_000, value: int64(2 * i)}
	}
	for _, shards := range []int{1, 2, 16} {
		byInt.shards = shards
		testManyRanges(t, byInt.fill(rows), shards)
	}
}

func testManyRanges(t *testing.T, s *store, shards int) {
	d := tracker.NewDefinition(definition.Project, definition.Fields)
	d.MaxIssueNum, d.Project.Shards = 2_000_000, shards
	for _, ranges := range []int{1, 100, 150} {
		in := filter.In{Column: "3fe6"}
		for i := range ranges {
			in.Values.Ranges = append(in.Values.Ranges, filter.Equal(sortkey.Int(int64(2*i))).Ranges...)
		}
		s.calls = nil
		r := grid.Request{Project: project, Definition: d, Where: in}
		got, err := grid.Count(t.Context(), s.source(), r)
		most := grid.MaxCountQueries * shards
		if err != nil || got.Exact != (ranges*shards <= most) || got.Exact && got.N != ranges ||
			len(s.calls) != min(ranges*shards, most) {
			t.Errorf("%d ranges in %d shards: %+v, %v after %d Queries", ranges, shards, got, err,
				len(s.calls))
		}
		if n := countOn(t, s.source(), r, got); n != ranges {
			t.Errorf("%d ranges in %d shards: continued to %d", ranges, shards, n)
		}
	}
}

// slow is an index in which each Query takes a second.
type slow struct{ grid.Index }

func (i slow) QueryKeys(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	time.Sleep(time.Second)
	return i.Index.QueryKeys(ctx, q)
}

// TestCountInTime checks that a count ends when the time for reading is over, but not before it has
// progressed.
func TestCountInTime(t *testing.T) {
	s := byState.fill(plain(200, 0))
	s.megabyte = 10
	for _, c := range []struct {
		left time.Duration
		n    int
	}{{6 * time.Second, 50}, {time.Second + 1, 10}, {time.Minute, 200}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), c.left)
			defer cancel()
			a := account.New("t", account.Limits{}, nil, nil)
			a.Begin(ctx)
			r := grid.Request{Project: project}
			got, err := grid.Count(account.With(ctx, a), grid.Source{Index: slow{s}}, r)
			if got.N != c.n || got.Exact != (c.n == 200) || err != nil {
				t.Errorf("%s: %+v, %v", c.left, got, err)
			}
			if n := countOn(t, s.source(), r, got); n != 200 {
				t.Errorf("%s: continued to %d", c.left, n)
			}
		})
	}
}

// TestCountPositions checks that damaged and invented positions are rejected, and send no Query.
func TestCountPositions(t *testing.T) {
	s := byState.fill(plain(300, 0))
	s.megabyte = 10
	r := grid.Request{Project: project}
	got, err := grid.Count(t.Context(), s.source(), r)
	if err != nil || got.Next == nil {
		t.Fatalf("%+v, %v", got, err)
	}
	valid := got.Next.String()
	cursor := grid.Position{Column: tracker.ColumnNum, HasValue: true, Num: 7, Issue: "i7"}.String()
	for _, position := range []string{"", "x", valid[1:], valid[:len(valid)-1], valid + "A", valid + "=",
		strings.ToLower(valid), cursor, strings.Repeat("A", 1<<17)} {
		if _, err := grid.ParseCountPosition(position, r); tracker.CodeOf(err) != tracker.BadInput {
			t.Errorf("%.40q: %v", position, err)
		}
	}
	// Positions with a valid checksum.
	forge := func(n int64, pieces ...string) string {
		whole, err := base64.RawURLEncoding.DecodeString(valid)
		if err != nil {
			t.Fatal(err)
		}
		b := binary.AppendVarint(slices.Clone(whole[:5]), n)
		for _, p := range pieces {
			b = append(b, p...)
		}
		b = binary.BigEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
		return base64.RawURLEncoding.EncodeToString(b)
	}
	const whole = "\x00\x00\x00" // of range 0, from and to its ends
	var many []string
	for i := range 6000 {
		many = append(many, fmt.Sprintf("\x00\x02%c%c\x02%c%c", 0x80|i>>6, i&0x3f, 0x80|(i+1)>>6, (i+1)&0x3f))
	}
	if _, err := grid.ParseCountPosition(forge(3, whole), r); err != nil {
		t.Fatal(err)
	}
	for name, position := range map[string]string{"negative": forge(-1, whole), "huge": forge(1<<40, whole),
		"nothing": forge(1), "overlapping": forge(1, whole, whole), "unknown range": forge(1, "\x02\x00\x00"),
		"negative range": forge(1, "\x01\x00\x00"), "cut": forge(1, "\x00\x05"),
		"long": forge(1, "\x00\xff\x07"+strings.Repeat("x", 1023)+"\x00"), "many": forge(1, many...)} {
		if _, err := grid.ParseCountPosition(position, r); tracker.CodeOf(err) != tracker.BadInput {
			t.Errorf("%s: %v", name, err)
		}
	}
	elsewhere := r
	elsewhere.Project = other
	if _, err := grid.ParseCountPosition(valid, elsewhere); tracker.CodeOf(err) != tracker.BadInput {
		t.Errorf("of another project: %v", err)
	}
}

func statesOf(n int) []tracker.State {
	states := make([]tracker.State, n)
	for i := range states {
		states[i].ID = tracker.OptionID(fmt.Sprint("s", i))
	}
	return states
}
