package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/internal/session"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// as returns a server over the same table for a principal.
func (s *server) as(t testing.TB, p tracker.Principal) *server {
	t.Helper()
	who := func(context.Context) tracker.Principal { return p }
	handler := graph.NewHandler(session.NewFactory(s.db, who, nil))
	return s.over(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.Confined() { // as the real server does
			r = r.WithContext(dynamo.Confine(r.Context(), p.Tenant))
		}
		handler.ServeHTTP(w, r)
	}))
}

// shortened matches a long ID as abridged in messages.
var shortened = regexp.MustCompile("[A-Za-z0-9_-]+…")

// tenantID decodes the ID of a tenant.
func tenantID(t testing.TB, id string) tracker.TenantID {
	t.Helper()
	n, err := model.ParseTenantID(id)
	if err != nil {
		t.Fatal(err)
	}
	return n.Tenant
}

// newTenant creates a tenant and returns its ID.
func (s *server) newTenant(t testing.TB, name string) string {
	t.Helper()
	var made struct {
		CreateTenant struct{ Tenant struct{ ID string } }
	}
	s.data(t, `mutation($n: String!) { createTenant(input: {name: $n}) { tenant { id } } }`,
		map[string]any{"n": name}, &made)
	return made.CreateTenant.Tenant.ID
}

// ownTenant creates a tenant and returns a server for its administrator.
func ownTenant(t testing.TB, s *server) (id string, admin *server) {
	t.Helper()
	id = s.newTenant(t, "Own")
	return id, s.as(t, tracker.Principal{Tenant: tenantID(t, id), User: "ada", Role: tracker.Admin})
}

// canary is part of every string of the other tenant.
const canary = "canary"

// planted creates a tenant with a project in which every string contains the canary, and returns the IDs of
// everything.
func planted(t *testing.T, s *server, text string) (w *world, ids map[string]string) {
	t.Helper()
	w = s.worldOf(t, s.newTenant(t, text), "SAME")
	s.mutate(t, updateProject, map[string]any{"id": w.project, "name": text})
	var i issue
	for range 3 {
		i = w.createOf(t, map[string]any{"name": text, "description": strings.Repeat(text, 100),
			"values": w.inputs(w.full())})
	}
	gone := w.create(t, text, nil)
	s.mutate(t, deleteOne, map[string]any{"id": gone.ID})
	ids = map[string]string{"tenant": w.tenant, "project": w.project, "field": w.fields[tracker.TypeText],
		"issue": i.ID, "state": w.states[0],
		"option": w.options[tracker.TypeSelect][0], "deleted": gone.ID, "view": w.save(t, s,
			map[string]any{"name": text, "shared": true, "columns": w.columns(tracker.TypeText),
				"filter": map[string]any{"name": map[string]any{"eq": text}}}).ID}
	ids["user"] = w.addUser(t, s, "name", text, "claim", text).ID
	ids["team"] = w.addTeam(t, s, "name", text).ID
	ids["comment"] = wrote(t, s, "createComment", "issueId", i.ID, "body", text, "mentionIds",
		[]any{ids["user"]}).ID
	return w, ids
}

// nothing returns IDs of missing things in a tenant, by kind.
func nothing(tenant tracker.TenantID, n int) map[string]string {
	project, issue := tracker.ProjectID(fmt.Sprint("nothing", n)), fmt.Sprint("no", n)
	return map[string]string{"tenant": model.TenantNodeID(tracker.TenantID(fmt.Sprint("nobody", n))),
		"project": model.ProjectNodeID(tenant, project),
		"field":   model.FieldNodeID(tenant, project, "nofield"),
		"issue":   model.IssueNodeID(tenant, tracker.IssueID{Project: project, Issue: issue}),
		"deleted": model.IssueNodeID(tenant, tracker.IssueID{Project: project, Issue: issue}),
		"state":   model.StateID(tenant, project, "nostate"),
		"option":  model.OptionID(tenant, project, "nofield", "nooption"),
		"user":    model.UserNodeID(tenant, tracker.UserID(issue)),
		"team":    model.TeamNodeID(tenant, tracker.TeamID(issue)),
		"comment": model.CommentNodeID(tenant, tracker.CommentRef{Issue: tracker.IssueID{Project: project,
			Issue: issue}, ID: tracker.FirstCommentID(time.UnixMicro(int64(n)))}),
		"view": model.ViewNodeID(tenant, tracker.ViewRef{Project: project, View: tracker.ViewID(issue)})}
}

