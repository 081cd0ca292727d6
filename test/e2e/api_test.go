//go:build realdata

package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph"
	"issuegrid/internal/session"
)

func TestMain(m *testing.M) { dynamotest.Main(m) }

// api is the server over HTTP.
type api struct {
	url    string
	client *http.Client
}

func serve(t *testing.T, db *dynamo.DB) *api {
	s := httptest.NewServer(graph.NewHandler(session.NewFactory(db, session.Anonymous, nil)))
	t.Cleanup(s.Close)
	s.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = 16
	return &api{s.URL, s.Client()}
}

// ask sends an operation, which must succeed, and decodes its data.
func (a *api) ask(t testing.TB, query string, variables map[string]any, into any) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	must(t, err)
	response, err := a.client.Post(a.url, "application/json", bytes.NewReader(body))
	must(t, err)
	defer response.Body.Close()
	var answer struct {
		Data   json.RawMessage
		Errors json.RawMessage
	}
	must(t, json.NewDecoder(response.Body).Decode(&answer))
	if answer.Errors != nil {
		t.Fatalf("%s\n%v\n%.1000s", query, variables, answer.Errors)
	}
	must(t, json.Unmarshal(answer.Data, into))
}

// project is a project as the API shows it.
type project struct {
	ID, Key, Name string
	States        []option
	Fields        []field
}

type field struct {
	ID, Name, Type string
	Sortable       bool
	Options        []option
}

// option is an option of a field, or a state.
type option struct{ ID, Name string }

func (p *project) field(name string) *field {
	for i := range p.Fields {
		if p.Fields[i].Name == name {
			return &p.Fields[i]
		}
	}
	return nil
}

// projects returns the imported projects by key.
func (a *api) projects(t *testing.T) map[string]*project {
	var got struct {
		Tenants struct {
			Nodes []struct{ Projects struct{ Nodes []*project } }
		}
	}
	a.ask(t,
		`{ tenants { nodes { projects(first: 100) { nodes { id key name states { id name } fields { id name type sortable options { id name } } } } } } }`,
		nil, &got)
	out := map[string]*project{}
	for _, tenant := range got.Tenants.Nodes {
		for _, p := range tenant.Projects.Nodes {
			out[p.Key] = p
		}
	}
	return out
}
