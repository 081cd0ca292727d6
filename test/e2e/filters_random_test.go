//go:build realdata

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	randomRows = 300 // maximum rows compared per filter
	randomSeed = 20240305
)

// checkRandomFilters compares random filters on the data, nested up to three levels deep, in random orders
// and both paging directions, with SQL. It uses the project AC, or the only project.
func checkRandomFilters(t *testing.T, a *api, rows *rowsDB, file *table, projects map[string]*project) {
	key := middleProject(file)
	g := newGenerator(t, rows, file, projects[key], 0)
	sortable := g.sortable()
	var queue walks
	randomFilters := pickInt(len(projects) == 1, 50, 100)
	none, all := 0, 0
	for n := range randomFilters {
		by := sortBy{choose(g, sortable), g.coin(), g.coin()}
		drawn := g.telling(rows, key, func() term { return g.filter(g.rng.IntN(4)) })
		want := rows.numbers(t, key, drawn.sql, drawn.args, by)
		none += pickInt(len(want) == 0, 1, 0)
		all += pickInt(len(want) == len(g.records), 1, 0)
		where, err := withIDs(projects[key], drawn.where)
		must(t, err)
		text, err := json.Marshal(drawn.where)
		must(t, err)
		w := walk{api: a, project: projects[key], where: where, orderBy: by.orderBy(projects[key]),
			backward: g.coin(), size: filterPage, most: randomRows, patient: true, count: n%5 == 0,
			name: fmt.Sprintf("random filter %d of %s: %s, that is %s with %v, by %s", n, key, text,
				drawn.sql, drawn.args, by)}
		queue.add(w, func() []int { return want })
	}
	queue.run(t)
	t.Logf("%d random filters of %s, seed %d: %d match no issue, %d match all; %v", randomFilters, key,
		randomSeed, none, all, &queue)
	if none+all > randomFilters/4 {
		t.Error("too many of them match no issue or all issues")
	}
}

// middleProject returns the key of the project AC, or of the only project.
func middleProject(file *table) string {
	if _, ok := file.rows["AC"]; ok {
		return "AC"
	}
	return slices.Sorted(maps.Keys(file.rows))[0]
}

// generator generates random filters for a project.
type generator struct {
	t       *testing.T
	rng     *rand.Rand
	project *project
	columns []*column
	records [][]string
}

func newGenerator(t *testing.T, rows *rowsDB, file *table, p *project, seed uint64) *generator {
	g := &generator{t: t, rng: rand.New(rand.NewPCG(randomSeed, seed)), project: p, records: file.rows[p.Key]}
	for i := range rows.columns {
		if c := &rows.columns[i]; c.To != "field" || p.field(c.Name) != nil {
			g.columns = append(g.columns, c)
		}
	}
	return g
}

// sortable returns the columns that a grid can be sorted by.
func (g *generator) sortable() []*column {
	return slices.DeleteFunc(slices.Clone(g.columns), func(c *column) bool {
		return orderColumn(g.project, *c) == nil
	})
}

// telling draws filters until one matches some issues, but not all, or five times.
func (g *generator) telling(rows *rowsDB, key string, draw func() term) (drawn term) {
	for range 5 {
		drawn = draw()
		n := len(rows.numbers(g.t, key, drawn.sql, drawn.args, sortBy{column: g.columns[0]}))
		if 0 < n && n < len(g.records) {
			break
		}
	}
	return drawn
}

// term is a filter, with names instead of IDs, and the equivalent SQL, which is never NULL.
type term struct {
	where map[string]any
	sql   string
	args  []any
}

func choose[T any](g *generator, from []T) T { return from[g.rng.IntN(len(from))] }

func (g *generator) coin() bool { return g.rng.IntN(2) == 0 }

