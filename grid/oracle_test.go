package grid_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"issuegrid/grid"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// column is a column under test. Its values are int64, float64 or string. Strings are ordered
// case-insensitively.
type column struct {
	id     tracker.Column
	encode func(any) sortkey.Value
	values []any // few, so that rows have equal values
	// indexed reports whether the rows without a value have index entries.
	indexed bool
	shards  int // of the project; 0 is 1
}

func encodeInt(v any) sortkey.Value   { return sortkey.Int(v.(int64)) }
func encodeFloat(v any) sortkey.Value { return sortkey.Float(v.(float64)) }
func encodeText(v any) sortkey.Value  { return sortkey.Text(v.(string)) }

var (
	ints   = []any{int64(-70000), int64(-1), int64(0), int64(1), int64(2), int64(300)}
	floats = []any{-1e9, -0.5, 0.0, 0.25, 3e40}
	texts  = []any{"", "a", "B", "b\x00", "bridge", "Girder", "zz"}

	definition = tracker.NewDefinition(tracker.Project{ID: project}, []*tracker.Field{
		{ID: "3812", Name: "Start", Type: tracker.TypeDate},
		{ID: "882a", Name: "End", Type: tracker.TypeDateTime},
		{ID: "3fe6", Name: "Num Items", Type: tracker.TypeInteger},
		{ID: "47e5", Name: "Sign Off", Type: tracker.TypeText},
		{ID: "aa01", Name: "Weight", Type: tracker.TypeNumber},
		{ID: "aa02", Name: "Done", Type: tracker.TypeBoolean},
		{ID: "aa03", Name: "Size", Type: tracker.TypeSelect},
		{ID: "aa04", Name: "Owner", Type: tracker.TypeUser},
		{ID: "aa05", Name: "Notes", Type: tracker.TypeLongText},
		{ID: "aa06", Name: "Labels", Type: tracker.TypeMultiSelect},
		{ID: "aa07", Name: "Tags", Type: tracker.TypeTags},
	})

	// indexedDefinition is the same with entries of the empty values in all columns.
	indexedDefinition = tracker.NewDefinition(tracker.Project{ID: project, Empties: tracker.EmptiesIndexed},
		withEmpties(definition.Fields))

	byNum     = column{id: tracker.ColumnNum}
	byState   = column{id: tracker.ColumnState, encode: encodeInt, values: ints}
	byField   = column{id: "3fe6", encode: encodeInt, values: ints}
	byIndexed = column{id: "3fe6", encode: encodeInt, values: ints, indexed: true}
	sortable  = bothWays([]column{byNum, byField,
		{id: tracker.ColumnName, encode: encodeText, values: texts},
		{id: tracker.ColumnState, encode: encodeInt, values: ints},
		{id: tracker.ColumnCreated, encode: encodeInt, values: ints},
		{id: tracker.ColumnUpdated, encode: encodeInt, values: ints},
		{id: tracker.ColumnCreatedBy, encode: encodeText, values: texts},
		{id: tracker.ColumnUpdatedBy, encode: encodeText, values: texts},
		{id: "3812", encode: encodeInt, values: ints}, {id: "882a", encode: encodeInt, values: ints},
		{id: "47e5", encode: encodeText, values: texts}, {id: "aa01", encode: encodeFloat, values: floats},
		{id: "aa02", encode: encodeInt, values: ints[2:4]}, {id: "aa03", encode: encodeInt, values: ints[2:]},
		{id: "aa04", encode: encodeText, values: texts},
	})
)

func withEmpties(fields []*tracker.Field) []*tracker.Field {
	out := make([]*tracker.Field, len(fields))
	for i, f := range fields {
		indexed := *f
		indexed.Empties = tracker.EmptiesIndexed
		out[i] = &indexed
	}
	return out
}

// bothWays adds the nullable columns with entries of their empty values.
func bothWays(columns []column) []column {
	for _, c := range columns {
		if c.id.Nullable() {
			c.indexed = true
			columns = append(columns, c)
		}
	}
	return columns
}

func (c column) definition() *tracker.Definition {
	d := *definition
	if c.indexed {
		d = *indexedDefinition
	}
	d.Project.Shards = c.shards
	return &d
}

// row is one issue in the oracle. Its id is derived from its number.
type row struct {
	num   int64
	value any // nil for no value; always nil for the column num
	ghost bool
}

