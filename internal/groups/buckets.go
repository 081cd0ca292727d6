package groups

import (
	"math"
	"math/big"
	"strconv"
	"time"
	"unicode/utf8"

	"issuegrid/grid/filter"
	"issuegrid/internal/relative"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// bucket is a range of values that form a group.
type bucket struct {
	low    sortkey.Value // the least value of the range
	next   sortkey.Value // the least value after it; nil for a single value, and if there is none
	values filter.Range
}

// between returns the bucket of the values from low up to but excluding next; nil is no bound.
func between(low, next sortkey.Value) bucket {
	return bucket{low: low, next: next, values: filter.Range{From: low, To: next}}
}

// single returns the bucket of a value alone.
func single(v sortkey.Value) bucket { return bucket{low: v, values: filter.Equal(v).Ranges[0]} }

// letters returns the bucket of the texts with the same first character.
func letters(v sortkey.Value) bucket {
	folded, _ := sortkey.FoldedOf(v)
	_, size := utf8.DecodeRuneInString(folded)
	if size == 0 {
		return single(v)
	}
	letter := folded[:size]
	return bucket{low: sortkey.FoldedText(letter), values: filter.StartsWith(letter).Ranges[0]}
}

// firstTime is the least instant and date that values can have.
var firstTime = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)

var periodBases = map[relative.Unit]relative.Base{relative.Day: relative.StartOfDay,
	relative.Week: relative.StartOfWeek, relative.Month: relative.StartOfMonth,
	relative.Quarter: relative.StartOfQuarter, relative.Year: relative.StartOfYear}

// timePeriods returns the buckets of instants that are in the same period of a time zone. A period ends where
// the next one begins (T3). Where clocks are set back across its first midnight, the local times before that
// occur once more, and belong to it.
func timePeriods(p relative.Unit, zone *time.Location) func(sortkey.Value) bucket {
	return func(v sortkey.Value) bucket {
		micros, _ := sortkey.Decode(sortkey.KindInt, v)
		n, _ := micros.(int64)
		now := time.UnixMicro(n).In(zone)
		begin := func(plus int) (at time.Time, ok bool) {
			at, err := relative.Time{Base: periodBases[p], Offset: plus, Unit: p}.Instant(now)
			return at, err == nil
		}
		b, plus := bucket{low: sortkey.Time(firstTime)}, 0
		next, ok := begin(1)
		for ok && !now.Before(next) {
			plus++
			next, ok = begin(plus + 1)
		}
		if ok {
			b.next = sortkey.Time(next)
		}
		if low, ok := begin(plus); ok {
			b.low = sortkey.Time(low)
		}
		return between(b.low, b.next)
	}
}

// datePeriods returns the buckets of dates that are in the same period.
func datePeriods(p relative.Unit) func(sortkey.Value) bucket {
	at := func(t relative.Time, now time.Time) sortkey.Value {
		date, err := t.Date(now)
		if err != nil {
			return nil
		}
		d, _ := time.Parse(time.DateOnly, date)
		return sortkey.Date(d)
	}
	return func(v sortkey.Value) bucket {
		days, _ := sortkey.Decode(sortkey.KindInt, v)
		n, _ := days.(int64)
		day := time.Unix(n*86400, 0).UTC()
		return between(at(relative.Time{Base: periodBases[p], Unit: p}, day),
			at(relative.Time{Base: periodBases[p], Offset: 1, Unit: p}, day))
	}
}

// widths returns the buckets of numbers between multiples of a width. It returns BadInput at width if the
// column cannot have these.
func widths(kind sortkey.Kind, width float64) (func(sortkey.Value) bucket, error) {
	if !(width > 0) || math.IsInf(width, 0) {
		return nil, tracker.Bad("width", "the width must be greater than 0")
	}
	// The number as it was written: the width 0.1 is a tenth, which no binary fraction is.
	exact, _ := new(big.Rat).SetString(strconv.FormatFloat(width, 'g', -1, 64))
	if kind == sortkey.KindFloat {
		return floatWidths(exact), nil
	}
	if !exact.IsInt() {
		return nil, tracker.Bad("width", "the column has integers, so the width must be an integer")
	}
	return integerWidths(exact.Num()), nil
}

func integerWidths(width *big.Int) func(sortkey.Value) bucket {
	encode := func(n *big.Int) sortkey.Value {
		if !n.IsInt64() {
			return nil
		}
		return sortkey.Int(n.Int64())
	}
	return func(v sortkey.Value) bucket {
		decoded, _ := sortkey.Decode(sortkey.KindInt, v)
		n, _ := decoded.(int64)
		low := new(big.Int).Div(big.NewInt(n), width) // rounds down, because the width is positive
		low.Mul(low, width)
		b := between(encode(low), encode(new(big.Int).Add(low, width)))
		if b.low == nil {
			b.low = sortkey.Int(math.MinInt64)
		}
		return b
	}
}

func floatWidths(width *big.Rat) func(sortkey.Value) bucket {
	multiple := func(k *big.Int) float64 {
		f, _ := new(big.Rat).Mul(new(big.Rat).SetInt(k), width).Float64()
		return f
	}
	one := big.NewInt(1)
	return func(v sortkey.Value) bucket {
		decoded, _ := sortkey.Decode(sortkey.KindFloat, v)
		f, _ := decoded.(float64)
		quotient := new(big.Rat).Quo(new(big.Rat).SetFloat64(f), width)
		k := new(big.Int).Div(quotient.Num(), quotient.Denom())
		low, next := multiple(k), multiple(k.Add(k, one))
		if f >= next { // the multiple is rounded to a number that is not greater
			low, next = next, multiple(k.Add(k, one))
		}
		if f < low || f >= next { // the width is less than the distance between two numbers
			return single(v)
		}
		b := bucket{low: sortkey.Float(max(low, -math.MaxFloat64))}
		if b.values.From = b.low; !math.IsInf(next, 0) {
			b.next = sortkey.Float(next)
			b.values.To = b.next
		}
		return b
	}
}