// filter returns a filter with at most the given nesting depth.
func (g *generator) filter(depth int) term {
	if depth == 0 {
		return g.leaf()
	}
	switch kind := g.rng.IntN(4); kind {
	case 0:
		inner := g.filter(depth - 1)
		return term{map[string]any{"not": inner.where}, "NOT (" + inner.sql + ")", inner.args}
	case 1: // several members of one filter, all of which must hold
		out := g.filter(depth - 1)
		for range 1 + g.rng.IntN(2) {
			other := g.leaf()
			where := maps.Clone(out.where)
			if fields, ok := where["fields"]; ok && other.where["fields"] != nil {
				where["fields"] = slices.Concat(fields.([]any), other.where["fields"].([]any))
			} else {
				clash := false
				for member := range other.where {
					clash = clash || where[member] != nil
				}
				if clash {
					continue
				}
				maps.Copy(where, other.where)
			}
			out = term{where, "(" + out.sql + ") AND (" + other.sql + ")",
				slices.Concat(out.args, other.args)}
		}
		return out
	default:
		member, operator := "and", " AND "
		if kind == 3 {
			member, operator = "or", " OR "
		}
		var filters, args []any
		var texts []string
		for range 2 + g.rng.IntN(2) {
			one := g.filter(g.rng.IntN(depth))
			filters, texts, args = append(filters, one.where), append(texts, "("+one.sql+")"),
				append(args, one.args...)
		}
		return term{map[string]any{member: filters}, strings.Join(texts, operator), args}
	}
}

// memberOf maps a type to its member of CustomFieldFilter.
var memberOf = map[string]string{"TEXT": "text", "LONG_TEXT": "text", "INTEGER": "integer",
	"NUMBER": "number", "DATE": "date", "DATETIME": "dateTime",
	"BOOLEAN": "boolean", "SELECT": "option", "MULTI_SELECT": "options", "TAGS": "tags", "USER": "user"}

// leaf returns a condition on one column with one or two operators.
func (g *generator) leaf() term {
	c := choose(g, g.columns)
	if c.To == "field" && g.rng.IntN(12) == 0 {
		null := g.coin()
		return term{map[string]any{"fields": []any{map[string]any{"field": c.Name, "isNull": null}}},
			g.null(c, null), nil}
	}
	names := []string{g.operatorOf(c)}
	if g.rng.IntN(5) == 4 {
		names = append(names, g.operatorOf(c))
	}
	return g.condition(c, slices.Compact(names)...)
}

// condition returns a condition on a column with some operators.
func (g *generator) condition(c *column, names ...string) (out term) {
	operators := map[string]any{}
	var texts []string
	for _, name := range names {
		operand, text, args := g.operator(c, name)
		operators[name] = operand
		texts, out.args = append(texts, text), append(out.args, args...)
	}
	out.sql = strings.Join(texts, " AND ")
	// the mapping and the filter use the same names for built-in columns
	out.where = map[string]any{c.To: operators}
	if c.To == "field" {
		out.where = map[string]any{"fields": []any{map[string]any{"field": c.Name,
			memberOf[c.kind()]: operators}}}
	}
	return out
}

// null returns the SQL condition that a column has no value, or that it has one.
func (g *generator) null(c *column, null bool) string {
	if c.isSet() {
		return "id " + pick(null, "NOT ", "") + "IN (SELECT issue FROM " + c.Column + ")"
	}
	return c.Column + " IS " + pick(null, "", "NOT ") + "NULL"
}

// operatorOf draws an operator of a column.
func (g *generator) operatorOf(c *column) string {
	all := operatorsOf(c.kind())
	if slices.Contains(all, "contains") {
		// strings from the data match these operators more often
		all = append(all, "startsWith", "contains", "contains")
	}
	if c.To == "num" {
		all = slices.DeleteFunc(all, func(o string) bool { return o == "isNull" })
	}
	return choose(g, all)
}

