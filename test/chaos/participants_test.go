//go:build unix

package chaos_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/test/tier"
)

// piece is an issue with the ids of its participants.
type piece struct {
	project  *project
	id       string
	assigned []string
	watching []string
	closed   bool
}

// lateCrew is a tenant whose users and teams take part in issues of two projects, while the index lags.
type lateCrew struct {
	*world
	proxy  *dynamotest.Proxy
	rng    *rand.Rand
	user   string   // whose issues are read
	people []string // the user, another one, and the teams
	teams  []string // of the user
	pieces []*piece
	// touched has the issues that were changed since the index had caught up.
	touched map[*piece]bool
}

// TestLaggingParticipants reads the issues of a user and its teams in pages, in both directions, while
// participants and states change between the pages and the index lags behind the table by any number of
// writes. It verifies:
//
//   - A row is an issue in which the user or one of the teams takes part at that time, in the state asked
//     for, with all the ways in which it does, and occurs once.
//   - An issue that belongs to the list all the time and was not changed is in it.
//   - When the index has caught up, the list is exact.
func TestLaggingParticipants(t *testing.T) {
	tier.Verify(t, "it repeats the laws of participation at length, with a lagging index")
	proxy, w := lateWorld(t)
	c := &lateCrew{world: w, proxy: proxy, rng: rand.New(rand.NewPCG(3, 5)), touched: map[*piece]bool{}}
	tenant := w.addTenant("Late")
	w.addProject(tenant, "ONE")
	w.addProject(tenant, "TWO")
	made := func(mutation, kind, input string, in map[string]any) string {
		var got struct {
			M struct{ Made struct{ ID string } }
		}
		w.must(fmt.Sprintf(`mutation($i: %s!) { m: %s(input: $i) { made: %s { id } } }`, input, mutation, kind),
			in, &got)
		return got.M.Made.ID
	}
	c.user = made("createUser", "user", "CreateUserInput", map[string]any{"tenant": tenant, "name": "Ada"})
	c.people = []string{c.user, made("createUser", "user", "CreateUserInput",
		map[string]any{"tenant": tenant, "name": "Bo"})}
	for n := range 3 {
		team := made("createTeam", "team", "CreateTeamInput",
			map[string]any{"tenant": tenant, "name": fmt.Sprint("Team ", n)})
		c.people = append(c.people, team)
		if n < 2 {
			c.teams = append(c.teams, team)
			made("addTeamMembers", "team", "AddTeamMembersInput",
				map[string]any{"team": team, "users": []any{c.user}})
		}
	}
	for range 25 {
		c.create()
	}
	pages, rows := 0, 0
	for range 16 {
		c.proxy.CatchUp()
		clear(c.touched)
		c.proxy.Lag([]int{0, 1, 3, 10, math.MaxInt}[c.rng.IntN(5)])
		p, n := c.walk(true)
		c.proxy.CatchUp()
		c.proxy.Lag(0)
		_, exact := c.walk(false)
		pages, rows = pages+p, rows+n+exact
	}
	if pages < 60 || rows < 150 {
		t.Errorf("only %d pages and %d rows", pages, rows)
	}
}

// some returns some users and teams.
func (c *lateCrew) some() (out []string) {
	for _, p := range c.people {
		if c.rng.IntN(4) == 0 {
			out = append(out, p)
		}
	}
	return out
}

func (c *lateCrew) create() {
	p := c.projects[c.rng.IntN(2)]
	one := &piece{project: p, assigned: c.some(), watching: c.some()}
	var got struct {
		CreateIssue struct{ Issue struct{ ID string } }
	}
	c.must(`mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id } } }`,
		map[string]any{"project": p.id, "issue": map[string]any{"name": "Piece", "state": c.stateIDs[p][0],
			"assignees": append([]string{}, one.assigned...),
			"watchers":  append([]string{}, one.watching...)}},
		&got)
	one.id = got.CreateIssue.Issue.ID
	c.pieces, c.touched[one] = append(c.pieces, one), true
}

