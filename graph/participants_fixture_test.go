package graph_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/graph/model"
	"issuegrid/sample"
	"issuegrid/tracker"
)

// assign creates users and teams, and lets them take part in the issues of a project: those with even numbers
// have up to 8 assignees, and every third one has watchers.
func (s *server) assign(t testing.TB, p *sample.Project) {
	t.Helper()
	w := &world{server: s, tenant: model.TenantNodeID(p.Tenant.ID)}
	var all []any
	for n, name := range []string{`Ada "the" \\ O'Neil`, "Ärger <b>", "שלום \"x\"", "名前", "👩‍👩‍👧"} {
		all = append(all, w.addUser(t, s, "name", name, "claim", fmt.Sprint("user", n)).ID,
			w.addTeam(t, s, "name", name, "description", name).ID)
	}
	w.changed(t, s, "updateUser", map[string]any{"id": all[0], "avatarUrl": "https://example.com/?a=%22&b"})
	var changes []any
	for n := range p.Issues {
		change := map[string]any{"id": issueID(p, n)}
		if n%2 == 0 {
			change["assignees"] = map[string]any{"add": all[:n/2%9]}
		}
		if n%3 == 0 {
			change["watchers"] = map[string]any{"add": all[n%len(all):]}
		}
		changes = append(changes, change)
	}
	a := s.ask(t, `mutation($i: UpdateIssuesInput!) { updateIssues(input: $i) { `+resultErrors+` } }`,
		map[string]any{"i": map[string]any{"issues": changes}})
	if errs := a.refusals(); len(errs) > 0 {
		t.Fatal(errs)
	}
	w.changed(t, s, "updateUser", map[string]any{"id": all[2], "active": false})
}

// crew is a tenant with several projects, users, teams and issues in which they take part. It knows what the
// API must return.
type crew struct {
	*world
	worlds       []*world // one for each project
	users, teams []string
	teamsOf      map[string][]string // of a user
	as           []*server           // each user
	issues       []*piece
	random       *rand.Rand
}

// piece is an issue of a crew.
type piece struct {
	issue
	participants map[string][]string // by role
	closed       bool
}

func newCrew(t testing.TB, s *server, projects, users, teams int) *crew {
	t.Helper()
	c := &crew{world: newWorld(t, s), teamsOf: map[string][]string{}, random: rand.New(rand.NewPCG(1, 2))}
	c.worlds = []*world{c.world}
	for n := range projects - 1 {
		c.worlds = append(c.worlds, s.worldOf(t, c.tenant, fmt.Sprint("CREW", n)))
	}
	for n := range users {
		id := c.addUser(t, s, "name", fmt.Sprint("User ", n)).ID
		c.users = append(c.users, id)
		c.as = append(c.as, s.as(t, tracker.Principal{Tenant: tenantID(t, c.tenant), User: fmt.Sprint("u", n),
			Role: tracker.Editor, UserID: userID(t, id)}))
	}
	for n := range teams {
		id := c.addTeam(t, s, "name", fmt.Sprint("Team ", n)).ID
		c.teams = append(c.teams, id)
		for i, u := range c.users {
			if (n+i)%2 == 0 {
				c.changed(t, s, "addTeamMembers", inputOf("team", id, "users", []any{u}))
				c.teamsOf[u] = append(c.teamsOf[u], id)
			}
		}
	}
	return c
}

// some returns some users and teams.
func (c *crew) some() []string {
	all := slices.Concat(c.users, c.teams)
	c.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:c.random.IntN(len(all)/2)]
}

const pieceFields = `id num name createdAt updatedAt version state { id } project { id }`

// add creates an issue, as one of the users.
func (c *crew) add(t testing.TB) *piece {
	t.Helper()
	by, w := c.random.IntN(len(c.users)), c.worlds[c.random.IntN(len(c.worlds))]
	p := &piece{participants: map[string][]string{"ASSIGNEE": c.some(), "WATCHER": c.some(),
		"AUTHOR": {c.users[by]}}, closed: c.random.IntN(3) == 0}
	state := w.states[0]
	if p.closed {
		state = w.states[1]
	}
	var got struct{ CreateIssue struct{ Issue issue } }
	c.as[by].data(t, `mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { `+pieceFields+` } } }`,
		map[string]any{"i": inputOf("project", w.project, "issue", inputOf("name",
			fmt.Sprint("piece ", len(c.issues)%7), "state", state, "assignees", p.participants["ASSIGNEE"],
			"watchers", p.participants["WATCHER"]))}, &got)
	p.issue = got.CreateIssue.Issue
	c.issues = append(c.issues, p)
	return p
}

