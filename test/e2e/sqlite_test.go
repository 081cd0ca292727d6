//go:build realdata

package e2e

import (
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"
)

// rowsDB holds the file's rows in an in-memory SQLite database: the table issue, and one table for each
// column that holds sets. It is independent of the product, except that the order of options and states comes
// from the API.
//
//	issue    id, project_key, number, and the mapped columns, by their names in the file. An empty cell is
//	         NULL, except for the summary. Texts and users are folded, as grids compare them. Datetimes are
//	         in microseconds, booleans are 0 and 1. Selects and the status are stored by name, and their
//	         position in a second column, such as priority_rank.
//	labels   issue, member. The tables of the other sets are alike: tags are folded, options stored by name.
type rowsDB struct {
	db      *sql.DB
	columns []column
}

// kind returns the type of a column's values, also for built-in columns. It is empty if the column does not
// belong to the issue.
func (c *column) kind() string {
	switch c.To {
	case "num":
		return "INTEGER"
	case "name":
		return "TEXT"
	case "state":
		return "SELECT"
	case "createdAt", "updatedAt":
		return "DATETIME"
	case "description":
		return "LONG_TEXT"
	}
	return c.Type
}

// isSet reports whether values of the column are sets.
func (c *column) isSet() bool { return c.kind() == "TAGS" || c.kind() == "MULTI_SELECT" }

// ordered returns the SQL expression to sort by: the position of an option, or the value.
func (c *column) ordered() string {
	if c.kind() == "SELECT" {
		return c.Column + "_rank"
	}
	return c.Column
}

var sqliteTypes = map[string]string{"INTEGER": "INTEGER", "DATETIME": "INTEGER", "BOOLEAN": "INTEGER",
	"NUMBER": "REAL", "DATE": "TEXT",
	"TEXT": "TEXT", "LONG_TEXT": "TEXT", "USER": "TEXT", "SELECT": "TEXT"}

func openRows(t *testing.T, file *table, projects map[string]*project) *rowsDB {
	t.Helper()
	started := time.Now()
	db, err := sql.Open("sqlite", ":memory:")
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	db.SetMaxOpenConns(1) // each connection would have its own in-memory database
	r := &rowsDB{db: db}
	for _, c := range file.columns {
		if c.kind() != "" {
			r.columns = append(r.columns, c)
		}
	}
	tx, err := db.Begin()
	must(t, err)
	exec := func(statement string) {
		_, err := tx.Exec(statement)
		must(t, err)
	}
	prepare := func(table string, columns int) *sql.Stmt {
		s, err := tx.Prepare("INSERT INTO " + table + " VALUES (?" + strings.Repeat(", ?", columns-1) + ")")
		must(t, err)
		return s
	}
	definitions, sets := []string{"id INTEGER PRIMARY KEY", "project_key TEXT NOT NULL"},
		map[string]*sql.Stmt{}
	for _, c := range r.columns {
		switch kind := c.kind(); {
		case c.isSet():
			exec("CREATE TABLE " + c.Column + " (issue INTEGER NOT NULL, member TEXT NOT NULL)")
			sets[c.Column] = prepare(c.Column, 2)
		case kind == "SELECT":
			definitions = append(definitions, c.Column+" TEXT", c.ordered()+" INTEGER")
		case sqliteTypes[kind] == "":
			t.Fatalf("%s is of type %s", c.Column, kind)
		default:
			definitions = append(definitions, c.Column+" "+sqliteTypes[kind])
		}
	}
	exec("CREATE TABLE issue (" + strings.Join(definitions, ", ") + ")")
	insert := prepare("issue", len(definitions))
	id := 0
	for key, rows := range file.rows {
		p := projects[key]
		for _, row := range rows {
			id++
			values := []any{id, key}
			for _, c := range r.columns {
				cell := row[c.place]
				if stmt := sets[c.Column]; stmt != nil {
					for _, m := range c.members(cell) {
						_, err := stmt.Exec(id, m)
						must(t, err)
					}
					continue
				}
				values = append(values, c.sqlValue(t, cell))
				if c.kind() == "SELECT" {
					values = append(values, c.rank(p, cell))
				}
			}
			_, err := insert.Exec(values...)
			must(t, err)
		}
	}
	for c := range sets {
		exec("CREATE INDEX " + c + "_members ON " + c + " (member, issue)")
	}
	must(t, tx.Commit())
	t.Logf("%d rows in SQLite after %v", id, time.Since(started).Round(time.Millisecond))
	return r
}

// members returns the members of a set in the form in which they are compared.
func (c *column) members(cell string) []string {
	if cell == "" {
		return nil
	}
	out := strings.Split(cell, c.Separator)
	if c.kind() == "TAGS" {
		for i := range out {
			out[i] = folded(out[i])
		}
		slices.Sort(out)
		out = slices.Compact(out)
	}
	return out
}

// sqlValue converts a cell or an operand to its SQLite value.
func (c *column) sqlValue(t testing.TB, cell string) any {
	kind := c.kind()
	if cell == "" && c.To != "name" {
		return nil
	}
	switch kind {
	case "INTEGER":
		i, err := strconv.ParseInt(cell, 10, 64)
		must(t, err)
		return i
	case "NUMBER":
		f, err := strconv.ParseFloat(cell, 64)
		must(t, err)
		return f
	case "DATETIME":
		at, err := time.Parse(time.RFC3339Nano, instant(t, cell))
		must(t, err)
		return at.UnixMicro()
	case "BOOLEAN":
		return cell == "true"
	case "TEXT", "LONG_TEXT", "USER":
		return folded(cell)
	}
	return cell // dates have a uniform format; options are stored by name
}

// rank returns the position of an option or a state.
func (c *column) rank(p *project, cell string) any {
	i := -1
	if c.To == "state" {
		i = slices.IndexFunc(p.States, func(s option) bool { return s.Name == cell })
	} else {
		i = slices.IndexFunc(p.field(c.Name).Options, func(o option) bool { return o.Name == cell })
	}
	if i < 0 {
		return nil
	}
	return i
}

// sortBy is an order of a grid in SQL.
type sortBy struct {
	column                 *column
	descending, nullsFirst bool
}

// String returns the ORDER BY list. Ties are sorted by number, and the direction applies to both.
func (s sortBy) String() string {
	direction := pick(s.descending, "DESC", "ASC")
	return fmt.Sprintf("%s %s NULLS %s, number %s", s.column.ordered(), direction,
		pick(s.nullsFirst, "FIRST", "LAST"), direction)
}

// orderBy returns the equivalent GraphQL argument.
func (s sortBy) orderBy(p *project) []any {
	return []any{map[string]any{"column": orderColumn(p, *s.column),
		"direction": pick(s.descending, "DESC", "ASC"), "nulls": pick(s.nullsFirst, "FIRST", "LAST")}}
}

// numbers returns the numbers of the project's issues that match a condition, in order.
func (r *rowsDB) numbers(t testing.TB, project, where string, args []any, by sortBy) []int {
	statement := fmt.Sprintf("SELECT number FROM issue WHERE project_key = ? AND (%s) ORDER BY %s", where, by)
	rows, err := r.db.Query(statement, slices.Concat([]any{project}, args)...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer rows.Close()
	var out []int
	for rows.Next() {
		var n int
		must(t, rows.Scan(&n))
		out = append(out, n)
	}
	must(t, rows.Err())
	return out
}
