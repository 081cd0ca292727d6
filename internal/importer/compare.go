package importer

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"issuegrid/tracker"
)

// compare looks up the issues of rows (R4). It returns the rows that have none, and those that differ from
// theirs.
func (w *writer) compare(ctx context.Context, rows []pending) (missing, changed []pending, err error) {
	found, err := w.lookUp(ctx, rows)
	if err != nil {
		return nil, nil, err
	}
	for i, r := range rows {
		old := found[i]
		if old == nil {
			missing = append(missing, r)
			continue
		}
		differs, f := false, (*fault)(nil)
		if !w.opts.OnlyNew {
			r.change = w.changeOf(r)
			differs, f = w.differs(r, old)
		}
		switch {
		case f != nil:
			if err := w.rejectRow(r.row, f); err != nil {
				return nil, nil, err
			}
		case differs:
			changed = append(changed, r)
		default:
			w.count(r, Unchanged)
		}
	}
	return missing, changed, nil
}

// lookUp reads the issues of rows, nil for those that do not exist.
func (w *writer) lookUp(ctx context.Context, rows []pending) ([]*tracker.Issue, error) {
	ids := make([]tracker.IssueID, len(rows))
	exist := false
	for i, r := range rows {
		if w.target(r.row.project).found || !w.dry {
			ids[i], exist = r.issue.ID, true
		}
	}
	if !exist {
		return make([]*tracker.Issue, len(rows)), nil
	}
	return w.tenant.IssuesConsistent(ctx, ids)
}

// changeOf returns what a row gives to its existing issue: the mapped columns, except those that are absent
// in its line. An empty cell removes the value. That of the state leaves the state as it is, because each
// issue has one. The times of the issue are not compared.
func (w *writer) changeOf(r pending) tracker.Change {
	p := w.survey.plan
	has := func(to Target) bool {
		b, ok := p.builtins[to]
		return ok && !r.row.rec.at(b.at).absent
	}
	out := tracker.Change{Values: map[tracker.FieldID]tracker.Value{}}
	if has(ToName) {
		out.Name = &r.issue.Name
	}
	if r.row.state != "" {
		out.State = &r.issue.State
	}
	if has(ToDescription) {
		text := r.issue.Description.Text()
		out.Description = &text
	}
	for at, field := range w.target(r.row.project).fields {
		if !p.absent(r.row.rec, at) {
			out.Values[field.ID] = r.issue.Values[field.ID]
		}
	}
	return out
}

// differs reports whether a row changes its issue, or returns the fault of a row that cannot.
func (w *writer) differs(r pending, old *tracker.Issue) (bool, *fault) {
	p, t := w.survey.plan, w.target(r.row.project)
	if r.row.num > 0 && r.row.num != old.Num {
		f := &fault{reason: NumDiffers, detail: fmt.Sprintf("the row is issue %d of the project, whose "+
			"number can't be changed to %d", old.Num, r.row.num)}
		return false, f.in(p.builtins[ToNum])
	}
	for at, field := range t.fields {
		v, ok := r.change.Values[field.ID]
		if ok && (v.Kind != tracker.KindNone || old.Values[field.ID].Kind != tracker.KindNone) {
			if err := field.Check(v); err != nil {
				return false, (&fault{reason: BadValue, detail: err.Error()}).in(p.fields[at])
			}
		}
	}
	differs, err := w.tenant.Changes(t.def, old, r.change)
	if err != nil {
		return false, tooLarge()
	}
	return differs, nil
}

// tooLarge is the fault of a row that the store rejects with BadInput. All else has been checked before. It
// does not say by how much, because that depends on the time of the change.
func tooLarge() *fault {
	return &fault{reason: TooLarge, detail: "the values together are larger than an issue can be, about " +
		"390 KB, not counting long texts"}
}

// parallelChanges is the number of issues of a batch that are changed in parallel.
const parallelChanges = 4

// change writes the rows that differ from their issues, unless the run is dry. It returns those whose issue
// was deleted since it was read.
func (w *writer) change(ctx context.Context, rows []pending) (deleted []pending, err error) {
	if w.dry {
		for _, r := range rows {
			w.count(r, Changed)
		}
		return nil, nil
	}
	gone := make([]bool, len(rows))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelChanges)
	for i, r := range rows {
		group.Go(func() (err error) {
			gone[i], err = w.changeOne(ctx, r)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, r := range rows {
		if gone[i] {
			deleted = append(deleted, r)
		}
	}
	return deleted, nil
}

// changeOne writes a row that differs from its issue. It reports whether the issue was deleted.
func (w *writer) changeOne(ctx context.Context, r pending) (gone bool, err error) {
	_, err = w.tenant.UpdateIssue(ctx, w.target(r.row.project).def, r.issue.ID, r.change)
	switch {
	case err == nil:
		w.count(r, Changed)
		return false, nil
	case errors.Is(err, tracker.ErrDefinitionChanged):
		remade, err := w.remake(ctx, []pending{r})
		if err != nil || len(remade) == 0 {
			return false, err
		}
		return w.changeOne(ctx, remade[0])
	case tracker.CodeOf(err) == tracker.NotFound:
		return true, nil
	case tracker.CodeOf(err) == tracker.BadInput:
		return false, w.rejectRow(r.row, tooLarge())
	}
	return false, err
}
