package graph

import (
	"context"

	"issuegrid/graph/model"
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

func listProjects(ctx context.Context, t *model.Tenant, first *int32, after *string, last *int32,
	before *string) (*model.ProjectConnection, error) {
	r, err := listRange(first, after, last, before)
	if err != nil {
		return nil, err
	}
	list, err := t.Loaders.ListProjects(ctx, r)
	if err != nil {
		return nil, err
	}
	c := &model.ProjectConnection{PageInfo: listPageInfo(list), Nodes: make([]*model.Project, len(list.Rows)),
		Edges: make([]*model.ProjectEdge, len(list.Rows))}
	for i, row := range list.Rows {
		c.Nodes[i] = &model.Project{Project: row.Value, Loaders: t.Loaders}
		c.Edges[i] = &model.ProjectEdge{Cursor: listCursor(row.Position), Node: c.Nodes[i]}
	}
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
	var job string
	n, w, err := keyedWriterOf(ctx, in.ID, func(ctx context.Context, id string) (model.NodeID, error) {
		return parseID(ctx, id, func(id string) (n model.NodeID, err error) {
			n, job, err = model.ParseJobID(id)
			return n, err
		})
	}, in.IdempotencyKey, "cancelJob", in)
	if err != nil {
		return nil, err
	}
	canceled, err := w.CancelJob(ctx, n.Project, job)
	if tracker.CodeOf(err) == tracker.NotFound {
		return nil, tracker.Missing("job")
	}
	if err != nil {
		return nil, tracker.At("input", err)
	}
	return &model.CancelJobPayload{Job: model.NewJob(n.Tenant, n.Project, canceled)}, nil
}

func fieldByID(ctx context.Context, p *model.Project, id string) (*model.CustomField, error) {
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

func listTrash(ctx context.Context, p *model.Project, first *int32, after *string, last *int32,
	before *string) (*model.TrashedIssueConnection, error) {
	r, err := listRange(first, after, last, before)
	if err != nil {
		return nil, err
	}
	list, err := p.Loaders.ListTrash(ctx, p.Project.ID, r)
	if err != nil {
		return nil, err
	}
	c := &model.TrashedIssueConnection{PageInfo: listPageInfo(list),
		Nodes: make([]*model.TrashedIssue, len(list.Rows)),
		Edges: make([]*model.TrashedIssueEdge, len(list.Rows))}
	for i, row := range list.Rows {
		t := row.Value
		c.Nodes[i] = &model.TrashedIssue{IssueID: model.IssueNodeID(p.Project.Tenant, t.Issue.ID),
			Num: int32(t.Issue.Num), Name: t.Issue.Name,
			DeletedAt: model.DateTime(tracker.FormatDateTime(t.At)),
			ExpiresAt: model.DateTime(tracker.FormatDateTime(t.Expires))}
		if t.By != "" {
			c.Nodes[i].DeletedBy = &t.By
		}
		c.Edges[i] = &model.TrashedIssueEdge{Cursor: listCursor(row.Position), Node: c.Nodes[i]}
	}
	return c, nil
}
