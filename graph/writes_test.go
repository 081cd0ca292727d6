package graph_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/tracker"
)

// The mutations of issues, each with one input object.
const (
	createOne  = `mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id num name version } } }`
	createMany = `mutation($i: CreateIssuesInput!) { createIssues(input: $i) { results { issue { id num name } errors { code argument } } } }`
	updateOne  = `mutation($i: UpdateIssueInput!) { updateIssue(input: $i) { issue { id num name version } } }`
	updateMany = `mutation($i: UpdateIssuesInput!) { updateIssues(input: $i) { results { issueId issue { name version } errors { code argument } } } }`
	deleteOne  = `mutation($i: DeleteIssueInput!) { deleteIssue(input: $i) { deletedIssueId project { id } } }`
	deleteMany = `mutation($i: DeleteIssuesInput!) { deleteIssues(input: $i) { results { issueId errors { code argument } } } }`
	restoreOne = `mutation($i: RestoreIssueInput!) { restoreIssue(input: $i) { issue { id num name version } } }`
)

// changes returns the input member `issues` that makes the same change to each issue.
func changes(ids []string, change map[string]any) []any {
	out := make([]any, len(ids))
	for i, id := range ids {
		one := maps.Clone(change)
		if one == nil {
			one = map[string]any{}
		}
		one["id"] = id
		out[i] = one
	}
	return out
}

// mutate sends a mutation with an input and returns the payload.
func (s *server) mutate(t *testing.T, query string, input map[string]any) map[string]any {
	t.Helper()
	var data map[string]map[string]any
	s.data(t, query, map[string]any{"i": input}, &data)
	for _, payload := range data {
		return payload
	}
	return nil
}

// TestIdempotencyKeys sends each kind of change twice with the same key. It must be done once and have the
// same response both times.
func TestIdempotencyKeys(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	i, spare := w.create(t, "first", nil), s.newTenant(t, "Spare")
	newIssue := map[string]any{"name": "made once"}
	for n, test := range []struct {
		query string
		input map[string]any
	}{
		{createOne, map[string]any{"projectId": w.project, "issue": newIssue}},
		{createMany, map[string]any{"projectId": w.project, "issues": []any{newIssue, newIssue}}},
		// The expected version is wrong the second time.
		{updateOne, map[string]any{"id": i.ID, "name": "second", "expectedVersion": 1}},
		// This changes nothing.
		{updateOne, map[string]any{"id": i.ID, "name": "second"}},
		{updateMany, map[string]any{"issues": changes([]string{i.ID}, map[string]any{"name": "third"})}},
		{deleteOne, map[string]any{"id": i.ID}},
		{restoreOne, map[string]any{"id": i.ID}},
		{deleteMany, map[string]any{"issues": changes([]string{i.ID}, nil)}},
		{deleteOne, map[string]any{"id": i.ID, "permanently": true}}, // from the trash
		{`mutation($i: CreateProjectInput!) { createProject(input: $i) { project { id key } } }`,
			map[string]any{"tenantId": w.tenant, "key": "ONCE", "name": "Once"}},
		{`mutation($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { id name } } }`,
			map[string]any{"projectId": w.project, "name": "Once", "type": "TEXT"}},
		{trashProject, map[string]any{"id": w.project}},
		{untrashProject, map[string]any{"id": w.project}},
		{mutation("updateProject", "project { name }"), map[string]any{"id": w.project, "name": "Twice"}},
		{mutation("updateCustomField", "field { name }"),
			map[string]any{"id": w.fields[tracker.TypeText], "name": "Twice"}},
		{mutation("changeCustomFieldType", "job { id kind }"),
			map[string]any{"id": w.fields[tracker.TypeInteger], "type": "NUMBER"}},
		{mutation("deleteCustomField", "deletedCustomFieldId"),
			map[string]any{"id": w.fields[tracker.TypeTags]}},
		{mutation("createTenant", "tenant { id name }"), map[string]any{"name": "Once"}},
		{mutation("createTenant", "tenant { id name }"), map[string]any{"name": "Claimed",
			"claim": "claimed"}},
		{mutation("updateTenant", "tenant { id name }"), map[string]any{"id": spare, "name": "Renamed"}},
		{mutation("deleteTenant", "deletedTenantId"), map[string]any{"id": spare, "confirm": "Renamed"}},
	} {
		name, _, _ := strings.Cut(strings.SplitAfter(test.query, "{ ")[1], "(")
		t.Run(name, func(t *testing.T) {
			test.input["idempotencyKey"] = fmt.Sprint("key ", n)
			first := s.mutate(t, test.query, test.input)
			s.wire.Reset()
			if diff := cmp.Diff(first, s.mutate(t, test.query, test.input)); diff != "" {
				t.Errorf("the second response differs (-first +second):\n%s", diff)
			}
			if calls := s.wire.Calls(); calls["TransactWriteItems"] > 0 {
				t.Errorf("the second request wrote: %v", calls)
			}
		})
	}
	var all struct {
		Project struct{ Issues struct{ TotalCount int } }
	}
	s.data(t, fmt.Sprintf(`{ project(id: %q) { issues(where: {name: {eq: "made once"}}) { totalCount } } }`,
		w.project), nil, &all)
	if n := all.Project.Issues.TotalCount; n != 3 {
		t.Errorf("%d issues were made, want 3", n)
	}
	i = w.create(t, "other", nil)
	s.mutate(t, updateOne, map[string]any{"id": i.ID, "name": "x", "idempotencyKey": "k"})
	refused := func(name, key string, says ...string) refusal {
		return refusal{name: name, query: updateOne,
			variables: map[string]any{"i": map[string]any{"id": i.ID, "name": "y", "idempotencyKey": key}},
			code:      tracker.BadInput, argument: "input.idempotencyKey", says: says}
	}
	s.refuses(t, []refusal{
		refused("a key of another change", "k", "another change"),
		refused("an empty key", "", "1 to 255"),
		refused("a key that is too long", strings.Repeat("é", 256), "1 to 255", "256"),
	})
}

