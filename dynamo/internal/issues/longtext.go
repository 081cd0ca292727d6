package issues

import (
	"context"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// longTextTime limits the time from writing the long texts of a change to writing the document that refers to
// them. It is well below orphanAge of package check, so that check does not mistake them for the remains of a
// crash.
const longTextTime = 20 * time.Minute

// LongTexts returns the long texts of refs in their order. It reads all parts in BatchGetItem calls of up to
// 100 keys. A text is never overwritten and is kept for KeepHistory after it was replaced, so that the result
// matches the document. The text of an issue that was deleted may be "". Each text has its own error.
func (s *Store) LongTexts(ctx context.Context, refs []tracker.LongRef) ([]string, []error) {
	texts, errs := make([]string, len(refs)), make([]error, len(refs))
	var all []layout.Key
	bytes := int64(0)
	for _, r := range refs {
		all = append(all, s.t.Keys.PartKeys(r.Issue, r.Column, r.Long)...)
		bytes += int64(r.Long.Bytes)
	}
	// A compressed text is many times larger than what is read.
	a := account.From(ctx)
	err := a.Hold(ctx, bytes)
	var items []layout.Item
	if err == nil {
		if items, err = s.t.Get(ctx, all, false); err != nil {
			a.Release(bytes)
		}
	}
	for i, r := range refs {
		if err != nil {
			errs[i] = err
			continue
		}
		if err := a.Check(ctx); err != nil {
			errs[i] = client.Translate(err)
			continue
		}
		var ok bool
		if texts[i], ok = layout.JoinParts(items[:r.Long.Parts], r.Long); !ok {
			texts[i], errs[i] = s.longTextConsistent(ctx, r)
		}
		items = items[r.Long.Parts:]
	}
	return texts, errs
}

// longTextConsistent reads a text with a missing part again, consistently. An eventually consistent read can
// return a document before its texts.
func (s *Store) longTextConsistent(ctx context.Context, r tracker.LongRef) (string, error) {
	all := append(s.t.Keys.PartKeys(r.Issue, r.Column, r.Long), s.t.Keys.IssueItem(r.Issue))
	items, err := s.t.Get(ctx, all, true)
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

// LongText reads the text of one value.
func (s *Store) LongText(ctx context.Context, id tracker.IssueID, f tracker.FieldID, v tracker.Value) (string,
	error) {
	texts, errs := s.LongTexts(ctx, []tracker.LongRef{{Issue: id, Column: f.Column(), Long: v.Long()}})
	return texts[0], errs[0]
}