// change adds participants to an issue, removes others, and may open or close it.
func (c *crew) change(t testing.TB, p *piece) {
	t.Helper()
	input := map[string]any{"id": p.ID}
	for role, member := range map[string]string{"ASSIGNEE": "assignees", "WATCHER": "watchers"} {
		add, remove := c.some(), c.some()
		input[member] = map[string]any{"add": add, "remove": remove}
		p.participants[role] = slices.DeleteFunc(p.participants[role],
			func(id string) bool { return slices.Contains(remove, id) })
		for _, id := range add {
			if !slices.Contains(p.participants[role], id) {
				p.participants[role] = append(p.participants[role], id)
			}
		}
	}
	if c.random.IntN(2) == 0 {
		i := slices.IndexFunc(c.worlds, func(w *world) bool { return w.project == p.Project.ID })
		p.closed = !p.closed
		input["state"] = c.worlds[i].states[map[bool]int{false: 0, true: 1}[p.closed]]
	}
	var got struct{ UpdateIssue struct{ Issue issue } }
	c.data(t, `mutation($i: UpdateIssueInput!) { updateIssue(input: $i) { issue { `+pieceFields+` } } }`,
		map[string]any{"i": input}, &got)
	p.issue = got.UpdateIssue.Issue
}

// history returns the names of the columns that the last two changes of an issue changed, and their values.
func (c *crew) history(t testing.TB, id string) string {
	t.Helper()
	var got struct {
		Issue struct {
			History struct {
				Nodes []struct {
					Columns []struct{ Name, Before, After string }
				}
			}
		}
	}
	c.data(t, fmt.Sprintf(`{ issue(id: %q) { history(first: 2) { nodes { columns { name before after } } } } }`,
		id), nil, &got)
	return fmt.Sprint(got.Issue.History.Nodes)
}

// search is one list of issues.
type search struct {
	by           *server
	field        string // with ARGS
	arguments    string
	participants []string
	roles        []string
	status       string
	column       string
	descending   bool
	name         string
}

func (c *crew) search() *search {
	q := &search{by: c.server}
	n := c.random.IntN(len(c.users))
	own, teams := c.random.IntN(3) > 0, c.random.IntN(2) == 0
	own = own || !teams
	switch c.random.IntN(3) {
	case 0:
		q.by, q.field = c.as[n], `viewer { list: issues(ARGS) BODY }`
	case 1:
		q.field = fmt.Sprintf(`list: node(id: %q) { ... on User { list: issues(ARGS) BODY } }`, c.users[n])
	case 2:
		id := c.teams[c.random.IntN(len(c.teams))]
		q.field = fmt.Sprintf(`list: node(id: %q) { ... on Team { list: issues(ARGS) BODY } }`, id)
		q.participants = []string{id}
	}
	if q.participants == nil {
		q.arguments = fmt.Sprintf("own: %t, teams: %t, ", own, teams)
		if own {
			q.participants = append(q.participants, c.users[n])
		}
		if teams {
			q.participants = append(q.participants, c.teamsOf[c.users[n]]...)
		}
	}
	q.roles = [][]string{{"ASSIGNEE"}, {"WATCHER", "AUTHOR"}, {"AUTHOR"}, {"ASSIGNEE", "WATCHER", "AUTHOR",
		"WATCHER"}}[c.random.IntN(4)]
	q.status = []string{"OPEN", "CLOSED", "ALL"}[c.random.IntN(3)]
	q.column = []string{"UPDATED_AT", "CREATED_AT", "NUM"}[c.random.IntN(3)]
	q.descending = c.random.IntN(2) == 0
	q.arguments += fmt.Sprintf("roles: [%s], status: %s, orderBy: {column: %s, direction: %s}",
		strings.Join(q.roles, ", "), q.status, q.column,
		map[bool]string{false: "ASC", true: "DESC"}[q.descending])
	if c.random.IntN(3) == 0 {
		q.name = fmt.Sprint("piece ", c.random.IntN(7))
		q.arguments += fmt.Sprintf(", where: {name: {eq: %q}, num: {gte: 1}}", q.name)
	}
	return q
}

