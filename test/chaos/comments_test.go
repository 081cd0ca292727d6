//go:build unix

package chaos_test

import (
	"fmt"
	"maps"
	"slices"
)

// comment is a comment that a client sent, once or, with a key, several times.
type comment struct {
	issue     *known
	body, key string
	sends     []*failure // nil for one that was done
}

// done reports whether any response confirmed the comment.
func (m *comment) done() bool { return slices.Contains(m.sends, nil) }

// refused reports whether every response said that nothing was done.
func (m *comment) refused() bool {
	return !slices.ContainsFunc(m.sends, func(f *failure) bool { return f == nil || f.unknown() })
}

// comment writes a comment on an issue. With an idempotency key it sends the comment again while the outcome
// is unknown.
func (c *client) comment(p *project) {
	issues := c.some(c.rng, p, 1)
	if len(issues) == 0 {
		return
	}
	m := &comment{issue: issues[0], body: fmt.Sprintf("%d of client %d", c.rng.Int64(), c.n)}
	in := map[string]any{"issueId": m.issue.id, "body": m.body}
	if c.rng.IntN(2) == 0 {
		in["rating"], in["language"] = 1+c.rng.IntN(5), []string{"en", "de"}[c.rng.IntN(2)]
	}
	times := 1
	if c.rng.IntN(2) == 0 {
		m.key, times = "comment "+m.body, maxSends
		in["idempotencyKey"] = m.key
	}
	c.mu.Lock()
	c.comments = append(c.comments, m)
	c.mu.Unlock()
	for range times {
		failed := c.ask(`mutation($i: CreateCommentInput!) { createComment(input: $i) { comment { id } } }`,
			map[string]any{"i": in}, &struct{}{})
		m.sends = append(m.sends, failed)
		switch {
		case failed == nil:
			c.note("comment done")
			return
		case failed.unknown():
			c.note("comment unknown")
		case failed.Code == conflict, failed.Code == notFound && m.issue.removals() > 0:
			c.note("comment " + failed.Code)
			return
		default:
			c.t.Errorf("client %d comments on %s: %v", c.n, m.issue.id, failed)
			return
		}
	}
}

// verifyComments compares the comments of the issues that exist with the responses that clients received. It
// returns how many comments each issue has with each text.
func (w *world) verifyComments(found map[*known]*document) (stored map[*known]map[string]int) {
	stored = map[*known]map[string]int{}
	for k := range found {
		stored[k] = w.commentsOf(k)
	}
	for _, m := range w.comments {
		bodies, exists := stored[m.issue]
		n := bodies[m.body]
		what := fmt.Sprintf("the comment %q with the key %q on %s, sent with the results %v,", m.body, m.key,
			m.issue.id, m.sends)
		switch {
		case n > 1:
			w.t.Errorf("%s exists %d times", what, n)
		case m.refused() && n > 0:
			w.t.Errorf("%s exists", what)
		case m.done() && exists && n == 0:
			w.t.Errorf("%s does not exist", what)
		}
	}
	return stored
}

// commentsOf returns how many comments an issue has with each text.
func (w *world) commentsOf(k *known) map[string]int {
	out, variables := map[string]int{}, map[string]any{"id": k.id, "after": nil}
	for {
		var got struct {
			Issue struct {
				Comments struct {
					Nodes      []struct{ Body string }
					TotalCount int
					PageInfo   pageInfo
				}
			}
		}
		if f := w.ask(`query($id: ID!, $after: String) { issue(id: $id) { comments(first: 20, after: $after) {
			nodes { body } totalCount pageInfo { hasNextPage endCursor } } } }`, variables, &got); f != nil {
			w.t.Errorf("the comments of %s: %v", k.id, f)
			return out
		}
		for _, c := range got.Issue.Comments.Nodes {
			out[c.Body]++
		}
		if page := got.Issue.Comments.PageInfo; page.HasNextPage {
			variables["after"] = page.EndCursor
			continue
		}
		total := 0
		for n := range maps.Values(out) {
			total += n
		}
		if total != got.Issue.Comments.TotalCount {
			w.t.Errorf("%s has %d comments, and counts %d", k.id, total, got.Issue.Comments.TotalCount)
		}
		return out
	}
}

// verifyActivity compares the activity of the projects with the histories and the comments of the issues that
// exist, all of which are in stored.
func (w *world) verifyActivity(pasts map[*known]*past, stored map[*known]map[string]int) {
	changes, comments := map[*known]map[int64]int{}, map[*known]map[string]int{}
	for k := range stored {
		changes[k], comments[k] = map[int64]int{}, map[string]int{}
	}
	for _, p := range w.projects {
		variables := map[string]any{"p": p.id, "after": nil}
		for more := true; more; {
			var got struct {
				Project struct {
					Activity struct {
						Nodes []struct {
							IssueID string
							Change  *struct{ Version int64 }
							Comment *struct{ Body string }
						}
						PageInfo pageInfo
					}
				}
			}
			if f := w.ask(`query($p: ID!, $after: String) { project(id: $p) { activity(first: 50, after: $after) {
				nodes { issueId change { version } comment { body } } pageInfo { hasNextPage endCursor } } } }`,
				variables, &got); f != nil {
				w.t.Fatal(f)
			}
			for _, e := range got.Project.Activity.Nodes {
				k := w.learn(p, e.IssueID)
				switch {
				case changes[k] == nil: // deleted permanently, and what a crash has left
				case e.Change != nil:
					changes[k][e.Change.Version]++
				case e.Comment != nil:
					comments[k][e.Comment.Body]++
				default:
					w.t.Errorf("an entry of the activity of %s has no content", k.id)
				}
			}
			more, variables["after"] = got.Project.Activity.PageInfo.HasNextPage,
				got.Project.Activity.PageInfo.EndCursor
		}
	}
	for k, want := range stored {
		if !maps.Equal(want, comments[k]) {
			w.t.Errorf("%s has the comments %v, and in the activity %v", k.id, want, comments[k])
		}
		if v := pasts[k]; v != nil && !maps.Equal(v.byOthers, changes[k]) {
			w.t.Errorf("%s has the versions %v that no job made, and in the activity %v", k.id, v.byOthers,
				changes[k])
		}
	}
}
