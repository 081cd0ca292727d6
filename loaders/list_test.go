package loaders_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/sortkey"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// listing is a tenant with projects on a real engine. Another tenant has projects with the same ids and
// names.
type listing struct {
	db   *dynamo.DB
	wire *dynamotest.Wire
	// ids and positions of acme's projects, in the order of the list.
	ids       []tracker.ProjectID
	positions [][]byte
}

func newListing(t *testing.T) *listing {
	t.Helper()
	l := &listing{}
	l.db, l.wire = dynamotest.Open(t)
	names := []string{"Alpha", "beta", "BETA", "Béta", "gamma", "Gamma 2", "日本", "zulu", "Zulu"}
	type row struct {
		id       tracker.ProjectID
		position []byte
	}
	var rows []row
	for _, tenant := range []tracker.TenantID{"acme", "rival"} {
		must(t, l.db.CreateTenant(t.Context(), tracker.Tenant{ID: tenant, Name: string(tenant)}))
		store, err := l.db.Tenant(tenant)
		must(t, err)
		for n, name := range names {
			p := tracker.Project{ID: tracker.ProjectID(fmt.Sprintf("p%d", 9-n)), Key: fmt.Sprintf("K%d", n),
				Name: name, States: []tracker.State{{ID: "open", Name: "Open", Open: true}}}
			_, err := store.CreateProject(t.Context(), p)
			must(t, err)
			if tenant == "acme" {
				rows = append(rows, row{p.ID, sortkey.Name(name, string(p.ID))})
			}
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return bytes.Compare(a.position, b.position) })
	for _, r := range rows {
		l.ids, l.positions = append(l.ids, r.id), append(l.positions, r.position)
	}
	return l
}

