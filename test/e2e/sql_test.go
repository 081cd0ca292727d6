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

// numbers returns the numbers of the issues that match the filter, in an order.
func (q *queries) numbers(t *testing.T, order string) (out []int) {
	for _, row := range q.sql(t, "SELECT number FROM ORDER BY "+order, 1) {
		out = append(out, int(row[0].(int64)))
	}
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
	want := q.numbers(t, strings.Join(list, ", "))
	w := walk{api: q.api, project: q.project, where: q.where, orderBy: orderBy, backward: q.coin(),
		size: 20 + q.rng.IntN(80), most: sqlRows, patient: true,
		name: fmt.Sprintf("by %v where %s %v", list, q.filter.sql, q.filter.args)}
	rows, _ := w.run(t, want)
	q.comparedRows += rows
}

// grouping is how issues are grouped, as a member of the argument by, and in SQL.
type grouping struct {
	column *column
	by     map[string]any
	join   string // the table of the members of a set
	name   string // the expression of the name of a group
	order  string // of the groups
	sortBy
}

// grouping draws a grouping by a column that is not the other one.
func (q *queries) grouping(other *column) *grouping {
	for {
		g := &grouping{column: choose(q.generator, q.columns), by: map[string]any{}}
		g.sortBy = sortBy{g.column, q.coin(), q.coin()}
		column := orderColumn(q.project, *g.column)
		if g.column.isSet() {
			column = map[string]any{"field": q.project.field(g.column.Name).ID}
		}
		if column == nil || g.column == other || !q.grouped(g) {
			continue
		}
		g.by["column"], g.by["direction"] = column, pick(g.descending, "DESC", "ASC")
		g.by["nulls"] = pick(g.nullsFirst, "FIRST", "LAST")
		return g
	}
}

// grouped sets the ranges of a grouping, and its SQL. It returns false if issues cannot be grouped by the
// column.
func (q *queries) grouped(g *grouping) bool {
	c := g.column
	day := c.Column
	switch c.kind() {
	case "SELECT":
		g.name, g.order = c.Column, c.ordered()
		return true
	case "BOOLEAN":
		g.name, g.order = "CASE "+c.Column+" WHEN 1 THEN 'true' WHEN 0 THEN 'false' END", c.Column
		return true
	case "TAGS", "MULTI_SELECT":
		g.join = fmt.Sprintf(" LEFT JOIN %[1]s ON %[1]s.issue = issue.id", c.Column)
		g.name = c.Column + ".member"
		if g.order = g.name; c.kind() == "MULTI_SELECT" {
			g.order = "CASE " + g.name
			for n, o := range q.project.field(c.Name).Options {
				g.order += fmt.Sprintf(" WHEN '%s' THEN %d", strings.ReplaceAll(o.Name, "'", "''"), n)
			}
			g.order += " END"
		}
		return true
	case "INTEGER":
		width := choose(q.generator, []int{1, 10, 1000})
		g.name = fmt.Sprintf("%[1]s - ((%[1]s %% %[2]d) + %[2]d) %% %[2]d", c.Column, width)
		g.by["width"], g.order = width, g.name
		return true
	case "TEXT", "USER":
		if g.name = c.Column; q.coin() {
			g.name = "substr(" + c.Column + ", 1, 1)"
			g.by["firstLetter"] = true
		}
		g.order = g.name
		return true
	case "DATETIME":
		day = "date(" + c.Column + " / 1000000, 'unixepoch')"
	case "DATE":
	default:
		return false
	}
	period := choose(q.generator, []string{"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"})
	g.by["period"] = period
	g.name = map[string]string{"DAY": day,
		"WEEK":  "date(" + day + ", 'weekday 0', '-6 days')",
		"MONTH": "strftime('%Y-%m-01', " + day + ")", "YEAR": "strftime('%Y-01-01', " + day + ")",
		"QUARTER": fmt.Sprintf("strftime('%%Y-', %[1]s) || substr('01040710', "+
			"(strftime('%%m', %[1]s) - 1) / 3 * 2 + 1, 2) || '-01'", day)}[period]
	if c.kind() == "DATETIME" {
		g.name += " || 'T00:00:00Z'"
	}
	g.order = g.name
	return true
}

// within returns the filter of the issues in the group with a name, without its argument of GraphQL.
func (q *queries) within(g *grouping, name any) term {
	condition, args := "("+g.name+") IS ?", []any{name}
	if g.join != "" {
		condition = fmt.Sprintf("EXISTS (SELECT 1 FROM %[1]s WHERE %[1]s.issue = issue.id AND member = ?)",
			g.column.Column)
		if name == nil {
			condition = fmt.Sprintf("NOT EXISTS (SELECT 1 FROM %[1]s WHERE %[1]s.issue = issue.id)",
				g.column.Column)
			args = nil
		}
	}
	return term{nil, "(" + q.filter.sql + ") AND " + condition, slices.Concat(q.filter.args, args)}
}

