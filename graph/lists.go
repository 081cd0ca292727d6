package graph

import (
	"context"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/model"
	"issuegrid/internal/account"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

func listTenants(ctx context.Context, first *int32, after *string, last *int32,
	before *string) (*model.TenantConnection, error) {
	r, err := listRange(first, after, last, before)
	if err != nil {
		return nil, err
	}
	set := session(ctx).Reads
	list, err := set.Tenants(ctx, r)
	if err != nil {
		return nil, err
	}
	c := &model.TenantConnection{PageInfo: listPageInfo(list), Nodes: make([]*model.Tenant, len(list.Rows)),
		Edges: make([]*model.TenantEdge, len(list.Rows))}
	c.Count = list.Count
	for i, row := range list.Rows {
		l, err := set.Tenant(row.Value.ID)
		if err != nil {
			return nil, err
		}
		c.Nodes[i] = &model.Tenant{Tenant: *row.Value, Loaders: l}
		c.Edges[i] = &model.TenantEdge{Cursor: listCursor(row.Position), Node: c.Nodes[i]}
	}
	return c, nil
}

// namedListArgs are the arguments of a list by name.
type namedListArgs struct {
	first, last                   *int32
	after, before, nameStartsWith *string
}

func (a namedListArgs) listRange(ctx context.Context) (loaders.Range, error) {
	r, invalid := listRange(a.first, a.after, a.last, a.before)
	var err error
	if a.nameStartsWith != nil {
		r.From, r.To, err = session(ctx).operands.Prefix(*a.nameStartsWith)
	}
	return r, tracker.Join(invalid, tracker.At("nameStartsWith", err))
}

func listProjects(ctx context.Context, t *model.Tenant, a namedListArgs) (*model.ProjectConnection, error) {
	r, err := a.listRange(ctx)
	if err != nil {
		return nil, err
	}
	list, err := t.Loaders.ListProjects(ctx, r)
	if err != nil {
		return nil, err
	}
	c := &model.ProjectConnection{PageInfo: listPageInfo(list)}
	c.Count = list.Count
	c.Nodes, c.Edges = rowsOf[model.ProjectEdge](list, func(p *tracker.Project) *model.Project {
		return &model.Project{Project: p, Loaders: t.Loaders}
	})
	return c, nil
}

func listDeletedProjects(ctx context.Context, t *model.Tenant, first *int32, after *string, last *int32,
	before *string) (*model.DeletedProjectConnection, error) {
	r, err := listRange(first, after, last, before)
	if err != nil {
		return nil, err
	}
	list, err := t.Loaders.ListDeletedProjects(ctx, r)
	if err != nil {
		return nil, err
	}
	c := &model.DeletedProjectConnection{PageInfo: listPageInfo(list)}
	c.Count = list.Count
	c.Nodes, c.Edges = rowsOf[model.DeletedProjectEdge](list, func(p *tracker.Project) *model.DeletedProject {
		return &model.DeletedProject{ProjectID: model.ProjectNodeID(p.Tenant, p.ID), Key: p.Key, Name: p.Name,
			DeletedAt: model.DateTime(tracker.FormatDateTime(p.Trash.At)),
			DeletedBy: model.ActorOf(p.Tenant, t.Loaders, p.Trash.By),
			PurgeAt:   model.DateTime(tracker.FormatDateTime(p.Trash.Purge))}
	})
	return c, nil
}

func fieldsOf(ctx context.Context, p *model.Project, archived bool) ([]*model.CustomField, error) {
	d, err := p.Definition(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]*model.CustomField, 0, len(d.Fields))
	for _, f := range d.Fields {
		if archived || !f.Archived {
			out = append(out, &model.CustomField{Field: f, Definition: d, Loaders: p.Loaders})
		}
	}
	return out, nil
}

func jobsOf(ctx context.Context, p *model.Project) ([]*model.Job, error) {
	d, err := p.Definition(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]*model.Job, len(d.Jobs))
	for i := range d.Jobs {
		out[i] = model.NewJob(d.Project.Tenant, d.Project.ID, &d.Jobs[i])
	}
	return out, nil
}

func cancelJob(ctx context.Context, in model.CancelJobInput) (*model.CancelJobPayload, error) {
	n, w, err := keyedWriterOf(ctx, in.ID, parseJobID, in.IdempotencyKey, "cancelJob", in)
	if err != nil {
		return nil, err
	}
	canceled, err := w.CancelJob(ctx, n.Project, n.Job)
	if tracker.CodeOf(err) == tracker.NotFound {
		return nil, tracker.Missing("job")
	}
	if err != nil {
		return nil, tracker.At("input", err)
	}
	return &model.CancelJobPayload{Job: model.NewJob(n.Tenant, n.Project, canceled)}, nil
}

// findField looks up a field of a project by its id.
func findField(ctx context.Context, p *model.Project, id string) (*model.CustomField, error) {
	d, err := p.Definition(ctx)
	if err != nil {
		return nil, err
	}
	f, err := model.FieldOf(d, id)
	if err != nil {
		return nil, err
	}
	return &model.CustomField{Field: f, Definition: d, Loaders: p.Loaders}, nil
}

func findFieldByName(ctx context.Context, p *model.Project, name string) (*model.CustomField, error) {
	d, err := p.Definition(ctx)
	if err != nil {
		return nil, err
	}
	f, err := session(ctx).names.field(account.From(ctx), d, name)
	switch {
	case err != nil:
		return nil, tracker.At("name", err)
	case f == nil:
		return nil, tracker.Missing("custom field").MayBeOutdated()
	}
	return &model.CustomField{Field: f, Definition: d, Loaders: p.Loaders}, nil
}