// wantCalls checks the calls since the wire was reset.
func (l *listing) wantCalls(t *testing.T, want map[string]int) {
	t.Helper()
	if diff := cmp.Diff(want, l.wire.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// withoutProjects returns an interceptor that removes projects from the responses to BatchGetItem, as if they
// were deleted after their keys were read.
func withoutProjects(ids map[tracker.ProjectID]bool) dynamotest.Interceptor {
	return func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		a := send(r)
		if r.Operation != "BatchGetItem" {
			return a
		}
		var body map[string]any
		if err := json.Unmarshal(a.Body, &body); err != nil {
			panic(err)
		}
		for table, items := range body["Responses"].(map[string]any) {
			body["Responses"].(map[string]any)[table] = slices.DeleteFunc(items.([]any), func(item any) bool {
				_, id, _ := strings.Cut(item.(map[string]any)["PK"].(map[string]any)["S"].(string),
					"/project-")
				return ids[tracker.ProjectID(id)]
			})
		}
		var err error
		if a.Body, err = json.Marshal(body); err != nil {
			panic(err)
		}
		return a
	}
}

// TestListPages compares random pages with a slice in memory, for any size and direction. Cursors are at
// rows, between rows, or in the wrong order. Deleted rows are skipped, and the page is still filled.
func TestListPages(t *testing.T) {
	l := newListing(t)
	cursors := [][]byte{nil, {0}, {0xff}}
	for _, p := range l.positions {
		cursors = append(cursors, p, append(slices.Clone(p), 0))
	}
	rapid.Check(t, func(rt *rapid.T) {
		r := loaders.Range{Size: rapid.IntRange(1, 10).Draw(rt, "size"),
			Backward: rapid.Bool().Draw(rt, "backward"),
			After:    rapid.SampledFrom(cursors).Draw(rt, "after"),
			Before:   rapid.SampledFrom(cursors).Draw(rt, "before")}
		deleted := map[tracker.ProjectID]bool{}
		for _, id := range rapid.SliceOfN(rapid.SampledFrom(l.ids), 0, 5).Draw(rt, "gone") {
			deleted[id] = true
		}
		var want []loaders.Listed[tracker.Project]
		for n, id := range l.ids {
			if !deleted[id] && (r.After == nil || bytes.Compare(l.positions[n], r.After) > 0) &&
				(r.Before == nil || bytes.Compare(l.positions[n], r.Before) < 0) {
				want = append(want, loaders.Listed[tracker.Project]{Value: &tracker.Project{ID: id},
					Position: l.positions[n]})
			}
		}
		more := len(want) > r.Size
		hasNext, hasPrevious := more, r.After != nil
		if r.Backward {
			hasNext, hasPrevious = r.Before != nil, more
		}
		if more && r.Backward {
			want = want[len(want)-r.Size:]
		} else if more {
			want = want[:r.Size]
		}
		l.wire.Intercept(withoutProjects(deleted))
		defer l.wire.Intercept(nil)
		tenant, err := loaders.New(t.Context(), l.db).Tenant("acme")
		if err != nil {
			rt.Fatal(err)
		}
		got, err := tenant.ListProjects(t.Context(), r)
		if err != nil {
			rt.Fatal(err)
		}
		same := slices.EqualFunc(want, got.Rows, func(a, b loaders.Listed[tracker.Project]) bool {
			return a.Value.ID == b.Value.ID && bytes.Equal(a.Position, b.Position) && b.Value.Tenant == "acme"
		})
		if !same || got.HasNext != hasNext || got.HasPrevious != hasPrevious {
			rt.Errorf("rows %v, next %t, previous %t; want %v, %t, %t", got.Rows, got.HasNext,
				got.HasPrevious, want, hasNext, hasPrevious)
		}
	})
}

// TestListCost counts the calls of a page: one Query and one BatchGetItem.
func TestListCost(t *testing.T) {
	l := newListing(t)
	set := loaders.New(t.Context(), l.db)
	tenant, err := set.Tenant("acme")
	must(t, err)
	l.wire.Reset()
	page, err := tenant.ListProjects(t.Context(), loaders.Range{Size: 4})
	if must(t, err); len(page.Rows) != 4 || !page.HasNext {
		t.Errorf("page %v", page)
	}
	l.wantCalls(t, map[string]int{"Query": 1, "BatchGetItem": 1})
	l.wire.Reset()
	if _, err := tenant.Project(t.Context(), page.Rows[0].Value.ID); err != nil {
		t.Error(err)
	}
	l.wantCalls(t, map[string]int{}) // the project is known from the list
	tenants, err := set.Tenants(t.Context(), loaders.Range{Size: 1, Backward: true})
	must(t, err)
	if len(tenants.Rows) != 1 || tenants.Rows[0].Value.Name != "rival" || !tenants.HasPrevious ||
		tenants.HasNext {
		t.Errorf("tenants: %+v", tenants)
	}
	l.wantCalls(t, map[string]int{"Query": 1, "BatchGetItem": 1})
}

// TestAPageOfIssues reads 100 issues of a real table through a grid with one call. Another tenant does not
// see them.
func TestAPageOfIssues(t *testing.T) {
	l := newListing(t)
	store, err := l.db.Tenant("acme")
	must(t, err)
	d, err := store.Definition(t.Context(), "p1")
	must(t, err)
	var issues []tracker.Issue
	for n := range 100 {
		issues = append(issues, tracker.Issue{ID: issueID(n), Num: int64(n + 1), Name: fmt.Sprint(n),
			State: "open"})
	}
	must(t, store.PutIssues(t.Context(), d, issues))
	l.wire.Reset()
	set := loaders.New(t.Context(), l.db)
	tenant, err := set.Tenant("acme")
	must(t, err)
	g := tenant.Grid()
	defer g.Done()
	got, err := g.Issues(t.Context(), issueIDs(0, 100))
	must(t, err)
	for n, i := range got {
		if i == nil || i.Name != fmt.Sprint(n) {
			t.Errorf("index %d is %v", n, i)
		}
	}
	l.wantCalls(t, map[string]int{"BatchGetItem": 1})
	rival, err := set.Tenant("rival")
	must(t, err)
	if _, err := rival.Issue(t.Context(), issueID(0), false); tracker.CodeOf(err) != tracker.NotFound {
		t.Errorf("another tenant's issue: %v", err)
	}
}
