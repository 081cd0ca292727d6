package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"golang.org/x/sync/errgroup"

	"issuegrid/graph/model"
	"issuegrid/graph/once"
	"issuegrid/tracker"
)

const (
	// maxBulk is the maximum number of issues of one mutation.
	maxBulk = 100
	// bulkParallel is the number of issues written in parallel.
	bulkParallel = 8
)

// issueWriter changes issues of one project in a mutation.
type issueWriter struct {
	node       model.NodeID
	once       *tracker.Once
	writes     TenantWrites
	definition *tracker.Definition
	// badKey is the error of an invalid idempotency key, relative to the input. Nothing is written then, and
	// the error is returned with those of the issues.
	badKey error
}

// newIssueWriter returns the issueWriter of the project that n refers to. key is the idempotency key, or nil.
func newIssueWriter(ctx context.Context, n model.NodeID, key *string, mutation string,
	input any) (*issueWriter, error) {
	o, err := onceOf(ctx, key, mutation, input)
	badKey := belowInput(err)
	if otherError(err) != nil {
		return nil, err
	}
	w, err := session(ctx).Writes.Tenant(n.Tenant, o)
	if err != nil {
		return nil, err
	}
	d, err := lookUpDefinition(ctx, n)
	if err != nil {
		return nil, err
	}
	return &issueWriter{node: n, once: o, writes: w, definition: d, badKey: badKey}, nil
}

// refuse returns the errors of a call with an invalid idempotency key, or nil if the key is valid. invalid
// returns those of issue i of n; errors other than invalid inputs are not reported with the key.
func (w *issueWriter) refuse(n int, invalid func(i int) error) error {
	if w.badKey == nil {
		return nil
	}
	all := []error{w.badKey}
	for i := range n {
		if err := invalid(i); otherError(err) == nil {
			all = append(all, tracker.At("issues"+index(i), err))
		}
	}
	return tracker.At("input", tracker.Join(all...))
}

// checked returns the errors of the input of a mutation of one issue, of which invalid are those of the
// issue.
func (w *issueWriter) checked(ctx context.Context, invalid error) error {
	return tracker.Join(tracker.At("input", w.badKey),
		once.At("issue", unlessRepeated(ctx, w.writes, invalid)))
}

func (w *issueWriter) view(ctx context.Context, i *tracker.Issue) (*model.Issue, error) {
	l, err := tenantLoaders(ctx, w.node)
	if err != nil {
		return nil, err
	}
	// a repeated change returns the issue as it is stored
	return &model.Issue{Issue: w.definition.Current(i), Definition: w.definition, Loaders: l}, nil
}

// withDefinition calls change with the writer, and again with a writer with a newer definition if it fails
// because that of w is outdated.
func (w *issueWriter) withDefinition(ctx context.Context,
	change func(w *issueWriter, newer bool) error) error {
	return withDefinition(ctx, w.node, func(d *tracker.Definition) error {
		now := *w
		now.definition = d
		return change(&now, d != w.definition)
	})
}

// each makes the n changes of a bulk mutation, up to bulkParallel at a time. Each change has its own result
// and idempotency key.
func (w *issueWriter) each(ctx context.Context, n int, change func(n int, writes TenantWrites) error) error {
	var group errgroup.Group
	group.SetLimit(bulkParallel)
	for i := range n {
		writes, err := session(ctx).Writes.Tenant(w.node.Tenant, once.OfItem(w.once, i))
		if err != nil {
			return err
		}
		group.Go(func() error { return change(i, writes) })
	}
	return group.Wait()
}

// unlessRepeated returns the error of an invalid input, or nil if the change was already made under its
// idempotency key: what the input refers to may have been renamed or deleted since.
func unlessRepeated(ctx context.Context, writes TenantWrites, invalid error) error {
	if tracker.CodeOf(invalid) != tracker.BadInput {
		return invalid
	}
	repeated, err := writes.Repeated(ctx)
	switch {
	case err != nil:
		return err
	case repeated:
		return nil
	}
	return invalid
}

// claim makes the idempotency key that of the call. Its changes have keys of their own.
func (w *issueWriter) claim(ctx context.Context) error {
	return tracker.At("input", w.writes.Claim(ctx))
}

// applied reports for each of the n changes of a bulk mutation whether it was already made under its
// idempotency key.
func (w *issueWriter) applied(ctx context.Context, n int) ([]bool, error) {
	if w.once == nil {
		return make([]bool, n), nil
	}
	keys := make([]string, n)
	for i := range keys {
		keys[i] = once.OfItem(w.once, i).Key
	}
	return w.writes.Applied(ctx, keys)
}

