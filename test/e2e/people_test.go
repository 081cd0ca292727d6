//go:build realdata

package e2e

import (
	"cmp"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/dynamo/people"
	"issuegrid/tracker"
)

// mostPeople is the number of people, and of components, that become users and teams: those with most rows.
const mostPeople = 20

// crew is the tenant with the users and the teams of the file, and the same in SQL:
//
//	issue   project, num, open, created and updated in microseconds
//	part    project, num, role, who: the participants of the issues
//	member  who, team
type crew struct {
	*testing.T
	api    *api
	tenant *dynamo.Tenant
	sql    *sql.DB
	rng    *rand.Rand
	// users and teams have the participants by the logins and the components in the file.
	users, teams map[string]tracker.Participant
	// ids has the ids in the API, by login and component.
	ids map[string]string
}

// TestRealDataPeople compares the issues of the people with most of them, and of their teams, with SQL over
// the file: in all roles, orders and statuses, in pages forwards and backwards, and counts.
func TestRealDataPeople(t *testing.T) {
	file := readTable(t)
	db, _ := dynamotest.Open(t, func(s *dynamo.Settings) { s.GroupWrites, s.Transport = true, nil })
	must(t, db.CreateTenant(t.Context(), tracker.Tenant{ID: "titanium", Name: "Titanium"}))
	tenant, err := db.Tenant("titanium")
	must(t, err)
	c := &crew{T: t, tenant: tenant, rng: rand.New(rand.NewPCG(randomSeed, 19)), ids: map[string]string{},
		users: map[string]tracker.Participant{}, teams: map[string]tracker.Participant{}}
	c.openSQL()
	c.people(people.Of(tenant), file)
	for key, rows := range file.rows {
		c.issues(file, key, rows)
	}
	c.api = serve(t, db)
	c.readIDs()
	rows := 0
	for _, login := range slices.Sorted(maps.Keys(c.users)) {
		for range 6 {
			rows += c.compare(login)
		}
	}
	t.Logf("%d users, %d teams, %d rows compared", len(c.users), len(c.teams), rows)
	if len(c.users) != mostPeople || rows < 1000 {
		t.Errorf("%d users with %d rows", len(c.users), rows)
	}
}

func (c *crew) exec(statement string, args ...any) {
	c.Helper()
	_, err := c.sql.Exec(statement, args...)
	must(c, err)
}

func (c *crew) openSQL() {
	var err error
	c.sql, err = sql.Open("sqlite", ":memory:")
	must(c, err)
	c.Cleanup(func() { must(c, c.sql.Close()) })
	c.sql.SetMaxOpenConns(1) // each connection would have its own in-memory database
	c.exec("CREATE TABLE issue (project TEXT, num INTEGER, open INTEGER, created INTEGER, updated INTEGER)")
	c.exec("CREATE TABLE part (project TEXT, num INTEGER, role TEXT, who TEXT)")
	c.exec("CREATE TABLE member (who TEXT, team TEXT)")
	c.exec("CREATE INDEX parts ON part (project, num)")
}

// most returns the values that most rows have in any of the columns.
func (t *table) most(columns ...string) []string {
	count := map[string]int{}
	for _, rows := range t.rows {
		for _, row := range rows {
			for _, column := range columns {
				if v := t.cell(row, column); v != "" {
					count[v]++
				}
			}
		}
	}
	all := slices.Sorted(maps.Keys(count))
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	return all[:min(len(all), mostPeople)]
}

// people creates the users and the teams. Each user is in one to three teams.
func (c *crew) people(store *people.Store, file *table) {
	components := file.most("component")
	members := map[string][]tracker.UserID{}
	for n, login := range file.most("assignee", "reporter", "creator") {
		u, err := store.CreateUser(c.Context(), tracker.User{Name: "user " + login})
		must(c, err)
		c.users[login] = tracker.UserParticipant(u.ID)
		for i := range 1 + n%3 {
			team := components[(7*n+i)%len(components)]
			members[team] = append(members[team], u.ID)
			c.exec("INSERT INTO member VALUES (?, ?)", login, team)
		}
	}
	for _, name := range components {
		team, err := store.CreateTeam(c.Context(), tracker.Team{Name: "team " + name})
		must(c, err)
		c.teams[name] = tracker.TeamParticipant(team.ID)
		if all := members[name]; len(all) > 0 {
			_, err = store.ChangeMembers(c.Context(), team.ID, all, true)
			must(c, err)
		}
	}
}

