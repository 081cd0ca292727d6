package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// BenchmarkMillion compares the costs of a project of 1,000,000 issues with those of one of 1,000: calls,
// keys and documents, capacity units, and latency. It fails if calls or units of an operation are more than
// 1.2 times, or its latency more than 1.3 times, those of the small project, unless its law says how they
// grow.
//
// It needs BENCH_MILLION, a directory for the data, which the first run builds: that takes an hour or more,
// and 16 GB.
func BenchmarkMillion(b *testing.B) {
	data := os.Getenv("BENCH_MILLION")
	if data == "" {
		b.Skip("BENCH_MILLION names no directory")
	}
	if _, err := os.Stat(data); err != nil {
		buildMillion(b, data, "SMALL", 1000)
		buildMillion(b, data, "LARGE", 1_000_000)
	}
	// Data that is not in memory yet is read from the disk, which can take longer than the usual timeout.
	s := serve(b, "--data", data, "--tenant-rcu", "0", "--tenant-wcu", "0", "--timeout", "5m")
	small, large := s.millionProject(b, "SMALL"), s.millionProject(b, "LARGE")
	if small.issues < 1000 || large.issues < 1_000_000 {
		b.Fatalf("%d and %d issues; remove %s, which was not built completely", small.issues, large.issues,
			data)
	}
	lines := []string{"| operation | rows | calls | keys and documents | RCU | WCU | latency | |",
		"|---|---|---|---|---|---|---|---|"}
	for _, o := range millionOperations() {
		lines = append(lines, o.compare(b, small, large))
	}
	b.Log("\n" + strings.Join(lines, "\n"))
}

// millionProject is a project of BenchmarkMillion.
type millionProject struct {
	s      *server
	id     string
	issues int
	fields map[string]string // ids by name
}

// answered is the response of an operation of BenchmarkMillion.
type answered struct {
	Data struct {
		Project struct {
			CursorAt *string
			Issues   struct {
				Nodes      []struct{ ID string }
				TotalCount *int
				PageInfo   struct{ EndCursor *string }
			}
		}
		CreateIssue struct{ Issue struct{ ID string } }
	}
	Errors     []struct{ Message string }
	Extensions struct {
		Cost struct {
			Calls    map[string]int
			Items    int
			RCU, WCU float64
		}
	}
}

