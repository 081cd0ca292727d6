package graph_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// exampleOf returns the operation of docs/examples.md with a name.
func exampleOf(t *testing.T, name string) string {
	t.Helper()
	queries, _ := examplesOf(t, "examples.md")
	for _, q := range queries {
		if _, rest, _ := strings.Cut(q, " "); strings.HasPrefix(rest, name+" ") ||
			strings.HasPrefix(rest, name+"(") {
			return q
		}
	}
	t.Fatal("docs/examples.md has no operation " + name)
	return ""
}

// asked returns the response to an operation of docs/examples.md, of which paging is the part for one page.
func asked[T any](t *testing.T, s *server, path, operation, paging string, variables map[string]any) T {
	t.Helper()
	query := strings.Replace(operation, "first: 20", paging, 1)
	if paging != "first: 20" && query == operation {
		t.Fatal("the operation has no page size")
	}
	return get[T](t, s, path, query, variables)
}

// review is a review, newest last in a list of them.
type review struct {
	ID, Body string
	Rating   int // 0 for none
	Language string
}

// reviewed is the part of an issue that the example selects.
type reviewed struct {
	CommentSummary struct {
		Count      int
		MeanRating *float64
		Ratings    []struct{ Rating, Count int }
	}
	Comments connection[review]
}

// TestReviews walks through the reviews of a product with each combination of ratings in each language,
// before and after some are deleted, and counts the calls of all pages.
func TestReviews(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 3, 0)
	random := rand.New(rand.NewPCG(38, 0))
	product := c.create(t, "Kettle", nil).ID
	reviews, remove := exampleOf(t, "Reviews"), exampleOf(t, "DeleteReview")
	languages := []string{"", "en", "de"}
	var all []review
	for n := range 60 {
		r := review{Body: fmt.Sprint("Review ", n), Rating: random.IntN(6),
			Language: languages[random.IntN(3)]}
		given := []any{"issueId", product, "body", r.Body}
		if r.Rating > 0 {
			given = append(given, "rating", r.Rating)
		}
		if r.Language != "" {
			given = append(given, "language", r.Language)
		}
		r.ID = wrote(t, c.as[random.IntN(3)], "createComment", given...).ID
		for range random.IntN(3) {
			wrote(t, c.as[0], "createComment", "issueId", product, "replyToId", r.ID, "body", "Thanks")
		}
		if random.IntN(3) == 0 {
			wrote(t, c.as[1], "addReaction", "commentId", r.ID, "reaction", "HEART")
			wrote(t, s, "updateComment", "id", r.ID, "body", r.Body+"!")
			r.Body += "!"
		}
		all = append(all, r)
	}
	compare := func(sets []int) {
		t.Helper()
		for _, language := range languages {
			for _, set := range sets {
				variables := map[string]any{"product": product}
				if language != "" {
					variables["language"] = language
				}
				var ratings []int
				for r := range 5 {
					if set&(1<<r) != 0 {
						ratings = append(ratings, r+1)
					}
				}
				if set > 0 {
					variables["ratings"] = ratings
				}
				var want []review
				counts, sum, rated, spoken := map[int]int{}, 0, 0, 0
				for _, r := range slices.Backward(all) {
					if language != "" && r.Language != language {
						continue
					}
					spoken++
					if r.Rating > 0 {
						counts[r.Rating]++
						sum, rated = sum+r.Rating, rated+1
					}
					if set == 0 || slices.Contains(ratings, r.Rating) {
						want = append(want, r)
					}
				}
				var last reviewed
				got := walkPages(t, 4+random.IntN(30), func(paging string) connection[review] {
					last = asked[reviewed](t, s, "issue", reviews, paging, variables)
					return last.Comments
				})
				what := fmt.Sprint("reviews in ", language, " with ", ratings)
				same(t, what, want, got)
				same(t, "the number of "+what, len(want), last.Comments.TotalCount)
				same(t, "the count of "+what, spoken, last.CommentSummary.Count)
				for _, r := range last.CommentSummary.Ratings {
					same(t, fmt.Sprint("the count of ", r.Rating, " of ", what), counts[r.Rating], r.Count)
				}
				if mean := last.CommentSummary.MeanRating; rated == 0 != (mean == nil) ||
					mean != nil && *mean != float64(sum)/float64(rated) {
					t.Errorf("the mean of %s: %v; want %d/%d", what, mean, sum, rated)
				}
			}
		}
	}
	compare(random.Perm(32))
	variables := map[string]any{"product": product, "ratings": []int{1, 3, 5}, "language": "en"}
	calls := map[string]int{}
	for after, page := "", 0; ; page++ {
		s.wire.Reset()
		got := asked[reviewed](t, s, "issue", reviews, "first: 3"+after, variables)
		if page == 0 {
			calls = s.wire.Calls()
		}
		same(t, fmt.Sprint("the calls of page ", page), calls, s.wire.Calls())
		if !got.Comments.PageInfo.HasNextPage {
			break
		}
		after = fmt.Sprintf(", after: %q", *got.Comments.PageInfo.EndCursor)
	}
	delete := func(r review) {
		t.Helper()
		same(t, "the deleted review", r.ID, get[string](t, s, "deleteComment.deletedCommentId", remove,
			map[string]any{"review": r.ID}))
	}
	all = slices.DeleteFunc(all, func(r review) bool {
		if random.IntN(2) == 0 {
			return false
		}
		delete(r)
		return true
	})
	compare(random.Perm(32)[:5])
	for _, r := range all {
		delete(r)
	}
	var left []string
	for key, item := range s.raw(t, tenantID(t, c.tenant)) {
		if strings.Contains(key, "xcomment-") && !strings.Contains(key, "xcomment-sum.") ||
			strings.Contains(item, "Review ") || strings.Contains(item, "Thanks") {
			left = append(left, key)
		}
	}
	if len(left) > 0 {
		t.Errorf("%d items are left of deleted reviews: %.500q", len(left), left)
	}
}