// issues creates the issues of a project, with the assignee and the team of the component as assignees, the
// reporter as watcher and the creator as author, as far as they are users and teams.
func (c *crew) issues(file *table, key string, rows [][]string) {
	p, err := c.tenant.CreateProject(c.Context(), tracker.Project{ID: tracker.ProjectID(strings.ToLower(key)),
		Key: key, Name: key, Shards: shards[key], States: []tracker.State{
			{ID: "open", Name: "Open", Open: true}, {ID: "done", Name: "Done"}}})
	must(c, err)
	d, err := c.tenant.Definition(c.Context(), p.ID)
	must(c, err)
	var issues []tracker.Issue
	for _, row := range rows {
		i := tracker.Issue{ID: d.Project.IssueID("n" + file.cell(row, "number")),
			Num: int64(atoi(c, file.cell(row, "number"))), Name: file.cell(row, "issue_key"), State: "open",
			Created: c.time(file.cell(row, "created")), Updated: c.time(file.cell(row, "updated"))}
		if file.cell(row, "status_category") == "Done" {
			i.State = "done"
		}
		c.exec("INSERT INTO issue VALUES (?, ?, ?, ?, ?)", i.ID.Project, i.Num, i.State == "open",
			i.Created.UnixMicro(), i.Updated.UnixMicro())
		part := func(role, who string, from map[string]tracker.Participant) (out []tracker.Participant) {
			p, ok := from[who]
			if !ok {
				return nil
			}
			c.exec("INSERT INTO part VALUES (?, ?, ?, ?)", i.ID.Project, i.Num, role, who)
			return []tracker.Participant{p}
		}
		i.Assignees = append(part("ASSIGNEE", file.cell(row, "assignee"), c.users),
			part("ASSIGNEE", file.cell(row, "component"), c.teams)...)
		i.Watchers = part("WATCHER", file.cell(row, "reporter"), c.users)
		for _, p := range part("AUTHOR", file.cell(row, "creator"), c.users) {
			i.Author, _ = p.User()
		}
		issues = append(issues, i)
	}
	for chunk := range slices.Chunk(issues, dynamo.MaxBatch) {
		must(c, c.tenant.PutIssues(c.Context(), d, chunk))
	}
}

func (c *crew) time(cell string) time.Time {
	at, err := time.Parse("2006-01-02T15:04:05.000-0700", cell)
	must(c, err)
	return at.UTC()
}

// readIDs reads the ids of the users.
func (c *crew) readIDs() {
	var got struct {
		Tenants struct {
			Nodes []struct {
				Users struct{ Nodes []struct{ ID, Name string } }
			}
		}
	}
	c.api.ask(c, `{ tenants { nodes { users(first: 100) { nodes { id name } } } } }`, nil, &got)
	for _, u := range got.Tenants.Nodes[0].Users.Nodes {
		c.ids[strings.TrimPrefix(u.Name, "user ")] = u.ID
	}
}

// compare makes one random query about a user, and returns the number of rows.
func (c *crew) compare(login string) int {
	c.Helper()
	all := []string{"ASSIGNEE", "WATCHER", "AUTHOR"}
	c.rng.Shuffle(3, func(i, j int) { all[i], all[j] = all[j], all[i] })
	roles := all[:1+c.rng.IntN(3)]
	own, teams := c.rng.IntN(4) > 0, c.rng.IntN(2) == 0
	own = own || !teams
	status := []string{"OPEN", "CLOSED", "ALL"}[c.rng.IntN(3)]
	column := []string{"UPDATED_AT", "CREATED_AT", "NUM"}[c.rng.IntN(3)]
	descending, backward := c.rng.IntN(2) == 0, c.rng.IntN(2) == 0
	want := c.want(login, roles, own, teams, status, column, descending)
	variables := map[string]any{"id": c.ids[login], "roles": roles, "own": own, "teams": teams,
		"status": status, "order": map[string]any{"column": column, "direction": "ASC"}}
	if descending {
		variables["order"] = map[string]any{"column": column, "direction": "DESC"}
	}
	what := fmt.Sprint(login, " ", variables)
	got, total := c.walk(variables, backward, 1+c.rng.IntN(100))
	n := min(len(want), sqlRows)
	if backward {
		want = want[len(want)-n:]
	} else {
		want = want[:n]
	}
	if !slices.Equal(want, got) {
		c.Errorf("%s, backward %v: %d rows %v, want %d %v", what, backward, len(got), got, len(want), want)
	}
	if count := c.count(login, roles, own, teams, status); total != count {
		c.Errorf("%s: %d in total, want %d", what, total, count)
	}
	return len(got)
}

