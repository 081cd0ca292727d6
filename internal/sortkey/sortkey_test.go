package sortkey_test

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"issuegrid/internal/fold"
	"issuegrid/internal/sortkey"
)

// checkOrder checks that sort strings of a kind sort as the pairs of value and number that they encode,
// and are split into these.
func checkOrder[T any](t *testing.T, kind sortkey.Kind, gen *rapid.Generator[T], enc func(T) sortkey.Value,
	compare func(a, b T) int) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		if rapid.IntRange(0, 3).Draw(t, "same") == 0 {
			b = a
		}
		n, m := rapid.Int64().Draw(t, "n"), rapid.Int64().Draw(t, "m")
		if got, want := bytes.Compare(enc(a), enc(b)), compare(a, b); got != want {
			t.Fatalf("values %v, %v: bytes compare %d, want %d", a, b, got, want)
		}
		want := cmp.Or(compare(a, b), cmp.Compare(n, m))
		ssA, ssB := sortkey.Join(enc(a), n), sortkey.Join(enc(b), m)
		if got := bytes.Compare(ssA, ssB); got != want {
			t.Fatalf("%v #%d, %v #%d: bytes compare %d, want %d", a, n, b, m, got, want)
		}
		if len(ssA) > sortkey.MaxBytes {
			t.Fatalf("got a sort string of %d bytes, more than MaxBytes", len(ssA))
		}
		if v, num, err := sortkey.Split(kind, ssA); err != nil || !bytes.Equal(v, enc(a)) || num != n ||
			!sortkey.Valid(kind, v) {
			t.Fatalf("%v #%d is split into %x #%d, %v", a, n, v, num, err)
		}
	})
}

// alphabet makes equal and similar strings likely, and contains every class of character that the order
// treats specially.
var alphabet = []rune("aAbBäÄéeßſİı\x00\x01ÿ\u0301ﬁﬀ日本 \u00ad\U0001F600zZ")

func texts() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringOfN(rapid.SampledFrom(alphabet), 0, 6, -1), rapid.String(),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(rapid.SampledFrom([]string{"a", "\x00", "日", "é"}).Draw(t, "unit"),
				rapid.IntRange(300, 1000).Draw(t, "times")) + rapid.StringOfN(rapid.SampledFrom(alphabet), 0,
				3, -1).Draw(t, "end")
		}))
}

// comparablePart returns the part of a folded string that its encoding contains: as many bytes as fit in 958,
// where 0x00 and 0xff count twice. It does not depend on the implementation.
func comparablePart(s string) string {
	folded, remaining := fold.String(s), 958
	for i := range len(folded) {
		if remaining--; folded[i] == 0 || folded[i] == 0xff {
			remaining--
		}
		if remaining < 0 {
			return folded[:i]
		}
	}
	return folded
}

func TestTextOrder(t *testing.T) {
	checkOrder(t, sortkey.KindText, texts(), sortkey.Text, func(a, b string) int {
		return strings.Compare(comparablePart(a), comparablePart(b))
	})
}

func TestPrefixIsPrefixOfText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.StringOfN(rapid.SampledFrom([]rune("aB\x00éß")), 0, 5, -1).Draw(t, "p")
		s := rapid.StringOfN(rapid.SampledFrom([]rune("aB\x00z")), 0, 5, -1).Draw(t, "s")
		if !bytes.HasPrefix(sortkey.Text(p+s), sortkey.FoldedPrefix(fold.String(p))) {
			t.Fatalf("Text(%q) does not begin with FoldedPrefix(fold.String(%q))", p+s, p)
		}
	})
}

func TestIntOrder(t *testing.T) {
	checkOrder(t, sortkey.KindInt, rapid.Int64(), sortkey.Int, cmp.Compare[int64])
}

var finite = rapid.OneOf(rapid.Float64().Filter(func(f float64) bool {
	return !math.IsInf(f, 0) && !math.IsNaN(f)
}), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, math.MaxFloat64, -math.MaxFloat64,
	math.SmallestNonzeroFloat64}))

func TestFloatOrder(t *testing.T) {
	checkOrder(t, sortkey.KindFloat, finite, sortkey.Float, cmp.Compare[float64])
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Float(%v) did not panic", f)
				}
			}()
			sortkey.Float(f)
		}()
	}
}

func times() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro(),
			time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC).UnixMicro()
		zone := time.FixedZone("", rapid.IntRange(-14, 14).Draw(t, "zone")*3600)
		return time.UnixMicro(rapid.Int64Range(first, last).Draw(t, "µs")).In(zone)
	})
}

func TestTimeOrder(t *testing.T) {
	checkOrder(t, sortkey.KindInt, times(), sortkey.Time, func(a, b time.Time) int {
		return a.Truncate(time.Microsecond).Compare(b.Truncate(time.Microsecond))
	})
}

func TestDateOrder(t *testing.T) {
	day := func(a time.Time) string { return a.Format(time.DateOnly) }
	inRange := func(a time.Time) bool { return a.Year() > 0 && a.Year() < 10000 }
	checkOrder(t, sortkey.KindInt, times().Filter(inRange), sortkey.Date, func(a, b time.Time) int {
		return strings.Compare(day(a), day(b))
	})
}

func TestBoolAndRankOrder(t *testing.T) {
	checkOrder(t, sortkey.KindInt, rapid.Bool(), sortkey.Bool, func(a, b bool) int {
		switch {
		case a == b:
			return 0
		case b:
			return -1
		}
		return 1
	})
	checkOrder(t, sortkey.KindInt, rapid.IntRange(0, 1000), sortkey.Rank, cmp.Compare[int])
}