// ask sends an operation. It fails the benchmark if the response has errors.
func (s *server) ask(b *testing.B, query string, variables map[string]any, out any) {
	b.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	check(b, err)
	request, err := http.NewRequest(http.MethodPost, s.url+"/graphql", bytes.NewReader(body))
	check(b, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Show-Cost", "1")
	response, err := s.client.Do(request)
	check(b, err)
	defer response.Body.Close()
	check(b, json.NewDecoder(response.Body).Decode(out))
}

// millionProject returns the project with the given key.
func (s *server) millionProject(b *testing.B, key string) *millionProject {
	b.Helper()
	var got struct {
		Data struct {
			Tenants struct {
				Nodes []struct {
					Name     string
					Projects struct {
						Nodes []struct {
							ID, Key string
							Issues  struct{ Nodes []struct{ Num int } }
							Fields  []struct{ ID, Name string }
						}
					}
				}
			}
		}
	}
	s.ask(b, `{ tenants(first: 10) { nodes { name projects(first: 10) { nodes { id key
		fields { id name } issues(last: 1) { nodes { num } } } } } } }`, nil, &got)
	p := &millionProject{s: s, fields: map[string]string{}}
	for _, t := range got.Data.Tenants.Nodes {
		for _, found := range t.Projects.Nodes {
			if t.Name != "Bench" || found.Key != key {
				continue
			}
			p.id, p.issues = found.ID, found.Issues.Nodes[0].Num
			for _, f := range found.Fields {
				p.fields[f.Name] = f.ID
			}
		}
	}
	if p.id == "" {
		b.Fatalf("there is no project %s", key)
	}
	return p
}

// times is how often the latency of an operation is measured.
const times = 15

// millionOperation is an operation of BenchmarkMillion. law says how its cost grows, if it does.
type millionOperation struct {
	name, law string
	// prepare returns the operation on a project; it is not measured.
	prepare func(b *testing.B, p *millionProject) asked
}

// asked is a GraphQL operation.
type asked struct {
	query     string
	variables map[string]any
}

// compare measures an operation on both projects in turn, and returns a line of the table.
func (o *millionOperation) compare(b *testing.B, small, large *millionProject) string {
	b.Helper()
	var last [2]answered
	var rows [2]int
	var latencies [2][]time.Duration
	for n := range times + 1 {
		for i, p := range []*millionProject{small, large} {
			a := o.prepare(b, p)
			var got answered
			start := time.Now()
			p.s.ask(b, a.query, a.variables, &got)
			if len(got.Errors) > 0 {
				b.Fatalf("%s: %s", o.name, got.Errors[0].Message)
			}
			if n > 0 { // the first response may include probes, which are then remembered
				latencies[i] = append(latencies[i], time.Since(start))
			}
			last[i], rows[i] = got, len(got.Data.Project.Issues.Nodes)
		}
	}
	calls := func(i int) (sum int) {
		for _, n := range last[i].Extensions.Cost.Calls {
			sum += n
		}
		return sum
	}
	latency := float64(median(latencies[1])) / float64(median(latencies[0]))
	c := [2]float64{last[0].Extensions.Cost.RCU, last[1].Extensions.Cost.RCU}
	w := [2]float64{last[0].Extensions.Cost.WCU, last[1].Extensions.Cost.WCU}
	grows := float64(calls(1)) > 1.2*float64(calls(0)) || c[1] > 1.2*c[0] || w[1] > 1.2*w[0] || latency > 1.3
	if grows && o.law == "" {
		b.Errorf("%s grows: %d and %d calls, %g and %g RCU, %g and %g WCU, latency %.2f x", o.name, calls(0),
			calls(1), c[0], c[1], w[0], w[1], latency)
	}
	law := ""
	if grows {
		law = o.law
	}
	return fmt.Sprintf("| %s | %d, %d | %d, %d | %d, %d | %g, %g | %g, %g | %.2f x | %s |", o.name, rows[0],
		rows[1], calls(0), calls(1), last[0].Extensions.Cost.Items, last[1].Extensions.Cost.Items, c[0], c[1],
		w[0], w[1], latency, law)
}

// named replaces the names of fields, such as $Vessel, by their ids.
func (p *millionProject) named(text string) string {
	for name, id := range p.fields {
		text = strings.ReplaceAll(text, "$"+name, id)
	}
	return text
}

// rowsQuery returns a query of a page with the cells that a grid shows.
func (p *millionProject) rowsQuery(arguments string) string {
	arguments = p.named(arguments)
	declared := ""
	if strings.Contains(arguments, "$after") {
		declared = "query ($after: String)"
	}
	return fmt.Sprintf(`%s { project(id: %q) { issues(%s) {
		nodes { id num name value(fieldId: %q) { display } } pageInfo { hasNextPage endCursor } } } }`, declared, p.id, arguments,
		p.fields["Hours"])
}

// millionOperations returns what BenchmarkMillion compares.
func millionOperations() []millionOperation {
	var out []millionOperation
	page := func(name, arguments, law string) {
		out = append(out, millionOperation{name, law, func(_ *testing.B, p *millionProject) asked {
			return asked{p.rowsQuery(arguments), nil}
		}})
	}
	const byHours = `, orderBy: [{column: {fieldId: "$Hours"}}]`
	page("first page, by number", "first: 100", "")
	page("first page, by a column", "first: 100"+byHours, "")
	page("last page, by number", "last: 100", "")
	page("last page, by a column", "last: 100"+byHours, "")
	for _, by := range []struct{ name, order, field, at string }{
		{"by number", "", "cursorAtIssue", "num: %d"},
		{"by a column", byHours, "cursorAt", "value: {integer: 2500}"},
	} {
		cursors := map[*millionProject]string{}
		out = append(out, millionOperation{"middle page, " + by.name, "",
			func(b *testing.B, p *millionProject) asked {
				if cursors[p] == "" {
					cursors[p] = p.cursorAt(b, by.order, by.field, by.at)
				}
				query := p.rowsQuery("first: 100, after: $after" + by.order)
				return asked{query, map[string]any{"after": cursors[p]}}
			}})
		out = append(out, millionOperation{"jump " + by.name, "",
			func(_ *testing.B, p *millionProject) asked {
				return asked{p.jump(by.order, by.field, by.at), nil}
			}})
	}
	for _, c := range []struct{ share, name string }{
		{"0.1", "Inspected"}, {"30", "Risk"}, {"95", "Cost"}, {"100", "Hours"},
	} {
		for _, nulls := range []string{"FIRST", "LAST"} {
			law := ""
			if c.share == "0.1" {
				law = "the small project has 1 value"
			}
			page(fmt.Sprintf("%s %% filled, nulls %s", c.share, nulls),
				fmt.Sprintf(`first: 100, orderBy: [{column: {fieldId: "$%s"}, nulls: %s}]`, c.name, nulls), law)
		}
	}
	// Of a small project, all keys that match a condition are collected.
	const walked = "rows are read until 100 match"
	const onlyKeys = "keys are read until the work budget"
	const bySerial = `, orderBy: [{column: {fieldId: "$Serial"}}]`
	page("by a state, an option and a column", `first: 100, orderBy: [{column: {builtin: STATE}},
		{column: {fieldId: "$Priority"}}, {column: {fieldId: "$Hours"}}]`, walked)
	for _, f := range []struct{ name, where, order, law string }{
		{"a state of 50 %, by number", `state: {eq: "Open"}`, "", ""},
		{"a state of 50 %, by a column", `state: {eq: "Open"}`, bySerial, walked},
		{"an option of 19 %, by number", `fields: [{fieldId: "$Priority", option: {eq: "P1"}}]`, "", ""},
		{"an option of 19 %, by a column", `fields: [{fieldId: "$Priority", option: {eq: "P1"}}]`, bySerial,
			walked},
		{"no value, 95 % filled, by number", `fields: [{fieldId: "$Cost", isNull: true}]`, "",
			"the small project has 48 rows"},
		{"a value, 95 % filled, by number", `fields: [{fieldId: "$Cost", isNull: false}]`, "", ""},
		{"not a value, by number", `fields: [{fieldId: "$Hours", integer: {neq: 7}}]`, "", ""},
		{"a range of 20 %, by number", `fields: [{fieldId: "$Hours", integer: {lt: 1000}}]`, "", walked},
		{"a text of 10 %, by a column", `fields: [{fieldId: "$Vessel", text: {eq: "Vessel 7"}}]`, bySerial,
			walked},
		{"a name contains, 50 %, by number", `name: {contains: "bow"}`, "", walked},
		{"a name contains, 11 rows of 1,000, by number", `name: {contains: "hinge 77"}`, "", onlyKeys},
		{"two conditions, 10 %, by number",
			`state: {eq: "Open"}, fields: [{fieldId: "$Priority", option: {eq: "P1"}}]`, "", walked},
	} {
		page(f.name, "first: 100, where: {"+f.where+"}"+f.order, f.law)
	}
	count := func(name, where, law string) {
		out = append(out, millionOperation{name, law, func(_ *testing.B, p *millionProject) asked {
			return asked{fmt.Sprintf(`{ project(id: %q) { issues(first: 0%s) { totalCount } } }`, p.id,
				p.named(where)), nil}
		}})
	}
	const perKey = "at most 125 Queries; then it can continue"
	count("count", "", perKey)
	count("count of a state", `, where: {state: {eq: "Open"}}`, perKey)
	count("count of an option", `, where: {fields: [{fieldId: "$Priority", option: {eq: "P1"}}]}`, perKey)
	read := func(name, fields, law string) {
		out = append(out, millionOperation{name, law, func(_ *testing.B, p *millionProject) asked {
			return asked{fmt.Sprintf(`{ project(id: %q) { %s } }`, p.id, p.named(fields)), nil}
		}})
	}
	const board = `groups(by: [{column: {builtin: STATE}}]) { nodes { name issues(first: 20) { nodes { num } } } }`
	read("groups by state with 20 issues each", board, "")
	read("groups by state with counts",
		`groups(by: [{column: {builtin: STATE}}]) { nodes { name totalCount } }`,
		"at most 125 Queries for each count; then it is a lower bound")
	read("groups by 20 different values",
		`groups(first: 20, by: [{column: {fieldId: "$Hours"}}]) { nodes { name } }`,
		"one Query finds values of a few issues each, or one of many issues")
	read("groups with a prefix",
		`groups(first: 20, by: [{column: {fieldId: "$Vessel"}}], prefix: "vessel 1") { nodes { name } }`, "")
	read("sum and median", `issues(first: 0) { summary(column: {fieldId: "$Hours"}) { sum median precision } }`,
		"keys are read until the work budget; then neither is known")
	read("min and max", `issues(first: 0) { summary(column: {fieldId: "$Hours"}) { min max } }`, "")
	page("three columns", `first: 100, orderBy: [{column: {builtin: STATE}}, {column: {fieldId: "$Priority"}},
		{column: {fieldId: "$Hours"}, direction: DESC}]`,
		"the keys with the first values of the other columns are read and sorted")
	change := func(name, mutation string, variables func(b *testing.B, p *millionProject) map[string]any) {
		out = append(out, millionOperation{name, "", func(b *testing.B, p *millionProject) asked {
			return asked{mutation, variables(b, p)}
		}})
	}
	change("create", `mutation ($p: ID!, $v: [CustomValueInput!]!) {
		createIssue(input: {projectId: $p, issue: {name: "New", values: $v}}) { issue { id } } }`,
		func(_ *testing.B, p *millionProject) map[string]any {
			return map[string]any{"p": p.id, "v": p.newValues()}
		})
	change("update", `mutation ($i: ID!, $f: ID!, $v: Int64!) {
		updateIssue(input: {issue: {id: $i, values: [{fieldId: $f, value: {integer: $v}}]}}) { issue { id } } }`,
		func(b *testing.B, p *millionProject) map[string]any {
			return map[string]any{"i": p.lastIssue(b), "f": p.fields["Hours"],
				"v": time.Now().UnixMilli() % 5000}
		})
	change("delete", `mutation ($i: ID!) { deleteIssue(input: {issue: {id: $i}}) { deletedIssueId } }`,
		func(b *testing.B, p *millionProject) map[string]any { return map[string]any{"i": p.lastIssue(b)} })
	return out
}

func (p *millionProject) newValues() []any {
	return []any{
		map[string]any{"fieldId": p.fields["Vessel"], "value": map[string]any{"text": "Vessel 3"}},
		map[string]any{"fieldId": p.fields["Hours"], "value": map[string]any{"integer": 12}},
		map[string]any{"fieldId": p.fields["Cost"], "value": map[string]any{"number": 1.5}},
		map[string]any{"fieldId": p.fields["Safety"], "value": map[string]any{"boolean": true}},
		map[string]any{"fieldId": p.fields["Serial"], "value": map[string]any{"text": "SN-1"}},
	}
}

// jump returns a query of the cursor of a position: at is the argument of the field, in which %d stands for
// the number in the middle.
func (p *millionProject) jump(order, field, at string) string {
	if strings.Contains(at, "%d") {
		at = fmt.Sprintf(at, p.issues/2)
	}
	return p.named(fmt.Sprintf(`{ project(id: %q) { cursorAt: %s(%s%s) } }`, p.id, field, at, order))
}

func (p *millionProject) cursorAt(b *testing.B, order, field, at string) string {
	b.Helper()
	var got answered
	p.s.ask(b, p.jump(order, field, at), nil, &got)
	if got.Data.Project.CursorAt == nil {
		b.Fatalf("no cursor at %s: %v", at, got.Errors)
	}
	return *got.Data.Project.CursorAt
}

// lastIssue returns the id of the issue with the highest number.
func (p *millionProject) lastIssue(b *testing.B) string {
	b.Helper()
	var got answered
	p.s.ask(b, p.rowsQuery("last: 1"), nil, &got)
	return got.Data.Project.Issues.Nodes[0].ID
}
