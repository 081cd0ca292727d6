package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// TestWords selects issues by words that differ in marks, case and spaces: eq selects those that differ only
// in case and accents, and is those that are identical. Each word is searched for in one of the columns of
// texts.
func TestWords(t *testing.T) {
	long := strings.Repeat("ä", 200) // is not in the document
	groups := [][]string{{"バス"}, {"パス"}, {"ハス"}, {"ข่าว"}, {"ข้าว"}, {"ขาว"}, {"कुल"}, {"कल"},
		{"мой"}, {"мои"}, {"её", "ее"}, {"أن"}, {"إن"},
		{"Schaden", "Schäden", "schaden", "SCHÄDEN", "Scha\u0308den"}, {"m2", "m²"},
		{"Straße", "Strasse"}, {"a  b"}, {"a b"}, {long, strings.ToUpper(long), strings.Repeat("a", 200)}}
	words := slices.Concat(groups...)
	s := newServer(t)
	w := newWorld(t, s)
	for _, word := range words {
		user := s.as(t, tracker.Principal{Tenant: tenantID(t, w.tenant), User: word, Role: tracker.Editor})
		values := []any{w.given(tracker.TypeText, word), w.given(tracker.TypeLongText, word),
			w.given(tracker.TypeUser, word)}
		if len(word) < tracker.MaxTag {
			values = append(values, w.given(tracker.TypeTags, []string{word}))
		}
		user.mutate(t, createIssue, map[string]any{"projectId": w.project, "issue": map[string]any{
			"name": word, "description": word, "values": values}})
	}
	selected := func(where string, args ...any) []string {
		t.Helper()
		var got []string
		for after := "null"; ; {
			page := get[struct {
				Nodes    []struct{ Name string }
				PageInfo struct {
					HasNextPage bool
					EndCursor   string
				}
			}](t, s, "project.issues", fmt.Sprintf(`{ project(id: %q) { issues(first: 2, after: %s, where: {%s}) {
				nodes { name } pageInfo { hasNextPage endCursor } } } }`, w.project, after,
				fmt.Sprintf(where, args...)), nil)
			for _, n := range page.Nodes {
				got = append(got, n.Name)
			}
			if !page.PageInfo.HasNextPage {
				slices.Sort(got)
				return got
			}
			after = fmt.Sprintf("%q", page.PageInfo.EndCursor)
		}
	}
	columns := []string{"name: {%s}", "description: {%s}", "createdBy: {%s}"}
	for _, kind := range []tracker.FieldType{tracker.TypeText, tracker.TypeLongText, tracker.TypeUser} {
		columns = append(columns, fmt.Sprintf("fields: [{fieldId: %q, %s: {%%s}}]", w.fields[kind],
			members[kind]))
	}
	for i, word := range words {
		equal := slices.Clone(groups[slices.IndexFunc(groups, func(g []string) bool {
			return slices.Contains(g, word)
		})])
		others := slices.DeleteFunc(slices.Clone(words), func(other string) bool { return other == word })
		slices.Sort(equal)
		slices.Sort(others)
		where := func(condition string) string {
			return fmt.Sprintf(columns[i%len(columns)], fmt.Sprintf(condition, word))
		}
		same(t, where("eq: %q"), equal, selected("%s", where("eq: %q")))
		same(t, where("is: %q"), []string{word}, selected("%s", where("is: %q")))
		same(t, "not "+where("is: %q"), others, selected("not: {%s}", where("is: %q")))
		if len(word) < tracker.MaxTag {
			same(t, "tag "+word, equal, selected("fields: [{fieldId: %q, tags: {hasAny: [%q]}}]",
				w.fields[tracker.TypeTags], word))
		}
	}
}
