package graph_test

import (
	"context"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/check"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/sample"
)

// TestRights compares the permissions listed in docs/dynamodb.md with those that the requests of each command
// need.
func TestRights(t *testing.T) {
	settings, wire := dynamotest.Settings(t)
	soon(&settings)
	db, err := dynamo.Open(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{table: db.Table()}
	wire.Intercept(r.intercept)
	needs := map[string][]string{}
	seen := func(command string) {
		t.Helper()
		all, _ := r.take(t)
		needs[command] = rights(t, all)
	}

	if _, err := db.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		wire.Intercept(nil)
		if err := db.DeleteTable(context.Background()); err != nil {
			t.Error(err)
		}
	})
	seen("table create")

	if err := db.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := &server{Server: httptest.NewServer(handler(db)), db: db, wire: wire}
	t.Cleanup(s.Close)
	id, admin := ownTenant(t, s)
	project := workOf(t, admin, id)
	s.runJobs(t, project)
	s.data(t, `{ tenants { nodes { id } } }`, nil, &struct{}{})
	seen("serve")

	// writes in the same way as import
	if err := sample.Load(t.Context(), db, sample.All()[:1], func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	seen("import")

	if _, err := check.Run(t.Context(), db, check.Options{Repair: true, Settle: time.Millisecond},
		nil); err != nil {
		t.Fatal(err)
	}
	seen("check")

	page, err := os.ReadFile("../docs/dynamodb.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string][]string{}
	actions := regexp.MustCompile("`(dynamodb:[A-Za-z]+)`")
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		command := strings.Split(cells[1], "`")[1]
		for i, on := range []string{"", " on index/grid"} {
			for _, found := range actions.FindAllStringSubmatch(cells[2+i], -1) {
				listed[command] = append(listed[command], found[1]+on)
			}
		}
		slices.Sort(listed[command])
	}
	for _, command := range []string{"import", "check"} { // listed in addition to those of serve
		needs[command] = slices.DeleteFunc(needs[command], func(right string) bool {
			return slices.Contains(needs["serve"], right)
		})
		if len(needs[command]) == 0 {
			delete(needs, command)
		}
	}
	same(t, "docs/dynamodb.md and what is sent", listed, needs)
}
