//go:build realdata

package e2e

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"issuegrid/dynamo/dynamotest"
)

// sqlRows is the maximum number of rows or groups compared for each query.
const sqlRows = 250

// sqlQueries returns the number of queries. The only project of a run gets fewer. So does another engine,
// because it takes longer, and because each of their requests to it has the form of one in the other tests.
func sqlQueries(projects int) int {
	if !dynamotest.Embedded() {
		return 60
	}
	return pickInt(projects == 1, 60, 240)
}

// checkQueries compares random queries with SQL: orders by several columns, groups, groups of groups, and
// summaries, without and with random filters. It uses the project AC, or the only project.
func checkQueries(t *testing.T, a *api, rows *rowsDB, file *table, projects map[string]*project) {
	number := sqlQueries(len(projects))
	key := middleProject(file)
	g := newGenerator(t, rows, file, projects[key], 18)
	q := &queries{generator: g, api: a, rows: rows, key: key, groupedBy: map[string]int{},
		summarizedOf: map[string]int{}}
	for n := range number {
		q.filter = term{map[string]any{}, "TRUE", nil}
		if n%8 >= 4 {
			q.filter = g.filter(g.rng.IntN(3))
		}
		var err error
		q.where, err = withIDs(g.project, q.filter.where)
		must(t, err)
		switch n % 4 {
		case 0:
			q.order(t)
		case 1:
			q.groups(t)
		case 2:
			q.summary(t)
		case 3:
			q.levels(t)
		}
	}
	t.Logf("%d queries of %s: %d rows, %d groups with %d exact counts, of groups of %v; %d groups of which "+
		"the groups were added up; %d summaries of which %d are exact, of %v", number, key, q.comparedRows,
		q.comparedGroups, q.exactGroups, q.groupedBy, q.added, q.comparedSummaries, q.exactSummaries,
		q.summarizedOf)
	missing := q.groupedBy["NUMBER"] == 0 || q.groupedBy["NUMBER of a width"] == 0 || q.added < number/8 ||
		q.summarizedOf["BOOLEAN"] == 0 || q.summarizedOf["DATE"]+q.summarizedOf["DATETIME"] == 0
	if missing && dynamotest.Embedded() {
		t.Error("too few groups or summaries of a kind")
	}
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
	added                                                                        int
	groupedBy, summarizedOf                                                      map[string]int // by types
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

// ofKind draws a column, of each type as often.
func (q *queries) ofKind() *column {
	var kinds []string
	for _, c := range q.columns {
		kinds = append(kinds, c.kind())
	}
	slices.Sort(kinds)
	kind := choose(q.generator, slices.Compact(kinds))
	return choose(q.generator, slices.DeleteFunc(slices.Clone(q.columns), func(c *column) bool {
		return c.kind() != kind
	}))
}

// grouping draws a grouping by a column that is not the other one.
func (q *queries) grouping(other *column) *grouping {
	for {
		g := &grouping{column: q.ofKind(), by: map[string]any{}}
		g.sortBy = sortBy{g.column, q.coin(), q.coin()}
		column := orderColumn(q.project, *g.column)
		if g.column.isSet() {
			column = map[string]any{"fieldId": q.project.field(g.column.Name).ID}
		}
		if column == nil || g.column == other || !q.grouped(g) {
			continue
		}
		g.by["column"], g.by["direction"] = column, pick(g.descending, "DESC", "ASC")
		g.by["nulls"] = pick(g.nullsFirst, "FIRST", "LAST")
		q.groupedBy[g.column.kind()+pick(g.by["width"] != nil, " of a width", "")]++
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
		width := choose(q.generator, []int{0, 1, 10, 1000})
		if g.name = c.Column; width == 0 && c.To == "num" {
			return false
		} else if width > 0 {
			g.name = multiple(c.Column, width)
			g.by["width"] = width
		}
		g.order = g.name
		return true
	case "NUMBER":
		g.name = c.Column
		if width := choose(q.generator, []int{0, 100, 500, 2500, 30_000}); width > 0 { // thousandths
			g.name = "(" + multiple("CAST(round("+c.Column+" * 1000) AS INTEGER)", width) + ") / 1000.0"
			g.by["width"] = float64(width) / 1000
		}
		g.order = g.name
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

// multiple returns the SQL expression of the greatest multiple of a width that is at most an integer.
func multiple(of string, width int) string {
	return fmt.Sprintf("%[1]s - ((%[1]s %% %[2]d) + %[2]d) %% %[2]d", of, width)
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
	case "NUMBER":
		n, err := strconv.ParseFloat(*x.Name, 64)
		if err != nil {
			return err.Error()
		}
		return nameOf(n)
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

// The numbers of groups that are compared in each level of two.
const firstGroups, groupsInside = 10, 25

// levels compares the first groups by a column with the first groups of each by another column. If these are
// all, and each issue is in one of them, their counts add up to that of the group.
func (q *queries) levels(t *testing.T) {
	g := q.grouping(nil)
	second := q.grouping(g.column)
	want := q.groupsOf(t, g)
	want = want[:min(len(want), firstGroups)]
	inside := map[string][][]any{}
	for _, row := range q.sql(t, fmt.Sprintf("SELECT %s, %s, count(DISTINCT issue.id) FROM%s%s "+
		"GROUP BY 1, 2 ORDER BY min(%s) %s NULLS %s", g.name, second.name, g.join, second.join, second.order,
		second.by["direction"], second.by["nulls"]), 3) {
		name := nameOf(row[0])
		inside[name] = append(inside[name], row[1:])
	}
	var got struct {
		Project struct {
			Groups struct {
				Nodes []struct {
					group
					Groups struct {
						Nodes      []group
						Incomplete bool
						PageInfo   struct{ HasNextPage bool }
					}
				}
				Incomplete bool
			}
		}
	}
	q.api.ask(t, `query($p: ID!, $by: [IssueGroupBy!]!, $where: IssueFilter, $n: Int!, $m: Int!) { project(id: $p) {
		groups(first: $n, where: $where, by: $by) { nodes { `+groupMembers+`
		groups(first: $m) { nodes { `+groupMembers+` } incomplete pageInfo { hasNextPage } } } incomplete } } }`,
		map[string]any{"p": q.project.ID, "by": []any{g.by, second.by}, "where": q.where, "n": firstGroups,
			"m": groupsInside}, &got)
	description := fmt.Sprintf("groups by %v and %v where %s %v", g.by, second.by, q.filter.sql,
		q.filter.args)
	var all []group
	for _, x := range got.Project.Groups.Nodes {
		all = append(all, x.group)
	}
	if got.Project.Groups.Incomplete {
		is := func(x *group, row []any) bool { return g.shows(x) == nameOf(row[0]) }
		if g.column.kind() == "TAGS" { // tags of issues beyond the budget are missing
			want = slices.DeleteFunc(want, func(row []any) bool {
				return !slices.ContainsFunc(all, func(x group) bool { return is(&x, row) })
			})
			all = slices.DeleteFunc(all, func(x group) bool {
				return !slices.ContainsFunc(want, func(row []any) bool { return is(&x, row) })
			})
		}
		want = want[:min(len(want), len(all))]
	}
	if !q.compareGroups(t, description, g, all, want) {
		return
	}
	for _, x := range got.Project.Groups.Nodes {
		n := slices.IndexFunc(all, func(o group) bool { return o.Key == x.Key })
		if n < 0 {
			continue
		}
		groups := inside[nameOf(want[n][0])]
		more := len(groups) > groupsInside
		groups = groups[:min(len(groups), groupsInside)]
		if x.Groups.Incomplete {
			if second.column.kind() == "TAGS" {
				continue
			}
			groups = groups[:min(len(groups), len(x.Groups.Nodes))]
		}
		at := fmt.Sprintf("%s, in %v", description, want[n][0])
		if !q.compareGroups(t, at, second, x.Groups.Nodes, groups) || x.Groups.Incomplete {
			continue
		}
		if more != x.Groups.PageInfo.HasNextPage {
			t.Errorf("%s: there are more groups: %t, want %t", at, x.Groups.PageInfo.HasNextPage, more)
		}
		q.addUp(t, at, second, &x.group, x.Groups.Nodes, more)
	}
}

// addUp checks that the counts of the groups of a group add up to its own.
func (q *queries) addUp(t *testing.T, description string, second *grouping, outer *group, inside []group,
	more bool) {
	if more || second.column.isSet() || outer.TotalCountPrecision != "EXACT" {
		return
	}
	sum := 0
	for _, x := range inside {
		if x.TotalCountPrecision != "EXACT" {
			return
		}
		sum += x.TotalCount
	}
	if sum != outer.TotalCount {
		t.Errorf("%s: the groups have %d issues, want %d", description, sum, outer.TotalCount)
	}
	q.added++
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

// numeric reports whether the values can be added.
func (c summarized) numeric() bool {
	return (c.kind() == "INTEGER" || c.kind() == "NUMBER") && c.To != "num"
}

// bounded reports whether a summary has the least and the greatest value.
func (c summarized) bounded() bool {
	return slices.Contains([]string{"INTEGER", "NUMBER", "DATE", "DATETIME"}, c.kind())
}

// parts returns what is selected of a summary.
func (c summarized) parts() string {
	return "filled empty distinct precision" + pick(c.numeric(), " sum average median", "") +
		pick(c.bounded(), " min max", "") + pick(c.kind() == "BOOLEAN", " checked percentChecked", "")
}

// summarized draws a column of numbers, dates and times, Booleans, or any.
func (q *queries) summarized() summarized {
	for kind := q.rng.IntN(4); ; {
		c := summarized{q.ofKind()}
		fits := []bool{c.numeric(), c.bounded() && !c.numeric(), c.kind() == "BOOLEAN", true}[kind]
		if orderColumn(q.project, *c.column) != nil && fits {
			return c
		}
	}
}

// summary is a summary in a response.
type summary struct {
	Filled, Empty, Distinct, Checked     *int
	Precision                            string
	Sum, Average, Median, PercentChecked *float64
	Min, Max                             *string
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
	q.summarizedOf[c.kind()]++
	near := func(name string, got *float64, want float64) {
		if got == nil || math.Abs(*got-want) > 1e-9*max(1, math.Abs(want)) {
			t.Errorf("%s: %s is %v, want %v", description, name, show(got), want)
		}
	}
	if c.bounded() {
		q.compareBounds(t, description, c, s, exact)
	}
	if c.kind() == "BOOLEAN" {
		row := q.sql(t, fmt.Sprintf("SELECT count(CASE %s WHEN 1 THEN 1 END), count(*) FROM", c.Column), 2)[0]
		checked, all := int(row[0].(int64)), int(row[1].(int64))
		if exact && *s.Checked != checked || *s.Checked > checked {
			t.Errorf("%s: %d are checked (%s), want %d", description, *s.Checked, s.Precision, checked)
		}
		switch {
		case s.PercentChecked != nil && all > 0:
			near("the percentage", s.PercentChecked, 100*float64(checked)/float64(all))
		case s.PercentChecked != nil || exact && all > 0:
			t.Errorf("%s: the percentage of %d issues is %v", description, all, show(s.PercentChecked))
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
	near("the sum", s.Sum, sum)
	if n := len(numbers); n > 0 {
		near("the average", s.Average, sum/float64(n))
		near("the median", s.Median, (numbers[(n-1)/2]+numbers[n/2])/2)
	}
}

// compareBounds compares the least and the greatest value of a summary.
func (q *queries) compareBounds(t *testing.T, description string, c summarized, s *summary, exact bool) {
	row := q.sql(t, fmt.Sprintf("SELECT min(%[1]s), max(%[1]s) FROM", c.Column), 2)[0]
	for i, bound := range []*string{s.Min, s.Max} {
		var is any
		switch {
		case bound == nil && (exact || row[i] == nil):
		case bound == nil:
			continue // not known
		default:
			is = c.sqlValue(t, *bound)
		}
		if is != row[i] {
			t.Errorf("%s: bound %d is %v (%s), want %v", description, i, is, s.Precision, row[i])
		}
	}
}

// show returns what a pointer points to, or nil.
func show[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
