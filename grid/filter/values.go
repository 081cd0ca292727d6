package filter

import (
	"bytes"
	"slices"
	"sort"

	"issuegrid/internal/sortkey"
)

// Values is a set of values of one column, encoded by package sortkey: sorted ranges that neither touch nor
// overlap, and whether "no value" is included. The zero Values is empty.
type Values struct {
	Ranges []Range
	// None reports whether rows without a value are included.
	None bool
}

// Range is a half-open range of encoded values: From <= v < To. An empty From or a nil To means no bound. The
// encodings are self-delimiting, so a sort string (a value and a number) is in the same ranges as its value.
type Range struct{ From, To []byte }

// All reports whether the range contains every value.
func (r Range) All() bool { return len(r.From) == 0 && r.To == nil }

// Any returns all values, without "no value".
func Any() Values { return Values{Ranges: []Range{{}}} }

// NoValue returns "no value" alone.
func NoValue() Values { return Values{None: true} }

// Equal returns the set that contains only v.
func Equal(v sortkey.Value) Values { return span(v, after(v)) }

// OneOf returns the set of the given values.
func OneOf(values ...sortkey.Value) Values {
	values = slices.Clone(values)
	slices.SortFunc(values, func(a, b sortkey.Value) int { return bytes.Compare(a, b) })
	var out Values
	for _, v := range values {
		out.extend(Range{From: v, To: after(v)})
	}
	return out
}

// extend adds a range that does not start before the last range of v.
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

// Less returns the values less than v, and v itself if orEqual is set.
func Less(v sortkey.Value, orEqual bool) Values {
	if orEqual {
		return span(nil, after(v))
	}
	return span(nil, v)
}

// Greater returns the values greater than v, and v itself if orEqual is set.
func Greater(v sortkey.Value, orEqual bool) Values {
	if orEqual {
		return span(v, nil)
	}
	return span(after(v), nil)
}

// StartsWith returns all strings that begin with a string whose folded form is folded. An empty folded
// returns all strings.
func StartsWith(folded string) Values {
	prefix := sortkey.FoldedPrefix(folded)
	return span(prefix, after(prefix))
}

func span(from, to []byte) Values { return Values{Ranges: []Range{{From: from, To: to}}} }

// after returns the least byte string that is greater than all byte strings with the prefix v, or nil if
// there is none.
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

// Point returns the value if v consists of exactly one value of a column of this kind. Otherwise it reports
// false.
func (v Values) Point(kind sortkey.Kind) (sortkey.Value, bool) {
	if v.None || len(v.Ranges) != 1 {
		return nil, false
	}
	return v.Ranges[0].Point(kind)
}

// Point returns the value if the range consists of exactly one value of a column of this kind. Otherwise it
// reports false.
func (r Range) Point(kind sortkey.Kind) (sortkey.Value, bool) {
	ok := len(r.From) > 0 && bytes.Equal(after(r.From), r.To) && sortkey.Valid(kind, r.From)
	return r.From, ok
}

// Contains reports whether value is in the set.
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

// equal reports whether v and w have the same values.
func (v Values) equal(w Values) bool {
	return v.None == w.None && slices.EqualFunc(v.Ranges, w.Ranges, func(a, b Range) bool {
		return bytes.Equal(a.From, b.From) && bytes.Equal(a.To, b.To) && (a.To == nil) == (b.To == nil)
	})
}

func (v Values) empty() bool { return len(v.Ranges) == 0 && !v.None }

// all reports whether every value is included, with or without "no value".
func (v Values) all() bool {
	return len(v.Ranges) == 1 && v.Ranges[0].All()
}

// Not returns the complement of v.
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

// And returns the intersection of v and w.
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

// Or returns the union of v and w.
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

// earlier reports whether the upper bound a is less than b.
func earlier(a, b []byte) bool { return a != nil && (b == nil || bytes.Compare(a, b) < 0) }
