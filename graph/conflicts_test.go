package graph_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// conflict is a Conflict, or extensions.conflict.
type conflict struct {
	CurrentVersion int
	ChangedBy      *actor
	ChangedAt      string
	BaseKnown      bool
	Columns        []struct {
		Name          string
		Before, After *string
	}
}

// actor is what made a change.
type actor struct{ Kind, Name string }

const selectConflict = `conflict { currentVersion changedBy { kind name } changedAt baseKnown columns { name before after } }`

// lines returns the columns with the first characters of their values.
func (c conflict) lines() (lines []string) {
	text := func(s *string) string {
		if s == nil {
			return "null"
		}
		return fmt.Sprintf("%.12s", *s)
	}
	for _, column := range c.Columns {
		lines = append(lines, column.Name+": "+text(column.Before)+" to "+text(column.After))
	}
	return lines
}

// conflictOf returns the conflict in the extensions of the only error of a response.
func conflictOf(t *testing.T, a answer) (c conflict) {
	t.Helper()
	if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != "CONFLICT" {
		t.Fatalf("%s %+v", a.Data, a.Errors)
	}
	text, err := json.Marshal(a.Errors[0].Extensions["conflict"])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestConflictsExplainThemselves changes all columns of an issue as another user, and then tries to change
// them with the version before. The errors of single and bulk changes have the current and the base values.
func TestConflictsExplainThemselves(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	tenant := tenantID(t, w.tenant)
	other := *w
	other.server = s.as(t, tracker.Principal{Tenant: tenant, User: "ada", Role: tracker.Editor})
	selected, multi := w.options[tracker.TypeSelect], w.options[tracker.TypeMultiSelect]
	long := strings.Repeat("long ", 100)
	theirs := map[tracker.FieldType]any{
		tracker.TypeText: "their text", tracker.TypeLongText: long, tracker.TypeInteger: "7",
		tracker.TypeNumber: 0.5, tracker.TypeDate: "2026-01-01", tracker.TypeDateTime: "2026-01-01T00:00:00Z",
		tracker.TypeBoolean: true, tracker.TypeSelect: selected[0], tracker.TypeMultiSelect: multi[1:2],
		tracker.TypeTags: []string{"c"}, tracker.TypeUser: "Ann",
	}
	want := map[tracker.FieldType]string{
		tracker.TypeText: "a text to their text", tracker.TypeLongText: "a long text to long long lo",
		tracker.TypeInteger: "-42 to 7", tracker.TypeNumber: "2.5 to 0.5",
		tracker.TypeDate: "2024-02-29 to 2026-01-01", tracker.TypeDateTime: "2024-02-29T1 to 2026-01-01T0",
		tracker.TypeBoolean: "false to true", tracker.TypeSelect: "Two to One",
		tracker.TypeMultiSelect: "Three, One to Two", tracker.TypeTags: "b, A to c",
		tracker.TypeUser: "Zoë to Ann",
	}
	i := w.createOf(t, map[string]any{"name": "first", "description": "base", "values": w.inputs(w.full())})
	wanted := []string{"description: base to null", "name: first to first", "state: New to Done"}
	for _, kind := range tracker.FieldTypes {
		wanted = append(wanted, "Field "+string(kind)+": "+want[kind])
	}
	other.update(t, map[string]any{"id": i.ID, "stateId": w.states[1], "description": "",
		"values": w.inputs(theirs)})
	other.update(t, map[string]any{"id": i.ID, "name": "second"})
	now := other.update(t, map[string]any{"id": i.ID, "name": "first"})
	mine := map[string]any{"id": i.ID, "expectedVersion": 1, "name": "mine", "stateId": w.states[0],
		"description": "mine", "values": w.inputs(w.full())}
	check := func(t *testing.T, c conflict, wanted []string) {
		t.Helper()
		if c.CurrentVersion != 4 || c.ChangedBy == nil || *c.ChangedBy != (actor{"USER", "ada"}) ||
			!c.BaseKnown || c.ChangedAt < i.CreatedAt || c.ChangedAt[:16] != now.UpdatedAt[:16] {
			t.Errorf("%+v of an issue of %s", c, now.UpdatedAt)
		}
		same(t, "columns", wanted, c.lines())
	}
	s.wire.Reset()
	single := s.ask(t, updateOne, map[string]any{"i": mine})
	calls := s.wire.Calls()
	if calls["Query"] != 1 || calls["TransactWriteItems"] != 0 {
		t.Errorf("calls: %v", calls)
	}
	inExtensions := make([]string, len(wanted))
	for n, line := range wanted {
		inExtensions[n] = strings.Replace(line, "long long lo", "null", 1) // long texts are left out
	}
	check(t, conflictOf(t, single), inExtensions)
	var bulk struct {
		UpdateIssues struct {
			Results []struct{ Errors []struct{ Conflict conflict } }
		}
		DeleteIssues struct {
			Results []struct{ Errors []struct{ Conflict conflict } }
		}
	}
	s.data(t, `mutation($i: UpdateIssuesInput!) { updateIssues(input: $i) { results { errors { `+selectConflict+
		` } } } }`, map[string]any{"i": map[string]any{"issues": []any{mine}}}, &bulk)
	check(t, bulk.UpdateIssues.Results[0].Errors[0].Conflict, wanted)
	// A deletion names no columns: what has been changed since. The name has its base value again.
	changed := append([]string{wanted[0], wanted[2]}, wanted[3:]...)
	deletion := map[string]any{"id": i.ID, "expectedVersion": 1}
	s.data(t, `mutation($i: DeleteIssuesInput!) { deleteIssues(input: $i) { results { errors { `+selectConflict+
		` } } } }`, map[string]any{"i": map[string]any{"issues": []any{deletion}}}, &bulk)
	c := bulk.DeleteIssues.Results[0].Errors[0].Conflict
	same(t, "columns of a deletion", sortedLines(append(changed, wanted[1])), sortedLines(c.lines()))
	same(t, "columns of a single deletion", len(wanted),
		len(conflictOf(t, s.ask(t, deleteOne, map[string]any{"i": deletion})).Columns))
}

func sortedLines(lines []string) []string { return slices.Sorted(slices.Values(lines)) }

// TestConflictsWithoutBase checks conflicts whose base the history does not have.
func TestConflictsWithoutBase(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	i := w.create(t, "0", nil)
	for n := range 21 {
		w.update(t, map[string]any{"id": i.ID, "name": fmt.Sprint(n + 1)})
	}
	for _, test := range []struct {
		expected int
		known    bool
		want     string
	}{{1, false, "name: null to 21"}, {2, true, "name: 1 to 21"}, {100, false, "name: null to 21"}} {
		c := conflictOf(t, s.ask(t, updateOne, map[string]any{"i": map[string]any{"id": i.ID, "name": "x",
			"expectedVersion": test.expected}}))
		if c.BaseKnown != test.known || c.CurrentVersion != 22 {
			t.Errorf("version %d: %+v", test.expected, c)
		}
		same(t, "columns", []string{test.want}, c.lines())
	}
	s.mutate(t, deleteOne, map[string]any{"id": i.ID})
	c := conflictOf(t, s.ask(t, deleteOne, map[string]any{"i": map[string]any{"id": i.ID, "permanently": true,
		"expectedVersion": 20}}))
	if c.CurrentVersion != 22 || !c.BaseKnown {
		t.Errorf("of an issue in the trash: %+v", c)
	}
	same(t, "columns of an issue in the trash", []string{"name: 19 to 21"}, c.lines())
}
