package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph/model"
)

// crowd has the issues of one project of a crew, each with random participants.
type crowd struct {
	*crew
	random *rand.Rand
	all    []string // the ids of the users and the teams
	issues []crowdIssue
}

type crowdIssue struct {
	num                 int
	open                bool
	assignees, watchers []string
}

func newCrowd(t testing.TB, issues int) *crowd {
	t.Helper()
	c := &crowd{crew: newCrew(t, newServer(t), 2, 3, 2), random: rand.New(rand.NewPCG(5, 0))}
	c.all = slices.Concat(c.users, c.teams)
	for n := range issues {
		i := crowdIssue{open: c.random.IntN(3) > 0, assignees: c.some(), watchers: c.some()}
		state := 0
		if !i.open {
			state = 1
		}
		for _, w := range c.worlds { // that of the other project must not be found
			i.num = w.createOf(t, inputOf("name", fmt.Sprint("issue ", n), "stateId", w.states[state],
				"assigneeIds", i.assignees, "watcherIds", i.watchers)).Num
		}
		c.issues = append(c.issues, i)
	}
	return c
}

// some returns some of the users and teams.
func (c *crowd) some() []string {
	out := []string{}
	for _, id := range c.all {
		if c.random.IntN(4) == 0 {
			out = append(out, id)
		}
	}
	return out
}

// condition draws a condition on the participants in a role, as the caller with a number, and what it means.
func (c *crowd) condition(caller int) (where string, matches func(crowdIssue) bool) {
	role := []string{"assignees", "watchers"}[c.random.IntN(2)]
	of := func(i crowdIssue) []string {
		if role == "assignees" {
			return i.assignees
		}
		return i.watchers
	}
	ids, yes := c.some(), c.random.IntN(2) == 0
	has := func(i crowdIssue) func(string) bool {
		return func(id string) bool { return slices.Contains(of(i), id) }
	}
	var operator string
	switch c.random.IntN(5) {
	case 0:
		operator, matches = "hasAnyIds", func(i crowdIssue) bool { return slices.ContainsFunc(ids, has(i)) }
	case 1:
		operator, matches = "hasAllIds", func(i crowdIssue) bool {
			return !slices.ContainsFunc(ids, func(id string) bool { return !has(i)(id) })
		}
	case 2:
		operator, matches = "hasNoneIds", func(i crowdIssue) bool { return !slices.ContainsFunc(ids, has(i)) }
	case 3:
		return fmt.Sprintf("{%s: {hasMe: %t}}", role, yes), func(i crowdIssue) bool {
			return has(i)(c.users[caller]) == yes
		}
	case 4:
		return fmt.Sprintf("{%s: {isNull: %t}}", role, yes), func(i crowdIssue) bool {
			return (len(of(i)) == 0) == yes
		}
	}
	quoted := make([]string, len(ids))
	for n, id := range ids {
		quoted[n] = fmt.Sprintf("%q", id)
	}
	return fmt.Sprintf("{%s: {%s: [%s]}}", role, operator, strings.Join(quoted, ", ")), matches
}

// filter draws a filter with one to three conditions.
func (c *crowd) filter(caller int) (string, func(crowdIssue) bool) {
	where, matches := c.condition(caller)
	switch c.random.IntN(5) {
	case 0:
		return "{not: " + where + "}", func(i crowdIssue) bool { return !matches(i) }
	case 1:
		other, also := c.filter(caller)
		return fmt.Sprintf("{and: [%s, %s]}", where, other), func(i crowdIssue) bool {
			return matches(i) && also(i)
		}
	case 2:
		other, or := c.filter(caller)
		return fmt.Sprintf("{or: [%s, %s]}", where, other), func(i crowdIssue) bool {
			return matches(i) || or(i)
		}
	case 3:
		open := c.random.IntN(2) == 0
		return fmt.Sprintf("{open: %t, and: [%s]}", open, where), func(i crowdIssue) bool {
			return i.open == open && matches(i)
		}
	}
	return where, matches
}

// TestFilterParticipants compares grids and counts that are filtered by assignees and watchers with those in
// memory, in projects with any number of shards, while the states and the participants of issues change.
func TestFilterParticipants(t *testing.T) {
	for _, name := range []string{"a", "b", "c"} { // which decide the numbers of shards
		t.Run(name, func(t *testing.T) {
			c := newCrowd(t, 40)
			for n := range 40 {
				if n%10 == 9 {
					c.change(t)
				}
				caller := c.random.IntN(len(c.as))
				where, matches := c.filter(caller)
				var want []int
				for _, i := range c.issues {
					if matches(i) {
						want = append(want, i.num)
					}
				}
				total := 0
				rows := walkPages(t, 4+c.random.IntN(40), func(paging string) connection[struct{ Num int }] {
					got := get[struct {
						Nodes      []struct{ Num int }
						PageInfo   pageInfo
						TotalCount int
					}](t, c.as[caller], "project.issues", fmt.Sprintf(`{ project(id: %q) { issues(%s, where: %s) {
						nodes { num } totalCount %s } } }`, c.project, paging, where, flags), nil)
					total = got.TotalCount
					return connection[struct{ Num int }]{Nodes: got.Nodes, PageInfo: got.PageInfo}
				})
				got := make([]int, len(rows))
				for k, r := range rows {
					got[k] = r.Num
				}
				if !slices.Equal(got, want) || total != len(want) {
					t.Fatalf("%s: %v, counted %d; want %v", where, got, total, want)
				}
			}
		})
	}
}

