package sortkey_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/internal/fold"
	"issuegrid/internal/sortkey"
)

// TestDecode checks that Decode returns the values that the encodings of each kind were made from, and
// rejects a sort string.
func TestDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i, f, s := rapid.Int64().Draw(t, "i"), rapid.Float64Range(-1e300, 1e300).Draw(t, "f"),
			rapid.StringN(0, 50, -1).Draw(t, "s")
		if got, ok := sortkey.Decode(sortkey.KindInt, sortkey.Int(i)); !ok || got != any(i) {
			t.Errorf("Decode(Int(%d)) = %v, %t", i, got, ok)
		}
		if got, ok := sortkey.Decode(sortkey.KindFloat, sortkey.Float(f)); !ok || got != any(f) && f != 0 {
			t.Errorf("Decode(Float(%g)) = %v, %t", f, got, ok)
		}
		if got, ok := sortkey.Decode(sortkey.KindText, sortkey.Text(s)); !ok || got != any(fold.String(s)) {
			t.Errorf("Decode(Text(%q)) = %q, %t", s, got, ok)
		}
		if got, ok := sortkey.Decode(sortkey.KindInt, sortkey.Join(sortkey.Int(i), 7)); ok {
			t.Errorf("Decode of a sort string returned the value %v", got)
		}
	})
}

// TestShare checks that Share assumes evenly spread values, returns 0 to 1 for any bounds, and grows with the
// range.
func TestShare(t *testing.T) {
	for _, test := range []struct {
		from, to []byte
		want     float64
	}{
		{nil, nil, 1}, {sortkey.Int(0), nil, 1}, {sortkey.Int(500), nil, 0.5}, {nil, sortkey.Int(250), 0.25},
		{sortkey.Int(100), sortkey.Int(300), 0.2},
		{sortkey.Int(2000), nil, 0}, {nil, sortkey.Int(-5), 0}, {sortkey.Int(-5), sortkey.Int(5000), 1},
	} {
		got := sortkey.Share(sortkey.KindInt, sortkey.Join(sortkey.Int(0), 1),
			sortkey.Join(sortkey.Int(1000), 9), test.from, test.to)
		if math.Abs(got-test.want) > 0.01 {
			t.Errorf("share from %x to %x: got %g, want %g", test.from, test.to, got, test.want)
		}
	}
	// where encodings become longer, the successor of a value's encoding is not an encoding
	for _, n := range []int64{1, 62, 63, 64, 8190, 8191, 8192, 9000} {
		if got, want := sortkey.Share(sortkey.KindInt, sortkey.Num(0), sortkey.Num(10_000), nil,
			successor(sortkey.Int(n))), float64(n+1)/10_000; math.Abs(got-want) > 1e-9 {
			t.Errorf("share up to %d: got %g, want %g", n, got, want)
		}
	}
	if got := sortkey.Share(sortkey.KindText, sortkey.Name("aaa", "1"), sortkey.Name("azz", "1"),
		sortkey.FoldedPrefix("am"), sortkey.FoldedPrefix("an")); got < 0.01 || got > 0.2 {
		t.Errorf("share of am to an between aaa and azz is %g, want 0.01 to 0.2", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]sortkey.Kind{sortkey.KindText, sortkey.KindInt, sortkey.KindFloat}).Draw(
			t, "kind")
		bounds := make([][]byte, 5)
		for i := range bounds {
			switch kind {
			case sortkey.KindText:
				bounds[i] = sortkey.Text(rapid.StringN(0, 8, -1).Draw(t, "text"))
			case sortkey.KindInt:
				bounds[i] = sortkey.Int(rapid.Int64().Draw(t, "int"))
			default:
				bounds[i] = sortkey.Float(rapid.Float64Range(-1e300, 1e300).Draw(t, "float"))
			}
			if i > 1 && rapid.Bool().Draw(t, "successor") {
				bounds[i] = successor(bounds[i])
			}
		}
		ends, inner := bounds[:2], bounds[2:]
		slices.SortFunc(ends, bytes.Compare)
		slices.SortFunc(inner, bytes.Compare)
		narrow := sortkey.Share(kind, ends[0], ends[1], inner[0], inner[1])
		wide := sortkey.Share(kind, ends[0], ends[1], inner[0], inner[2])
		if !(narrow >= 0 && wide <= 1 && narrow <= wide+1e-9) {
			t.Errorf("%x within %x: share %g, but %g for a wider range", inner, ends, narrow, wide)
		}
	})
}

// successor returns the first byte string after all those with the prefix v. As a lower bound it excludes v,
// and as an upper bound it includes v.
func successor(v []byte) []byte {
	v = bytes.Clone(v)
	for len(v) > 0 && v[len(v)-1] == 0xff {
		v = v[:len(v)-1]
	}
	if len(v) > 0 {
		v[len(v)-1]++
	}
	return v
}
