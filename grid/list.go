package grid

import (
	"bytes"
	"context"
	"math"
	"slices"
	"time"

	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// list yields keys that are in memory.
type list struct {
	keys []key // in the direction of reading
	last key
	any  bool
}

// newList returns a list of those of keys, which are ascending, with from <= ss < to.
func newList(keys []key, from, to []byte, descending bool) *list {
	l := &list{}
	for _, k := range keys {
		if bytes.Compare(k.ss, from) >= 0 && (to == nil || bytes.Compare(k.ss, to) < 0) {
			l.keys = append(l.keys, k)
		}
	}
	if descending {
		slices.Reverse(l.keys)
	}
	return l
}

func (l *list) next(_ context.Context, want int, keys []key) ([]key, bool, error) {
	if n := min(want, len(l.keys)); n > 0 {
		keys = append(keys, l.keys[:n]...)
		l.last, l.any = l.keys[n-1], true
		l.keys = l.keys[n:]
	}
	return keys, len(l.keys) == 0, nil
}

func (l *list) passed() (key, bool) { return l.last, l.any }

// setFilter yields the keys of another iterator whose issues are in a set. It does not fetch documents.
type setFilter struct {
	from    iterator
	set     *set
	density float64 // share of keys expected to be in the set
	limit   int     // limit of the last request
	sparse  bool    // the last request yielded less than half of the expected keys
}

func (m *setFilter) next(ctx context.Context, want int, keys []key) ([]key, bool, error) {
	// Request two standard deviations more than the average need, up to the cost of a second request.
	n, density := float64(want), max(m.density, 1e-6)
	limit := int(min(n/density+min(2*math.Sqrt(n)/density, stepRCU*8192/keyBytes)+1, maxChunk))
	if m.sparse {
		limit = max(limit, min(2*m.limit, maxChunk))
	}
	found, end, err := m.from.next(ctx, limit, nil)
	if err != nil {
		return keys, false, err
	}
	before := len(keys)
	for _, k := range found {
		if _, ok := m.set.ids[k.id.Issue]; ok {
			keys = append(keys, k)
		}
	}
	m.limit, m.sparse = limit, float64(len(keys)-before) < float64(len(found))*m.density/2
	return keys, end, nil
}

func (m *setFilter) passed() (key, bool) { return m.from.passed() }

// textFilter yields the keys whose texts contain one of some strings, or may do so.
type textFilter struct {
	from     iterator
	contains *filter.Strings
	account  *account.Account
	limit    int // limit of the last request
}

func (f *textFilter) next(ctx context.Context, want int, keys []key) ([]key, bool, error) {
	// Texts that contain a string are few, or often next to each other.
	f.limit = min(max(want, 2*f.limit), maxChunk)
	found, end, err := f.from.next(ctx, f.limit, nil)
	if err != nil {
		return keys, false, err
	}
	f.account.Spend(time.Duration(len(found)*f.contains.Weight()) * account.ValueCPU)
	for _, k := range found {
		if is, decided := contained(k.ss, f.contains); is || !decided {
			keys = append(keys, k)
		}
	}
	return keys, end, nil
}

func (f *textFilter) passed() (key, bool) { return f.from.passed() }

// prefixer adds the common prefix of a region's sort strings to keys whose sort strings are numbers.
type prefixer struct {
	from  iterator
	value sortkey.Value
	tail  bool
}

func (w *prefixer) next(ctx context.Context, want int, keys []key) ([]key, bool, error) {
	n := len(keys)
	keys, end, err := w.from.next(ctx, want, keys)
	for i := range keys[n:] {
		keys[n+i] = w.addPrefix(keys[n+i])
	}
	return keys, end, err
}

func (w *prefixer) passed() (key, bool) {
	k, ok := w.from.passed()
	return w.addPrefix(k), ok
}

func (w *prefixer) addPrefix(k key) key {
	k.ss, k.tail = slices.Concat(w.value, k.ss), w.tail
	return k
}

// numberFilter yields the keys of issues with certain numbers.
type numberFilter struct {
	from   iterator
	values filter.Values
	region *region
	limit  int  // limit of the last request
	sparse bool // the last request yielded less than half of the expected keys
}

func (n *numberFilter) next(ctx context.Context, want int, keys []key) ([]key, bool, error) {
	limit, share := want, 1.0
	if g := n.region; !g.byNumber { // else the keys are clamped to the numbers already
		share = max(g.request.numShare(n.values), 1e-6)
		limit = int(min(float64(want)/share+1, maxChunk))
	}
	if n.sparse {
		limit = max(limit, min(2*n.limit, maxChunk))
	}
	before := len(keys)
	found, end, err := n.from.next(ctx, limit, nil)
	if err != nil {
		return keys, false, err
	}
	for _, k := range found {
		ss := k.ss
		if order := n.region.request.column(); !k.tail && !order.byNum() {
			_, num, err := sortkey.Split(order.kind, k.ss)
			if err != nil {
				return keys, false, tracker.Internal("the index has a sort string of another column", err)
			}
			ss = sortkey.Num(num)
		}
		if n.values.Contains(ss) {
			keys = append(keys, k)
		}
	}
	n.limit, n.sparse = limit, float64(len(keys)-before) < float64(len(found))*share/2
	return keys, end, nil
}

func (n *numberFilter) passed() (key, bool) { return n.from.passed() }
