//go:build realdata

package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// checkOrders walks every sortable column to its end and compares every page with SQL. A column has eight
// walks: ascending or descending, rows without a value first or last, forwards or backwards. The two smallest
// projects take all eight. ALOY takes two, which are opposite in all choices, and AC one, in rotation. TIMOB,
// which has three quarters of the rows, takes one walk of every eighth column, in rotation over all eight. If
// the environment variable ISSUEGRID_ALL_ORDERS is set, every project takes all; the only project takes one,
// in rotation. Pages have 1, 7 and 50 rows in the smallest projects, 100 and 500 in the others.
func checkOrders(t *testing.T, a *api, rows *rowsDB, file *table, projects map[string]*project) {
	var queue walks
	columns, all, alone := 0, os.Getenv("ISSUEGRID_ALL_ORDERS") != "", len(projects) == 1
	for key := range file.rows {
		columns = 0
		for i := range rows.columns {
			c := &rows.columns[i]
			if orderColumn(projects[key], *c) == nil {
				continue
			}
			columns++
			for n := range 8 {
				if !all && (alone && n != columns%8 || !alone && !takes(key, columns, n)) {
					continue
				}
				by := sortBy{c, n&1 > 0, n&2 > 0}
				w := walk{api: a, project: projects[key], orderBy: by.orderBy(projects[key]),
					backward: n&4 > 0, size: pageSize(key, columns, n), patient: true,
					name: fmt.Sprintf("%s by %s", key, by)}
				queue.add(w, func() []int { return rows.numbers(t, key, "TRUE", nil, by) })
			}
		}
	}
	if columns < 30 {
		t.Errorf("only %d columns are sortable", columns)
	}
	queue.run(t)
	t.Logf("%d columns; %v", columns, &queue)
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
			return map[string]any{"fieldId": f.ID}
		}
	}
	return nil
}

func pickInt(yes bool, a, b int) int {
	if yes {
		return a
	}
	return b
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
