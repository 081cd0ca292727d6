package loaders

import (
	"context"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/activity"
	"issuegrid/tracker"
)

// Activity reads the activity of the projects of a tenant.
type Activity struct{ *Tenant }

// Activity returns the activity of the tenant's projects.
func (t *Tenant) Activity() Activity { return Activity{t} }

func (t Activity) stored() *activity.Store { return activity.Of(t.store) }

// ActivityPosition reports whether a position in the activity of a project is valid.
func ActivityPosition(p *tracker.Project, position []byte) bool {
	return activity.Valid(p, string(position))
}

// List returns a page of the activity of a project, newest first.
func (t Activity) List(ctx context.Context, p *tracker.Project, r Range) (List[tracker.Activity], error) {
	page, more, err := t.stored().List(ctx, activity.Query{Project: p, Older: string(r.After),
		Newer: string(r.Before), OldestFirst: r.Backward, Limit: max(1, r.Size)})
	if err != nil {
		return List[tracker.Activity]{}, err
	}
	if r.Size == 0 {
		more, page = more || len(page) > 0, nil
	}
	out := List[tracker.Activity]{Count: func(ctx context.Context) (int, bool, error) {
		return t.stored().Count(ctx, p)
	}}
	for _, e := range page {
		out.Rows = append(out.Rows, Listed[tracker.Activity]{Value: e.Activity, Position: []byte(e.Position)})
	}
	out.finish(r, more)
	return out, nil
}

// ActivityContent is what an entry of the activity refers to. A part that does not exist is nil.
type ActivityContent struct {
	Issue   *tracker.Issue
	Change  *tracker.Changed
	Comment *tracker.Comment
}

// Read returns what entries refer to, in their order: the issues and, if requested, the changes and the
// comments.
func (t Activity) Read(ctx context.Context, entries []tracker.Activity, changes, comments bool) (
	[]ActivityContent, error) {
	out := make([]ActivityContent, len(entries))
	group, reading := errgroup.WithContext(ctx)
	group.Go(func() error { return t.readIssues(reading, entries, out) })
	if changes {
		group.Go(func() error {
			found, err := t.stored().Changes(reading, entries)
			for n, c := range found {
				out[n].Change = c
			}
			return err
		})
	}
	if comments {
		group.Go(func() error { return t.readComments(reading, entries, out) })
	}
	return out, group.Wait()
}

// readIssues reads the issues of entries. Those that it does not find are read again consistently, because an
// entry can be found before an eventually consistent read finds its issue.
func (t Activity) readIssues(ctx context.Context, entries []tracker.Activity, out []ActivityContent) error {
	ids := make([]tracker.IssueID, len(entries))
	for n, e := range entries {
		ids[n] = e.Issue
	}
	found, err := t.Issues(ctx, ids)
	if err != nil {
		return err
	}
	var again []tracker.IssueID
	var at []int
	for n, i := range found {
		if out[n].Issue = i; i == nil {
			again, at = append(again, ids[n]), append(at, n)
		}
	}
	found, err = t.IssuesConsistent(ctx, again)
	for n, i := range found {
		out[at[n]].Issue = i
	}
	return err
}

func (t Activity) readComments(ctx context.Context, entries []tracker.Activity,
	out []ActivityContent) error {
	var refs []tracker.CommentRef
	var at []int
	for n, e := range entries {
		if e.OfComment() {
			refs, at = append(refs, e.Comment), append(at, n)
		}
	}
	found, err := loadAll(ctx, t.comments, refs)
	for n, c := range found {
		out[at[n]].Comment = c
	}
	return err
}
