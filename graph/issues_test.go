package graph_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/tracker"
)

// same compares two views of the same data.
func same[T any](t testing.TB, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-first +second):\n%.3000s", what, diff)
	}
}

// incompressible returns a string of the given number of bytes that can't be compressed.
func incompressible(bytes int) string {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, bytes)
	for i := range b {
		b[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[r.IntN(64)]
	}
	return string(b)
}

func TestIssues(t *testing.T) {
	s := load(t)
	w := newWorld(t, s)

	t.Run("values of all types", func(t *testing.T) {
		before := time.Now().Add(-time.Second)
		i := w.create(t, "full", w.inputs(w.full()))
		same(t, "the payload and the issue read", i, w.read(t, i.ID))
		type seen struct {
			kind, display string
			member        any
		}
		option := func(kind tracker.FieldType, place int, name string) struct{ ID, Name string } {
			return struct{ ID, Name string }{w.options[kind][place], name}
		}
		want := map[string]seen{
			w.fields[tracker.TypeText]:     {"TextValue", "a text", "a text"},
			w.fields[tracker.TypeLongText]: {"LongTextValue", "a long text", "a long text 11"},
			w.fields[tracker.TypeInteger]:  {"IntegerValue", "-42", "-42"},
			w.fields[tracker.TypeNumber]:   {"NumberValue", "2.5", 2.5},
			w.fields[tracker.TypeDate]:     {"DateValue", "2024-02-29", "2024-02-29"},
			w.fields[tracker.TypeDateTime]: {"DateTimeValue", "2024-02-29T12:00:00.5Z",
				"2024-02-29T12:00:00.5Z"},
			w.fields[tracker.TypeBoolean]: {"BooleanValue", "false", false},
			w.fields[tracker.TypeSelect]:  {"SelectValue", "Two", option(tracker.TypeSelect, 1, "Two")},
			w.fields[tracker.TypeMultiSelect]: {"MultiSelectValue", "Three, One",
				[]struct{ ID, Name string }{option(tracker.TypeMultiSelect, 2, "Three"),
					option(tracker.TypeMultiSelect, 0, "One")}},
			w.fields[tracker.TypeTags]: {"TagsValue", "b, A", []string{"b", "A"}},
			w.fields[tracker.TypeUser]: {"UserValue", "Zoë", "Zoë"},
		}
		got := map[string]seen{}
		var order []string
		for _, v := range i.Values {
			var member any
			switch {
			case v.Text != nil && v.Bytes != nil:
				member = fmt.Sprint(*v.Text, " ", *v.Bytes)
			case v.Text != nil:
				member = *v.Text
			case v.Integer != nil:
				member = *v.Integer
			case v.Number != nil:
				member = *v.Number
			case v.Date != nil:
				member = *v.Date
			case v.DateTime != nil:
				member = *v.DateTime
			case v.Boolean != nil:
				member = *v.Boolean
			case v.Option != nil:
				member = *v.Option
			case v.Options != nil:
				member = v.Options
			case v.Tags != nil:
				member = v.Tags
			case v.User != nil:
				member = *v.User
			}
			got[v.Field.ID] = seen{v.Typename, v.Display, member}
			order = append(order, v.Field.ID)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(seen{})); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
		var fields []string
		for _, kind := range tracker.FieldTypes {
			fields = append(fields, w.fields[kind])
		}
		same(t, "the order of values without an argument is that of the fields", fields, order)
		if i.Version != 1 || i.State.ID != w.states[0] || i.Description != nil || i.Project.ID != w.project ||
			i.CreatedAt != i.UpdatedAt {
			t.Errorf("a new issue is %+v", i)
		}
		if created, err := time.Parse(time.RFC3339Nano, i.CreatedAt); err != nil || created.Before(before) ||
			created.After(time.Now().Add(time.Second)) {
			t.Errorf("createdAt is %s: %v", i.CreatedAt, err)
		}
	})

	t.Run("value and values by field", func(t *testing.T) {
		i := w.create(t, "some", w.inputs(map[tracker.FieldType]any{tracker.TypeInteger: 7,
			tracker.TypeUser: "Ada"}))
		var got struct {
			Issue struct {
				Some, None, Empty []*struct{ Display string }
				One, Two          *struct{ Display string }
			}
		}
		user, date, integer := w.fields[tracker.TypeUser], w.fields[tracker.TypeDate],
			w.fields[tracker.TypeInteger]
		s.data(t,
			fmt.Sprintf(
				`{ issue(id: %q) { some: values(fields: [%q, %q, %q, %q]) { display } none: values(fields: [%q]) { display } empty: values(fields: []) { display } one: value(field: %q) { display } two: value(field: %q) { display } } }`,
				i.ID, user, date, integer, user, date, integer, date), nil, &got)
		ada, seven := &struct{ Display string }{"Ada"}, &struct{ Display string }{"7"}
		same(t, "values", []*struct{ Display string }{ada, nil, seven, ada}, got.Issue.Some)
		same(t, "values of a missing field", []*struct{ Display string }{nil}, got.Issue.None)
		same(t, "values of no fields", []*struct{ Display string }{}, got.Issue.Empty)
		same(t, "value", seven, got.Issue.One)
		same(t, "value of a missing field", nil, got.Issue.Two)
	})

	t.Run("an empty value removes the value", func(t *testing.T) {
		inputs := w.inputs(map[tracker.FieldType]any{tracker.TypeText: "", tracker.TypeLongText: "",
			tracker.TypeUser: "", tracker.TypeTags: []string{}, tracker.TypeMultiSelect: []string{}})
		inputs = append(inputs, map[string]any{"field": w.fields[tracker.TypeNumber], "value": nil},
			map[string]any{"field": w.fields[tracker.TypeDate], "value": nil})
		if i := w.createOf(t, map[string]any{"name": "empty", "values": inputs, "description": ""}); len(
			i.Values) > 0 || i.Description != nil {
			t.Errorf("%+v", i)
		}
	})

	t.Run("forms of input", func(t *testing.T) {
		for _, c := range []struct {
			kind    tracker.FieldType
			given   any
			display string
		}{
			{tracker.TypeInteger, "9223372036854775807", "9223372036854775807"},
			{tracker.TypeInteger, "-9223372036854775808", "-9223372036854775808"},
			{tracker.TypeInteger, 5, "5"},
			{tracker.TypeInteger, 0, "0"},
			{tracker.TypeNumber, 3, "3"},
			{tracker.TypeNumber, json.Number("-0"), "0"},
			{tracker.TypeNumber, json.Number("-0.0"), "0"},
			{tracker.TypeNumber, 0.1, "0.1"},
			{tracker.TypeDate, "0001-01-01", "0001-01-01"},
			{tracker.TypeDate, "9999-12-31", "9999-12-31"},
			{tracker.TypeDateTime, "2024-01-01T00:00:00+01:00", "2023-12-31T23:00:00Z"},
			{tracker.TypeDateTime, "2024-01-01T00:00:00.123456789Z", "2024-01-01T00:00:00.123456Z"},
			{tracker.TypeDateTime, "2024-01-01T00:00:00.100000Z", "2024-01-01T00:00:00.1Z"},
			{tracker.TypeBoolean, true, "true"},
			{tracker.TypeText, "\x00\u2028 \"\\", "\x00\u2028 \"\\"},
			{tracker.TypeText, "  ", "  "},
			{tracker.TypeTags, "one", "one"},
		} {
			t.Run(fmt.Sprintf("%s %v", c.kind, c.given), func(t *testing.T) {
				i := w.create(t, "form", []any{w.given(c.kind, c.given)})
				if len(i.Values) != 1 || i.Values[0].Display != c.display {
					t.Errorf("%v is %+v, want %q", c.given, i.Values, c.display)
				}
			})
		}
		t.Run("literals", func(t *testing.T) {
			var got struct{ CreateIssue struct{ Issue issue } }
			s.data(t,
				fmt.Sprintf(
					`mutation { createIssue(input: {project: %q, issue: {name: """block "name" """, state: %q, values: [{field: %q, value: {integer: -7}}, {field: %q, value: {number: 1e3}}, {field: %q, value: {tags: ["x", "y"]}}]}}) { issue %s } }`,
					w.project, w.states[1], w.fields[tracker.TypeInteger], w.fields[tracker.TypeNumber],
					w.fields[tracker.TypeTags], wholeIssue), nil, &got)
			i := got.CreateIssue.Issue
			if i.Name != `block "name"` || i.State.Name != "Done" || len(i.Values) != 3 ||
				*i.Values[0].Integer != "-7" || *i.Values[1].Number != 1000 {
				t.Errorf("%+v", i)
			}
		})
	})

	t.Run("long texts", func(t *testing.T) {
		for _, bytes := range []int{255, 256, 257, 100_000, 900_000} {
			t.Run(fmt.Sprint(bytes), func(t *testing.T) {
				text, other, report := incompressible(bytes), strings.Repeat("é", bytes/2),
					incompressible(bytes)[1:]
				i := w.createOf(t, map[string]any{"name": "long", "description": text,
					"values": []any{w.given(tracker.TypeText, other), w.given(tracker.TypeLongText, report)}})
				if deref(i.Description) != text || deref(i.Values[0].Text) != other ||
					i.Values[0].Display != other || deref(i.Values[1].Text) != report ||
					*i.Values[1].Bytes != len(report) {
					t.Fatal("the payload has different texts than the input")
				}
				same(t, "the payload and the issue read", i, w.read(t, i.ID))
				i = w.update(t, map[string]any{"id": i.ID, "description": other,
					"values": []any{w.given(tracker.TypeText, text), w.given(tracker.TypeLongText, "short")}})
				if deref(i.Description) != other || deref(i.Values[0].Text) != text ||
					deref(i.Values[1].Text) != "short" {
					t.Fatal("the payload of an update has different texts than the input")
				}
				same(t, "the payload and the issue read", i, w.read(t, i.ID))
				i = w.update(t, map[string]any{"id": i.ID, "description": "",
					"values": []any{map[string]any{"field": w.fields[tracker.TypeText], "value": nil}}})
				if i.Description != nil || len(i.Values) != 1 {
					t.Errorf("not removed: %+v", i.Values)
				}
				// Later subtests read the whole grid repeatedly.
				s.data(t, `mutation($id: ID!) { deleteIssue(input: {id: $id}) { deletedIssueId } }`,
					map[string]any{"id": i.ID}, new(any))
			})
		}
	})

	t.Run("update", func(t *testing.T) {
		i := w.create(t, "before", w.inputs(w.full()))
		changed := w.update(t, map[string]any{"id": i.ID, "name": "after"})
		want := i
		want.Name, want.Version, want.UpdatedAt = "after", 2, changed.UpdatedAt
		same(t, "another name", want, changed)
		if changed.UpdatedAt <= i.UpdatedAt {
			t.Errorf("updatedAt went from %s to %s", i.UpdatedAt, changed.UpdatedAt)
		}
		same(t, "the payload and the issue read", changed, w.read(t, i.ID))

		nothing := w.update(t, map[string]any{"id": i.ID, "name": " after ", "values": []any{},
			"state": i.State.ID})
		same(t, "a change without effect", changed, nothing)

		removed := w.update(t, map[string]any{"id": i.ID, "values": []any{
			map[string]any{"field": w.fields[tracker.TypeText], "value": nil},
			map[string]any{"field": w.fields[tracker.TypeTags], "value": map[string]any{"tags": []string{}}},
			w.given(tracker.TypeUser, "")}})
		if len(removed.Values) != len(i.Values)-3 || removed.Version != 3 {
			t.Errorf("%d values are left after three were removed; version %d", len(removed.Values),
				removed.Version)
		}
		moved := w.update(t, map[string]any{"id": i.ID, "state": w.states[1], "expectedVersion": 3})
		if moved.State.Name != "Done" || moved.Version != 4 {
			t.Errorf("%+v", moved)
		}
		same(t, "the payload and the issue read", moved, w.read(t, i.ID))
	})

	t.Run("another version", func(t *testing.T) {
		i := w.create(t, "version", w.inputs(w.full()))
		for _, version := range []int{0, 2, -1, 1 << 30} {
			a := s.ask(t, updateMutation, map[string]any{"i": map[string]any{"id": i.ID,
				"expectedVersion": version, "name": "lost"}})
			if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != string(tracker.Conflict) ||
				!strings.Contains(a.Errors[0].Message, "1") {
				t.Errorf("update expecting version %d: %+v", version, a.Errors)
			}
			a = s.ask(t, `mutation($i: DeleteIssueInput!) { deleteIssue(input: $i) { deletedIssueId } }`,
				map[string]any{"i": map[string]any{"id": i.ID, "expectedVersion": version}})
			if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != string(tracker.Conflict) {
				t.Errorf("delete expecting version %d: %+v", version, a.Errors)
			}
		}
		same(t, "nothing was written", i, w.read(t, i.ID))
	})

	t.Run("concurrent changes of different fields both win", func(t *testing.T) {
		i := w.create(t, "concurrent", nil)
		const rounds = 4
		kinds := []tracker.FieldType{tracker.TypeText, tracker.TypeInteger, tracker.TypeUser,
			tracker.TypeNumber}
		var group sync.WaitGroup
		for _, kind := range kinds {
			group.Go(func() {
				for n := 1; n <= rounds; n++ {
					a := s.askUntilTaken(t,
						`mutation($i: UpdateIssueInput!) { updateIssue(input: $i) { issue { version } } }`,
						map[string]any{"i": map[string]any{"id": i.ID,
							"values": []any{w.given(kind, anyOf(kind, n))}}})
					if len(a.Errors) > 0 {
						t.Errorf("%s: %+v", kind, a.Errors)
					}
				}
			})
		}
		group.Wait()
		got := w.read(t, i.ID)
		var displays []string
		for _, v := range got.Values {
			displays = append(displays, v.Display)
		}
		same(t, "values", []string{"4", "4", "4", "4"}, displays)
		if got.Version != 1+rounds*len(kinds) {
			t.Errorf("version %d after %d changes", got.Version, rounds*len(kinds))
		}
	})

	t.Run("delete", func(t *testing.T) {
		i := w.createOf(t, map[string]any{"name": "delete", "description": strings.Repeat("long ", 100),
			"values": w.inputs(w.full())})
		var got struct {
			DeleteIssue struct {
				DeletedIssueID string
				Project        struct{ ID, Name string }
			}
		}
		s.data(t,
			`mutation($id: ID!) { deleteIssue(input: {id: $id, expectedVersion: 1}) { deletedIssueId project { id name } } }`,
			map[string]any{"id": i.ID}, &got)
		if got.DeleteIssue.DeletedIssueID != i.ID || got.DeleteIssue.Project.ID != w.project ||
			got.DeleteIssue.Project.Name != "World" {
			t.Errorf("%+v", got)
		}
		for what, query := range map[string]string{
			"issue":  `query($id: ID!) { issue(id: $id) { id } }`,
			"node":   `query($id: ID!) { node(id: $id) { id } }`,
			"update": `mutation($id: ID!) { updateIssue(input: {id: $id, name: "x"}) { issue { id } } }`,
			"delete": `mutation($id: ID!) { deleteIssue(input: {id: $id}) { deletedIssueId } }`,
		} {
			if a := s.ask(t, query, map[string]any{"id": i.ID}); len(a.Errors) != 1 ||
				a.Errors[0].Extensions["code"] != string(tracker.NotFound) {
				t.Errorf("%s of a deleted issue: %+v", what, a.Errors)
			}
		}
		if a := s.ask(t, `query($p: ID!, $n: Int!) { project(id: $p) { issue(num: $n) { id } } }`,
			map[string]any{"p": w.project, "n": i.Num}); len(a.Errors) !=
			1 || a.Errors[0].Extensions["code"] != string(tracker.NotFound) {
			t.Errorf("by its number: %+v", a.Errors)
		}
		next := w.create(t, "next", nil)
		if next.Num != i.Num+1 {
			t.Errorf("after number %d the next issue has %d", i.Num, next.Num)
		}
		for _, column := range append([]string{`{builtin: NAME}`, `{builtin: STATE}`},
			fmt.Sprintf(`{field: %q}`, w.fields[tracker.TypeInteger])) {
			var rows struct {
				Project struct {
					Issues struct{ Nodes []struct{ Num int } }
				}
			}
			s.data(t,
				fmt.Sprintf(
					`{ project(id: %q) { issues(first: 500, orderBy: [{column: %s}]) { nodes { num } } } }`,
					w.project, column), nil, &rows)
			if slices.ContainsFunc(rows.Project.Issues.Nodes, func(n struct{ Num int }) bool {
				return n.Num == i.Num
			}) {
				t.Errorf("the grid by %s still has the deleted issue", column)
			}
		}
	})
}
