package grid

import (
	"context"
	"errors"
	"time"

	"issuegrid/account"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// documents fetches issues, but for those that were fetched for this page already.
func (x *run) documents(ctx context.Context, ids []tracker.IssueID, node *Node) ([]*tracker.Issue, error) {
	docs := make([]*tracker.Issue, len(ids))
	missing, places := ids, []int(nil) // all of them, unless some are known
	x.mu.Lock()
	if len(x.known) > 0 {
		missing = nil
		for i, id := range ids {
			doc, known := x.known[id.Issue]
			if docs[i] = doc; !known {
				missing, places = append(missing, id), append(places, i)
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
		current := make([]*tracker.Issue, len(found)) // found is the loader's
		for i, doc := range found {
			current[i] = d.Current(doc)
		}
		found = current
	}
	x.work.fetched(len(missing))
	node.fetched(len(missing), x.documentRCU(found), time.Since(started))
	if places == nil {
		copy(docs, found)
	}
	for n, i := range places {
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

// few is how many documents are fetched at a time where memory is short. The largest ten have 4 MB.
const few = 10

// first fetches as many of the first documents as the operation may hold, at least some; the work of the page
// is over when these are not all.
func (x *run) first(ctx context.Context, ids []tracker.IssueID, node *Node) ([]*tracker.Issue, error) {
	var docs []*tracker.Issue
	for len(docs) < len(ids) {
		some, err := x.documents(ctx, ids[len(docs):min(len(docs)+few, len(ids))], node)
		if errors.Is(err, account.ErrMemory) && len(docs) > 0 {
			x.work.end()
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

// What matching takes of the CPU: a document, a byte of a text that is folded, and a byte of what that has
// become that is searched.
const (
	matchCPU  = 2 * time.Microsecond
	foldCPU   = 12 * time.Nanosecond
	searchCPU = time.Nanosecond
)

// metered counts what matching takes, and ends it when the context has ended or the CPU time of the operation
// is spent.
func metered(ctx context.Context) func(folded, searched int) error {
	a := account.From(ctx)
	return func(folded, searched int) error {
		a.Spend(time.Duration(folded)*foldCPU + time.Duration(searched)*searchCPU)
		return a.Check(ctx)
	}
}

// textUnit is how many bytes of a long text count as a document of the work budget.
const textUnit = 4 << 10

// longTexts reads the texts outside of documents that a condition may look at, by their issues' ids within
// the project.
func (x *run) longTexts(ctx context.Context, docs []*tracker.Issue, c filter.Condition) (
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
	units := 0 // of a document, which is what DynamoDB bills as much for
	for _, r := range refs {
		units += 1 + r.Long.Bytes/textUnit
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

// documentRCU is what documents cost, by DynamoDB's rule: half a unit for each 4 KB, one that is gone like a
// small one.
func (x *run) documentRCU(docs []*tracker.Issue) float64 {
	if !x.request.Explain {
		return 0
	}
	halves := 0
	for _, doc := range docs {
		bytes := 0
		if doc != nil {
			bytes = 300 + len(doc.Name) + len(doc.Description.Text()) // keys, times and names of attributes
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