// checkBulk checks the number of issues of a bulk mutation.
func checkBulk(n int) error {
	if n < 1 || n > maxBulk {
		return tracker.Bad("input.issues", "%d issues; one call takes 1 to %d", n, maxBulk)
	}
	return nil
}

func createIssue(ctx context.Context, in model.CreateIssueInput) (*model.CreateIssuePayload, error) {
	n, err := parseProjectID(ctx, in.ProjectID)
	if err != nil {
		return nil, err
	}
	w, err := newIssueWriter(ctx, n, in.IdempotencyKey, "createIssue", in)
	if err != nil {
		return nil, err
	}
	i, err := parseNewIssue(ctx, w.definition, in.Issue)
	if err = w.checked(ctx, err); err != nil {
		return nil, err
	}
	created, err := w.writes.CreateIssue(ctx, w.definition, i)
	if err != nil {
		return nil, once.At("issue", err)
	}
	issue, err := w.view(ctx, created)
	return &model.CreateIssuePayload{Issue: issue}, err
}

func createIssues(ctx context.Context, in model.CreateIssuesInput) (*model.CreateIssuesPayload, error) {
	n, err := parseProjectID(ctx, in.ProjectID)
	if err != nil {
		return nil, err
	}
	w, err := newIssueWriter(ctx, n, in.IdempotencyKey, "createIssues", in)
	if err != nil {
		return nil, err
	}
	if err := checkBulk(len(in.Issues)); err != nil {
		return nil, tracker.Join(tracker.At("input", w.badKey), err)
	}
	issues, refused := make([]tracker.Issue, len(in.Issues)), make([]error, len(in.Issues))
	var people [][]string
	for _, i := range in.Issues {
		people = append(people, i.AssigneeIds, i.WatcherIds)
		for _, v := range i.Values {
			people = append(people, userIn(w.definition, v.FieldID, v.Value))
		}
	}
	w.prefetch(ctx, people...)
	good := 0
	for i := range issues {
		if issues[i], refused[i] = parseNewIssue(ctx, w.definition, in.Issues[i]); refused[i] == nil {
			good++
		}
	}
	if err := w.refuse(len(issues), func(i int) error { return refused[i] }); err != nil {
		return nil, err
	}
	if err := w.claim(ctx); err != nil {
		return nil, err
	}
	applied, err := w.applied(ctx, len(issues))
	if err != nil {
		return nil, err
	}
	for i := range applied {
		switch {
		case refused[i] == nil && applied[i]:
			good-- // it has its number
		case applied[i]:
			refused[i] = nil // what it refers to has changed since
		}
	}
	if good > 0 {
		num, err := w.writes.ReserveNums(ctx, n.Project, good)
		if err != nil {
			return nil, err
		}
		for i := range issues {
			if refused[i] == nil && !applied[i] {
				issues[i].Num = num
				num++
			}
		}
	}
	results := make([]*model.CreateIssueResult, len(issues))
	err = w.each(ctx, len(issues), func(i int, writes TenantWrites) error {
		r := &model.CreateIssueResult{}
		results[i] = r
		err := w.withDefinition(ctx, func(w *issueWriter, newer bool) error {
			issue, err := issues[i], refused[i]
			if newer {
				issue, err = parseNewIssue(ctx, w.definition, in.Issues[i])
				err = unlessRepeated(ctx, writes, err)
				issue.Num = issues[i].Num
			}
			if err != nil {
				return err
			}
			created, err := writes.CreateIssue(ctx, w.definition, issue)
			if err == nil {
				r.Issue, err = w.view(ctx, created)
			}
			return err
		})
		r.Errors = userErrors(ctx, once.At("issues"+index(i), err))
		return nil
	})
	return &model.CreateIssuesPayload{Results: results}, err
}

func updateIssue(ctx context.Context, in model.UpdateIssueInput) (*model.UpdateIssuePayload, error) {
	n, err := parseIssueID(ctx, in.Issue.ID)
	if err != nil {
		return nil, err
	}
	w, err := newIssueWriter(ctx, n, in.IdempotencyKey, "updateIssue", in)
	if err != nil {
		return nil, asIssue(err)
	}
	change, err := parseChange(ctx, w.definition, in.Issue)
	if err = w.checked(ctx, err); err != nil {
		return nil, err
	}
	changed, err := w.update(ctx, w.writes, n, change)
	if err != nil {
		return nil, once.At("issue", err)
	}
	issue, err := w.view(ctx, changed)
	return &model.UpdateIssuePayload{Issue: issue}, err
}

// update makes one change of an issue.
func (w *issueWriter) update(ctx context.Context, writes TenantWrites, n model.NodeID,
	change tracker.Change) (*tracker.Issue, error) {
	changed, err := writes.UpdateIssue(ctx, w.definition, n.Issue, change)
	return changed, w.explain(ctx, err, change)
}