func (c column) hasValue(r row) bool { return r.value != nil || c.id == tracker.ColumnNum }

func issueID(p tracker.ProjectID, num int64) tracker.IssueID {
	return tracker.IssueID{Project: p, Issue: fmt.Sprintf("i%d", num)}
}

// put stores a row: its index entries in the project's own partition and in that of the column, and its
// document.
func (c column) put(s *store, p tracker.ProjectID, r row) {
	e := entry{id: issueID(p, r.num), ss: sortkey.Num(r.num)}
	if r.value != nil {
		s.put(partition{project: p, column: c.id},
			entry{id: e.id, ss: sortkey.Join(c.encode(r.value), r.num)})
		if c.id.Nullable() {
			e.has = []tracker.Column{c.id}
		}
	} else if c.indexed {
		s.put(partition{project: p, column: c.id, empties: true}, e)
	}
	s.put(partition{project: p, column: tracker.ColumnNum}, e)
	if !r.ghost {
		s.docs[e.id] = &tracker.Issue{ID: e.id, Num: r.num}
	}
}

// fill returns a store with the rows, and with the same rows in another project.
func (c column) fill(rows []row) *store {
	s := newStore()
	s.shards = c.shards
	for _, r := range rows {
		c.put(s, project, r)
		r.ghost = false
		c.put(s, other, r)
	}
	return s
}

// oracle has the whole grid in memory and computes its pages.
type oracle struct {
	column                 column
	descending, nullsFirst bool
	rows                   []row // in the grid's order, including ghosts
}

func newOracle(c column, descending, nullsFirst bool, rows []row) oracle {
	o := oracle{c, descending, nullsFirst, slices.Clone(rows)}
	slices.SortFunc(o.rows, o.compare)
	return o
}

func (o oracle) compare(a, b row) int {
	hasA, hasB := o.column.hasValue(a), o.column.hasValue(b)
	if hasA != hasB {
		if hasA == o.nullsFirst {
			return 1
		}
		return -1
	}
	c := cmp.Or(compareValues(a.value, b.value), cmp.Compare(a.num, b.num))
	if o.descending {
		return -c
	}
	return c
}

func compareValues(a, b any) int {
	switch a := a.(type) {
	case int64:
		return cmp.Compare(a, b.(int64))
	case float64:
		return cmp.Compare(a, b.(float64))
	case string:
		return cmp.Compare(strings.ToLower(a), strings.ToLower(b.(string)))
	}
	return 0
}

// pageQuery is a request with rows instead of cursors.
type pageQuery struct {
	size           int
	backward       bool
	after, before  *row
	next, previous bool
}

// pageResult is a page in the form that the tests compare.
type pageResult struct {
	nums          []int64
	next, hasPrev bool
}

// page returns the page that G3 and G4 require, and the number of keys, including ghosts, ahead of it and
// behind it in the direction of paging.
func (o oracle) page(a pageQuery) (want pageResult, ahead, behind int) {
	shown := make([]row, 0, a.size)
	for _, r := range o.rows {
		if !r.ghost && (a.after == nil || o.compare(r, *a.after) > 0) &&
			(a.before == nil || o.compare(r, *a.before) < 0) {
			shown = append(shown, r)
		}
	}
	if n := len(shown); n > a.size && a.backward {
		shown = shown[n-a.size:]
	} else if n > a.size {
		shown = shown[:a.size]
	}
	// The rows of a side begin next to the page or, if it is empty, at the cursor.
	isNext := func(r row) bool {
		if len(shown) > 0 {
			return o.compare(r, shown[len(shown)-1]) > 0
		}
		return a.before != nil && o.compare(r, *a.before) >= 0
	}
	isPrevious := func(r row) bool {
		if len(shown) > 0 {
			return o.compare(r, shown[0]) < 0
		}
		return a.after != nil && o.compare(r, *a.after) <= 0
	}
	next, previous := 0, 0
	for _, r := range o.rows {
		if isNext(r) {
			next++
			want.next = want.next || a.next && !r.ghost
		}
		if isPrevious(r) {
			previous++
			want.hasPrev = want.hasPrev || a.previous && !r.ghost
		}
	}
	for _, r := range shown {
		want.nums = append(want.nums, r.num)
	}
	if a.backward {
		return want, previous, next
	}
	return want, next, previous
}