// change moves an issue to the other state and changes its assignees.
func (c *crowd) change(t testing.TB) {
	n := c.random.IntN(len(c.issues))
	i := &c.issues[n]
	id := get[string](t, c.server, "project.issueByNum.id", fmt.Sprintf(
		`{ project(id: %q) { issueByNum(num: %d) { id } } }`, c.project, i.num), nil)
	i.open = !i.open
	state := 0
	if !i.open {
		state = 1
	}
	next := c.some()
	c.update(t, inputOf("issue", inputOf("id", id, "stateId", c.states[state], "assignees",
		inputOf("removeIds", i.assignees, "addIds", next))))
	i.assignees = next
}

// TestFilterOtherParticipants filters by ids that are not those of users and teams, which are errors, and by
// those of users and teams that do not exist or are of another tenant, which no issue has.
func TestFilterOtherParticipants(t *testing.T) {
	c := newCrowd(t, 6)
	other := &world{server: c.server, tenant: c.newTenant(t, "Other")}
	for _, id := range []string{c.project, c.states[0], "x", ""} {
		for member, list := range map[string]string{"assignees": "hasAnyIds", "watchers": "hasNoneIds"} {
			a := c.as[0].ask(t, fmt.Sprintf(`{ project(id: %q) { issues(where: {%s: {%s: [%q, %q]}}) {
				nodes { num } } } }`, c.project, member, list, c.users[0], id), nil)
			argument := fmt.Sprintf("where.%s.%s[1]", member, list)
			if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != "BAD_USER_INPUT" ||
				a.Errors[0].Extensions["argument"] != argument ||
				a.Errors[0].Message != fmt.Sprintf("%q is not the id of a user or a team", id) {
				t.Errorf("%s %q: %+v", member, id, a.Errors)
			}
		}
	}
	tenant := tenantID(t, c.tenant)
	for _, id := range []string{other.addUser(t, c.server, "name", "Eve").ID,
		model.UserNodeID(tenant, "nobody"),
		other.addTeam(t, c.server, "name", "Core").ID, model.TeamNodeID(tenant, "nobody")} {
		for list, want := range map[string]int{"hasAnyIds": 0, "hasAllIds": 0, "hasNoneIds": len(c.issues)} {
			same(t, list, want, get[int](t, c.as[0], "project.issues.totalCount", fmt.Sprintf(
				`{ project(id: %q) { issues(where: {assignees: {%s: [%q]}}) { totalCount } } }`, c.project, list,
				id), nil))
		}
	}
}

// TestCostOfFilterParticipants counts the calls of grids that are filtered by assignees: a Query of the open
// issues of each and one of the closed ones, whatever the number of shards and of the issues of other
// projects; and only one of the two if the filter has only such states.
func TestCostOfFilterParticipants(t *testing.T) {
	for _, name := range []string{"a", "b", "c"} { // which decide the numbers of shards
		t.Run(name, func(t *testing.T) {
			c := newCrowd(t, 30)
			query := func(where string) string {
				return fmt.Sprintf(`{ project(id: %q) { issues(first: 100, where: %s) { nodes { num } } } }`, c.project, where)
			}
			c.as[0].ask(t, query("{}"), nil) // reads the definition
			c.costs(t, query(fmt.Sprintf("{assignees: {hasAnyIds: [%q]}}", c.users[0])), reads(2, 1))
			c.costs(t, query(fmt.Sprintf("{watchers: {hasAnyIds: [%q, %q]}}", c.users[0], c.teams[0])),
				reads(4, 1))
			var mu sync.Mutex // of read
			var read []string
			c.wire.Intercept(func(r *dynamotest.Request,
				send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
				mu.Lock()
				defer mu.Unlock()
				for _, status := range []string{"open", "closed"} {
					if strings.Contains(string(r.Body), ".assignee."+status+".") {
						read = append(read, status)
					}
				}
				return send(r)
			})
			for _, open := range []bool{true, false} {
				read = nil
				c.as[0].ask(t, query(fmt.Sprintf("{open: %t, assignees: {hasMe: true}}", open)), nil)
				if slices.Contains(read, "open") != open || slices.Contains(read, "closed") == open {
					t.Errorf("with open: %t, the issues read are %v", open, read)
				}
			}
			c.wire.Intercept(nil)
		})
	}
}