// bulkIDs parses the ids of a bulk mutation, which must all be of the project of the first. errs has the
// errors of single ids. Issues of tenants that the principal does not reach are replaced by ones that do not
// exist.
func bulkIDs(ctx context.Context, ids []string) (first model.NodeID, all []model.NodeID, errs []error,
	err error) {
	if err := checkBulk(len(ids)); err != nil {
		return first, nil, nil, err
	}
	p := session(ctx).Principal
	all, errs = make([]model.NodeID, len(ids)), make([]error, len(ids))
	seen := make(map[string]bool, len(ids))
	var others []int // indexes of ids of tenants that the principal does not reach
	var wrong []error
	for i, id := range ids {
		if seen[id] {
			wrong = append(wrong, tracker.Bad("input.issues"+index(i)+".id", "the issue is given twice"))
			continue
		}
		seen[id] = true
		if all[i], errs[i] = model.ParseIssueID(id); errs[i] != nil {
			continue
		}
		if !p.CanAccess(all[i].Tenant) {
			all[i] = all[i].Elsewhere(p.Tenant)
			others = append(others, i)
			continue
		}
		if first.Project == "" {
			first = all[i]
		}
		if all[i].Tenant != first.Tenant || all[i].Project != first.Project {
			wrong = append(wrong, tracker.Bad("input.issues"+index(i)+".id",
				"the issue is of another project than the first; one call takes issues of one project"))
		}
	}
	if err := tracker.Join(wrong...); err != nil {
		return first, nil, nil, err
	}
	if first.Project == "" && len(others) > 0 {
		first = all[others[0]]
	}
	for _, i := range others { // replaced by ids of this project that do not exist
		all[i].Project, all[i].Issue.Project = first.Project, first.Project
	}
	if first.Project == "" {
		return first, nil, nil, tracker.MissingAt("input.issues", tracker.Missing("issue"))
	}
	return first, all, errs, nil
}

// newBulkWriter returns the issueWriter of the project of the issues that a bulk mutation changes, and what
// bulkIDs returns of them.
func newBulkWriter(ctx context.Context, given []string, key *string, mutation string, input any) (
	w *issueWriter, ids []model.NodeID, errs []error, err error) {
	first, ids, errs, err := bulkIDs(ctx, given)
	if err != nil {
		_, badKey := onceOf(ctx, key, mutation, input)
		return nil, nil, nil, tracker.Join(badKey, err)
	}
	w, err = newIssueWriter(ctx, first, key, mutation, input)
	return w, ids, errs, tracker.MissingAt("input.issues", asIssue(err))
}

// itemErrors returns the errors of change n of a bulk mutation.
func itemErrors(ctx context.Context, n int, err error) []*model.UserError {
	return userErrors(ctx, once.At("issues"+index(n), tracker.MissingAt("id", err)))
}

func updateIssues(ctx context.Context, in model.UpdateIssuesInput) (*model.UpdateIssuesPayload, error) {
	given := make([]string, len(in.Issues))
	for i, change := range in.Issues {
		given[i] = change.ID
	}
	w, ids, errs, err := newBulkWriter(ctx, given, in.IdempotencyKey, "updateIssues", in)
	if err != nil {
		return nil, err
	}
	if err := w.refuse(len(ids), func(i int) error {
		_, err := parseChange(ctx, w.definition, in.Issues[i])
		return err
	}); err != nil {
		return nil, err
	}
	if err := w.claim(ctx); err != nil {
		return nil, err
	}
	var people [][]string
	for _, change := range in.Issues {
		people = append(people, added(change.Assignees), added(change.Watchers))
		for _, v := range change.Values {
			people = append(people, userIn(w.definition, v.FieldID, v.Value))
		}
	}
	w.prefetch(ctx, people...)
	results := make([]*model.UpdateIssueResult, len(ids))
	err = w.each(ctx, len(ids), func(i int, writes TenantWrites) error {
		r := &model.UpdateIssueResult{IssueID: given[i]}
		results[i] = r
		err := errs[i]
		if err == nil {
			err = w.withDefinition(ctx, func(w *issueWriter, _ bool) error {
				change, err := parseChange(ctx, w.definition, in.Issues[i])
				if err = unlessRepeated(ctx, writes, err); err != nil {
					return err
				}
				changed, err := w.update(ctx, writes, ids[i], change)
				if err == nil {
					r.Issue, err = w.view(ctx, changed)
				}
				return err
			})
		}
		r.Errors = itemErrors(ctx, i, err)
		return nil
	})
	return &model.UpdateIssuesPayload{Results: results}, err
}

// asIssue converts a NotFound error of a project to that of an issue.
func asIssue(err error) error {
	return asMissing("issue", err)
}

