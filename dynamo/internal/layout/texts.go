package layout

import (
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"issuegrid/tracker"
)

const (
	// partBytes is the maximum number of bytes of a long text in one item: DynamoDB limits an item to 400 KB,
	// including its keys.
	partBytes = 380 << 10
	// compressFrom is the length in bytes from which compression saves write units, which are rounded up to 1
	// KB.
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

// AttrAt is the time when a part of a long text was written, in seconds since 1970. `check` uses it to
// distinguish an orphaned text from one whose change is still in progress.
const AttrAt = "at"

// TextName identifies a long text of an issue.
type TextName struct {
	Column tracker.Column
	ID     string // Long.ID
}

// LongParts splits a long text into as many items as it needs. It compresses the text if that makes it
// smaller. once makes its ID unique.
func (k Keys) LongParts(id tracker.IssueID, c tracker.Column, text, once string, at time.Time) (tracker.Long,
	[]Item) {
	data, compressed := deflate(text)
	l := tracker.Long{ID: tracker.NewLongID(text, once), Bytes: len(text),
		Parts: max(1, (len(data)+partBytes-1)/partBytes)}
	items := make([]Item, l.Parts)
	for n, key := range k.PartKeys(id, c, l) {
		size := min(len(data), partBytes)
		items[n] = KeyItem(key)
		items[n]["v"] = B(data[:size])
		items[n][AttrAt] = N(at.Unix())
		if compressed {
			items[n]["z"] = Bool(true)
		}
		data = data[size:]
	}
	return l, items
}

// deflate returns the bytes that are stored of a text, and whether they are compressed.
func deflate(text string) (data []byte, compressed bool) {
	data = []byte(text)
	if len(data) >= compressFrom {
		if z := encoder().EncodeAll(data, nil); len(z) < len(data) {
			return z, true
		}
	}
	return data, false
}

// PartKeys returns the keys of the parts of a long text, in order.
func (k Keys) PartKeys(id tracker.IssueID, c tracker.Column, l tracker.Long) []Key {
	out := make([]Key, l.Parts)
	for n := range out {
		out[n] = k.part(id, c, l, n)
	}
	return out
}

// LongKeys returns the keys of all parts of the long texts that a document refers to.
func (k Keys) LongKeys(i *tracker.Issue) []Key {
	var out []Key
	if i.Description.Kind == tracker.KindLong {
		out = k.PartKeys(i.ID, tracker.ColumnDescription, i.Description.Long())
	}
	for f, v := range i.Values {
		if v.Kind == tracker.KindLong {
			out = append(out, k.PartKeys(i.ID, f.Column(), v.Long())...)
		}
	}
	return out
}

// JoinParts returns the long text with these parts. It returns false if a part is missing or damaged.
func JoinParts(items []Item, l tracker.Long) (string, bool) {
	data, ok := Inflate(items, l.Bytes)
	return string(data), ok && len(data) == l.Bytes
}

// Inflate returns the bytes of a long text. size is their expected number.
func Inflate(items []Item, size int) ([]byte, bool) {
	var data []byte
	for _, m := range items {
		if m == nil {
			return nil, false
		}
		data = append(data, GetB(m, "v")...)
	}
	if len(items) > 0 && getBool(items[0], "z") {
		var err error
		if data, err = decoder().DecodeAll(data, make([]byte, 0, size)); err != nil {
			return nil, false
		}
	}
	return data, true
}
