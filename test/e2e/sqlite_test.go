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

// rowsDB is the file's rows in SQLite, in memory: the table issue, and one more for each column that holds
// sets. It knows nothing of the product, but for the order of options and states, which is the API's.
//
//	issue    id, project_key, number, and what the mapping takes, by the names of the file's columns: NULL
//	         for an empty cell, but for the summary; texts and users folded, as grids compare them;
//	         datetimes in microseconds; booleans 0 and 1; selects and the status by name, and by their place
//	         in a second column, such as priority_rank
//	labels   issue, member; and likewise the other sets: tags folded, options by name
type rowsDB struct {
	db      *sql.DB
	columns []column
}

// kind is the type of a column's values, for built-in columns too; empty for a column that is not of the
// issue.
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

// isSet tells whether a value of the column has members.
func (c *column) isSet() bool { return c.kind() == "TAGS" || c.kind() == "MULTI_SELECT" }

// ordered is what SQL sorts by: the place of an option, or the value.
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
	db.SetMaxOpenConns(1) // each connection would have a memory of its own
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

// members are the members of a set, as they are compared.
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

// sqlValue is a cell, or what is compared with one, as SQLite gets it.
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
	return cell // dates of one form; the names of options
}

// rank is the place of an option or a state.
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

// column is the column of this name.
func (r *rowsDB) column(name string) *column {
	for i := range r.columns {
		if r.columns[i].Column == name {
			return &r.columns[i]
		}
	}
	panic("the mapping takes no column " + name)
}

// sortBy is an order of a grid, as SQL has it.
type sortBy struct {
	column                 *column
	descending, nullsFirst bool
}

// String is what follows ORDER BY. Ties are in the order of the numbers, and the direction is that of all.
func (s sortBy) String() string {
	direction := pick(s.descending, "DESC", "ASC")
	return fmt.Sprintf("%s %s NULLS %s, number %s", s.column.ordered(), direction,
		pick(s.nullsFirst, "FIRST", "LAST"), direction)
}

// orderBy is the argument of the same.
func (s sortBy) orderBy(p *project) []any {
	return []any{map[string]any{"column": orderColumn(p, *s.column),
		"direction": pick(s.descending, "DESC", "ASC"), "nulls": pick(s.nullsFirst, "FIRST", "LAST")}}
}

// numbers are those of the project's issues that meet a condition, in order.
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
