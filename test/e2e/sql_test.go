//go:build realdata

package e2e

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"issuegrid/dynamo/dynamotest"
)

// sqlRows is the maximum number of rows or groups compared for each query.
const sqlRows = 250

// sqlQueries returns the number of queries. Another engine gets fewer, because it takes longer, and because
// each of their requests to it has the form of one in the other tests.
func sqlQueries() int { return pickInt(dynamotest.Embedded(), 210, 60) }

// checkQueries compares random queries with SQL: orders by several columns, groups and summaries, without and
// with random filters. It uses the project AC, or the only project.
func checkQueries(t *testing.T, a *api, rows *rowsDB, file *table, projects map[string]*project) {
	key := middleProject(file)
	g := newGenerator(t, rows, file, projects[key], 18)
	q := &queries{generator: g, api: a, rows: rows, key: key}
	for n := range sqlQueries() {
		q.filter = term{map[string]any{}, "TRUE", nil}
		if n%2 == 1 {
			q.filter = g.filter(g.rng.IntN(3))
		}
		var err error
		q.where, err = withIDs(g.project, q.filter.where)
		must(t, err)
		switch n % 3 {
		case 0:
			q.order(t)
		case 1:
			q.groups(t)
		case 2:
			q.summary(t)
		}
	}
	t.Logf("%d queries of %s: %d rows, %d groups with %d exact counts, %d summaries of which %d are exact",
		sqlQueries(), key, q.comparedRows, q.comparedGroups, q.exactGroups, q.comparedSummaries,
		q.exactSummaries)
	if q.exactGroups < q.comparedGroups/2 || q.exactSummaries < q.comparedSummaries/2 {
		t.Error("too few counts are exact")
	}
}

// queries compares queries with a filter.
type queries struct {
	*generator
	api    *api
	rows   *rowsDB
	key    string
	filter term
	where  map[string]any

	comparedRows, comparedGroups, exactGroups, comparedSummaries, exactSummaries int
}

