//go:build realdata

package e2e

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// shards has the numbers of shards of projects, by key, so that the tests run with 1, 2 and 7.
var shards = map[string]int{"AC": 7, "ALOY": 2, "DAEMON": 2, "MOD": 7}

// TestRealData imports the data set and checks every cell, every order, and filters through GraphQL.
func TestRealData(t *testing.T) {
	file := readTable(t)
	db, _ := dynamotest.Open(t, func(s *dynamo.Settings) { s.GroupWrites, s.Transport = true, nil })
	ctx := t.Context()
	must(t, db.CreateTenant(ctx, tracker.Tenant{ID: "other", Name: "Another tenant"}))
	must(t, db.CreateTenant(ctx, tracker.Tenant{ID: "titanium", Name: "Titanium"}))
	tenant, err := db.Tenant("titanium")
	must(t, err)
	for key := range file.rows {
		if n := shards[key]; n > 1 { // an import creates projects with one shard
			_, err := tenant.CreateProject(ctx, tracker.Project{ID: tracker.ProjectID(strings.ToLower(key)),
				Key: key, Name: key, Shards: n,
				States: []tracker.State{{ID: "open", Name: "Open", Open: true}}})
			must(t, err)
		}
	}
	mapping, err := importer.ReadMapping(mappingFile)
	must(t, err)
	summary := imported(t, tenant,
		importer.Options{File: file.path, Mapping: mapping, Rejects: t.TempDir() + "/rejects.csv"})
	t.Logf("%v", summary)
	if summary.Cleaned != file.cleaned {
		t.Errorf("%d names were cleaned, want %d", summary.Cleaned, file.cleaned)
	}
	a := serve(t, db)
	projects := a.projects(t)
	if len(projects) != len(file.rows) || len(file.rows) != 5 && os.Getenv(projectVariable) == "" {
		t.Fatalf("%d projects, the file has %d", len(projects), len(file.rows))
	}
	t.Run("cells", func(t *testing.T) { checkCells(t, a, file, projects) })
	rows := openRows(t, file, projects)
	t.Run("orders", func(t *testing.T) { checkOrders(t, a, rows, file, projects) })
	t.Run("filters", func(t *testing.T) { checkFilters(t, a, rows, file, projects) })
	t.Run("repeated", func(t *testing.T) {
		again, err := importer.Run(ctx, tenant,
			importer.Options{File: file.path, Mapping: mapping, Rejects: t.TempDir() + "/rejects.csv"})
		must(t, err)
		if again.Added+again.Changed > 0 || again.Unchanged != summary.Added+summary.Unchanged {
			t.Errorf("a repeated import: %s", again)
		}
	})
	if os.Getenv(projectVariable) == "" { // TestRealDataNasty copies a part of one project
		t.Run("exports", func(t *testing.T) { checkExports(t, db, tenant, file) })
	}
	t.Run("synced", func(t *testing.T) { checkSync(t, db, file, mapping) })
}

// imported imports a file. If the database was too slow, because the machine has other work, it continues the
// import, as a user does.
func imported(t *testing.T, tenant *dynamo.Tenant, o importer.Options) *importer.Summary {
	t.Helper()
	for try := 1; ; try++ {
		summary, err := importer.Run(t.Context(), tenant, o)
		if tracker.CodeOf(err) != tracker.Unavailable || try == 5 {
			must(t, err)
			return summary
		}
		t.Log(err)
	}
}

func atoi(t testing.TB, s string) int {
	n, err := strconv.Atoi(s)
	must(t, err)
	return n
}
