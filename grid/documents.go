package grid

import (
	"context"
	"errors"
	"time"

	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// documents fetches issues, except those that were fetched for this page already.
func (x *pageSource) documents(ctx context.Context, ids []tracker.IssueID, node *Node) ([]*tracker.Issue,
	error) {
	docs := make([]*tracker.Issue, len(ids))
	missing, slots := ids, []int(nil) // all of them, unless some are known
	x.mu.Lock()
	if len(x.known) > 0 {
		missing = nil
		for i, id := range ids {
			doc, known := x.known[id.Issue]
			if docs[i] = doc; !known {
				missing, slots = append(missing, id), append(slots, i)
			}
		}
	}
	x.mu.Unlock()
	if len(missing) == 0 {
		return docs, nil
	}
	started := time.Now()
	found, err := x.source.Fetch(ctx, missing)
	if err != nil {
		return nil, err
	}
	if len(found) != len(missing) {
		return nil, tracker.Internal("fetch did not return one document for each id", nil)
	}
	if d := x.request.Definition; d != nil && d.Rebuilding() {
		current := make([]*tracker.Issue, len(found)) // found belongs to the loader
		for i, doc := range found {
			current[i] = d.Current(doc)
		}
		found = current
	}
	x.work.fetched(len(missing))
	node.fetched(len(missing), x.documentRCU(found), time.Since(started))
	if slots == nil {
		copy(docs, found)
	}
	for n, i := range slots {
		docs[i] = found[n]
	}
	if node.keep {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.known == nil {
			x.known = map[string]*tracker.Issue{}
		}
		for n, id := range missing {
			x.known[id.Issue] = found[n]
		}
	}
	return docs, nil
}

// lowMemoryBatch is how many documents are fetched at a time when memory is low. The largest ten have 4 MB.
const lowMemoryBatch = 10

// first fetches as many of the first documents as the operation's memory limit allows, at least
// lowMemoryBatch. If these are not all, it ends the work of the page.
func (x *pageSource) first(ctx context.Context, ids []tracker.IssueID, node *Node) ([]*tracker.Issue, error) {
	var docs []*tracker.Issue
	for len(docs) < len(ids) {
		some, err := x.documents(ctx, ids[len(docs):min(len(docs)+lowMemoryBatch, len(ids))], node)
		if errors.Is(err, account.ErrMemory) && len(docs) > 0 {
			x.work.exhaust()
			node.note("ended, because the operation holds as much data as it may")
			return docs, nil
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, some...)
	}
	return docs, nil
}

// documentCPU is the CPU time of matching a document, without the strings that are folded or searched.
const documentCPU = 2 * account.ValueCPU

// Metered returns the Work function of a matcher: it charges the CPU time to the operation's account, and
// returns an error when the context has ended or that time is spent.
func Metered(ctx context.Context) func(folded, searched int) error {
	a := account.From(ctx)
	return func(folded, searched int) error {
		a.Spend(time.Duration(folded)*account.FoldCPU + time.Duration(searched)*account.SearchCPU)
		return a.Check(ctx)
	}
}

// textCost returns what reading a long text counts as in the work budget, in documents: DynamoDB bills as
// much for it.
func textCost(r tracker.LongRef) int { return 1 + r.Long.Bytes/(4<<10) }

// longTexts reads the texts stored outside of documents that a condition needs. It returns them by the
// issues' ids within the project.
func (x *pageSource) longTexts(ctx context.Context, docs []*tracker.Issue, c filter.Condition) (
	map[string]map[tracker.Column]string, error) {
	var refs []tracker.LongRef
	for _, doc := range docs {
		if doc != nil {
			refs = append(refs, filter.LongTexts(doc, c)...)
		}
	}
	out := map[string]map[tracker.Column]string{}
	if len(refs) == 0 {
		return out, nil
	}
	if x.source.Texts == nil {
		return nil, tracker.Internal("a filter looks at long texts, and there is no way to read them", nil)
	}
	texts, err := x.source.Texts(ctx, refs)
	if err != nil {
		return nil, err
	}
	units := 0
	for _, r := range refs {
		units += textCost(r)
	}
	x.work.fetched(units)
	for i, r := range refs {
		if out[r.Issue.Issue] == nil {
			out[r.Issue.Issue] = map[tracker.Column]string{}
		}
		out[r.Issue.Issue][r.Column] = texts[i]
	}
	return out, nil
}

// documentRCU estimates the RCU of reading documents by DynamoDB's rule: half a unit per 4 KB, and the
// minimum for one that is gone.
func (x *pageSource) documentRCU(docs []*tracker.Issue) float64 {
	if !x.request.Explain {
		return 0
	}
	halves := 0
	for _, doc := range docs {
		bytes := 0
		if doc != nil {
			bytes = 300 + len(doc.Name) + len(doc.Description.Text()) // keys, times and attribute names
			for f, v := range doc.Values {
				bytes += 2*len(f) + len(v.Text()) + 5
				for _, member := range v.Set() {
					bytes += len(member) + 1
				}
			}
		}
		halves += max(1, (bytes+4095)/4096)
	}
	return float64(halves) / 2
}