// from returns the part of a SQL query after SELECT.
func (c *crew) from(roles []string, own, teams bool, status string) string {
	who := []string{}
	if own {
		who = append(who, "p.who = ?1")
	}
	if teams {
		who = append(who, "p.who IN (SELECT team FROM member WHERE who = ?1)")
	}
	where := map[string]string{"OPEN": "AND i.open", "CLOSED": "AND NOT i.open", "ALL": ""}[status]
	return fmt.Sprintf(` FROM issue i WHERE EXISTS (SELECT 1 FROM part p WHERE p.project = i.project AND
		p.num = i.num AND p.role IN ('%s') AND (%s)) %s`, strings.Join(roles, "', '"),
		strings.Join(who, " OR "), where)
}

// want returns the keys of the issues that SQL finds, in order.
func (c *crew) want(login string, roles []string, own, teams bool, status, column string,
	descending bool) (keys []string) {
	c.Helper()
	direction := ""
	if descending {
		direction = " DESC"
	}
	var order []string
	if by := map[string]string{"UPDATED_AT": "updated", "CREATED_AT": "created"}[column]; by != "" {
		order = append(order, by+direction)
	}
	order = append(order, "project"+direction, "num"+direction)
	rows, err := c.sql.Query("SELECT upper(project) || '-' || num"+c.from(roles, own, teams, status)+
		" ORDER BY "+strings.Join(order, ", "), login)
	must(c, err)
	defer rows.Close()
	for rows.Next() {
		var key string
		must(c, rows.Scan(&key))
		keys = append(keys, key)
	}
	must(c, rows.Err())
	return keys
}

func (c *crew) count(login string, roles []string, own, teams bool, status string) (n int) {
	c.Helper()
	must(c, c.sql.QueryRow("SELECT count(*)"+c.from(roles, own, teams, status), login).Scan(&n))
	return n
}

// walk reads up to sqlRows rows in pages of a size, from the end if backward is set.
func (c *crew) walk(variables map[string]any, backward bool, size int) (keys []string, total int) {
	c.Helper()
	first, after := "first", "after"
	if backward {
		first, after = "last", "before"
	}
	query := fmt.Sprintf(`query ($id: ID!, $roles: [ParticipantRole!]!, $own: Boolean!, $teams: Boolean!,
		$status: IssueStatusFilter!, $order: ParticipationOrder!, $size: Int!, $at: String, $count: Boolean!) {
		node(id: $id) { ... on User { issues(roles: $roles, own: $own, teams: $teams, status: $status,
			orderBy: $order, %s: $size, %s: $at) {
			nodes { num project { key } } totalCount @include(if: $count)
			pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } }`, first, after)
	for at := (*string)(nil); len(keys) < sqlRows; {
		variables["size"], variables["at"], variables["count"] = min(size, sqlRows-len(keys)), at, at == nil
		var got struct {
			Node struct {
				Issues struct {
					Nodes []struct {
						Num     int
						Project struct{ Key string }
					}
					TotalCount int
					PageInfo   struct {
						HasNextPage, HasPreviousPage bool
						StartCursor, EndCursor       *string
					}
				}
			}
		}
		c.api.ask(c, query, variables, &got)
		page := got.Node.Issues
		if at == nil {
			total = page.TotalCount
		}
		var some []string
		for _, i := range page.Nodes {
			some = append(some, fmt.Sprint(i.Project.Key, "-", i.Num))
		}
		more := page.PageInfo.HasNextPage
		if at = page.PageInfo.EndCursor; backward {
			at, more = page.PageInfo.StartCursor, page.PageInfo.HasPreviousPage
			keys = append(some, keys...)
		} else {
			keys = append(keys, some...)
		}
		if !more {
			break
		}
	}
	return keys, total
}