// TestBulkChanges checks that every issue has a separate outcome, in the order of the input.
func TestBulkChanges(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	other := s.worldOf(t, w.tenant, "OTHER")
	stranger := newWorld(t, s).create(t, "of another tenant", nil)
	var ids []string
	for n := range 3 {
		ids = append(ids, w.create(t, fmt.Sprint("issue ", n), nil).ID)
	}
	gone := w.create(t, "gone", nil).ID
	s.mutate(t, deleteOne, map[string]any{"id": gone})
	outcomes := func(payload map[string]any) (out []string) {
		for _, r := range payload["results"].([]any) {
			r := r.(map[string]any)
			switch errs := r["errors"].([]any); {
			case len(errs) > 0:
				out = append(out, fmt.Sprint(errs[0].(map[string]any)["code"]))
			case r["issue"] != nil:
				out = append(out, fmt.Sprint(r["issue"].(map[string]any)["name"]))
			default:
				out = append(out, "done")
			}
		}
		return out
	}
	t.Run("updateIssues", func(t *testing.T) {
		got := s.mutate(t, updateMany,
			map[string]any{"issues": changes([]string{ids[0], gone, ids[1], "nonsense"},
				map[string]any{"name": "changed", "values": []any{w.given(tracker.TypeInteger, "7")}})})
		same(t, "outcomes", []string{"changed", "NOT_FOUND", "changed", "NOT_FOUND"}, outcomes(got))
		if i := w.read(t, ids[2]); i.Version != 1 {
			t.Errorf("an issue that was not named has version %d", i.Version)
		}
	})
	t.Run("deleteIssues", func(t *testing.T) {
		got := s.mutate(t, deleteMany, map[string]any{"issues": changes([]string{ids[0], gone, ids[1]}, nil)})
		same(t, "outcomes", []string{"done", "NOT_FOUND", "done"}, outcomes(got))
		got = s.mutate(t, deleteMany, map[string]any{"issues": changes([]string{ids[0], gone, ids[1]}, nil),
			"permanently": true})
		same(t, "outcomes of removing for good what is in the trash", []string{"done", "done", "done"},
			outcomes(got))
	})
	t.Run("createIssues numbers without gaps", func(t *testing.T) {
		issues := make([]any, 40)
		for n := range issues {
			issues[n] = map[string]any{"name": pickName(n)}
		}
		var want, next = []int{}, 0
		got := s.mutate(t, createMany, map[string]any{"projectId": w.project, "issues": issues})
		var nums []int
		for n, r := range got["results"].([]any) {
			if i, ok := r.(map[string]any)["issue"].(map[string]any); ok {
				nums = append(nums, int(i["num"].(float64)))
				if next == 0 {
					next = nums[0]
				}
				want = append(want, next)
				next++
			} else if pickName(n) != "" {
				t.Errorf("issue %d failed: %v", n, r)
			}
		}
		same(t, "numbers", want, nums)
	})
	tooMany := make([]string, 101)
	for n := range tooMany {
		tooMany[n] = fmt.Sprint(n)
	}
	bad := func(name string, ids []string, argument string, says ...string) refusal {
		return refusal{name: name, query: updateMany,
			variables: map[string]any{"i": map[string]any{"issues": changes(ids,
				map[string]any{"name": "x"})}},
			code: tracker.BadInput, argument: argument, says: says}
	}
	s.refuses(t, []refusal{
		bad("none", []string{}, "input.issues", "1 to 100"),
		bad("too many", tooMany, "input.issues", "101", "100"),
		bad("one twice", []string{ids[2], ids[2]}, "input.issues[1].id", "twice"),
		bad("of another project", []string{ids[2], other.create(t, "x", nil).ID}, "input.issues[1].id",
			"another project"),
		bad("of another tenant", []string{ids[2], stranger.ID}, "input.issues[1].id", "another project"),
	})
}