// sql returns the rows of a statement about the issues that match the filter; FROM stands for these issues.
func (q *queries) sql(t *testing.T, statement string, columns int) [][]any {
	from := fmt.Sprintf("(SELECT * FROM issue WHERE project_key = ? AND (%s))", q.filter.sql)
	found, err := q.rows.db.Query(strings.Replace(statement, "FROM", "FROM "+from+" AS issue", 1),
		slices.Concat([]any{q.key}, q.filter.args)...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer found.Close()
	var out [][]any
	for found.Next() {
		values, to := make([]any, columns), make([]any, columns)
		for i := range values {
			to[i] = &values[i]
		}
		must(t, found.Scan(to...))
		out = append(out, values)
	}
	must(t, found.Err())
	return out
}

// order compares the first rows, or the last, in the order of 2 to 4 columns.
func (q *queries) order(t *testing.T) {
	var by []sortBy
	var orderBy []any
	var list []string
	for len(by) < 2+q.rng.IntN(3) {
		s := sortBy{choose(q.generator, q.columns), q.coin(), q.coin()}
		if orderColumn(q.project, *s.column) == nil || slices.ContainsFunc(by, func(o sortBy) bool {
			return o.column == s.column
		}) {
			continue
		}
		by = append(by, s)
		orderBy = append(orderBy, s.orderBy(q.project)...)
		expression, _, _ := strings.Cut(s.String(), ", number")
		list = append(list, expression)
	}
	last := by[len(by)-1]
	list = append(list, "number "+pick(last.descending, "DESC", "ASC"))
	var want []int
	for _, row := range q.sql(t, "SELECT number FROM ORDER BY "+strings.Join(list, ", "), 1) {
		want = append(want, int(row[0].(int64)))
	}
	w := walk{api: q.api, project: q.project, where: q.where, orderBy: orderBy, backward: q.coin(),
		size: 20 + q.rng.IntN(80), most: sqlRows, patient: true,
		name: fmt.Sprintf("by %v where %s %v", list, q.filter.sql, q.filter.args)}
	rows, _ := w.run(t, want)
	q.comparedRows += rows
}

// grouped returns how issues are grouped by a column: the members of IssueGroupBy, the SQL expression of the
// name of a group, and the order of the groups. It returns "" if they cannot be grouped by it.
func (q *queries) grouped(c *column) (more, name, order string) {
	day := c.Column
	switch c.kind() {
	case "SELECT":
		return "", c.Column, c.ordered()
	case "BOOLEAN":
		return "", "CASE " + c.Column + " WHEN 1 THEN 'true' WHEN 0 THEN 'false' END", c.Column
	case "INTEGER":
		width := choose(q.generator, []int{1, 10, 1000})
		name = fmt.Sprintf("%[1]s - ((%[1]s %% %[2]d) + %[2]d) %% %[2]d", c.Column, width)
		return fmt.Sprint("width: ", width), name, name
	case "TEXT", "USER":
		if q.coin() {
			name = "substr(" + c.Column + ", 1, 1)"
			return "firstLetter: true", name, name
		}
		return "", c.Column, c.Column
	case "DATETIME":
		day = "date(" + c.Column + " / 1000000, 'unixepoch')"
	case "DATE":
	default:
		return "", "", ""
	}
	period := choose(q.generator, []string{"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"})
	name = map[string]string{"DAY": day,
		"WEEK":  "date(" + day + ", 'weekday 0', '-6 days')",
		"MONTH": "strftime('%Y-%m-01', " + day + ")", "YEAR": "strftime('%Y-01-01', " + day + ")",
		"QUARTER": fmt.Sprintf("strftime('%%Y-', %[1]s) || substr('01040710', "+
			"(strftime('%%m', %[1]s) - 1) / 3 * 2 + 1, 2) || '-01'", day)}[period]
	if c.kind() == "DATETIME" {
		name += " || 'T00:00:00Z'"
	}
	return "period: " + period, name, name
}

// groups compares the groups by a column, with their counts.
func (q *queries) groups(t *testing.T) {
	var c *column
	var more, name, order string
	for name == "" {
		c = choose(q.generator, q.columns)
		if orderColumn(q.project, *c) != nil {
			more, name, order = q.grouped(c)
		}
	}
	s := sortBy{c, q.coin(), q.coin()}
	want := q.sql(t, fmt.Sprintf("SELECT %s, count(*) FROM GROUP BY 1 ORDER BY min(%s) %s NULLS %s", name,
		order, pick(s.descending, "DESC", "ASC"), pick(s.nullsFirst, "FIRST", "LAST")), 2)
	want = want[:min(len(want), sqlRows)]
	type group struct {
		Name                *string
		TotalCount          int
		TotalCountPrecision string
	}
	var all []group
	for cursor := any(nil); len(all) < len(want); {
		var got struct {
			Project struct {
				Groups struct {
					Nodes    []group
					PageInfo struct {
						HasNextPage bool
						EndCursor   any
					}
				}
			}
		}
		q.api.ask(t, fmt.Sprintf(`query($p: ID!, $column: IssueColumn!, $where: IssueFilter, $cursor: String) {
			project(id: $p) { groups(first: 50, after: $cursor, where: $where, by: [{column: $column, direction: %s,
			nulls: %s, %s}]) { nodes { name totalCount totalCountPrecision } pageInfo { hasNextPage endCursor }
			} } }`, pick(s.descending, "DESC", "ASC"), pick(s.nullsFirst, "FIRST", "LAST"), more),
			map[string]any{"p": q.project.ID, "column": orderColumn(q.project, *c), "where": q.where,
				"cursor": cursor}, &got)
		all = append(all, got.Project.Groups.Nodes...)
		if cursor = got.Project.Groups.PageInfo.EndCursor; !got.Project.Groups.PageInfo.HasNextPage {
			break
		}
	}
	description := fmt.Sprintf("groups by %s (%s) where %s %v", c.Column, more, q.filter.sql, q.filter.args)
	if all = all[:min(len(all), len(want))]; len(all) != len(want) {
		t.Errorf("%s: %d, want %d", description, len(all), len(want))
		return
	}
	for i, x := range all {
		shown, count := "none", int(want[i][1].(int64))
		if want[i][0] != nil {
			shown = fmt.Sprint(want[i][0])
		}
		is := "none"
		if x.Name != nil {
			if is = *x.Name; c.kind() == "TEXT" || c.kind() == "USER" {
				is = folded(is)
			}
		}
		exact := x.TotalCountPrecision == "EXACT"
		named := is == shown || len(is) > 200 && strings.HasPrefix(shown, is)
		if !named || exact && x.TotalCount != count || x.TotalCount > count {
			t.Errorf("%s, group %d: %q of %d (%s), want %q of %d", description, i, is, x.TotalCount,
				x.TotalCountPrecision, shown, count)
		}
		q.comparedGroups++
		q.exactGroups += pickInt(exact, 1, 0)
	}
}

// summary compares the summary of a column.
func (q *queries) summary(t *testing.T) {
	var c *column
	for c == nil || orderColumn(q.project, *c) == nil || c.To == "num" {
		c = choose(q.generator, q.columns)
	}
	numeric := c.kind() == "INTEGER" || c.kind() == "NUMBER"
	parts := "filled empty distinct precision"
	if numeric {
		parts += " sum average median min max"
	}
	var got struct {
		Project struct {
			Issues struct {
				Summary struct {
					Filled, Empty, Distinct *int
					Precision               string
					Sum, Average, Median    *float64
					Min, Max                *string
				}
			}
		}
	}
	q.api.ask(t, `query($p: ID!, $column: IssueColumn!, $where: IssueFilter) { project(id: $p) {
		issues(first: 0, where: $where) { summary(column: $column) { `+parts+` } } } }`,
		map[string]any{"p": q.project.ID, "column": orderColumn(q.project, *c), "where": q.where}, &got)
	s := got.Project.Issues.Summary
	row := q.sql(t, fmt.Sprintf("SELECT count(%[1]s), count(*) - count(%[1]s), count(DISTINCT %[1]s) FROM",
		c.Column), 3)[0]
	exact := s.Precision == "EXACT"
	q.comparedSummaries++
	q.exactSummaries += pickInt(exact, 1, 0)
	description := fmt.Sprintf("summary of %s where %s %v", c.Column, q.filter.sql, q.filter.args)
	for i, n := range []*int{s.Filled, s.Empty, s.Distinct} {
		if want := int(row[i].(int64)); exact && *n != want || *n > want {
			t.Errorf("%s: part %d is %d (%s), want %d", description, i, *n, s.Precision, want)
		}
	}
	if !numeric || s.Sum == nil {
		if numeric && exact {
			t.Errorf("%s: there is no sum", description)
		}
		return
	}
	var numbers []float64
	for _, row := range q.sql(t, fmt.Sprintf("SELECT %[1]s FROM WHERE %[1]s IS NOT NULL ORDER BY 1",
		c.Column), 1) {
		switch n := row[0].(type) {
		case int64:
			numbers = append(numbers, float64(n))
		case float64:
			numbers = append(numbers, n)
		}
	}
	sum := 0.0
	for _, n := range numbers {
		sum += n
	}
	near := func(name string, got *float64, want float64) {
		if got == nil || math.Abs(*got-want) > 1e-9*max(1, math.Abs(want)) {
			t.Errorf("%s: %s is %v, want %v", description, name, got, want)
		}
	}
	near("the sum", s.Sum, sum)
	if n := len(numbers); n > 0 {
		near("the average", s.Average, sum/float64(n))
		near("the median", s.Median, (numbers[(n-1)/2]+numbers[n/2])/2)
		least, greatest := fmt.Sprint(int(numbers[0])), fmt.Sprint(int(numbers[n-1]))
		if c.kind() == "INTEGER" && (*s.Min != least || *s.Max != greatest) {
			t.Errorf("%s: %s to %s, want %s to %s", description, *s.Min, *s.Max, least, greatest)
		}
	}
}
