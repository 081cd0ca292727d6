package dynamo

import (
	"context"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"issuegrid/account"
	"issuegrid/tracker"
)

const (
	// partBytes is the most that one item of a long text holds: an item is at most 400 KB, its keys included.
	partBytes = 380 << 10
	// compressFrom is the length from which compressing a text saves write units, which are counted by the KB.
	compressFrom = 1 << 10
)

// inflateCPU is the CPU time that a byte of a long text takes to be put together.
const inflateCPU = time.Nanosecond

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

// attrAt is when a part of a long text was written, in seconds since 1970: by it `check` tells a text that nobody refers to from one to which its
// change is about to refer.
const attrAt = "at"

// longTime is how long a change may take from writing its long texts to writing the document that refers to them. It is well below orphanAge, so that
// none of them is taken for one that a crash has left.
const longTime = 20 * time.Minute

// longParts splits a long text over as many items as it needs, compressed when that makes it smaller. once makes its ID its own.
func (k keys) longParts(id tracker.IssueID, c tracker.Column, text, once string, at time.Time) (tracker.Long, []item) {
	data, compressed := []byte(text), false
	if len(data) >= compressFrom {
		if z := encoder().EncodeAll(data, nil); len(z) < len(data) {
			data, compressed = z, true
		}
	}
	l := tracker.Long{ID: tracker.NewLongID(text, once), Bytes: len(text), Parts: max(1, (len(data)+partBytes-1)/partBytes)}
	items := make([]item, l.Parts)
	for n, key := range k.partKeys(id, c, l) {
		size := min(len(data), partBytes)
		items[n] = keyItem(key)
		items[n]["v"] = avB(data[:size])
		items[n][attrAt] = avN(at.Unix())
		if compressed {
			items[n]["z"] = avBool(true)
		}
		data = data[size:]
	}
	return l, items
}

func (k keys) partKeys(id tracker.IssueID, c tracker.Column, l tracker.Long) []Key {
	out := make([]Key, l.Parts)
	for n := range out {
		out[n] = k.part(id, c, l, n)
	}
	return out
}

// longKeys are the keys of all parts of all long texts that a document refers to.
func (k keys) longKeys(i *tracker.Issue) []Key {
	var out []Key
	if i.Description.Kind == tracker.KindLong {
		out = k.partKeys(i.ID, tracker.ColumnDescription, i.Description.Long())
	}
	for f, v := range i.Values {
		if v.Kind == tracker.KindLong {
			out = append(out, k.partKeys(i.ID, f.Column(), v.Long())...)
		}
	}
	return out
}

// LongTexts returns the texts of refs in their order, reading all parts in BatchGetItem calls of up to 100: those that the documents referred
// to, because a text is never written again, and stays for a time after it was replaced (Settings.KeepHistory). That of an issue that is gone
// may be "". An error of one text is its own.
func (t *Tenant) LongTexts(ctx context.Context, refs []tracker.LongRef) ([]string, []error) {
	texts, errs := make([]string, len(refs)), make([]error, len(refs))
	var all []Key
	bytes := int64(0)
	for _, r := range refs {
		all = append(all, t.keys.partKeys(r.Issue, r.Column, r.Long)...)
		bytes += int64(r.Long.Bytes)
	}
	// A text that was compressed has many times the bytes of what is read.
	a := account.From(ctx)
	err := a.Hold(ctx, bytes)
	var items []item
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
			errs[i] = translate(err)
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

// longTextAgain reads a text consistently of which a part was missing: a read that is not may see a document before its texts.
func (t *Tenant) longTextAgain(ctx context.Context, r tracker.LongRef) (string, error) {
	all := append(t.keys.partKeys(r.Issue, r.Column, r.Long), t.keys.issueItem(r.Issue))
	items, err := t.db.batchGet(ctx, all, true)
	if err != nil {
		return "", err
	}
	if text, ok := joinParts(items[:r.Long.Parts], r.Long); ok {
		return text, nil
	}
	if items[r.Long.Parts] == nil {
		return "", nil
	}
	return "", tracker.Internal("a long text is missing or damaged: "+all[0].SK, nil)
}

// joinParts puts a text together; false if a part is missing or damaged.
func joinParts(items []item, l tracker.Long) (string, bool) {
	data, ok := inflate(items, l.Bytes)
	return string(data), ok && len(data) == l.Bytes
}

// inflate puts the bytes of a text together; size is how many they are expected to be.
func inflate(items []item, size int) ([]byte, bool) {
	var data []byte
	for _, m := range items {
		if m == nil {
			return nil, false
		}
		data = append(data, getB(m, "v")...)
	}
	if len(items) > 0 && getBool(items[0], "z") {
		var err error
		if data, err = decoder().DecodeAll(data, make([]byte, 0, size)); err != nil {
			return nil, false
		}
	}
	return data, true
}