// TestIsolation sends IDs and cursors of another tenant in every place that the schema has for one. The
// response, its errors and its calls must be the same as for a missing ID, and nothing of the other tenant
// may be shown, read or changed.
//
// In tier one, each place gets every third kind of id, and so each kind goes to a third of the places.
func TestIsolation(t *testing.T) {
	// no definition stays in the cache between requests
	s := newServer(t, func(s *dynamo.Settings) { s.DefinitionTTL = time.Microsecond })
	mine, own := planted(t, s, "mine")
	theirs, foreign := planted(t, s, canary)
	tenant, other := tenantID(t, mine.tenant), tenantID(t, theirs.tenant)
	foreignCursors := cursors(t, theirs)
	before := s.raw(t, other)
	me := s.as(t, tracker.Principal{Tenant: tenant, User: "eve", Role: tracker.Admin})

	var mu sync.Mutex
	var reached []string
	s.wire.Intercept(func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		if strings.Contains(string(r.Body), string(other)+"/") {
			mu.Lock()
			reached = append(reached, r.Operation+" "+string(r.Body))
			mu.Unlock()
		}
		return send(r)
	})
	a := &asker{schema: schemaFile(t), own: own}
	type outcome struct {
		answer string
		calls  map[string]int
	}
	ask := func(p place, value string) outcome {
		t.Helper()
		query := a.request(t, p, value)
		s.wire.Reset()
		text := me.post(t, query, nil).body
		calls := maps.Clone(s.wire.Calls())
		var answer struct{ Errors []apiError }
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatalf("%s: %v: %.300s", query, err, text)
		}
		for _, e := range answer.Errors {
			if e.Extensions["code"] == string(tracker.InternalErr) || e.Extensions["code"] == nil {
				t.Errorf("%s: %+v", query, e)
			}
			if e.Path == nil { // refused by the schema for any value
				t.Fatalf("%s: the request of the test is invalid: %s", query, e.Message)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(text, canary) {
			t.Errorf("%s of %s shows data of another tenant: %s", p, value, text)
		}
		if len(reached) > 0 {
			t.Fatalf("%s of %s reaches another tenant: %s", p, value, reached)
		}
		return outcome{shortened.ReplaceAllString(strings.ReplaceAll(text, value, "VALUE"), "VALUE"), calls}
	}
	asked := map[string]bool{}
	n := 0
	kinds, everyKind := slices.Sorted(maps.Keys(foreign)), tier.Cases(6, 1)
	for at, p := range a.places() {
		asked[p.of.Name+"."+p.field.Name] = true
		if last := p.path[len(p.path)-1]; p.path[0] != "input" && (last == "after" || last == "before") {
			for what, cursor := range foreignCursors {
				if got := ask(p, cursor); got.answer == "" {
					t.Errorf("%s of %s: no response", p, what)
				}
				n++
			}
			continue
		}
		for k, kind := range kinds {
			if (at+k)%everyKind > 0 {
				continue
			}
			id := foreign[kind]
			got := ask(p, id)
			missing := ask(p, nothing(tenant, n)[kind])
			nobody := ask(p, nothing(other, n)[kind])
			for name, is := range map[string]outcome{"of its own tenant": missing,
				"of the other tenant": nobody} {
				if got.answer != is.answer || !maps.Equal(got.calls, is.calls) {
					t.Errorf("%s of another tenant's %s: %s, calls %v;\nof a missing one, %s: %s, "+
						"calls %v\n%s", p, kind, got.answer, got.calls, name, is.answer, is.calls,
						a.request(t, p, id))
				}
			}
			n++
		}
	}
	t.Logf("%d requests with something of another tenant at %d fields", n, len(asked))
	s.wire.Intercept(nil)
	if after := s.raw(t, other); !maps.Equal(before, after) {
		t.Error("data of the other tenant has changed")
	}
}

// raw returns all items of a tenant.
func (s *server) raw(t *testing.T, tenant tracker.TenantID) map[string]string {
	t.Helper()
	table := s.db.Table()
	client := dynamodb.New(dynamodb.Options{HTTPClient: dynamotest.PlainClient(), Region: "us-east-1",
		BaseEndpoint: aws.String(dynamotest.Endpoint()),
		Credentials:  credentials.NewStaticCredentialsProvider("embedded", "embedded", "")})
	out := map[string]string{}
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: &table})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Items {
			pk, sk := m["PK"].(*types.AttributeValueMemberS).Value,
				m["SK"].(*types.AttributeValueMemberS).Value
			if !strings.HasPrefix(pk, string(tenant)+"/") {
				continue
			}
			text, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			out[pk+" "+sk] = string(text)
		}
	}
	return out
}
