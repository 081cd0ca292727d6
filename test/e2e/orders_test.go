//go:build realdata

package e2e

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// order is one order of a project's grid: a column, a direction, and the position of rows without a value.
type order struct {
	column     column
	orderBy    map[string]any
	descending bool
	nullsFirst bool
}

// entry is an expected row: its number, and its value in a comparable form.
type entry struct {
	num   int
	has   bool
	text  string
	float float64
	int   int64
}

// checkOrders walks every sortable column to its end and compares every page with a sort of the file. A
// column has eight walks: ascending or descending, rows without a value first or last, forwards or backwards.
// The two smallest projects take all eight. ALOY takes two, which are opposite in all choices, and AC one, in
// rotation. TIMOB, which has three quarters of the rows, takes one walk of every eighth column, in rotation
// over all eight. If the environment variable ISSUEGRID_ALL_ORDERS is set, every project takes all. Pages
// have 1, 7 and 50 rows in the smallest projects, 100 and 500 in the others.
func checkOrders(t *testing.T, a *api, file *table, projects map[string]*project) {
	var walks []func(t *testing.T)
	var pages, rows atomic.Int64
	columns, all := 0, os.Getenv("ISSUEGRID_ALL_ORDERS") != ""
	for key, records := range file.rows {
		p := projects[key]
		columns = 0
		for _, c := range file.columns {
			by := orderColumn(p, c)
			if by == nil {
				continue
			}
			columns++
			for n := range 8 {
				if !all && !takes(key, columns, n) {
					continue
				}
				o := order{column: c, descending: n&1 > 0, nullsFirst: n&2 > 0}
				o.orderBy = map[string]any{"column": by, "direction": pick(o.descending, "DESC", "ASC"),
					"nulls": pick(o.nullsFirst, "FIRST", "LAST")}
				backward := n&4 > 0
				size := pageSize(key, columns, n)
				walks = append(walks, func(t *testing.T) {
					want := sorted(t, p, records, file, o)
					w := walk{api: a, project: p.ID, order: o, size: size, backward: backward}
					n := w.run(t, want)
					pages.Add(int64(n))
					rows.Add(int64(len(want)))
				})
			}
		}
	}
	if columns < 30 {
		t.Errorf("only %d columns are sortable", columns)
	}
	next := make(chan func(*testing.T), len(walks))
	for _, w := range walks {
		next <- w
	}
	close(next)
	t.Run("walks", func(t *testing.T) {
		for range 4 {
			t.Run("", func(t *testing.T) {
				t.Parallel() // at most as many as the flag -parallel allows
				for w := range next {
					if w(t); t.Failed() {
						return
					}
				}
			})
		}
	})
	t.Logf("%d walks over %d columns: %d pages, %d rows", len(walks), columns, pages.Load(), rows.Load())
}

// takes reports whether a project walks a column in the n-th of the eight ways. The bits of n are the three
// choices.
func takes(project string, column, n int) bool {
	switch project {
	case "ALOY": // one way and its opposite in all choices
		return n == column%4 || n == 7-column%4
	case "AC":
		return n == column%8
	case "TIMOB":
		return column%8 == 0 && n == column/8%8
	}
	return true
}

// pageSize returns the size of the pages of a walk. Pages of one row go through the cursors of all rows: nine
// columns have them, in all eight ways. Each column has pages of seven rows, in two ways.
func pageSize(project string, column, n int) int {
	switch {
	case project == "DAEMON" && column%4 == 0 && n == column/4%8:
		return 1
	case project == "DAEMON" || project == "MOD":
		return pickInt(n == (column+1)%8 || n == (column+4)%8, 7, 50)
	}
	return pickInt((column+n)%4 == 0, 100, 500)
}

func pick(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

// orderColumn returns the column as an `orderBy` argument, or nil if it is not sortable.
func orderColumn(p *project, c column) map[string]any {
	switch c.To {
	case "num", "name", "state":
		return map[string]any{"builtin": strings.ToUpper(c.To)}
	case "createdAt":
		return map[string]any{"builtin": "CREATED_AT"}
	case "updatedAt":
		return map[string]any{"builtin": "UPDATED_AT"}
	case "field":
		if f := p.field(c.Name); f != nil && f.Sortable {
			return map[string]any{"field": f.ID}
		}
	}
	return nil
}

// sorted returns the numbers of the project's issues in the expected order. It uses only the file, except for
// the order of options and states.
func sorted(t *testing.T, p *project, records [][]string, file *table, o order) []int {
	entries := make([]entry, len(records))
	for i, r := range records {
		entries[i] = entryOf(t, p, o.column, r[o.column.place])
		entries[i].num = atoi(t, file.cell(r, "number"))
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if a.has != b.has {
			return cmp.Or(pickInt(a.has == o.nullsFirst, 1, -1))
		}
		c := cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.float, b.float), cmp.Compare(a.int, b.int),
			cmp.Compare(a.num, b.num))
		if o.descending {
			return -c
		}
		return c
	})
	nums := make([]int, len(entries))
	for i, e := range entries {
		nums[i] = e.num
	}
	return nums
}

