package dynamo

import (
	"context"
	"time"

	"issuegrid/account"
	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// inflateCPU is the CPU time that a byte of a long text takes to be put together.
const inflateCPU = time.Nanosecond

// longTime is how long a change may take from writing its long texts to writing the document that refers to
// them. It is well below package check's orphanAge, so that none of them is taken for one that a crash has
// left.
const longTime = 20 * time.Minute

// LongTexts returns the texts of refs in their order, reading all parts in BatchGetItem calls of up to 100:
// those that the documents referred to, because a text is never written again, and stays for a time after it
// was replaced (Settings.KeepHistory). That of an issue that is gone may be "". An error of one text is its
// own.
func (t *Tenant) LongTexts(ctx context.Context, refs []tracker.LongRef) ([]string, []error) {
	return reader(t.scope).longTexts(ctx, refs)
}

func (t reader) longTexts(ctx context.Context, refs []tracker.LongRef) ([]string, []error) {
	texts, errs := make([]string, len(refs)), make([]error, len(refs))
	var all []layout.Key
	bytes := int64(0)
	for _, r := range refs {
		all = append(all, t.keys.PartKeys(r.Issue, r.Column, r.Long)...)
		bytes += int64(r.Long.Bytes)
	}
	// A text that was compressed has many times the bytes of what is read.
	a := account.From(ctx)
	err := a.Hold(ctx, bytes)
	var items []layout.Item
	if err == nil {
		if items, err = t.db.batchGet(ctx, all, false); err != nil {
			a.Release(bytes)
		}
	}
	for i, r := range refs {
		if err != nil {
			errs[i] = err
			continue
		}
		a.Spend(time.Duration(r.Long.Bytes) * inflateCPU)
		if err := a.Check(ctx); err != nil {
			errs[i] = client.Translate(err)
			continue
		}
		var ok bool
		if texts[i], ok = layout.JoinParts(items[:r.Long.Parts], r.Long); !ok {
			texts[i], errs[i] = t.longTextAgain(ctx, r)
		}
		items = items[r.Long.Parts:]
	}
	return texts, errs
}

// longTextAgain reads a text consistently of which a part was missing: a read that is not may see a document
// before its texts.
func (t reader) longTextAgain(ctx context.Context, r tracker.LongRef) (string, error) {
	all := append(t.keys.PartKeys(r.Issue, r.Column, r.Long), t.keys.IssueItem(r.Issue))
	items, err := t.db.batchGet(ctx, all, true)
	if err != nil {
		return "", err
	}
	if text, ok := layout.JoinParts(items[:r.Long.Parts], r.Long); ok {
		return text, nil
	}
	if items[r.Long.Parts] == nil {
		return "", nil
	}
	return "", tracker.Internal("a long text is missing or damaged: "+all[0].SK, nil)
}

// longText reads the text of one value.
func (t reader) longText(ctx context.Context, id tracker.IssueID, f tracker.FieldID, v tracker.Value) (string,
	error) {
	texts, errs := t.longTexts(ctx, []tracker.LongRef{{Issue: id, Column: f.Column(), Long: v.Long()}})
	return texts[0], errs[0]
}