// found is a row as text: the issue, and the ways in which it was found.
func found(id string, ways []string) string {
	slices.Sort(ways)
	return id + " " + strings.Join(ways, " ")
}

// want returns the rows of a search, and their number without the filter.
func (c *crew) want(t testing.TB, q *search) (rows []string, count int) {
	t.Helper()
	type placed struct {
		row, project string
		at           time.Time
		num          int
	}
	var all []placed
	for _, p := range c.issues {
		var ways []string
		for role, participants := range p.participants {
			for _, id := range participants {
				if slices.Contains(q.roles, role) && slices.Contains(q.participants, id) {
					ways = append(ways, role+id)
				}
			}
		}
		if len(ways) == 0 || q.status == "OPEN" && p.closed || q.status == "CLOSED" && !p.closed {
			continue
		}
		if count++; q.name != "" && q.name != p.Name {
			continue
		}
		n, err := model.ParseProjectID(p.Project.ID)
		if err != nil {
			t.Fatal(err)
		}
		at := placed{found(p.ID, ways), string(n.Project), time.Time{}, p.Num}
		if q.column != "NUM" {
			text := map[string]string{"UPDATED_AT": p.UpdatedAt, "CREATED_AT": p.CreatedAt}[q.column]
			if at.at, err = time.Parse(time.RFC3339Nano, text); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, at)
	}
	slices.SortFunc(all, func(a, b placed) int {
		order := cmp.Or(a.at.Compare(b.at), cmp.Compare(a.project, b.project), cmp.Compare(a.num, b.num))
		if q.descending {
			return -order
		}
		return order
	})
	for _, p := range all {
		rows = append(rows, p.row)
	}
	return rows, count
}

// participationPage is a page of a search.
type participationPage struct {
	TotalCount int
	PageInfo   struct {
		HasNextPage, HasPreviousPage bool
		StartCursor, EndCursor       string
	}
	Nodes []struct{ ID string }
	Edges []struct {
		Cursor string
		Node   struct{ ID string }
		Ways   []struct {
			Role        string
			Participant struct{ ID string }
		}
	}
}

func (q *search) page(t testing.TB, paging string) participationPage {
	t.Helper()
	const body = `{ totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { id }
		edges { cursor node { id } ways { role participant { ... on Node { id } } } } }`
	var got map[string]struct{ List participationPage }
	q.by.data(t, "{ "+strings.NewReplacer("ARGS", q.arguments+", "+paging, "BODY", body).Replace(q.field)+
		" }", nil, &got)
	for _, in := range got {
		return in.List
	}
	return participationPage{}
}

// check walks through the pages of a search.
func (c *crew) check(t testing.TB, q *search) {
	t.Helper()
	want, count := c.want(t, q)
	size, backward := 1+c.random.IntN(9), c.random.IntN(2) == 0
	var got []string
	for paging := fmt.Sprintf("first: %d", size); ; {
		if backward && len(got) == 0 {
			paging = fmt.Sprintf("last: %d", size)
		}
		page := q.page(t, paging)
		if page.TotalCount != count {
			t.Fatalf("%s %s: counted %d, want %d", q.field, q.arguments, page.TotalCount, count)
		}
		var rows []string
		for i, e := range page.Edges {
			var ways []string
			for _, w := range e.Ways {
				ways = append(ways, w.Role+w.Participant.ID)
			}
			if rows = append(rows, found(e.Node.ID, ways)); e.Node.ID != page.Nodes[i].ID {
				t.Fatalf("edge %d is not node %d", i, i)
			}
		}
		more := page.PageInfo.HasNextPage
		paging = fmt.Sprintf("first: %d, after: %q", size, page.PageInfo.EndCursor)
		if got = append(got, rows...); backward {
			got = append(rows, got[:len(got)-len(rows)]...)
			more = page.PageInfo.HasPreviousPage
			paging = fmt.Sprintf("last: %d, before: %q", size, page.PageInfo.StartCursor)
		}
		if !more || len(rows) < size {
			break
		}
	}
	same(t, fmt.Sprint(q.field, " ", q.arguments, ", size ", size, ", backward ", backward), want, got)
}