// groupsOf returns the names and counts of the first groups.
func (q *queries) groupsOf(t *testing.T, g *grouping) [][]any {
	out := q.sql(t, fmt.Sprintf(
		"SELECT %s, count(DISTINCT issue.id) FROM%s GROUP BY 1 ORDER BY min(%s) %s NULLS %s",
		g.name, g.join, g.order, g.by["direction"], g.by["nulls"]), 2)
	return out[:min(len(out), sqlRows)]
}

// group is a group in a response, and groupMembers what is selected of it.
type group struct {
	Key                 string
	Name                *string
	TotalCount          int
	TotalCountPrecision string
}

const groupMembers = "key name totalCount totalCountPrecision"

// groups compares the groups by a column, with their counts, and what is in one of them.
func (q *queries) groups(t *testing.T) {
	g := q.grouping(nil)
	want := q.groupsOf(t, g)
	var all []group
	incomplete := false
	for cursor := any(nil); len(all) < len(want); {
		var got struct {
			Project struct {
				Groups struct {
					Nodes      []group
					Incomplete bool
					PageInfo   struct {
						HasNextPage bool
						EndCursor   any
					}
				}
			}
		}
		q.api.ask(t, `query($p: ID!, $by: [IssueGroupBy!]!, $where: IssueFilter, $cursor: String) {
			project(id: $p) { groups(first: 50, after: $cursor, where: $where, by: $by) { nodes { `+groupMembers+` }
			incomplete pageInfo { hasNextPage endCursor } } } }`,
			map[string]any{"p": q.project.ID, "by": []any{g.by}, "where": q.where, "cursor": cursor}, &got)
		all = append(all, got.Project.Groups.Nodes...)
		incomplete = incomplete || got.Project.Groups.Incomplete
		if cursor = got.Project.Groups.PageInfo.EndCursor; !got.Project.Groups.PageInfo.HasNextPage {
			break
		}
	}
	description := fmt.Sprintf("groups by %v where %s %v", g.by, q.filter.sql, q.filter.args)
	if g.column.kind() == "TAGS" && incomplete { // tags of issues beyond the budget are missing
		want = slices.DeleteFunc(want, func(row []any) bool {
			return !slices.ContainsFunc(all, func(x group) bool { return g.shows(&x) == nameOf(row[0]) })
		})
	}
	if !q.compareGroups(t, description, g, all[:min(len(all), len(want))], want) || len(want) == 0 {
		return
	}
	n := q.rng.IntN(len(want))
	q.inside(t, g, all[n].Key, want[n][0])
}

// nameOf returns the name of a group in SQL, and shows that of one in a response.
func nameOf(name any) string {
	if name == nil {
		return "none"
	}
	return fmt.Sprint(name)
}

func (g *grouping) shows(x *group) string {
	if x.Name == nil {
		return "none"
	}
	switch g.column.kind() {
	case "TEXT", "USER", "TAGS":
		return folded(*x.Name)
	}
	return *x.Name
}

// compareGroups compares groups with those of SQL, and reports whether there are as many.
func (q *queries) compareGroups(t *testing.T, description string, g *grouping, all []group,
	want [][]any) bool {
	if len(all) != len(want) {
		t.Errorf("%s: %d, want %d", description, len(all), len(want))
		return false
	}
	for i, x := range all {
		is, shown, count := g.shows(&x), nameOf(want[i][0]), int(want[i][1].(int64))
		exact := x.TotalCountPrecision == "EXACT"
		named := is == shown || len(is) > 200 && strings.HasPrefix(shown, is)
		if !named || exact && x.TotalCount != count || x.TotalCount > count {
			t.Errorf("%s, group %d: %q of %d (%s), want %q of %d", description, i, is, x.TotalCount,
				x.TotalCountPrecision, shown, count)
		}
		q.comparedGroups++
		q.exactGroups += pickInt(exact, 1, 0)
	}
	return true
}

