package graph

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

const (
	// maxBulk is the most issues of one createIssues.
	maxBulk = 100
	// bulkParallel is how many of them are written at a time.
	bulkParallel = 8
)

// issueWriter is what a change of issues of one project needs.
type issueWriter struct {
	node       model.NodeID
	writes     TenantWrites
	definition *tracker.Definition
}

func newIssueWriter(ctx context.Context, n model.NodeID) (*issueWriter, error) {
	w, err := session(ctx).Writes.Tenant(n.Tenant)
	if err != nil {
		return nil, err
	}
	d, err := lookUpDefinition(ctx, n)
	if err != nil {
		return nil, err
	}
	return &issueWriter{node: n, writes: w, definition: d}, nil
}

func (w *issueWriter) view(ctx context.Context, i *tracker.Issue) (*model.Issue, error) {
	l, err := tenantLoaders(ctx, w.node)
	if err != nil {
		return nil, err
	}
	return &model.Issue{Issue: i, Definition: w.definition, Loaders: l}, nil
}

func (w *issueWriter) create(ctx context.Context, in *model.NewIssueInput) (*model.Issue, error) {
	i, err := parseNewIssue(w.definition, in)
	if err != nil {
		return nil, err
	}
	created, err := w.writes.CreateIssue(ctx, w.definition, i)
	if err != nil {
		return nil, err
	}
	return w.view(ctx, created)
}

func createIssue(ctx context.Context, in model.CreateIssueInput) (*model.CreateIssuePayload, error) {
	n, err := model.ParseProjectID(in.Project)
	if err != nil {
		return nil, err
	}
	w, err := newIssueWriter(ctx, n)
	if err != nil {
		return nil, err
	}
	issue, err := w.create(ctx, in.Issue)
	if err != nil {
		return nil, tracker.At("input.issue", err)
	}
	return &model.CreateIssuePayload{Issue: issue}, nil
}

func createIssues(ctx context.Context, in model.CreateIssuesInput) (*model.CreateIssuesPayload, error) {
	if n := len(in.Issues); n < 1 || n > maxBulk {
		return nil, tracker.Bad("input.issues", "%d issues; one call takes 1 to %d", n, maxBulk)
	}
	n, err := model.ParseProjectID(in.Project)
	if err != nil {
		return nil, err
	}
	w, err := newIssueWriter(ctx, n)
	if err != nil {
		return nil, err
	}
	results := make([]*model.CreateIssueResult, len(in.Issues))
	var group errgroup.Group
	group.SetLimit(bulkParallel)
	for i, issue := range in.Issues {
		group.Go(func() error {
			created, err := w.create(ctx, issue)
			results[i] = &model.CreateIssueResult{Issue: created, Error: userError(ctx, tracker.At("issues"+index(i), err))}
			return nil
		})
	}
	group.Wait()
	return &model.CreateIssuesPayload{Results: results}, nil
}

// userError is an error as part of a payload.
func userError(ctx context.Context, err error) *model.UserError {
	if err == nil {
		return nil
	}
	shown := shownError(ctx, err)
	e := &model.UserError{Code: string(shown.code), Message: shown.message}
	if cause, ok := errors.AsType[*tracker.Error](err); ok && cause.Path != "" {
		e.Path = &cause.Path
	}
	return e
}

func updateIssue(ctx context.Context, in model.UpdateIssueInput) (*model.UpdateIssuePayload, error) {
	n, err := model.ParseIssueID(in.ID)
	if err != nil {
		return nil, err
	}
	w, err := newIssueWriter(ctx, n)
	if err != nil {
		return nil, asIssue(err)
	}
	change, err := parseChange(w.definition, &in)
	if err != nil {
		return nil, tracker.At("input", err)
	}
	changed, err := w.writes.UpdateIssue(ctx, w.definition, n.Issue, change)
	if err != nil {
		return nil, tracker.At("input", err)
	}
	issue, err := w.view(ctx, changed)
	return &model.UpdateIssuePayload{Issue: issue}, err
}

// asIssue says that there is no such issue where there is no such project: an issue is what was asked for.
func asIssue(err error) error {
	if tracker.CodeOf(err) == tracker.NotFound {
		return tracker.Missing("issue")
	}
	return err
}

func deleteIssue(ctx context.Context, in model.DeleteIssueInput) (*model.DeleteIssuePayload, error) {
	n, err := model.ParseIssueID(in.ID)
	if err != nil {
		return nil, err
	}
	w, err := newIssueWriter(ctx, n)
	if err != nil {
		return nil, asIssue(err)
	}
	if err := w.writes.DeleteIssue(ctx, n.Issue, int64Of(in.ExpectedVersion)); err != nil {
		return nil, err
	}
	project, err := projectOf(ctx, n, w.definition)
	return &model.DeleteIssuePayload{ID: in.ID, Project: project}, err
}