func pickInt(yes bool, a, b int) int {
	if yes {
		return a
	}
	return b
}

func entryOf(t *testing.T, p *project, c column, cell string) entry {
	e := entry{has: cell != "" || c.To == "name"}
	if !e.has {
		return e
	}
	kind := c.Type
	switch c.To {
	case "num":
		kind = "INTEGER"
	case "createdAt", "updatedAt":
		kind = "DATETIME"
	case "state":
		e.int = int64(slices.IndexFunc(p.States, func(s option) bool { return s.Name == cell }))
		return e
	}
	switch kind {
	case "INTEGER":
		e.int = int64(atoi(t, cell))
	case "NUMBER":
		f, err := strconv.ParseFloat(cell, 64)
		must(t, err)
		e.float = f
	case "DATETIME":
		at, err := time.Parse(time.RFC3339Nano, instant(t, cell))
		must(t, err)
		e.int = at.UnixMicro()
	case "SELECT":
		e.int = int64(slices.IndexFunc(p.field(c.Name).Options, func(o option) bool {
			return o.Name == cell
		}))
	case "BOOLEAN", "DATE":
		e.text = cell // false sorts before true; dates have a uniform format
	default:
		e.text = folded(cell)
	}
	return e
}

// folded returns the sort form of a string as the documentation specifies it.
func folded(s string) string {
	strip := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFKD.String(s))
	}
	return strip(strings.ToLower(cases.Fold().String(strip(s))))
}

// walk is a walk through a grid from one end to the other.
type walk struct {
	api      *api
	project  string
	order    order
	size     int
	backward bool
}

const forwards = `query($id: ID!, $size: Int!, $at: String, $by: [IssueOrder!]) { project(id: $id) { issues(first: $size, after: $at, orderBy: $by) {
	nodes { num } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`

const backwards = `query($id: ID!, $size: Int!, $at: String, $by: [IssueOrder!]) { project(id: $id) { issues(last: $size, before: $at, orderBy: $by) {
	nodes { num } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`

// run compares every page and its flags with the expected rows and returns the number of pages.
func (w walk) run(t *testing.T, want []int) (pages int) {
	query, at := forwards, any(nil)
	if w.backward {
		query = backwards
	}
	name := fmt.Sprintf("%s by %s %v, backward %t, size %d", w.project, w.order.column.Column,
		w.order.orderBy, w.backward, w.size)
	for left := want; ; pages++ {
		var got struct {
			Project struct {
				Issues struct {
					Nodes    []struct{ Num int }
					PageInfo struct {
						HasNextPage, HasPreviousPage bool
						StartCursor, EndCursor       string
					}
				}
			}
		}
		w.api.ask(t, query, map[string]any{"id": w.project, "size": w.size, "at": at,
			"by": []any{w.order.orderBy}}, &got)
		n := min(w.size, len(left))
		page := left[:n]
		first, last := len(left) == len(want), len(left) == n
		if w.backward {
			page = left[len(left)-n:]
			left = left[:len(left)-n]
			first, last = last, first
		} else {
			left = left[n:]
		}
		nums := make([]int, len(got.Project.Issues.Nodes))
		for i, node := range got.Project.Issues.Nodes {
			nums[i] = node.Num
		}
		if !slices.Equal(nums, page) {
			t.Errorf("%s, page %d: got %v, want %v", name, pages, nums, page)
			return pages
		}
		info := got.Project.Issues.PageInfo
		if info.HasPreviousPage == first || info.HasNextPage == last {
			t.Errorf("%s, page %d: hasPreviousPage %t, hasNextPage %t; first %t, last %t", name, pages,
				info.HasPreviousPage, info.HasNextPage, first, last)
			return pages
		}
		if at = any(info.EndCursor); w.backward {
			at = info.StartCursor
		}
		if len(left) == 0 {
			return pages + 1
		}
	}
}
