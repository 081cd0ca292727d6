package graph_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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
		choice := func(kind tracker.FieldType, place int, name string) struct{ ID, Name string } {
			return struct{ ID, Name string }{w.options[kind][place], name}
		}
		two := choice(tracker.TypeSelect, 1, "Two")
		want := map[tracker.FieldType]value{
			tracker.TypeText: {Typename: "TextValue", Display: "a text", Text: new("a text")},
			tracker.TypeLongText: {Typename: "LongTextValue", Display: "a long text",
				Text: new("a long text"), Bytes: new(11)},
			tracker.TypeInteger: {Typename: "IntegerValue", Display: "-42", Integer: new("-42")},
			tracker.TypeNumber:  {Typename: "NumberValue", Display: "2.5", Number: new(2.5)},
			tracker.TypeDate:    {Typename: "DateValue", Display: "2024-02-29", Date: new("2024-02-29")},
			tracker.TypeDateTime: {Typename: "DateTimeValue", Display: "2024-02-29T12:00:00.5Z",
				DateTime: new("2024-02-29T12:00:00.5Z")},
			tracker.TypeBoolean: {Typename: "BooleanValue", Display: "false", Boolean: new(false)},
			tracker.TypeSelect:  {Typename: "SelectValue", Display: "Two", Option: &two},
			tracker.TypeMultiSelect: {Typename: "MultiSelectValue", Display: "Three, One",
				Options: []struct{ ID, Name string }{choice(tracker.TypeMultiSelect, 2, "Three"),
					choice(tracker.TypeMultiSelect, 0, "One")}},
			tracker.TypeTags: {Typename: "TagsValue", Display: "b, A", Tags: []string{"b", "A"}},
			tracker.TypeUser: {Typename: "UserValue", Display: "Zoë", User: new("Zoë")},
		}
		var values []value // in the order of the fields
		for _, kind := range tracker.FieldTypes {
			v := want[kind]
			v.Field.ID, v.Field.Name = w.fields[kind], "Field "+string(kind)
			values = append(values, v)
		}
		same(t, "values", values, i.Values)
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
		user, date, integer := w.fields[tracker.TypeUser], w.fields[tracker.TypeDate],
			w.fields[tracker.TypeInteger]
		same(t, "values", `{"some":[{"display":"Ada"},null,{"display":"7"},{"display":"Ada"}],"none":[null],`+
			`"empty":[],"one":{"display":"7"},"two":null}`, string(get[json.RawMessage](t, s, "issue",
			fmt.Sprintf(
				`{ issue(id: %q) { some: values(fieldIds: [%q, %q, %q, %[2]q]) { display }
			none: values(fieldIds: [%[3]q]) { display } empty: values(fieldIds: []) { display }
			one: value(fieldId: %[4]q) { display } two: value(fieldId: %[3]q) { display } } }`, i.ID, user, date, integer),
			nil)))
	})

	t.Run("an empty value removes the value", func(t *testing.T) {
		inputs := w.inputs(map[tracker.FieldType]any{tracker.TypeText: "", tracker.TypeLongText: "",
			tracker.TypeUser: "", tracker.TypeTags: []string{}, tracker.TypeMultiSelect: []string{}})
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
			i := get[issue](t, s, "createIssue.issue", fmt.Sprintf(
				`mutation { createIssue(input: {projectId: %q, issue: {name: """block "name" """, stateId: %q, values: [{fieldId: %q, value: {integer: -7}}, {fieldId: %q, value: {number: 1e3}}, {fieldId: %q, value: {tags: ["x", "y"]}}]}}) { issue %s } }`,
				w.project, w.states[1], w.fields[tracker.TypeInteger], w.fields[tracker.TypeNumber],
				w.fields[tracker.TypeTags], wholeIssue), nil)
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
					"values": []any{map[string]any{"fieldId": w.fields[tracker.TypeText], "clear": true}}})
				if i.Description != nil || len(i.Values) != 1 {
					t.Errorf("not removed: %+v", i.Values)
				}
				// Later subtests read the whole grid repeatedly.
				do(t, s, "deleteIssue.deletedIssueId", "id", i.ID)
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
			"stateId": i.State.ID})
		same(t, "a change without effect", changed, nothing)

		removed := w.update(t, map[string]any{"id": i.ID, "values": []any{
			map[string]any{"fieldId": w.fields[tracker.TypeText], "clear": true},
			map[string]any{"fieldId": w.fields[tracker.TypeTags],
				"value": map[string]any{"tags": []string{}}},
			w.given(tracker.TypeUser, "")}})
		if len(removed.Values) != len(i.Values)-3 || removed.Version != 3 {
			t.Errorf("%d values are left after three were removed; version %d", len(removed.Values),
				removed.Version)
		}
		moved := w.update(t, map[string]any{"id": i.ID, "stateId": w.states[1], "expectedVersion": 3})
		if moved.State.Name != "Done" || moved.Version != 4 {
			t.Errorf("%+v", moved)
		}
		same(t, "the payload and the issue read", moved, w.read(t, i.ID))
	})

	t.Run("another version", func(t *testing.T) {
		i := w.create(t, "version", w.inputs(w.full()))
		const stale = "CONFLICT input.issue.expectedVersion"
		for _, version := range []int{0, 2, -1, 1 << 30} {
			a := s.ask(t, updateMutation, input(nil, "id", i.ID, "expectedVersion", version, "name", "lost"))
			if a.outcome() != stale || !strings.Contains(a.Errors[0].Message, "1") {
				t.Errorf("update expecting version %d: %+v", version, a.Errors)
			}
			same(t, fmt.Sprint("delete expecting version ", version), stale,
				tryWrite(t, s, "deleteIssue", "id", i.ID, "expectedVersion", version))
		}
		same(t, "nothing was written", i, w.read(t, i.ID))
	})

	t.Run("delete", func(t *testing.T) {
		i := w.createOf(t, map[string]any{"name": "delete", "description": strings.Repeat("long ", 100),
			"values": w.inputs(w.full())})
		same(t, "the payload", inputOf("deletedIssueId", i.ID, "project", inputOf("id", w.project, "name",
			"World")), s.mutate(t, mutation("deleteIssue", "deletedIssueId project { id name }"),
			map[string]any{"id": i.ID, "expectedVersion": 1}))
		for _, query := range []string{fmt.Sprintf(`{ issue(id: %q) { id } }`, i.ID),
			fmt.Sprintf(`{ node(id: %q) { id } }`, i.ID),
			fmt.Sprintf(`{ project(id: %q) { issue: issueByNum(num: %d) { id } } }`, w.project, i.Num)} {
			same(t, query, "NOT_FOUND", s.ask(t, query, nil).outcome())
		}
		same(t, "its update", "NOT_FOUND", tryWrite(t, s, "updateIssue", "id", i.ID, "name", "x"))
		same(t, "its deletion", "NOT_FOUND", tryWrite(t, s, "deleteIssue", "id", i.ID))
		next := w.create(t, "next", nil)
		if next.Num != i.Num+1 {
			t.Errorf("after number %d the next issue has %d", i.Num, next.Num)
		}
		for _, column := range []string{`{builtin: NAME}`, `{builtin: STATE}`,
			fmt.Sprintf(`{fieldId: %q}`, w.fields[tracker.TypeInteger])} {
			rows := nums(get[[]struct{ Num int }](t, s, "project.issues.nodes", fmt.Sprintf(
				`{ project(id: %q) { issues(first: 500, orderBy: [{column: %s}]) { nodes { num } } } }`,
				w.project,
				column), nil))
			if slices.Contains(rows, i.Num) {
				t.Errorf("the grid by %s still has the deleted issue", column)
			}
		}
	})
}
