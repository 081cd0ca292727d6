package dynamo_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// inspector checks every key of every request, and records those that do not begin with the tenant's id (I1).
type inspector struct {
	mu      sync.Mutex
	tenant  tracker.TenantID
	checked int
	foreign []string
}

func (i *inspector) intercept(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
	var body map[string]any
	if err := json.Unmarshal(r.Body, &body); err != nil {
		panic(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if r.Operation == "Query" {
		i.query(r.Operation, body)
	}
	before := i.checked
	i.walk(r.Operation, body)
	if r.Operation != "Query" && i.checked == before {
		i.foreign = append(i.foreign, r.Operation+" without a key")
	}
	return send(r)
}

// query checks the partition key of a Query, for any name of the placeholder.
func (i *inspector) query(operation string, body map[string]any) {
	condition, _ := body["KeyConditionExpression"].(string)
	name, placeholder, ok := strings.Cut(strings.Split(condition, " AND ")[0], " = ")
	values, _ := body["ExpressionAttributeValues"].(map[string]any)
	if want := map[bool]string{true: "SK", false: "PK"}[body["IndexName"] != nil]; !ok || name != want {
		i.foreign = append(i.foreign, operation+" of "+condition)
	}
	i.check(operation, "partition", stringOf(values[placeholder]), "")
}

// walk checks the keys of the table and of the index in all parts of a request.
func (i *inspector) walk(operation string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if v["PK"] != nil {
			i.check(operation, "PK", stringOf(v["PK"]), "")
			allowed := "*" // the sort key of guards, which are not in the index
			if v["SS"] != nil || strings.Contains(stringOf(v["PK"]), "/tenant-") {
				allowed = "tenants"
			}
			i.check(operation, "SK", stringOf(v["SK"]), allowed)
		}
		for _, part := range v {
			i.walk(operation, part)
		}
	case []any:
		for _, part := range v {
			i.walk(operation, part)
		}
	}
}

func (i *inspector) check(operation, what, key, allowed string) {
	i.checked++
	if !strings.HasPrefix(key, string(i.tenant)+"/") && (allowed == "" || key != allowed) {
		i.foreign = append(i.foreign, fmt.Sprintf("%s: %s %q of tenant %s", operation, what, key, i.tenant))
	}
}

func stringOf(v any) string {
	m, _ := v.(map[string]any)
	s, _ := m["S"].(string)
	return s
}

// operations returns functions that call the methods of a tenant's handle, by name. They ignore results,
// because some run before the items they need exist.
func operations(store *dynamo.Tenant, p tracker.ProjectID, id string,
	values map[tracker.FieldID]tracker.Value) map[string]func(testing.TB) {
	issue := tracker.IssueID{Project: p, Issue: id}
	d := tracker.NewDefinition(tracker.Project{ID: p, Tenant: store.ID(), States: twoStates}, nil)
	fields := everyField()
	for i := range fields {
		d.Fields = append(d.Fields, &fields[i])
	}
	d = tracker.NewDefinition(d.Project, d.Fields)
	long := tracker.LongRef{Issue: issue, Column: "flong", Long: tracker.Long{ID: "t1", Bytes: 300, Parts: 3}}
	return map[string]func(testing.TB){
		"ID": func(testing.TB) { store.ID() },
		"CreateProject": func(t testing.TB) {
			store.CreateProject(t.Context(), tracker.Project{ID: p, Key: "KEY", Name: "x", States: twoStates})
		},
		"CreateField": func(t testing.TB) { store.CreateField(t.Context(), p, fields[0]) },
		"UpdateField": func(t testing.TB) {
			store.UpdateField(t.Context(), p, fields[0].ID, func(f *tracker.Field) error {
				f.Name = "y"
				return nil
			})
			mergeOptions(t.Context(), store, p, "fsel", []tracker.OptionID{"o1"}, "o2")
		},
		"UpdateProject": func(t testing.TB) {
			store.UpdateProject(t.Context(), p, func(x *tracker.Project) error {
				x.Key, x.Name = "OTHER", "y"
				return nil
			})
		},
		"CreateIssue": func(t testing.TB) {
			store.CreateIssue(t.Context(), d,
				tracker.Issue{ID: issue, Name: "x", State: "open",
					Description: tracker.Text(incompressible(400_000)), Values: values})
		},
		"PutIssues": func(t testing.TB) {
			store.PutIssues(t.Context(), d,
				[]tracker.Issue{{ID: tracker.IssueID{Project: p, Issue: "b" + id[1:]}, Num: 7, Name: "x",
					State: "open", Values: values}})
		},
		"UpdateIssue": func(t testing.TB) {
			store.UpdateIssue(t.Context(), d, issue,
				tracker.Change{Name: ptr("y"), Description: ptr(""),
					Values: map[tracker.FieldID]tracker.Value{"ftext": {},
						"ftags": tracker.Set([]string{"../rival/x"})}})
		},
		"DeleteIssue":  func(t testing.TB) { store.DeleteIssue(t.Context(), issue, nil) },
		"RestoreIssue": func(t testing.TB) { store.RestoreIssue(t.Context(), d, issue) },
		"Trash":        func(t testing.TB) { store.Trash(t.Context(), []tracker.IssueID{issue}, false) },
		"Tags": func(t testing.TB) {
			store.Tags(t.Context(), columns.TagQuery{Project: p, Field: d.Field("ftags"), From: "a",
				Limit: 3})
		},
		"TrashList": func(t testing.TB) {
			store.TrashList(p).Page(t.Context(), dynamo.ListQuery{Limit: 3})
			store.TrashList(p).Count(t.Context(), nil, nil)
		},
		"ChangeFieldType": func(t testing.TB) {
			store.ChangeFieldType(t.Context(), p, "fint", tracker.Form{Type: tracker.TypeText}, true, nil)
		},
		"CancelJob": func(t testing.TB) {
			store.CancelJob(t.Context(), p, "../rival")
			store.CancelJob(t.Context(), "../rival", "job")
		},
		"Renewed":       func(t testing.TB) { store.Renewed(t.Context(), p, time.Now()) },
		"DeleteField":   func(t testing.TB) { store.DeleteField(t.Context(), p, "fuser", nil) },
		"DeleteProject": func(t testing.TB) { store.DeleteProject(t.Context(), "gone", nil) },
		"RunJobs":       func(t testing.TB) { store.RunJobs(t.Context(), "gone") },
		"RenameUser":    func(t testing.TB) { store.RenameUser(t.Context(), "gone") },
		"PurgeIssue":    func(t testing.TB) { store.PurgeIssue(t.Context(), issue, nil) },
		"History": func(t testing.TB) {
			store.History(t.Context(), issue, dynamo.HistoryQuery{Limit: 2})
		},
		"ProjectHistory": func(t testing.TB) {
			store.ProjectHistory(t.Context(), p, dynamo.HistoryQuery{Limit: 1})
			store.ProjectHistory(t.Context(), "../rival", dynamo.HistoryQuery{Limit: 1})
		},
		"CountProjectHistory": func(t testing.TB) { store.CountProjectHistory(t.Context(), p) },
		"TrashProject": func(t testing.TB) {
			store.TrashProject(t.Context(), p, nil)
			store.TrashProject(t.Context(), "../rival", nil)
		},
		"DeletedProjects": func(t testing.TB) {
			store.DeletedProjects(t.Context(), []tracker.ProjectID{p, "../rival"})
		},
		"DeletedList": func(t testing.TB) {
			store.DeletedList().Page(t.Context(), dynamo.ListQuery{Limit: 3})
			store.DeletedList().Count(t.Context(), nil, nil)
		},
		"RestoreProject": func(t testing.TB) {
			store.RestoreProject(t.Context(), p)
			store.RestoreProject(t.Context(), "../rival")
		},
		"CheckFits": func(testing.TB) { store.CheckFits(d, tracker.Issue{ID: issue, Name: "x"}) },
		"Changes": func(testing.TB) {
			store.Changes(d, &tracker.Issue{ID: issue, Name: "x"}, tracker.Change{Name: ptr("y")})
		},
		"SwitchEmpties": func(t testing.TB) {
			store.SwitchEmpties(t.Context(), p, "fint")
			store.SwitchEmpties(t.Context(), "../rival", "fint")
		},
		"CompleteEmpties": func(t testing.TB) { store.CompleteEmpties(t.Context(), "../rival") },
		"Background": func(t testing.TB) {
			store.Background().Issues(t.Context(), []tracker.IssueID{issue})
		},
		"Inside": func(t testing.TB) {
			in := store.Inside()
			in.Get(t.Context(), []dynamo.Key{in.Keys.IssueItem(issue)}, true)
			in.Definitions.ReadAny(t.Context(), p)
			in.Definitions.ReadAny(t.Context(), "../rival")
			in.Issues.WithNumber(t.Context(), &d.Project, 7)
			in.Issues.RemoveEntries(t.Context(), issue)
		},
		"As": func(t testing.TB) {
			by := tracker.Actor{Kind: tracker.ActorUser, Name: "../rival"}
			store.As(by).UpdateIssue(t.Context(), d, issue, one("fint", tracker.Int(3)))
		},
		"Once": func(t testing.TB) {
			store.Once(tracker.Once{Key: "../rival", Fingerprint: "p"}).UpdateIssue(t.Context(), d, issue,
				one("fint", tracker.Int(4)))
		},
		"Issues": func(t testing.TB) {
			store.Issues(t.Context(), []tracker.IssueID{issue, {Project: "rival/p1", Issue: "x"}})
		},
		"Heads": func(t testing.TB) { store.Heads(t.Context(), []tracker.IssueID{issue}) },
		"IssuesConsistent": func(t testing.TB) {
			store.IssuesConsistent(t.Context(), []tracker.IssueID{issue})
		},
		"Projects": func(t testing.TB) {
			store.Projects(t.Context(), []tracker.ProjectID{p, "../rival"})
		},
		"LongTexts":  func(t testing.TB) { store.LongTexts(t.Context(), []tracker.LongRef{long}) },
		"Definition": func(t testing.TB) { store.Definition(t.Context(), p) },
		"Current":    func(t testing.TB) { store.Current(t.Context(), p) },
		"ProjectByKey": func(t testing.TB) {
			store.ProjectByKey(t.Context(), "KEY")
			store.ProjectByKey(t.Context(), "../rival/KEY")
		},
		"Counter":      func(t testing.TB) { store.Counter(t.Context(), p) },
		"RaiseCounter": func(t testing.TB) { store.RaiseCounter(t.Context(), p, 9) },
		"Starting": func(t testing.TB) {
			starting, err := store.Starting()
			ok(t, err)
			starting.DeleteField(t.Context(), p, "ftags", nil)
		},
		"StartedJob": func(t testing.TB) { store.StartedJob(t.Context(), p) },
		"Repeated": func(t testing.TB) {
			store.Once(tracker.Once{Key: "../rival/x", Fingerprint: "x"}).Repeated(t.Context())
		},
		"Claim": func(t testing.TB) {
			store.Once(tracker.Once{Key: "../rival/x", Fingerprint: "x"}).Claim(t.Context())
		},
		"Applied":     func(t testing.TB) { store.Applied(t.Context(), []string{"key", "../rival/x"}) },
		"ReserveNums": func(t testing.TB) { store.ReserveNums(t.Context(), p, 2) },
		"Get":         func(t testing.TB) { store.Get(t.Context()) },
		"ProjectList": func(t testing.TB) {
			store.ProjectList().Page(t.Context(), dynamo.ListQuery{Limit: 3})
			store.ProjectList().Count(t.Context(), nil, nil)
		},
		"QueryKeys": func(t testing.TB) {
			for _, q := range []columns.KeyQuery{{Column: tracker.ColumnNum},
				{Column: "ftext", From: []byte{1}, To: []byte{9}},
				{Column: "ftags", Member: "/../rival/x", Descending: true, Limit: 3},
				{Column: tracker.ColumnNum, Without: []tracker.Column{"ftext"}, CountOnly: true}} {
				q.Project = p
				store.QueryKeys(t.Context(), q)
			}
		},
	}
}

// TestKeysBeginWithTheTenant runs every operation of a handle with random ids, and checks the keys of all
// requests. Some tenants' ids are prefixes of others, or equal other parts of keys.
func TestKeysBeginWithTheTenant(t *testing.T) {
	for _, group := range []bool{false, true} {
		t.Run(fmt.Sprintf("grouped %t", group), func(t *testing.T) {
			f := setup(t, func(s *dynamo.Settings) { s.GroupWrites = group })
			id := rapid.StringMatching(`[a-z0-9]{1,32}`)
			tenants := rapid.OneOf(rapid.SampledFrom([]tracker.TenantID{"a", "ac", "acme0", "tenants",
				"tenant", "unique"}), rapid.Map(id, func(s string) tracker.TenantID {
				return tracker.TenantID(s)
			}))
			values := fullValues()
			values["flong"] = tracker.Text(strings.Repeat("long ", 100))
			values["ftags"] = tracker.Set([]string{"/rival/", "rival/x", "."})
			run := 0
			rapid.Check(t, func(rt *rapid.T) {
				tenant := tenants.Filter(func(id tracker.TenantID) bool {
					return id != rival && id != acme
				}).Draw(rt, "tenant")
				project, issue := tracker.ProjectID(id.Draw(rt, "project")),
					"a"+rapid.StringMatching(`[a-z0-9]{0,31}`).Draw(rt, "issue")
				if run++; run > 15 {
					return // 15 runs of about 60 requests are enough
				}
				// A tenant is created by an operator, and its name is guarded by an item of no tenant.
				if err := f.db.CreateTenant(t.Context(), tracker.Tenant{ID: tenant,
					Name: "Named " + string(tenant)}); err != nil && tracker.CodeOf(err) != tracker.Conflict {
					rt.Fatal(err)
				}
				i := &inspector{tenant: tenant}
				f.wire.Intercept(i.intercept)
				defer f.wire.Intercept(nil)
				store, err := f.db.Tenant(tenant)
				if err != nil {
					rt.Fatal(err)
				}
				all := operations(store, project, issue, values)
				order := slices.Sorted(maps.Keys(all))
				// Most others need the items that these create.
				for _, first := range []string{"UpdateField", "CreateField", "CreateIssue", "CreateProject"} {
					order = slices.Insert(order, 0, first)
				}
				for _, name := range append(order, "DeleteIssue") {
					all[name](t)
				}
				if len(i.foreign) > 0 || i.checked < 60 {
					rt.Fatalf("%d keys checked, want at least 60; foreign keys:\n%s", i.checked,
						strings.Join(i.foreign, "\n"))
				}
			})
		})
	}
}

// TestEveryOperationIsInspected checks that TestKeysBeginWithTheTenant calls every method of a handle.
func TestEveryOperationIsInspected(t *testing.T) {
	var want []string
	for m := range reflect.TypeFor[*dynamo.Tenant]().Methods() {
		want = append(want, m.Name)
	}
	store, err := newDB(t).Tenant(acme)
	ok(t, err)
	got := slices.Sorted(maps.Keys(operations(store, project, "a", nil)))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations (-methods +called):\n%s", diff)
	}
}

// newDB opens a table that does not exist.
func newDB(t *testing.T, options ...func(*dynamo.Settings)) *dynamo.DB {
	t.Helper()
	settings, _ := dynamotest.Settings(t)
	for _, alter := range options {
		alter(&settings)
	}
	db, err := dynamo.Open(t.Context(), settings)
	ok(t, err)
	return db
}
