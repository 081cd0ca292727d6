package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/graph/guard/guardtest"
)

// TestLookUpsInListsAreEstimated checks that options that are looked up by name in a list of fields count for
// each field that the list may have, and those of one field once.
func TestLookUpsInListsAreEstimated(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	query := func(list string, n int) string {
		return fmt.Sprintf(`{ project(id: %q) { %s { %s } } }`, w.project, list,
			guardtest.Times(n, ` a~: optionByName(name: "Two") { name }`))
	}
	for list, most := range map[string]int{"fields": 9, `fieldByName(name: "Field SELECT")`: 500} {
		a := s.ask(t, query(list, most), nil)
		if !strings.Contains(string(a.Data), `"Two"`) {
			t.Errorf("%s with %d look-ups: %.300s %v", list, most, a.Data, a.Errors)
		}
	}
	a := s.ask(t, query("fields", 11), nil)
	if len(a.Errors) != 1 || !strings.Contains(a.Errors[0].Message, "Parallel") {
		t.Errorf("11 look-ups in each field: %.300s %v", a.Data, a.Errors)
	}
}

// TestReadsInListsAreEstimated checks that what is read below a list of fields, values or columns of a view
// counts for each element that the list may have.
func TestReadsInListsAreEstimated(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	v := w.save(t, s, inputOf("name", "V"))
	const rows = `project { issues(first: 500) { nodes { num } } }`
	for _, list := range []string{
		fmt.Sprintf(`project(id: %q) { fields { %s } }`, w.project, rows),
		fmt.Sprintf(`project(id: %q) { issues(first: 1) { nodes { values { field { %s } } } } }`, w.project, rows),
		fmt.Sprintf(`node(id: %q) { ... on View { columns { field { %s } } } }`, v.ID, rows),
		fmt.Sprintf(`node(id: %q) { ... on View { summaries { field { %s } } } }`, v.ID, rows),
	} {
		s.wire.Reset()
		a := s.ask(t, `{ `+list+` }`, nil)
		if len(a.Errors) != 1 || !strings.Contains(a.Errors[0].Message, "the limit (Cost)") {
			t.Errorf("%s: %.200s %v", list, a.Data, a.Errors)
		}
		if n := len(s.wire.Calls()); n > 0 {
			t.Errorf("%s made calls: %v", list, s.wire.Calls())
		}
	}
}