// change makes a random change of an issue, or adds one.
func (c *lateCrew) change() {
	if c.rng.IntN(6) == 0 {
		c.create()
		return
	}
	one := c.pieces[c.rng.IntN(len(c.pieces))]
	in := map[string]any{"id": one.id}
	for member, has := range map[string]*[]string{"assignees": &one.assigned, "watchers": &one.watching} {
		add, remove := c.some(), c.some()
		in[member] = map[string]any{"add": append([]string{}, add...),
			"remove": append([]string{}, remove...)}
		*has = slices.DeleteFunc(*has, func(id string) bool { return slices.Contains(remove, id) })
		for _, id := range add {
			if !slices.Contains(*has, id) {
				*has = append(*has, id)
			}
		}
	}
	if c.rng.IntN(3) == 0 {
		one.closed = !one.closed
		in["state"] = c.stateIDs[one.project][map[bool]int{true: 2}[one.closed]]
	}
	var got any
	c.must(`mutation($i: UpdateIssueInput!) { updateIssue(input: $i) { issue { id } } }`, in, &got)
	c.touched[one] = true
}

// ways returns the ways in which an issue belongs to a list, sorted.
func (c *lateCrew) ways(one *piece, roles []string, status string) (out []string) {
	if status == "OPEN" && one.closed || status == "CLOSED" && !one.closed {
		return nil
	}
	for role, has := range map[string][]string{"ASSIGNEE": one.assigned, "WATCHER": one.watching} {
		for _, id := range has {
			if slices.Contains(roles, role) && (id == c.user || slices.Contains(c.teams, id)) {
				out = append(out, role+" "+id)
			}
		}
	}
	slices.Sort(out)
	return out
}

// walk reads all pages of a list. With changes, issues change between the pages.
func (c *lateCrew) walk(changes bool) (pages, rows int) {
	roles := [][]string{{"ASSIGNEE"}, {"WATCHER"}, {"ASSIGNEE", "WATCHER"}}[c.rng.IntN(3)]
	status := []string{"OPEN", "CLOSED", "ALL"}[c.rng.IntN(3)]
	size, backwards := 1+c.rng.IntN(6), c.rng.IntN(2) == 0
	always := map[*piece]bool{}
	for _, one := range c.pieces {
		always[one] = len(c.ways(one, roles, status)) > 0
	}
	what := fmt.Sprintf("pages of %d, backwards %t, of %v that are %s", size, backwards, roles, status)
	paging, cursor := `first: $n, after: $c`, "endCursor"
	if backwards {
		paging, cursor = `last: $n, before: $c`, "startCursor"
	}
	seen, variables := map[string]bool{}, map[string]any{"id": c.user, "n": size, "roles": roles, "s": status}
	for more := true; more; {
		var got struct {
			Node struct {
				Issues struct {
					Edges []struct {
						Node struct{ ID string }
						Ways []struct {
							Role        string
							Participant struct{ ID string }
						}
					}
					PageInfo struct {
						HasNextPage, HasPreviousPage bool
						Cursor                       *string
					}
				}
			}
		}
		if f := c.ask(`query($id: ID!, $n: Int!, $c: String, $roles: [ParticipantRole!]!,
			$s: IssueStatus!) { node(id: $id) { ... on User { issues(teams: true, roles: $roles, status: $s,
			orderBy: {column: NUM, direction: ASC}, `+paging+`) { edges { node { id } ways { role participant {
			... on User { id } ... on Team { id } } } } pageInfo { hasNextPage hasPreviousPage cursor: `+cursor+
			` } } } } }`, variables, &got); f != nil {
			c.t.Fatal(f)
		}
		page := got.Node.Issues
		for _, e := range page.Edges {
			n := slices.IndexFunc(c.pieces, func(one *piece) bool { return one.id == e.Node.ID })
			var ways []string
			for _, way := range e.Ways {
				ways = append(ways, way.Role+" "+way.Participant.ID)
			}
			slices.Sort(ways)
			if want := c.ways(c.pieces[n], roles, status); len(want) == 0 || !slices.Equal(want, ways) {
				c.t.Errorf("%s: %s is found by %v, want %v", what, e.Node.ID, ways, want)
			}
			if seen[e.Node.ID] {
				c.t.Errorf("%s: %s is found twice", what, e.Node.ID)
			}
			seen[e.Node.ID] = true
		}
		more, variables["c"] = page.PageInfo.HasNextPage, page.PageInfo.Cursor
		if backwards {
			more = page.PageInfo.HasPreviousPage
		}
		if pages++; changes && pages < 12 {
			for range c.rng.IntN(3) {
				c.change()
			}
		}
	}
	for _, one := range c.pieces {
		if always[one] && !c.touched[one] && !seen[one.id] {
			c.t.Errorf("%s: %s is not found", what, one.id)
		}
	}
	if !changes {
		n := 0
		for _, belongs := range always {
			if belongs {
				n++
			}
		}
		if len(seen) != n {
			c.t.Errorf("%s: %d issues are found, want %d", what, len(seen), n)
		}
	}
	return pages, len(seen)
}