// inside compares the first issues of a group in a random order, a summary of it, and its first groups of a
// second level.
func (q *queries) inside(t *testing.T, g *grouping, key string, name any) {
	second, order := q.grouping(g.column), sortBy{choose(q.generator, q.sortable()), q.coin(), q.coin()}
	summarized := q.summarized()
	var got struct {
		Project struct {
			Groups struct {
				Nodes []struct {
					group
					Summary summary
					Issues  struct {
						Nodes      []struct{ Num int }
						Incomplete bool
					}
					Groups struct {
						Nodes      []group
						Incomplete bool
					}
				}
			}
		}
	}
	q.api.ask(t, `query($p: ID!, $by: [IssueGroupBy!]!, $where: IssueFilter, $order: [IssueOrder!], $key: String!,
		$column: IssueColumn!) { project(id: $p) { groups(keys: [$key], where: $where, by: $by, orderBy: $order) {
		nodes { `+groupMembers+` summary(column: $column) { `+summarized.parts()+` }
		issues(first: 20) { nodes { num } incomplete } groups(first: 20) { nodes { `+groupMembers+` } incomplete }
		} } } }`,
		map[string]any{"p": q.project.ID, "by": []any{g.by, second.by}, "where": q.where, "key": key,
			"order":  order.orderBy(q.project),
			"column": orderColumn(q.project, *summarized.column)}, &got)
	outer, x := q.filter, got.Project.Groups.Nodes[0]
	q.filter = q.within(g, name)
	defer func() { q.filter = outer }()
	description := fmt.Sprintf("in the group %v by %v where %s %v", name, g.by, outer.sql, outer.args)
	want := q.numbers(t, order.String()+" LIMIT 20")
	if x.Issues.Incomplete {
		want = want[:min(len(want), len(x.Issues.Nodes))]
	}
	var is []int
	for _, i := range x.Issues.Nodes {
		is = append(is, i.Num)
	}
	if q.comparedRows += len(want); !slices.Equal(is, want) {
		t.Errorf("%s: the first issues by %s are %v, want %v", description, order, is, want)
	}
	q.compareSummary(t, description, summarized, &x.Summary)
	groups := q.groupsOf(t, second)
	groups = groups[:min(len(groups), 20)]
	if x.Groups.Incomplete {
		if second.column.kind() == "TAGS" {
			return
		}
		groups = groups[:min(len(groups), len(x.Groups.Nodes))]
	}
	q.compareGroups(t, fmt.Sprintf("%s, groups by %v", description, second.by), second, x.Groups.Nodes,
		groups)
}

// summarized is a column that is summarized.
type summarized struct{ *column }

func (c summarized) numeric() bool { return c.kind() == "INTEGER" || c.kind() == "NUMBER" }

// parts returns what is selected of a summary.
func (c summarized) parts() string {
	if c.numeric() {
		return "filled empty distinct precision sum average median min max"
	}
	return "filled empty distinct precision"
}

// summarized draws a column, half of the time one of numbers.
func (q *queries) summarized() summarized {
	for numbers := q.coin(); ; {
		c := summarized{choose(q.generator, q.columns)}
		if orderColumn(q.project, *c.column) != nil && c.To != "num" && (c.numeric() || !numbers) {
			return c
		}
	}
}

// summary is a summary in a response.
type summary struct {
	Filled, Empty, Distinct *int
	Precision               string
	Sum, Average, Median    *float64
	Min, Max                *string
}

// summary compares the summary of a column.
func (q *queries) summary(t *testing.T) {
	c := q.summarized()
	var got struct {
		Project struct{ Issues struct{ Summary summary } }
	}
	q.api.ask(t, `query($p: ID!, $column: IssueColumn!, $where: IssueFilter) { project(id: $p) {
		issues(first: 0, where: $where) { summary(column: $column) { `+c.parts()+` } } } }`,
		map[string]any{"p": q.project.ID, "column": orderColumn(q.project, *c.column), "where": q.where},
		&got)
	q.compareSummary(t, fmt.Sprintf("where %s %v", q.filter.sql, q.filter.args), c,
		&got.Project.Issues.Summary)
}

func (q *queries) compareSummary(t *testing.T, description string, c summarized, s *summary) {
	row := q.sql(t, fmt.Sprintf("SELECT count(%[1]s), count(*) - count(%[1]s), count(DISTINCT %[1]s) FROM",
		c.Column), 3)[0]
	exact := s.Precision == "EXACT"
	q.comparedSummaries++
	q.exactSummaries += pickInt(exact, 1, 0)
	description = "summary of " + c.Column + " " + description
	for i, n := range []*int{s.Filled, s.Empty, s.Distinct} {
		if want := int(row[i].(int64)); exact && *n != want || *n > want {
			t.Errorf("%s: part %d is %d (%s), want %d", description, i, *n, s.Precision, want)
		}
	}
	if !c.numeric() || s.Sum == nil {
		if c.numeric() && exact {
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
