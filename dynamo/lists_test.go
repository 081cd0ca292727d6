package dynamo_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

//test:engine
func TestLists(t *testing.T) {
	f := setup(t)
	for _, tenant := range []tracker.Tenant{{ID: "t3", Name: "Ünder"}, {ID: "t2", Name: "same"},
		{ID: "t0", Name: "Alpha"}} {
		f.must(f.db.CreateTenant(t.Context(), tenant))
	}
	f.raw.put(attributes(item{"PK": "t1/tenant-t1", "SK": "tenants", "SS": binary(sortkey.Name("SAME", "t1")),
		"name": "SAME"})) // of a version that allowed equal names
	all := []string{"t0", "t1", "t2", "acme", "rival", "t3"} // by name, ties by id
	position := func(n int) []byte {
		name := []string{"alpha", "same", "same", "tenant acme", "tenant rival", "under"}[n]
		return sortkey.Name(name, all[n])
	}
	after := func(n int) []byte { return append(position(n), 0) }
	for _, test := range []struct {
		name string
		q    dynamo.ListQuery
		want []string
		more bool
	}{
		{"all", dynamo.ListQuery{Limit: 10}, all, false},
		{"exactly all", dynamo.ListQuery{Limit: 6}, all, false},
		{"all but one", dynamo.ListQuery{Limit: 5}, all[:5], true},
		{"one", dynamo.ListQuery{Limit: 1}, all[:1], true},
		{"from a row", dynamo.ListQuery{From: position(2), Limit: 2}, all[2:4], true},
		{"after a row", dynamo.ListQuery{From: after(2), Limit: 3}, all[3:], false},
		{"to a row", dynamo.ListQuery{To: position(2), Limit: 10}, all[:2], false},
		{"between rows", dynamo.ListQuery{From: position(1), To: position(3), Limit: 2}, all[1:3], false},
		{"between rows, fewer", dynamo.ListQuery{From: position(1), To: position(3), Limit: 1}, all[1:2],
			true},
		{"from the end", dynamo.ListQuery{Descending: true, Limit: 2}, reversed(all[4:]), true},
		{"from the end to a row", dynamo.ListQuery{Descending: true, To: position(4), Limit: 10},
			reversed(all[:4]), false},
		{"from the end between rows", dynamo.ListQuery{Descending: true, From: position(1), To: position(4),
			Limit: 3}, reversed(all[1:4]), false},
		{"from the end between rows, fewer",
			dynamo.ListQuery{Descending: true, From: position(1), To: position(4), Limit: 2},
			reversed(all[2:4]), true},
		{"nothing between a row and itself", dynamo.ListQuery{From: position(1), To: position(1), Limit: 3},
			nil, false},
		{"nothing between bounds that cross", dynamo.ListQuery{From: after(4), To: position(1), Limit: 3},
			nil, false},
		{"nothing between bounds that cross, from the end",
			dynamo.ListQuery{From: after(4), To: position(1), Limit: 3, Descending: true}, nil, false},
		{"nothing after the last", dynamo.ListQuery{From: after(5), Limit: 3}, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			page, more, err := f.db.TenantList().Page(t.Context(), test.q)
			ok(t, err)
			var got []string
			for _, row := range page {
				got = append(got, string(row.ID))
				if n := slices.Index(all, string(row.ID)); n < 0 || !bytes.Equal(row.Position, position(n)) {
					t.Errorf("the position of %s is %x", row.ID, row.Position)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" || more != test.more {
				t.Errorf("more %t, want %t; rows (-want +got):\n%s", more, test.more, diff)
			}
		})
	}
	t.Run("projects", func(t *testing.T) {
		f.project(f.store, tracker.Project{ID: "p2", Key: "P2", Name: "Another"})
		f.project(f.store, tracker.Project{ID: "p3", Key: "P3", Name: "zulu"})
		page, more, err := f.store.ProjectList().Page(t.Context(), dynamo.ListQuery{Limit: 3})
		f.must(err)
		var got []tracker.ProjectID
		for _, row := range page {
			got = append(got, row.ID)
		}
		if diff := cmp.Diff([]tracker.ProjectID{"p2", "p1", "p3"}, got); diff != "" || more {
			t.Errorf("more %t; projects (-want +got):\n%s", more, diff)
		}
	})
	t.Run("Tenants and Get", func(t *testing.T) {
		found, err := f.db.Tenants(t.Context(), []tracker.TenantID{"t3", "nobody", "acme", "t3"})
		f.must(err)
		want := []*tracker.Tenant{{ID: "t3", Name: "Ünder"}, nil, {ID: "acme", Name: "Tenant acme"},
			{ID: "t3", Name: "Ünder"}}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("tenants (-want +got):\n%s", diff)
		}
	})
}

// TestListPagesOfAMegabyte lists more items than one response of DynamoDB holds. A name takes up to 960 bytes
// of a position.
//
//test:engine
func TestListPagesOfAMegabyte(t *testing.T) {
	f := setup(t)
	const many = 1200
	for n := range many {
		id := fmt.Sprintf("q%d", n)
		name := fmt.Sprintf("%04d %s", n, strings.Repeat("日", 320))
		f.raw.put(attributes(item{"PK": "acme/project-" + id, "SK": "acme/tenant-acme",
			"SS": binary(sortkey.Name(name, id)), "name": name}))
	}
	for _, descending := range []bool{false, true} {
		f.wire.Reset()
		page, more, err := f.store.ProjectList().Page(t.Context(),
			dynamo.ListQuery{Limit: 2000, Descending: descending})
		f.must(err)
		seen := map[tracker.ProjectID]bool{}
		for n, row := range page {
			if n > 0 && bytes.Compare(page[n-1].Position, row.Position) >= 0 != descending {
				t.Fatalf("row %d is out of order", n)
			}
			seen[row.ID] = true
		}
		if len(page) != many+1 || len(seen) != many+1 || more {
			t.Errorf("%d rows, %d different, more %t", len(page), len(seen), more)
		}
		if n := f.wire.Calls()["Query"]; n < 2 {
			t.Errorf("%d Query requests, want at least 2 for the test to be meaningful", n)
		}
	}
}
