package graph_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"issuegrid/tracker"
)

// view is a view as the API returns it.
type view struct {
	ID, Name          string
	Shared, IsDefault bool
	Owner             *string
	Columns           []viewColumn
	Filter            json.RawMessage
	OrderBy           []viewOrder
	GroupBy           []viewGrouping
	Summaries         []viewSummary
	Layout            string
	Problems          []viewProblem
	Version           int
	Project           struct{ ID string }
}

type viewColumn struct {
	Builtin *string
	Field   *struct{ Name string }
	Width   *int
}

type viewOrder struct {
	Builtin          *string
	Field            *struct{ ID, Name string }
	Direction, Nulls string
}

type viewGrouping struct {
	Builtin          *string
	Field            *struct{ ID, Name string }
	Direction, Nulls string
	Period           *string
	Width            *float64
	FirstLetter      bool
}

type viewSummary struct {
	Builtin *string
	Field   *struct{ Name string }
	Part    string
}

type viewProblem struct{ Path, Message string }

const wholeView = `{ id name shared isDefault owner: ownerName columns { builtin field { name } width } filter
	orderBy { builtin field { id name } direction nulls }
	groupBy { builtin field { id name } direction nulls period width firstLetter }
	summaries { builtin field { name } part } layout problems { path message } version project { id } }`

// user returns a server for a user of the world's tenant.
func (w *world) user(t testing.TB, name string, role tracker.Role) *server {
	t.Helper()
	return w.as(t, tracker.Principal{Tenant: tenantID(t, w.tenant), User: name, Role: role})
}

// tryView sends createView, updateView or deleteView.
func (w *world) tryView(t testing.TB, s *server, name string, input map[string]any) (view, []apiError) {
	t.Helper()
	selection := `view ` + wholeView
	if name == "deleteView" {
		selection = `deletedViewId project { id }`
	}
	a := s.ask(t, mutation(name, selection), map[string]any{"i": input})
	if len(a.Errors) > 0 {
		return view{}, a.Errors
	}
	return decode[map[string]struct{ View view }](t, a.Data)[name].View, nil
}

// changeView is tryView, which must succeed.
func (w *world) changeView(t testing.TB, s *server, mutation string, input map[string]any) view {
	t.Helper()
	v, errs := w.tryView(t, s, mutation, input)
	if len(errs) > 0 {
		t.Fatalf("%s %v: %+v", mutation, input, errs)
	}
	return v
}

// save creates a view of the world's project.
func (w *world) save(t testing.TB, s *server, input map[string]any) view {
	t.Helper()
	input["projectId"] = w.project
	return w.changeView(t, s, "createView", input)
}

// columns returns the columns of fields as the input of a view.
func (w *world) columns(kinds ...tracker.FieldType) (out []any) {
	for _, kind := range kinds {
		out = append(out, map[string]any{"column": map[string]any{"fieldId": w.fields[kind]}})
	}
	return out
}

// views returns the names of the views of the project, those that are shared with an s, the default with a d.
func (w *world) views(t testing.TB, s *server) []string {
	t.Helper()
	return viewNames(get[[]view](t, s, "project.views.nodes", `query($p: ID!) { project(id: $p) { views(first: 100) {
		nodes `+wholeView+` } } }`, map[string]any{"p": w.project}))
}

func viewNames(all []view) []string {
	names := []string{}
	for _, v := range all {
		name := v.Name
		if v.Shared {
			name += " s"
		}
		if v.IsDefault {
			name += " d"
		}
		names = append(names, name)
	}
	return names
}

// readView reads a view in all ways, and checks that the results are equal.
func (w *world) readView(t testing.TB, s *server, id string) view {
	t.Helper()
	var got struct {
		Node    view
		Project struct {
			View  view
			Views struct{ Nodes []view }
		}
	}
	s.data(t, fmt.Sprintf(`query($p: ID!, $v: ID!) { node(id: $v) { ... on View %[1]s }
		project(id: $p) { view(id: $v) %[1]s views(first: 100) { nodes %[1]s } } }`, wholeView),
		map[string]any{"p": w.project, "v": id}, &got)
	same(t, "node and project.view", got.Node, got.Project.View)
	for _, v := range got.Project.Views.Nodes {
		if v.ID == id {
			same(t, "node and a row of project.views", got.Node, v)
			return v
		}
	}
	t.Errorf("%s is not in the list", got.Node.Name)
	return got.Node
}

// shown returns the numbers of the issues that a view shows. arguments are those of View.issues.
func (w *world) shown(t testing.TB, s *server, id, arguments string) []int {
	t.Helper()
	return append([]int{}, nums(get[[]struct{ Num int }](t, s, "node.issues.nodes", fmt.Sprintf(
		`query($v: ID!) { node(id: $v) { ... on View { issues(first: 100%s) { nodes { num } } } } }`, arguments),
		map[string]any{"v": id}))...)
}