// remove moves an issue to the trash, or deletes it permanently.
func (w *issueWriter) remove(ctx context.Context, writes TenantWrites, id tracker.IssueID,
	expectedVersion *int32, permanently bool) error {
	expected, remove := int64Of(expectedVersion), writes.DeleteIssue
	if permanently {
		remove = writes.PurgeIssue
	}
	return w.explain(ctx, remove(ctx, id, expected), tracker.Change{ExpectedVersion: expected})
}

func deleteIssue(ctx context.Context, in model.DeleteIssueInput) (*model.DeleteIssuePayload, error) {
	permanently := model.Is(in.Permanently, true)
	if permanently {
		if err := mustBe(ctx, tracker.Admin, "input.permanently"); err != nil {
			return nil, err
		}
	}
	n, err := parseIssueID(ctx, in.Issue.ID)
	if err != nil {
		return nil, err
	}
	w, err := newIssueWriter(ctx, n, in.IdempotencyKey, "deleteIssue", in)
	if err != nil {
		return nil, asIssue(err)
	}
	if w.badKey != nil {
		return nil, tracker.At("input", w.badKey)
	}
	if err := w.remove(ctx, w.writes, n.Issue, in.Issue.ExpectedVersion, permanently); err != nil {
		return nil, once.At("issue", err)
	}
	payload := &model.DeleteIssuePayload{DeletedIssueID: &in.Issue.ID}
	if inPayload(ctx, "purgeAt") {
		w.purgeTimes(ctx, []model.NodeID{n}, func(_ int, at *model.DateTime) { payload.PurgeAt = at })
	}
	payload.Project, err = projectOf(ctx, n, w.definition)
	return payload, err
}

func deleteIssues(ctx context.Context, in model.DeleteIssuesInput) (*model.DeleteIssuesPayload, error) {
	permanently := model.Is(in.Permanently, true)
	if permanently {
		if err := mustBe(ctx, tracker.Admin, "input.permanently"); err != nil {
			return nil, err
		}
	}
	given := make([]string, len(in.Issues))
	for i, deletion := range in.Issues {
		given[i] = deletion.ID
	}
	w, ids, errs, err := newBulkWriter(ctx, given, in.IdempotencyKey, "deleteIssues", in)
	if err != nil {
		return nil, err
	}
	if w.badKey != nil {
		return nil, tracker.At("input", w.badKey)
	}
	if err := w.claim(ctx); err != nil {
		return nil, err
	}
	results := make([]*model.DeleteIssueResult, len(ids))
	err = w.each(ctx, len(ids), func(i int, writes TenantWrites) error {
		err := errs[i]
		if err == nil {
			err = w.remove(ctx, writes, ids[i].Issue, in.Issues[i].ExpectedVersion, permanently)
		}
		r := &model.DeleteIssueResult{IssueID: given[i]}
		results[i] = r
		r.Errors = itemErrors(ctx, i, err)
		return nil
	})
	if err == nil && inPayload(ctx, "results", "DeleteIssueResult", "purgeAt") {
		w.purgeTimes(ctx, ids, func(i int, at *model.DateTime) {
			if len(results[i].Errors) == 0 {
				results[i].PurgeAt = at
			}
		})
	}
	return &model.DeleteIssuesPayload{Results: results}, err
}

// purgeTimes calls set with the times when issues are deleted permanently, of those that are in the trash.
// The issues are deleted even if these can't be read.
func (w *issueWriter) purgeTimes(ctx context.Context, ids []model.NodeID,
	set func(n int, at *model.DateTime)) {
	l, err := tenantLoaders(ctx, w.node)
	if err != nil {
		graphql.AddError(ctx, err)
		return
	}
	issues := make([]tracker.IssueID, len(ids))
	for i := range ids {
		issues[i] = ids[i].Issue
	}
	found, err := l.Trashed(ctx, issues)
	for i, t := range found {
		if t != nil {
			at := model.DateTime(tracker.FormatDateTime(t.Expires))
			set(i, &at)
		}
	}
	if err != nil {
		graphql.AddError(ctx, err)
	}
}

func restoreIssue(ctx context.Context, in model.RestoreIssueInput) (*model.RestoreIssuePayload, error) {
	n, err := parseIssueID(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	w, err := newIssueWriter(ctx, n, in.IdempotencyKey, "restoreIssue", in)
	if err != nil {
		return nil, asIssue(err)
	}
	if w.badKey != nil {
		return nil, tracker.At("input", w.badKey)
	}
	restored, err := w.writes.RestoreIssue(ctx, w.definition, n.Issue)
	if err != nil {
		return nil, tracker.At("input", err)
	}
	issue, err := w.view(ctx, restored)
	return &model.RestoreIssuePayload{Issue: issue}, err
}
