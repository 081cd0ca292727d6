package sample_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/columns"
	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

func TestMain(m *testing.M) { dynamotest.Main(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// small returns all projects, the generated one with 250 issues only.
func small() []sample.Project {
	all := sample.All()
	last := &all[len(all)-1]
	last.Issues = last.Issues[:250]
	return all
}

// dump returns, in readable form, everything that can be read of the projects: every document with its long
// texts, and every key of every column.
func dump(t *testing.T, db *dynamo.DB, projects []sample.Project) string {
	t.Helper()
	var out strings.Builder
	for _, p := range projects {
		store, err := db.Tenant(p.Tenant.ID)
		must(t, err)
		tenant, err := store.Get(t.Context())
		must(t, err)
		d, err := store.Definition(t.Context(), p.Project.ID)
		must(t, err)
		counter, err := store.Counter(t.Context(), p.Project.ID)
		must(t, err)
		project := d.Project
		project.Created = time.Time{}
		fmt.Fprintf(&out, "%v %+v counter %d\n", *tenant, project, counter)
		all := []tracker.Column{tracker.ColumnNum, tracker.ColumnName, tracker.ColumnState,
			tracker.ColumnCreated, tracker.ColumnUpdated, tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy}
		for _, f := range d.Fields {
			fmt.Fprintf(&out, "%+v\n", *f)
			all = append(all, f.ID.Column())
		}
		for _, c := range all {
			fmt.Fprintf(&out, "%s %x\n", c,
				keys(t, store, columns.KeyQuery{Project: p.Project.ID, Column: c}))
		}
		for _, i := range dynamotest.Issues(t, store, &p.Project) {
			fmt.Fprintf(&out, "%v %d %q %s %v %v %d %q\n", i.ID, i.Num, i.Name, i.State, i.Created, i.Updated,
				i.Version, i.Description.Text())
			for _, id := range slices.Sorted(maps.Keys(i.Values)) {
				v := i.Values[id]
				fmt.Fprintf(&out, "  %s %d %q %q %v\n", id, v.Kind, v.Text(), v.Set(), v.Long())
				if v.Kind == tracker.KindLong {
					fmt.Fprintf(&out, "%q\n", dynamotest.Text(t, store, i, id.Column(), v))
				}
			}
		}
	}
	return out.String()
}

// keys returns all keys of a column.
func keys(t *testing.T, store *dynamo.Tenant, q columns.KeyQuery) []columns.IndexKey {
	t.Helper()
	var out []columns.IndexKey
	for {
		page, err := store.QueryKeys(t.Context(), q)
		must(t, err)
		if out = append(out, page.Keys...); page.Last == nil {
			return out
		}
		q.From = append(slices.Clone(page.Last), 0)
	}
}

// TestLoad loads everything that the first start loads, and reads it back. A second Load must not write
// anything.
func TestLoad(t *testing.T) {
	db, wire := dynamotest.Open(t, func(s *dynamo.Settings) { s.GroupWrites = true })
	projects := sample.All()
	total := 0
	for _, p := range projects {
		total += len(p.Issues)
	}
	last := 0
	must(t, sample.Load(t.Context(), db, projects, func(done, of int) {
		if done < last || done > of || of != total {
			t.Errorf("progress %d of %d after %d", done, of, last)
		}
		last = done
	}))
	if last != total || total != 2005 {
		t.Errorf("progress ended at %d of %d", last, total)
	}
	for _, p := range projects {
		store, err := db.Tenant(p.Tenant.ID)
		must(t, err)
		d, err := store.Definition(t.Context(), p.Project.ID)
		must(t, err)
		var fields []tracker.Field
		for _, f := range d.Fields {
			fields = append(fields, *f)
		}
		if diff := cmp.Diff(p.Fields, fields); diff != "" {
			t.Errorf("fields of %s (-want +got):\n%s", p.Project.Name, diff)
		}
		found := dynamotest.Issues(t, store, &p.Project)
		if len(found) != len(p.Issues) {
			t.Fatalf("%d issues of %s, want %d", len(found), p.Project.Name, len(p.Issues))
		}
		for n, i := range found {
			want := p.Issues[n]
			if i.ID != want.ID || i.Num != want.Num || i.Name != want.Name || i.State != want.State ||
				!i.Created.Equal(want.Created) || len(i.Values) != len(want.Values) {
				t.Errorf("issue %+v, want %+v", i, want)
			}
			for id, v := range want.Values {
				if got := i.Values[id]; !got.Equal(v) && got.Kind != tracker.KindLong &&
					d.Field(id).Type != tracker.TypeNumber {
					t.Errorf("issue %d has %v for %s, want %v", i.Num, got, id, v)
				}
			}
		}
		next, err := store.CreateIssue(t.Context(), d,
			tracker.Issue{Name: "New", State: p.Project.States[0].ID})
		if must(t, err); next.Num != int64(len(p.Issues)+1) {
			t.Errorf("the next number of %s is %d", p.Project.Name, next.Num)
		}
	}

	// A second Load keeps changes that users have made.
	store, err := db.Tenant(projects[0].Tenant.ID)
	must(t, err)
	must(t, store.DeleteIssue(t.Context(), projects[0].Issues[0].ID, nil))
	before := dump(t, db, projects[:2])
	wire.Reset()
	calls := 0
	must(t, sample.Load(t.Context(), db, projects, func(done, of int) {
		if calls++; of != total || calls == len(projects) && done != total {
			t.Errorf("progress %d of %d", done, of)
		}
	}))
	if diff := cmp.Diff(map[string]int{"BatchGetItem": len(projects)}, wire.Calls()); diff != "" {
		t.Errorf("calls of a second Load (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, dump(t, db, projects[:2])); diff != "" {
		t.Errorf("a second Load changed (-before +after):\n%s", diff)
	}
}

// TestInterruptedLoad interrupts Load at every kind of write, and checks that later calls complete the data.
func TestInterruptedLoad(t *testing.T) {
	projects := small()
	whole, _ := dynamotest.Open(t)
	must(t, sample.Load(t.Context(), whole, projects, func(int, int) {}))
	want := dump(t, whole, projects)
	db, wire := dynamotest.Open(t)
	// Each Load gets a few writes further than the one before, until one completes.
	interruptions := 0
	for reached := int64(1); ; reached = reached*3/2 + 1 {
		var writes atomic.Int64
		wire.Intercept(dynamotest.Instead(func(r *dynamotest.Request) *dynamotest.Response {
			if strings.Contains(r.Operation, "Write") || r.Operation == "UpdateItem" {
				if n := writes.Add(1); n >= reached && n < reached+100 {
					return dynamotest.Refusal("AccessDeniedException", "interrupted")
				}
			}
			return nil
		}))
		err := sample.Load(t.Context(), db, projects, func(int, int) {})
		if err == nil {
			break
		}
		if interruptions++; tracker.CodeOf(err) != tracker.Unavailable || interruptions > 50 {
			t.Fatalf("interruption %d: %v", interruptions, err)
		}
	}
	wire.Intercept(nil)
	if interruptions < 5 {
		t.Errorf("only %d interruptions", interruptions)
	}
	if diff := cmp.Diff(want, dump(t, db, projects)); diff != "" {
		t.Errorf("after %d interruptions (-uninterrupted +completed):\n%s", interruptions, diff)
	}
}

// TestSampleIsValid checks the data against the rules of package tracker, and that the generated project has
// all types of fields, ties and missing values.
func TestSampleIsValid(t *testing.T) {
	for _, p := range sample.All() {
		t.Run(p.Project.Name, func(t *testing.T) {
			must(t, tracker.CheckName("tenant", p.Tenant.Name))
			must(t, p.Project.Check(nil))
			var fields []*tracker.Field
			for i := range p.Fields {
				f := &p.Fields[i]
				must(t, tracker.NewDefinition(p.Project, fields).CheckField(f))
				if !f.ID.Valid() {
					t.Errorf("field id %q", f.ID)
				}
				fields = append(fields, f)
			}
			d := tracker.NewDefinition(p.Project, fields)
			ids := map[tracker.IssueID]bool{}
			for n, i := range p.Issues {
				must(t, tracker.CheckIssueName("name", i.Name))
				if _, ok := p.Project.State(i.State); !ok || i.Num != int64(n+1) || !i.ID.Valid() ||
					i.ID.Project != p.Project.ID || ids[i.ID] || i.Updated.Before(i.Created) {
					t.Errorf("issue %+v", i)
				}
				ids[i.ID] = true
				for id := range i.Values {
					if d.Field(id) == nil {
						t.Errorf("issue %d has a value of %s", i.Num, id)
					}
				}
				for _, f := range fields {
					if err := f.Check(i.Values[f.ID]); err != nil {
						t.Errorf("issue %d: %v", i.Num, err)
					}
				}
			}
		})
	}
	generated := sample.Generated()
	types, values, ties := map[tracker.FieldType]bool{}, map[tracker.FieldID]int{}, map[string]int{}
	for _, f := range generated.Fields {
		types[f.Type] = true
	}
	long, fieldsWithTies := 0, 0
	for _, i := range generated.Issues {
		for id, v := range i.Values {
			values[id]++
			ties[fmt.Sprintf("%s %s %v", id, v.Text(), v.Set())]++
			if len(v.Text()) > tracker.MaxInlineText {
				long++
			}
		}
	}
	if len(types) != len(tracker.FieldTypes) {
		t.Errorf("types %v", types)
	}
	if len(generated.Issues) != 2000 || long < 100 {
		t.Errorf("%d issues, %d long texts", len(generated.Issues), long)
	}
	for _, f := range generated.Fields {
		n := values[f.ID]
		if n == 0 || !f.Required && n == len(generated.Issues) || f.Required && n != len(generated.Issues) {
			t.Errorf("%d of %d issues have a value of %s", n, len(generated.Issues), f.Name)
		}
		if tied := slices.ContainsFunc(slices.Collect(maps.Keys(ties)), func(key string) bool {
			return strings.HasPrefix(key, string(f.ID)+" ") && ties[key] > 1
		}); tied {
			fieldsWithTies++
		}
	}
	if fieldsWithTies < 6 {
		t.Errorf("only %d fields have ties", fieldsWithTies)
	}
}

// TestSampleIsTheSameEveryTime checks that the data depends on neither the clock nor random seeds.
func TestSampleIsTheSameEveryTime(t *testing.T) {
	if diff := cmp.Diff(sample.All(), sample.All(), cmp.Comparer(tracker.Value.Equal)); diff != "" {
		t.Errorf("two calls differ:\n%s", diff)
	}
}

// TestLoadBesideDeletedTenant loads the sample data into a table in which one of its tenants was deleted.
// That tenant, whose id is not used again, is left out.
func TestLoadBesideDeletedTenant(t *testing.T) {
	db, _ := dynamotest.Open(t)
	projects := sample.Worked()
	must(t, sample.Load(t.Context(), db, projects[:1], func(int, int) {}))
	deleted := projects[0].Tenant.ID
	must(t, db.DeleteTenant(t.Context(), deleted, func(*tracker.Tenant) error { return nil }))
	last, total := 0, 0
	must(t, sample.Load(t.Context(), db, projects, func(done, of int) { last, total = done, of }))
	if last != total || total != len(projects[0].Issues)+len(projects[1].Issues) {
		t.Errorf("progress ended at %d of %d", last, total)
	}
	found, err := db.Tenants(t.Context(), []tracker.TenantID{deleted, projects[1].Tenant.ID})
	must(t, err)
	if found[0] != nil || found[1] == nil {
		t.Errorf("the tenants are %v", found)
	}
}