func findState(ctx context.Context, p *model.Project, name string) (*model.State, error) {
	d, err := p.Definition(ctx)
	if err != nil {
		return nil, err
	}
	id, ok, err := session(ctx).names.state(account.From(ctx), &d.Project, name)
	if err != nil {
		return nil, tracker.At("name", err)
	}
	if !ok {
		return nil, tracker.Missing("state").MayBeOutdated()
	}
	s, _ := d.Project.State(id)
	return model.NewState(&d.Project, s), nil
}

func findOption(ctx context.Context, f *model.CustomField, name string) (*model.Option, error) {
	id, ok, err := session(ctx).names.option(account.From(ctx), f.Field, name)
	if err != nil {
		return nil, tracker.At("name", err)
	}
	if !ok {
		return nil, tracker.Missing("option").MayBeOutdated()
	}
	return f.Option(id), nil
}

func listDeletedIssues(ctx context.Context, p *model.Project, first *int32, after *string, last *int32,
	before *string) (*model.DeletedIssueConnection, error) {
	r, err := listRange(first, after, last, before)
	if err != nil {
		return nil, err
	}
	list, err := p.Loaders.ListTrash(ctx, p.Project.ID, r)
	if err != nil {
		return nil, err
	}
	c := &model.DeletedIssueConnection{PageInfo: listPageInfo(list)}
	c.Count = list.Count
	c.Nodes, c.Edges = rowsOf[model.DeletedIssueEdge](list, func(t *tracker.Trashed) *model.DeletedIssue {
		return &model.DeletedIssue{IssueID: model.IssueNodeID(p.Project.Tenant, t.Issue.ID),
			Num: int32(t.Issue.Num), Name: t.Issue.Name,
			DeletedBy: model.ActorOf(p.Project.Tenant, p.Loaders, t.By),
			DeletedAt: model.DateTime(tracker.FormatDateTime(t.At)),
			PurgeAt:   model.DateTime(tracker.FormatDateTime(t.Expires))}
	})
	return c, nil
}

// commentArgs are the arguments of a list of comments.
type commentArgs struct {
	first, last   *int32
	after, before *string
	order         model.CommentOrder
	where         *model.CommentFilter
}

// query returns the list that the arguments select, without its issue.
func (a commentArgs) query(ctx context.Context, t tracker.TenantID) (loaders.CommentQuery, error) {
	q := loaders.CommentQuery{NewestFirst: a.order == model.CommentOrderNewestFirst}
	if a.where == nil {
		return q, nil
	}
	var wrong []error
	if a.where.Ratings != nil {
		q.Filter.Ratings = []int{}
		for _, r := range a.where.Ratings {
			q.Filter.Ratings = append(q.Filter.Ratings, int(r))
		}
	}
	if a.where.Language != nil {
		if q.Filter.Language = *a.where.Language; q.Filter.Language == "" {
			wrong = append(wrong, tracker.Bad("language", "the language is empty; leave it out for all"))
		}
	}
	if a.where.Since != nil {
		text, err := tracker.ParseDateTime(string(*a.where.Since))
		if err == nil {
			q.Filter.Since, err = time.Parse(time.RFC3339Nano, text)
		}
		wrong = append(wrong, tracker.At("since", err))
	}
	if a.where.AuthorID != nil {
		n, err := parseUserID(ctx, *a.where.AuthorID)
		if err != nil || n.Tenant != t {
			wrong = append(wrong, tracker.Bad("authorId", "the tenant has no such user"))
		}
		q.Filter.Author = n.User
	}
	return q, tracker.At("where", tracker.Join(append(wrong, q.Filter.Check())...))
}

// listComments returns a page of the comments on an issue, or of the replies to a comment.
func listComments(ctx context.Context, i *model.Issue, parent tracker.CommentID, a commentArgs) (
	*model.CommentConnection, error) {
	r, badRange := listRange(a.first, a.after, a.last, a.before)
	q, badFilter := a.query(ctx, i.Definition.Project.Tenant)
	badCursor := checkPositions(r, func(position []byte) bool { return tracker.CommentID(position).Valid() })
	if err := tracker.Join(badRange, badFilter, badCursor); err != nil {
		return nil, err
	}
	q.Issue, q.Parent = i.Issue.ID, parent
	list, err := i.Loaders.Comments().List(ctx, q, r)
	if err != nil {
		return nil, err
	}
	c := &model.CommentConnection{PageInfo: listPageInfo(list)}
	c.Count = list.Count
	c.Nodes, c.Edges = rowsOf[model.CommentEdge](list, func(c *tracker.Comment) *model.Comment {
		return &model.Comment{Comment: c, Issue: i}
	})
	prefetchComments(ctx, i.Loaders, c.Nodes, rowFields(ctx, "Comment"))
	return c, nil
}

// prefetchComments starts to read what fields select of comments and is not in them, so that they share their
// calls.
func prefetchComments(ctx context.Context, l model.Reads, nodes []*model.Comment,
	fields []graphql.CollectedField) {
	var people []tracker.Participant
	authors, mentions := hasField(fields, "author"), hasField(fields, "mentions")
	var all []*tracker.Comment
	for _, c := range nodes {
		all = append(all, c.Comment)
		if authors && c.Comment.Author != "" {
			people = append(people, tracker.UserParticipant(c.Comment.Author))
		}
		if mentions {
			for _, u := range c.Comment.Mentions {
				people = append(people, tracker.UserParticipant(u))
			}
		}
	}
	l.People().Prefetch(ctx, people)
	if hasField(fields, "body") {
		l.Comments().PrefetchTexts(ctx, all)
	}
}