func TestNumAndName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.Int64().Draw(t, "n"), rapid.Int64().Draw(t, "m")
		if got, want := bytes.Compare(sortkey.Num(n), sortkey.Num(m)), cmp.Compare(n, m); got != want {
			t.Fatalf("%d, %d: bytes compare %d, want %d", n, m, got, want)
		}
		if got, err := sortkey.ParseNum(sortkey.Num(n)); err != nil || got != n {
			t.Fatalf("ParseNum(Num(%d)) = %d, %v", n, got, err)
		}
		a, b := texts().Draw(t, "a"), texts().Draw(t, "b")
		if rapid.Bool().Draw(t, "same") {
			b = a
		}
		id, jd := rapid.StringMatching(`[a-z0-9]{1,32}`).Draw(t, "id"),
			rapid.StringMatching(`[a-z0-9]{1,32}`).Draw(t, "jd")
		want := cmp.Or(strings.Compare(comparablePart(a), comparablePart(b)), strings.Compare(id, jd))
		if got := bytes.Compare(sortkey.Name(a, id), sortkey.Name(b, jd)); got != want {
			t.Fatalf("names %q %s, %q %s: bytes compare %d, want %d", a, id, b, jd, got, want)
		}
		if n := len(sortkey.Name(a, id)); n > sortkey.MaxBytes {
			t.Fatalf("got a sort string of %d bytes, more than MaxBytes", n)
		}
	})
}

// TestAfter checks that After returns the next byte string, and does not write into the capacity of its
// argument.
func TestAfter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "bytes")
		whole := bytes.Clone(all)
		ss := all[:rapid.IntRange(0, len(all)).Draw(t, "n")]
		after := sortkey.After(ss)
		if bytes.Compare(ss, after) >= 0 {
			t.Fatalf("%x is not greater than %x", after, ss)
		}
		other := slices.Concat(ss, rapid.SliceOf(rapid.Byte()).Draw(t, "more"))
		if bytes.Compare(ss, other) < 0 && bytes.Compare(other, after) < 0 {
			t.Fatalf("%x is between %x and %x", other, ss, after)
		}
		if !bytes.Equal(all, whole) {
			t.Fatalf("%x was overwritten with %x", whole, all)
		}
	})
}

// TestSplitRejectsInvalid checks that Split accepts random bytes only if Join makes them of the parts.
func TestSplitRejectsInvalid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ss := rapid.SliceOfN(rapid.Byte(), 0, 24).Draw(t, "ss")
		kind := rapid.SampledFrom([]sortkey.Kind{sortkey.KindText, sortkey.KindInt, sortkey.KindFloat}).Draw(
			t, "kind")
		v, num, err := sortkey.Split(kind, ss)
		if err == nil && !bytes.Equal(sortkey.Join(v, num), ss) {
			t.Fatalf("Split(%x) = %x, %d, which join to %x", ss, v, num, sortkey.Join(v, num))
		}
	})
}

// TestStart checks that Start returns a short string that is encoded as the original.
func TestStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Repeat(texts().Draw(t, "unit"), rapid.IntRange(1, 40).Draw(t, "times")) +
			texts().Draw(t, "end")
		start := sortkey.Start(s)
		if got, want := sortkey.Text(start), sortkey.Text(s); !bytes.Equal(got, want) {
			t.Fatalf("Text(Start(s)) = %x, want %x", got, want)
		}
		if len(start) > 5000 {
			t.Fatalf("Start returned %d bytes of %d", len(start), len(s))
		}
	})
}

// TestEmptiesSortLast checks that the sort strings of rows without a value come after those of all values,
// and in the order of the numbers.
func TestEmptiesSortLast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.Int64().Draw(t, "n"), rapid.Int64().Draw(t, "m")
		for _, v := range []sortkey.Value{sortkey.Text(texts().Draw(t, "text")),
			sortkey.Int(rapid.Int64().Draw(t, "int")), sortkey.Int(math.MaxInt64), sortkey.Int(math.MinInt64),
			sortkey.Float(finite.Draw(t, "float")), sortkey.Float(math.MaxFloat64),
			sortkey.Text("\U0010ffff\U0010ffff")} {
			ss := sortkey.Join(v, n)
			if bytes.Compare(ss, sortkey.Empties()) >= 0 || sortkey.IsEmpty(ss) {
				t.Fatalf("%x is not before the empty values", ss)
			}
		}
		a, b := sortkey.Empty(n), sortkey.Empty(m)
		if !sortkey.IsEmpty(a) || bytes.Compare(a, b) != cmp.Compare(n, m) || len(a) > sortkey.MaxBytes {
			t.Fatalf("the empty values of %d and %d: %x and %x", n, m, a, b)
		}
	})
}

// TestFoldedOf checks that a sort string has the folded string, or else says that it has only its beginning.
func TestFoldedOf(t *testing.T) {
	check := func(t rapid.TB, s string) (whole bool) {
		folded, whole := sortkey.FoldedOf(sortkey.Text(s))
		full := fold.String(s)
		if !strings.HasPrefix(full, folded) || whole && folded != full || !whole && len(full) < 450 {
			t.Fatalf("%q of %q, whole %t", folded, full, whole)
		}
		return whole
	}
	rapid.Check(t, func(t *rapid.T) { check(t, texts().Draw(t, "s")) })
	if check(t, strings.Repeat("x", 2000)) {
		t.Error("a long string is whole")
	}
}