// cursor returns the cursor of a row, after encoding and parsing.
func (o oracle) cursor(t rapid.TB, r *row) grid.Cursor {
	t.Helper()
	if r == nil {
		return nil
	}
	c := grid.Position{Column: o.column.id, HasValue: o.column.hasValue(*r), Num: r.num,
		Issue: issueID(project, r.num).Issue}
	if r.value != nil {
		c.Value = o.column.encode(r.value)
	}
	return reparse(t, c, o.order(t))
}

func (o oracle) order(t rapid.TB) grid.Order {
	t.Helper()
	order, err := grid.OrderBy(o.column.definition(), o.column.id, o.descending, o.nullsFirst)
	if err != nil {
		t.Fatal(err)
	}
	return order
}

// ascending returns the order of a column of a definition, with the rows without a value at the end.
func ascending(t rapid.TB, d *tracker.Definition, c tracker.Column) grid.Order {
	t.Helper()
	order, err := grid.OrderBy(d, c, false, false)
	if err != nil {
		t.Fatal(err)
	}
	return order
}

// readPage reads a page of a definition's project in the order of a column, in the direction of the request.
func readPage(t rapid.TB, source grid.Source, by tracker.Column, r grid.Request) grid.Page {
	t.Helper()
	descending := slices.ContainsFunc(r.Order, func(o grid.OrderColumn) bool { return o.Descending })
	nullsFirst := slices.ContainsFunc(r.Order, func(o grid.OrderColumn) bool { return o.NullsFirst })
	order, err := grid.OrderBy(r.Definition, by, descending, nullsFirst)
	if err != nil {
		t.Fatal(err)
	}
	r.Project, r.Order = r.Definition.Project.ID, order
	page, err := grid.Read(context.Background(), source, r)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func reparse(t rapid.TB, c fmt.Stringer, o grid.Order) grid.Cursor {
	t.Helper()
	parsed, err := grid.ParseCursor(c.String(), o)
	if err != nil {
		t.Fatalf("cursor %v: %v", c, err)
	}
	return parsed
}

// read reads the page of a query from the store.
func (o oracle) read(t rapid.TB, s *store, a pageQuery) (grid.Page, pageResult) {
	t.Helper()
	page, err := grid.Read(context.Background(), s.source(), o.request(t, a))
	if err != nil {
		t.Fatalf("%+v: %v", a, err)
	}
	return page, summary(page)
}

func (o oracle) request(t rapid.TB, a pageQuery) grid.Request {
	t.Helper()
	return grid.Request{Project: project, Definition: o.column.definition(), Order: o.order(t),
		Size: a.size, Backward: a.backward, After: o.cursor(t, a.after), Before: o.cursor(t, a.before),
		NeedNext: a.next, NeedPrevious: a.previous}
}

func summary(page grid.Page) pageResult {
	a := pageResult{next: page.HasNext, hasPrev: page.HasPrevious}
	for _, r := range page.Rows {
		a.nums = append(a.nums, r.Issue.Num)
	}
	return a
}

// fill returns a store with the rows, whose responses hold one of the given numbers of keys.
func (o oracle) fill(t *rapid.T, megabytes ...int) *store {
	s := o.column.fill(o.rows)
	s.megabyte = rapid.SampledFrom(megabytes).Draw(t, "megabyte")
	s.tight = s.shards > 1 && rapid.Bool().Draw(t, "tight")
	return s
}

// drawRows returns random rows: numbers with gaps, equal values, rows without a value, single ghosts and runs
// of ghosts.
func drawRows(t *rapid.T, c column, most int) []row {
	rows := make([]row, rapid.IntRange(0, most).Draw(t, "rows"))
	random := drawRandom(t)
	without, ghosts := random.IntN(4), random.IntN(4)
	num, run := int64(0), 0
	for i := range rows {
		num += 1 + int64(random.IntN(2)*random.IntN(400))
		rows[i].num = num
		if c.values != nil && (!c.id.Nullable() || random.IntN(4) >= without) {
			rows[i].value = c.values[random.IntN(len(c.values))]
		}
		if run--; run < 0 && random.IntN(12) < ghosts {
			run = random.IntN(9)
		}
		rows[i].ghost = run >= 0
	}
	return rows
}
