package dynamo

import (
	"context"
	"sync"

	"github.com/klauspost/compress/zstd"

	"issuegrid/tracker"
)

const (
	// partBytes is the most that one item of a long text holds: an item is at most 400 KB, its keys included.
	partBytes = 380 << 10
	// compressFrom is the length from which compressing a text saves write units, which are counted by the KB.
	compressFrom = 1 << 10
)

var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic(err) // only wrong options fail
		}
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(2*tracker.MaxText))
		if err != nil {
			panic(err) // only wrong options fail
		}
		return d
	})
)

// longItems splits a long text over as many items as it needs, compressed when that makes it smaller. Each carries the issue's
// version, so that parts of two texts are never put together.
func (k keys) longItems(i *tracker.Issue, c tracker.Column, text string) (tracker.Value, []item) {
	data, compressed := []byte(text), false
	if len(data) >= compressFrom {
		if z := encoder().EncodeAll(data, nil); len(z) < len(data) {
			data, compressed = z, true
		}
	}
	var items []item
	for n := 0; n == 0 || len(data) > 0; n++ {
		size := min(len(data), partBytes)
		m := keyItem(k.part(i.ID, c, n))
		m["v"] = avB(data[:size])
		m["ver"] = avN(i.Version)
		if compressed {
			m["z"] = avBool(true)
		}
		items = append(items, m)
		data = data[size:]
	}
	l := tracker.Long{Bytes: len(text), Parts: len(items), Version: i.Version}
	for _, m := range items {
		m["parts"] = avN(int64(l.Parts))
		m["bytes"] = avN(int64(l.Bytes))
	}
	return tracker.LongText(l), items
}

func (k keys) partKeys(id tracker.IssueID, c tracker.Column, l tracker.Long) []Key {
	out := make([]Key, l.Parts)
	for n := range out {
		out[n] = k.part(id, c, n)
	}
	return out
}

// LongTexts returns the texts of refs in their order, reading all parts in BatchGetItem calls of up to 100. A text that was
// replaced since its document was read comes in its newer form; one that was removed is "". An error of one text is its own.
func (t *Tenant) LongTexts(ctx context.Context, refs []tracker.LongRef) ([]string, []error) {
	texts, errs := make([]string, len(refs)), make([]error, len(refs))
	var all []Key
	for _, r := range refs {
		all = append(all, t.keys.partKeys(r.Issue, r.Column, r.Long)...)
	}
	items, err := t.db.batchGet(ctx, all, false)
	for i, r := range refs {
		if err != nil {
			errs[i] = err
			continue
		}
		var ok bool
		if texts[i], ok = joinParts(items[:r.Long.Parts], r.Long); !ok {
			texts[i], errs[i] = t.longTextAgain(ctx, r)
		}
		items = items[r.Long.Parts:]
	}
	return texts, errs
}

// longTextAgain reads a text whose parts do not fit its document's reference, because an index entry or part was written between the
// two reads: the document first and the parts then, both consistently, until they fit.
func (t *Tenant) longTextAgain(ctx context.Context, r tracker.LongRef) (string, error) {
	for range 4 {
		docs, err := t.issues(ctx, []tracker.IssueID{r.Issue}, true)
		if err != nil {
			return "", err
		}
		if docs[0] == nil {
			return "", nil
		}
		v := docs[0].Values[r.Column.Field()]
		if r.Column == tracker.ColumnDescription {
			v = docs[0].Description
		}
		if v.Kind != tracker.KindLong {
			return v.Text(), nil
		}
		items, err := t.db.batchGet(ctx, t.keys.partKeys(r.Issue, r.Column, v.Long()), true)
		if err != nil {
			return "", err
		}
		if text, ok := joinParts(items, v.Long()); ok {
			return text, nil
		}
	}
	return "", unavailable("a long text is changing faster than it can be read; try again", nil)
}

// joinParts puts a text together; false if a part is missing or of another version.
func joinParts(items []item, l tracker.Long) (string, bool) {
	var data []byte
	for _, m := range items {
		if m == nil || getN(m, "ver") != l.Version {
			return "", false
		}
		data = append(data, getB(m, "v")...)
	}
	if len(items) > 0 && getBool(items[0], "z") {
		var err error
		if data, err = decoder().DecodeAll(data, make([]byte, 0, l.Bytes)); err != nil {
			return "", false
		}
	}
	return string(data), len(data) == l.Bytes
}