// pickName returns an empty name, which is invalid, for every seventh issue.
func pickName(n int) string {
	if n%7 == 3 {
		return ""
	}
	return fmt.Sprint("bulk ", n)
}

// TestAllThatIsWrong checks that there is an error for each invalid input of a mutation.
func TestAllThatIsWrong(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	i := w.create(t, "x", nil)
	w.addField(t, tracker.TypeUser, "Needed", true)
	values := []any{w.given(tracker.TypeSelect, "none"), w.given(tracker.TypeDate, "2024-02-29"),
		map[string]any{"fieldId": "x", "value": map[string]any{"text": "y"}},
		w.given(tracker.TypeTags, []string{"a", "a"}), w.given(tracker.TypeDate, "2024-02-28")}
	below := []string{"name", "stateId", "values[0].value.optionId", "values[2].fieldId",
		"values[3].value.tags[1]",
		"values[4].fieldId"}
	for _, test := range []struct {
		query, at string
		input     map[string]any
		also      []string
	}{
		{createOne, "input.issue.", map[string]any{"projectId": w.project,
			"issue": map[string]any{"name": "", "stateId": "x", "values": values}}, []string{"values"}},
		{updateOne, "input.issue.", map[string]any{"id": i.ID, "name": "", "stateId": "x", "values": values},
			nil},
	} {
		a := s.ask(t, test.query, map[string]any{"i": test.input})
		var want, got []string
		for _, path := range slices.Insert(slices.Clone(below), 2, test.also...) {
			want = append(want, "BAD_USER_INPUT "+test.at+path)
		}
		for _, e := range a.Errors {
			got = append(got, fmt.Sprint(e.Extensions["code"], " ", e.Extensions["argument"]))
			if len(e.Path) != 1 {
				t.Errorf("the error %v has the path %v", e, e.Path)
			}
		}
		same(t, test.query, want, got)
	}
	bad := map[string]any{"name": "", "stateId": "x", "values": values}
	for _, test := range []struct {
		query string
		input map[string]any
		want  []string
	}{
		{createMany, map[string]any{"projectId": w.project, "issues": []any{bad}},
			slices.Insert(slices.Clone(below), 2, "values")},
		{updateMany, map[string]any{"issues": changes([]string{i.ID}, bad)}, below},
	} {
		var paths []string
		result := s.mutate(t, test.query, test.input)["results"].([]any)[0].(map[string]any)
		for _, e := range result["errors"].([]any) {
			argument := e.(map[string]any)["argument"].(string)
			paths = append(paths, strings.TrimPrefix(argument, "input.issues[0]."))
		}
		same(t, test.query, test.want, paths)
	}
}
