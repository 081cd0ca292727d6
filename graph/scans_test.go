package graph_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/graph"
	"issuegrid/internal/account"
	"issuegrid/internal/sample"
	"issuegrid/test/tier"
)

// accounted returns a server over the same table whose operations have limits, and the account of the last
// one.
func (s *server) accounted(t *testing.T, limits account.Limits) (*server, *atomic.Pointer[account.Account]) {
	t.Helper()
	api, last := graph.NewHandler(sessions(s.db)), &atomic.Pointer[account.Account]{}
	return s.over(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := account.New("", limits, nil, nil)
		defer a.Close()
		last.Store(a)
		api.ServeHTTP(w, r.WithContext(account.With(r.Context(), a)))
	})), last
}

// summarized is a group with its count and three summaries.
type summarized struct {
	TotalCount          *int
	TotalCountPrecision string
	A, B, C             columnSummary
}

// TestManyScans checks groups with counts and summaries that read all keys of a project each. Together they
// would hold several times the memory of an operation, and with less CPU time than they need, those that are
// left are not known, and the others are right.
func TestManyScans(t *testing.T) {
	tier.Verify(t, "it limits CPU time")
	p := flatProject(2000, true)
	s := load(t, p)
	query := fmt.Sprintf(`{ project(id: %q) { groups(first: 100, by: [{column: {builtin: NUM}, width: 20}],
		where: {name: {contains: "invoice"}}) { nodes { totalCount totalCountPrecision
			a: summary(column: {fieldId: %q}) { sum filled precision } b: summary(column: {fieldId: %q}) { min precision }
			c: summary(column: {fieldId: %q}) { average empty precision } } } } }`,
		projectID(&p), fieldID(&p, "all"), fieldID(&p, "most"), fieldID(&p, "half"))
	generous, last := s.accounted(t, account.Limits{Memory: account.DefaultMemory})
	all := get[[]summarized](t, generous, "project.groups.nodes", query, nil)
	if len(all) != 100 {
		t.Fatalf("%d groups", len(all))
	}
	for i, g := range all {
		if g.TotalCount == nil || *g.TotalCount < 1 || g.TotalCountPrecision != "EXACT" || g.A.Sum == nil ||
			g.A.Precision != "EXACT" || g.B.Min == nil || g.C.Empty == nil || g.C.Precision != "EXACT" {
			t.Fatalf("group %d is %+v", i, g)
		}
	}
	cpu := last.Load().CPU()
	unknown := 0
	for _, share := range []time.Duration{90, 75, 60} {
		short, last := s.accounted(t, account.Limits{CPU: cpu * share / 100, Memory: account.DefaultMemory})
		for i, g := range get[[]summarized](t, short, "project.groups.nodes", query, nil) {
			if *g.TotalCount > *all[i].TotalCount ||
				g.TotalCountPrecision == "EXACT" && *g.TotalCount != *all[i].TotalCount {
				t.Errorf("%d %%: group %d has %d issues %s, want %d", share, i, *g.TotalCount,
					g.TotalCountPrecision, *all[i].TotalCount)
			}
			if g.A.Sum == nil {
				unknown++
				if g.A.Precision != "AT_LEAST" {
					t.Errorf("%d %%: group %d has an unknown sum, %+v", share, i, g.A)
				}
			} else if *g.A.Sum != *all[i].A.Sum {
				t.Errorf("%d %%: the sum of group %d is %v, want %v", share, i, *g.A.Sum, *all[i].A.Sum)
			}
			if g.C.Average == nil && all[i].C.Average != nil && g.C.Precision != "AT_LEAST" {
				t.Errorf("%d %%: group %d has an unknown average, %+v", share, i, g.C)
			}
		}
		if used := last.Load().CPU(); used > cpu*share/100 {
			t.Errorf("%d %%: %v of CPU time", share, used)
		}
	}
	if unknown == 0 {
		t.Error("everything was known")
	}
}

// unknownIsNull checks that what needs all values is null, not 0, if the budget does not reach them.
func unknownIsNull(t *testing.T, s *server, p *sample.Project) {
	small := s.frugal(t, 3)
	for field, parts := range map[string][]string{"f03": {"sum", "average", "median"},
		"f07": {"percentChecked"}} {
		for _, part := range parts {
			got := get[map[string]any](t, small, "project.issues.summary", fmt.Sprintf(
				`{ project(id: %q) { issues(first: 0, where: {description: {contains: "a"}}) {
					summary(column: {fieldId: %q}) { %s precision } } } }`, projectID(p), fieldID(p, field), part), nil)
			if got[part] != nil || got["precision"] != "AT_LEAST" {
				t.Errorf("%s: %v", part, got)
			}
		}
	}
}
