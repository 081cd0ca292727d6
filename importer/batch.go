package importer

import (
	"context"
	"fmt"
	"slices"

	"issuegrid/columns"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// batch is a sequence of rows that are looked up and written together. Batches take issue numbers in the
// order of the file; everything else they do in parallel.
type batch struct {
	rows  []pending
	bytes int
	// turn is closed when the previous batch has its numbers, and passed when this one has.
	turn   <-chan struct{}
	passed chan struct{}
}

// pending is a row being written.
type pending struct {
	row   *row
	issue tracker.Issue
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
}

// write writes the rows of a batch that do not exist yet.
func (w *writer) write(ctx context.Context, b *batch) error {
	rows, err := w.missing(ctx, b.rows)
	if err != nil {
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

// missing returns the rows that have no issue yet (R4).
func (w *writer) missing(ctx context.Context, rows []pending) ([]pending, error) {
	ids := make([]tracker.IssueID, len(rows))
	for i, r := range rows {
		ids[i] = r.issue.ID
	}
	found, err := w.tenant.IssuesConsistent(ctx, ids)
	if err != nil {
		return nil, err
	}
	var out []pending
	for i, r := range rows {
		if found[i] != nil {
			w.report(1, r.row.project, 0, 1)
		} else {
			out = append(out, r)
		}
	}
	return out, nil
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

// number assigns the next numbers of their project to the rows without a number.
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
	next, err := w.tenant.ReserveNums(ctx, rows[0].issue.ID.Project, n)
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

// maxGap is the maximum distance between two numbers that are looked up in one range of the index.
const maxGap = 50

// untaken rejects the rows whose number belongs to another issue (R5). It reads the index in ranges of
// numbers: one for a batch of rows with consecutive numbers. An issue that is too new to be in the index has
// no number of the file, because prepare has raised the counter above them.
func (w *writer) untaken(ctx context.Context, rows []pending) ([]pending, error) {
	if _, ok := w.survey.plan.builtins[ToNum]; !ok {
		return rows, nil
	}
	nums := make([]int64, len(rows))
	for i, r := range rows {
		nums[i] = r.issue.Num
	}
	slices.Sort(nums)
	owners := map[int64]tracker.IssueID{}
	for len(nums) > 0 {
		n := 1
		for n < len(nums) && nums[n]-nums[n-1] <= maxGap {
			n++
		}
		if err := w.owners(ctx, rows[0].issue.ID.Project, nums[0], nums[n-1], owners); err != nil {
			return nil, err
		}
		nums = nums[n:]
	}
	var out []pending
	for _, r := range rows {
		owner, taken := owners[r.issue.Num]
		if !taken || owner == r.issue.ID {
			out = append(out, r)
			continue
		}
		f := &fault{reason: NumTaken, detail: fmt.Sprintf(
			"the project already has an issue with the number %d, which is not from this row", r.issue.Num)}
		if err := w.reject(r.row.rec, f.in(w.survey.plan.builtins[ToNum])); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// owners records which issues have the numbers from to to, inclusive.
func (w *writer) owners(ctx context.Context, p tracker.ProjectID, from, to int64,
	out map[int64]tracker.IssueID) error {
	q := columns.KeyQuery{Project: p, Column: tracker.ColumnNum, From: sortkey.Num(from),
		To: sortkey.Num(to + 1)}
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
	t := w.targets[rows[0].row.project]
	issues := make([]tracker.Issue, len(rows))
	for i, r := range rows {
		issues[i] = r.issue
	}
	err := w.tenant.PutIssues(ctx, t.def, issues)
	switch {
	case err == nil:
		w.report(len(rows), rows[0].row.project, len(rows), 0)
		return nil
	case tracker.CodeOf(err) != tracker.BadInput:
		return err
	case len(rows) == 1:
		return w.reject(rows[0].row.rec, &fault{reason: TooLarge, detail: err.Error()})
	}
	for i := range rows {
		if err := w.put(ctx, rows[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}
