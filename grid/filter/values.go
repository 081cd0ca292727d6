package filter

import (
	"bytes"
	"slices"
	"sort"

	"issuegrid/sortkey"
)

// Values is a set of values of one column, in the encoding of package sortkey: ranges in their order, which
// neither touch nor overlap, and whether it includes "no value". The zero Values includes nothing.
type Values struct {
	Ranges []Range
	// None tells that rows without a value belong to it.
	None bool
}

// Range is a half-open range of encoded values: From <= v < To. An empty From and a nil To are no bounds.
// Because the encodings are self-delimiting, a sort string (a value and a number) is in the same ranges as
// its value.
type Range struct{ From, To []byte }

// All reports whether the range has every value.
func (r Range) All() bool { return len(r.From) == 0 && r.To == nil }

// Any is every value, but not "no value".
func Any() Values { return Values{Ranges: []Range{{}}} }

// NoValue is "no value" alone.
func NoValue() Values { return Values{None: true} }

// Equal is one value.
func Equal(v sortkey.Value) Values { return span(v, after(v)) }

// OneOf is all of several values.
func OneOf(values ...sortkey.Value) Values {
	values = slices.Clone(values)
	slices.SortFunc(values, func(a, b sortkey.Value) int { return bytes.Compare(a, b) })
	var out Values
	for _, v := range values {
		out.extend(Range{From: v, To: after(v)})
	}
	return out
}

// extend adds a range that does not begin before the last one of v.
func (v *Values) extend(r Range) {
	if n := len(v.Ranges); n > 0 {
		if last := &v.Ranges[n-1]; last.To == nil || bytes.Compare(r.From, last.To) <= 0 {
			if earlier(last.To, r.To) {
				last.To = r.To
			}
			return
		}
	}
	v.Ranges = append(v.Ranges, r)
}

// Less is all values before v, and v itself with orEqual.
func Less(v sortkey.Value, orEqual bool) Values {
	if orEqual {
		return span(nil, after(v))
	}
	return span(nil, v)
}

// Greater is all values behind v, and v itself with orEqual.
func Greater(v sortkey.Value, orEqual bool) Values {
	if orEqual {
		return span(v, nil)
	}
	return span(after(v), nil)
}

// StartsWith is all texts that begin with a text, of which folded is what sortkey.Fold makes. Of an empty
// one, all texts.
func StartsWith(folded string) Values {
	prefix := sortkey.FoldedPrefix(folded)
	return span(prefix, after(prefix))
}

func span(from, to []byte) Values { return Values{Ranges: []Range{{From: from, To: to}}} }

// after is the first byte string behind all that begin with v; nil where there is none.
func after(v []byte) []byte {
	for n := len(v); n > 0; n-- {
		if v[n-1] != 0xff {
			next := bytes.Clone(v[:n])
			next[n-1]++
			return next
		}
	}
	return nil
}

// Point returns the one value of a column of this kind that v consists of; false if it is not one value and
// nothing else.
func (v Values) Point(kind sortkey.Kind) (sortkey.Value, bool) {
	if v.None || len(v.Ranges) != 1 {
		return nil, false
	}
	return v.Ranges[0].Point(kind)
}

// Point returns the one value of a column of this kind that the range consists of; false if it may have more.
func (r Range) Point(kind sortkey.Kind) (sortkey.Value, bool) {
	ok := len(r.From) > 0 && bytes.Equal(after(r.From), r.To) && sortkey.Valid(kind, r.From)
	return r.From, ok
}

// Contains reports whether a value is among them.
func (v Values) Contains(value sortkey.Value) bool {
	after := sort.Search(len(v.Ranges), func(i int) bool {
		return bytes.Compare(v.Ranges[i].From, value) > 0
	})
	if after == 0 {
		return false
	}
	to := v.Ranges[after-1].To
	return to == nil || bytes.Compare(value, to) < 0
}

func (v Values) empty() bool { return len(v.Ranges) == 0 && !v.None }

// all tells that every value is among them; "no value" may or may not be.
func (v Values) all() bool {
	return len(v.Ranges) == 1 && v.Ranges[0].All()
}

// Not is everything that is not in v.
func (v Values) Not() Values {
	out := Values{None: !v.None}
	var from []byte
	for _, r := range v.Ranges {
		if bytes.Compare(from, r.From) < 0 {
			out.Ranges = append(out.Ranges, Range{From: from, To: r.From})
		}
		if r.To == nil {
			return out
		}
		from = r.To
	}
	out.Ranges = append(out.Ranges, Range{From: from})
	return out
}

// And is what is in both.
func (v Values) And(w Values) Values {
	out := Values{None: v.None && w.None}
	for i, j := 0, 0; i < len(v.Ranges) && j < len(w.Ranges); {
		a, b := v.Ranges[i], w.Ranges[j]
		both := Range{From: a.From, To: a.To}
		if bytes.Compare(b.From, a.From) > 0 {
			both.From = b.From
		}
		if earlier(b.To, a.To) {
			both.To = b.To
			j++
		} else {
			i++
		}
		if both.To == nil || bytes.Compare(both.From, both.To) < 0 {
			out.Ranges = append(out.Ranges, both)
		}
	}
	return out
}

// Or is what is in either.
func (v Values) Or(w Values) Values {
	out := Values{None: v.None || w.None, Ranges: make([]Range, 0, len(v.Ranges)+len(w.Ranges))}
	a, b := v.Ranges, w.Ranges
	for len(a)+len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && bytes.Compare(a[0].From, b[0].From) <= 0 {
			out.extend(a[0])
			a = a[1:]
		} else {
			out.extend(b[0])
			b = b[1:]
		}
	}
	return out
}

// earlier tells whether an upper bound comes before another.
func earlier(a, b []byte) bool { return a != nil && (b == nil || bytes.Compare(a, b) < 0) }