// incident is a row of the example.
type incident struct {
	Node struct {
		Name    string
		Project struct{ Key string }
	}
	Ways []struct {
		Role        string
		Participant struct{ Name string }
	}
}

// TestIncidents walks through the incidents of a user in fifty teams and in many systems, while incidents are
// opened, closed and reassigned between the pages, and counts the calls of the pages.
func TestIncidents(t *testing.T) {
	const systems, teams = 6, 50
	s := newServer(t)
	c := newCrew(t, s, systems, 3, 2*teams) // of which user 0 is in every second one
	random := rand.New(rand.NewPCG(38, 1))
	type open struct {
		id, name string
		ways     []string
	}
	var all []open // in the order of their last changes
	report := func(n int) {
		t.Helper()
		w := c.worlds[random.IntN(systems)]
		ids := map[string]string{}
		for range random.IntN(3) {
			k := random.IntN(3)
			ids[c.users[k]] = fmt.Sprint("User ", k)
		}
		for range random.IntN(4) {
			k := random.IntN(2 * teams)
			ids[c.teams[k]] = fmt.Sprint("Team ", k)
		}
		o := open{name: fmt.Sprint("Incident ", n)}
		o.id = w.createOf(t, inputOf("name", o.name, "assigneeIds",
			slices.Collect(maps.Keys(ids)))).ID
		for k, team := range c.teams {
			if ids[team] != "" && k%2 == 0 {
				o.ways = append(o.ways, ids[team])
			}
		}
		if ids[c.users[0]] != "" {
			o.ways = append(o.ways, "User 0")
		}
		if slices.Sort(o.ways); len(o.ways) > 0 {
			all = append(all, o)
		}
	}
	for n := range 70 {
		report(n)
	}
	query := exampleOf(t, "Incidents")
	page := func(paging string) connection[incident] {
		got := asked[struct {
			Edges    []incident
			PageInfo pageInfo
		}](t, c.as[0], "viewer.issues", query, paging, nil)
		return connection[incident]{Nodes: got.Edges, PageInfo: got.PageInfo}
	}
	lines := func(rows []incident) (out []string) {
		for _, r := range rows {
			var ways []string
			for _, w := range r.Ways {
				ways = append(ways, w.Participant.Name)
			}
			slices.Sort(ways)
			out = append(out, fmt.Sprint(r.Node.Name, " ", ways))
		}
		return out
	}
	want := func(all []open) (out []string) {
		for _, o := range slices.Backward(all) {
			out = append(out, fmt.Sprint(o.name, " ", o.ways))
		}
		return out
	}
	same(t, "the incidents", want(all), lines(walkPages(t, 7, page)))

	// Each page has the rows that follow the one before, as they are by then.
	after := "first: 7"
	before := want(all)
	var seen []string
	for n := 100; ; n++ {
		s.wire.Reset()
		got := page(after)
		same(t, "the calls of a page", map[string]int{"Query": teams + 1}, queries(s.wire.Calls()))
		seen = append(seen, lines(got.Nodes)...)
		if !got.PageInfo.HasNextPage {
			break
		}
		after = fmt.Sprintf("first: 7, after: %q", *got.PageInfo.EndCursor)
		report(n) // is before all pages
		closed := random.IntN(len(all))
		c.update(t, inputOf("id", all[closed].id, "stateId", c.stateOf(t, all[closed].id)))
		if line := fmt.Sprint(all[closed].name, " ", all[closed].ways); !slices.Contains(seen, line) {
			before = slices.DeleteFunc(before, func(l string) bool { return l == line })
		}
		all = slices.Delete(all, closed, closed+1)
	}
	same(t, "the incidents of the walk", before, seen)
	same(t, "the incidents after it", want(all), lines(walkPages(t, 5, page)))
}

// queries returns the number of Query calls.
func queries(calls map[string]int) map[string]int { return map[string]int{"Query": calls["Query"]} }

// stateOf returns the closed state of the project of an issue.
func (c *crew) stateOf(t *testing.T, issue string) string {
	t.Helper()
	type state struct {
		ID   string
		Open bool
	}
	states := get[[]state](t, c.server, "issue.project.states",
		fmt.Sprintf(`{ issue(id: %q) { project { states { id open } } } }`, issue), nil)
	slices.SortFunc(states, func(a, b state) int { return cmp.Compare(a.ID, b.ID) })
	for _, s := range states {
		if !s.Open {
			return s.ID
		}
	}
	t.Fatal("the project has no closed state")
	return ""
}