// operator draws the operand of an operator.
func (g *generator) operator(c *column, name string) (operand any, sql string, args []any) {
	comparisons := map[string]string{"eq": "=", "neq": "=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
	one := func(format string) {
		var arg any
		operand, arg = g.operand(c, name)
		sql, args = fmt.Sprintf(format, c.Column), []any{arg}
	}
	switch name {
	case "isNull":
		null := g.coin()
		return null, g.null(c, null), nil
	case "startsWith":
		one("COALESCE(instr(%s, ?) = 1, FALSE)")
	case "contains":
		one("COALESCE(instr(%s, ?) > 0, FALSE)")
	case "between":
		from, fromArg := g.operand(c, name)
		to, toArg := g.operand(c, name)
		operand, sql, args = map[string]any{"from": from, "to": to},
			fmt.Sprintf("COALESCE(%s BETWEEN ? AND ?, FALSE)", c.Column), []any{fromArg, toArg}
	case "in", "notIn", "hasAny", "hasAll", "hasNone":
		list, parts := []any{}, []string{}
		for range choose(g, []int{0, 1, 1, 2, 2, 3, 4}) {
			member, arg := g.operand(c, name)
			list, args = append(list, member), append(args, arg)
			if c.isSet() {
				parts = append(parts, "id IN (SELECT issue FROM "+c.Column+" WHERE member = ?)")
			} else {
				parts = append(parts, "COALESCE("+c.Column+" = ?, FALSE)")
			}
		}
		operand = list
		if name == "hasAll" {
			sql = strings.Join(append(parts, "TRUE"), " AND ")
		} else {
			sql = "(" + strings.Join(append(parts, "FALSE"), " OR ") + ")"
		}
	default:
		one("COALESCE(%s " + comparisons[name] + " ?, FALSE)")
	}
	if name == "neq" || name == "notIn" || name == "hasNone" {
		sql = "NOT " + sql
	}
	return operand, sql, args
}

// operand returns a value to compare a column with, usually one that occurs in the data, in the forms for
// GraphQL and SQLite.
func (g *generator) operand(c *column, operator string) (graphql, sqlite any) {
	cell := ""
	for range 30 {
		if cell = choose(g, g.records)[c.place]; cell != "" {
			break
		}
	}
	kind := c.kind()
	switch kind {
	case "INTEGER":
		n := atoi(g.t, pick(cell == "", "0", cell)) + choose(g, []int{0, 0, 0, 1, -1})
		return n, n
	case "NUMBER":
		cell = pick(cell == "", "1.5", cell)
		return json.Number(cell), c.sqlValue(g.t, cell)
	case "DATE":
		cell = pick(cell == "", "2014-02-28", cell)
	case "DATETIME":
		at, err := time.Parse(time.RFC3339Nano, instant(g.t, pick(cell == "", "2014-02-28T12:00:00Z", cell)))
		must(g.t, err)
		at = at.Add(choose(g, []time.Duration{0, 0, time.Microsecond, -time.Microsecond, time.Hour})).In(
			time.FixedZone("", 3600*g.rng.IntN(4)))
		return at.Format(time.RFC3339Nano), at.UnixMicro()
	case "BOOLEAN":
		b := g.coin()
		return b, b
	case "SELECT", "MULTI_SELECT":
		options := g.project.States
		if c.To != "state" {
			options = g.project.field(c.Name).Options
		}
		if len(options) == 0 {
			g.t.Fatalf("%s has no options", c.Name)
		}
		name := choose(g, options).Name
		if cell != "" && g.rng.IntN(4) > 0 {
			name = cell
			if c.isSet() {
				name = choose(g, c.members(cell))
			}
		}
		return name, name
	case "TAGS":
		if cell == "" {
			cell = "none"
		}
		tag := g.recased(choose(g, strings.Split(cell, c.Separator)))
		return tag, folded(tag)
	case "TEXT", "LONG_TEXT", "USER":
		text := g.recased(g.piece(cell, operator))
		return text, folded(text)
	}
	return cell, cell
}

// piece returns a prefix or another substring of a text, or all of a short text.
func (g *generator) piece(text, operator string) string {
	runes := []rune(text)
	switch {
	case len(runes) == 0:
		return "a"
	case operator == "contains":
		n := min(len(runes), 1+g.rng.IntN(12))
		from := g.rng.IntN(len(runes) - n + 1)
		return string(runes[from : from+n])
	case operator == "startsWith" || len(runes) > 80 || g.rng.IntN(3) == 0:
		return string(runes[:min(len(runes), 1+g.rng.IntN(10))])
	}
	return text
}

func (g *generator) recased(s string) string {
	switch g.rng.IntN(4) {
	case 0:
		return strings.ToUpper(s)
	case 1:
		return strings.ToLower(s)
	}
	return s
}
