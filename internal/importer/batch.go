package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// batch is a sequence of rows that are looked up and written together. Batches take issue numbers in the
// order of the file; everything else they do in parallel.
type batch struct {
	rows   []pending
	bytes  int // of the cells
	memory int // of the records
	// turn is closed when the previous batch has its numbers, and passed when this one has.
	turn   <-chan struct{}
	passed chan struct{}
}

// pending is a row being written.
type pending struct {
	row *row
	// issue is what a new issue of the row has; change is what an existing one gets.
	issue  tracker.Issue
	change tracker.Change
}

func newBatch(before *batch) *batch {
	b := &batch{passed: make(chan struct{})}
	if before != nil {
		b.turn = before.passed
	} else {
		first := make(chan struct{})
		close(first)
		b.turn = first
	}
	return b
}

func (b *batch) add(p pending) {
	b.rows = append(b.rows, p)
	for _, c := range p.row.rec.cells {
		b.bytes += len(c.text)
	}
	b.memory += p.row.rec.memory()
}

// write makes the changes of the rows of a batch: it adds the issues that do not exist, and changes those
// that differ. A dry run does everything but the writes.
func (w *writer) write(ctx context.Context, b *batch) error {
	rows, changed, err := w.compare(ctx, b.rows)
	if err != nil {
		return err
	}
	if err := w.keep(ctx, rows, changed); err != nil {
		return err
	}
	deleted, err := w.change(ctx, changed)
	if err != nil {
		return err
	}
	if len(deleted) > 0 {
		rows = append(rows, deleted...)
		slices.SortFunc(rows, func(a, b pending) int { return cmp.Compare(a.row.rec.line, b.row.rec.line) })
	}
	if rows, err = w.complete(rows); err != nil {
		return err
	}
	select {
	case <-b.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	groups := byProject(rows)
	for _, g := range groups {
		if err := w.number(ctx, g); err != nil {
			return err
		}
	}
	close(b.passed)
	for _, g := range groups {
		if g, err = w.untaken(ctx, g); err != nil {
			return err
		}
		if err := w.put(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// complete rejects the rows that would become an issue without a required value.
func (w *writer) complete(rows []pending) ([]pending, error) {
	var out []pending
	for _, r := range rows {
		f := w.incomplete(r)
		if f == nil {
			out = append(out, r)
		} else if err := w.rejectRow(r.row, f); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (w *writer) incomplete(r pending) *fault {
	t := w.target(r.row.project)
	for _, field := range t.def.Fields {
		if !field.Required || field.Archived || r.issue.Values[field.ID].Kind != tracker.KindNone {
			continue
		}
		f := &fault{reason: BadValue, detail: fmt.Sprintf("a new issue requires a value of the field %q; "+
			"map a column to it", field.Name)}
		if at := slices.Index(t.fields, field); at >= 0 {
			f.detail = field.Check(tracker.Value{}).Error()
			f.in(w.survey.plan.fields[at])
		}
		return f
	}
	return nil
}

// byProject groups rows by project. Each group has the order of the rows.
func byProject(rows []pending) [][]pending {
	var out [][]pending
	at := map[string]int{}
	for _, r := range rows {
		i, ok := at[r.row.project]
		if !ok {
			i = len(out)
			at[r.row.project] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

// number assigns the next numbers of their project to the rows without a number. A dry run does so without
// reserving them.
func (w *writer) number(ctx context.Context, rows []pending) error {
	n := 0
	for _, r := range rows {
		if r.issue.Num == 0 {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	next, err := w.reserve(ctx, rows[0].issue.ID.Project, int64(n))
	if err != nil {
		return err
	}
	for i := range rows {
		if rows[i].issue.Num == 0 {
			rows[i].issue.Num = next
			next++
		}
	}
	return nil
}

// reserve returns the first of n numbers. The batch must have its turn.
func (w *writer) reserve(ctx context.Context, p tracker.ProjectID, n int64) (int64, error) {
	if !w.dry {
		return w.tenant.ReserveNums(ctx, p, int(n))
	}
	if w.highest[p] > tracker.MaxNum-n {
		return 0, tracker.Missing("project with numbers left")
	}
	w.highest[p] += n
	return w.highest[p] - n + 1, nil
}

// maxGap is the maximum distance between two numbers that are looked up in one range of the index.
const maxGap = 50

// untaken rejects the rows whose number belongs to another issue (R5). It reads the index in ranges of
// numbers: one for a batch of rows with consecutive numbers. An issue that is too new to be in the index has
// no number of the file, because prepare has raised the counter above them.
func (w *writer) untaken(ctx context.Context, rows []pending) ([]pending, error) {
	if len(rows) == 0 {
		return rows, nil
	}
	to := w.target(rows[0].row.project)
	if w.dry && !to.found {
		return rows, nil
	}
	var nums []int64
	for _, r := range rows {
		if r.row.num > 0 {
			nums = append(nums, r.row.num)
		}
	}
	slices.Sort(nums)
	owners := map[int64]tracker.IssueID{}
	for len(nums) > 0 {
		n := 1
		for n < len(nums) && nums[n]-nums[n-1] <= maxGap {
			n++
		}
		if err := w.owners(ctx, &to.def.Project, nums[0], nums[n-1], owners); err != nil {
			return nil, err
		}
		nums = nums[n:]
	}
	var out []pending
	for _, r := range rows {
		owner, taken := owners[r.issue.Num]
		if !taken || owner == r.issue.ID || r.row.num == 0 {
			out = append(out, r)
			continue
		}
		f := &fault{reason: NumTaken, detail: fmt.Sprintf(
			"the project has an issue with the number %d that was not imported from this row, and an import "+
				"changes only issues that it has added", r.issue.Num)}
		if err := w.rejectRow(r.row, f.in(w.survey.plan.builtins[ToNum])); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// owners records which issues have the numbers from to to, inclusive.
func (w *writer) owners(ctx context.Context, p *tracker.Project, from, to int64,
	out map[int64]tracker.IssueID) error {
	q := columns.KeyQuery{Project: p.ID, Shards: p.Shards, Column: tracker.ColumnNum,
		From: sortkey.Num(from), To: sortkey.Num(to + 1)}
	for {
		page, err := w.tenant.QueryKeys(ctx, q)
		if err != nil {
			return err
		}
		for _, k := range page.Keys {
			num, err := sortkey.ParseNum(k.SS)
			if err != nil {
				return tracker.Internal("the index has a sort string that is no number", err)
			}
			out[num] = k.Issue
		}
		if page.Last == nil {
			return nil
		}
		q.From = sortkey.After(page.Last)
	}
}

// put writes issues of one project. If one of them is rejected because its values together are too large,
// nothing was written; put then writes them one by one, so that only this one is rejected.
func (w *writer) put(ctx context.Context, rows []pending) error {
	if len(rows) == 0 {
		return nil
	}
	err := w.putAll(ctx, rows)
	switch {
	case err == nil:
		for _, r := range rows {
			w.count(r, Added)
		}
		return nil
	case errors.Is(err, tracker.ErrDefinitionChanged):
		if rows, err = w.remake(ctx, rows); err != nil {
			return err
		}
		if rows, err = w.complete(rows); err != nil {
			return err
		}
		return w.put(ctx, rows)
	case tracker.CodeOf(err) != tracker.BadInput:
		return err
	case len(rows) == 1:
		return w.rejectRow(rows[0].row, tooLarge())
	}
	for i := range rows {
		if err := w.put(ctx, rows[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// remake reads a project that was changed during the import, and makes the issues of rows for it as it is
// now. Rows that no longer fit are rejected.
func (w *writer) remake(ctx context.Context, rows []pending) ([]pending, error) {
	key := rows[0].row.project
	d, err := w.tenant.Definition(ctx, w.target(key).id)
	if err != nil {
		return nil, err
	}
	t, err := w.survey.target(w.survey.projects[key], d)
	if err != nil {
		return nil, err
	}
	w.known.Lock()
	w.targets[key] = t
	w.known.Unlock()
	var out []pending
	for _, r := range rows {
		num := r.issue.Num
		issue, f := w.issue(r.row)
		if f != nil {
			if err := w.rejectRow(r.row, f); err != nil {
				return nil, err
			}
			continue
		}
		r.issue = issue
		r.issue.Num = num
		r.change = w.changeOf(r)
		out = append(out, r)
	}
	return out, nil
}

func (w *writer) putAll(ctx context.Context, rows []pending) error {
	d := w.target(rows[0].row.project).def
	issues := make([]tracker.Issue, len(rows))
	for i, r := range rows {
		issues[i] = r.issue
	}
	if !w.dry {
		return w.tenant.PutIssues(ctx, d, issues)
	}
	if w.tenant == nil {
		return nil
	}
	for _, i := range issues {
		if err := w.tenant.CheckFits(d, i); err != nil {
			return err
		}
	}
	return nil
}
