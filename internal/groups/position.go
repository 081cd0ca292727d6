package groups

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Position is a place in the order of the groups: those before it, or with it, are behind. It is the place of
// a group, or of a row within one, if the budget of a page ended there.
type Position struct {
	group Group
	row   grid.Cursor
}

// At returns the position of a group.
func At(x *Group) *Position { return &Position{group: *x} }

// The first byte of a key determines what follows: the mark of its grouping, and nothing, the id of a state
// or an option, or an encoded value or tag; or the cursor of a row, without a mark.
const (
	keyNone   = "-"
	keyOption = "o"
	keyValue  = "v"
	keyRow    = "r"
)

// mark returns a hash of a column and its ranges, so that no key of another grouping is taken for one of
// this. Keys change with the values of relative.Unit.
func mark(c tracker.Column, r Ranges) string {
	h := fnv.New32a()
	fmt.Fprint(h, c, " ", r.Period, " ", r.Width, " ", r.FirstLetter)
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// Key returns the name of a group, which is the same in all requests with the same grouping, whether or not
// the group has issues. It is opaque to clients.
func (g *Grouping) Key(x *Group) string {
	switch {
	case x.None:
		return keyNone + g.mark
	case x.Option != "":
		return keyOption + g.mark + string(x.Option)
	case g.set:
		return keyValue + g.mark + base64.RawURLEncoding.EncodeToString([]byte(x.Tag))
	}
	return keyValue + g.mark + base64.RawURLEncoding.EncodeToString(x.Low)
}

// Encode returns an encoded position. That of a group is its key; of a state or option, followed by its mark
// (columns.ChoiceMarks).
func (g *Grouping) Encode(p *Position) string {
	if p.row != nil {
		return keyRow + p.row.String()
	}
	key := g.Key(&p.group)
	if n := g.rank(p.group.Option); n >= 0 {
		key += choiceSeparator + strconv.FormatUint(uint64(g.choices[n]), 36)
	}
	return key
}

// choiceSeparator stands between the key of a state or option and its mark. It occurs in no id.
const choiceSeparator = "~"

const notKey = "not a key of a group of this grouping"

// maxKey is an upper bound of the length of an encoded position: that of a cursor.
const maxKey = 1600

// ParseKey returns the group with a key. It returns BadInput, without a path, if the grouping can have no
// such group.
func (g *Grouping) ParseKey(key string) (Group, error) {
	kind, rest := "", ""
	if n := 1 + len(g.mark); len(key) >= n && len(key) <= maxKey && key[1:n] == g.mark {
		kind, rest = key[:1], key[n:]
	}
	switch kind {
	case keyNone:
		if rest == "" && g.column.Nullable() {
			return Group{None: true}, nil
		}
	case keyOption:
		if n := g.rank(tracker.OptionID(rest)); n >= 0 {
			return g.ranked(n), nil
		}
		return Group{}, tracker.Bad("", "the state or option of the group does not exist").MayBeOutdated()
	case keyValue:
		decoded, err := base64.RawURLEncoding.Strict().DecodeString(rest)
		if err != nil || strings.ContainsAny(rest, "\r\n") {
			break
		}
		if x, ok := g.ofValue(decoded); ok {
			return x, nil
		}
	}
	return Group{}, tracker.Bad("", notKey)
}

// ofValue returns the group whose least value, or folded tag, is v.
func (g *Grouping) ofValue(v []byte) (Group, bool) {
	if g.set {
		tag := string(v)
		return Group{Tag: tag}, g.field.Type == tracker.TypeTags && tag != "" && columns.FoldTag(tag) == tag
	}
	if !sortkey.Valid(g.kind, v) {
		return Group{}, false
	}
	x, ok := g.group(v)
	return x, ok && x.Option == "" && string(x.Low) == string(v)
}

// rank returns the position of a state or option in the definition, or -1.
func (g *Grouping) rank(id tracker.OptionID) int {
	n, ok := -1, false
	switch {
	case g.column == tracker.ColumnState:
		n, ok = g.definition.Project.StateRank(id)
	case len(g.options()) > 0:
		n, ok = g.field.OptionRank(id)
	}
	if !ok {
		return -1
	}
	return n
}

// ParsePosition decodes a position. It returns BadInput, without a path, if the grouping has no such
// position.
func (g *Grouping) ParsePosition(s string) (*Position, error) {
	if cursor, ok := strings.CutPrefix(s, keyRow); ok && !g.set {
		c, err := grid.ParseCursor(cursor, g.order)
		if err != nil {
			return nil, err
		}
		x, err := g.at(c[0])
		return &Position{group: x, row: c}, err
	}
	key, _, _ := strings.Cut(s, choiceSeparator)
	x, err := g.ParseKey(key)
	if p := (&Position{group: x}); err != nil || g.Encode(p) == s {
		return p, err
	}
	if x.Option == "" { // which has no mark
		return nil, tracker.Bad("", notKey)
	}
	return nil, tracker.Bad("", "the states or options have changed since the cursor was returned; leave it "+
		"out to start again").MayBeOutdated()
}

// at returns the group of a row.
func (g *Grouping) at(c grid.Position) (Group, error) {
	if !c.HasValue {
		return Group{None: true}, nil
	}
	x, ok := g.group(c.SortValue())
	if !ok {
		return x, &tracker.Error{Code: tracker.Unavailable, Outdated: true,
			Message: "the states or options of the project have changed; try again"}
	}
	return x, nil
}

// after returns the position in the order of the rows.
func (p *Position) after(o *grid.OrderColumn) (grid.Cursor, error) {
	if p.row != nil {
		return p.row, nil
	}
	x, v, end := &p.group, sortkey.Value(nil), false
	switch {
	case x.None:
	case o.Descending && len(x.values.From) > 0:
		v = x.Low
	case o.Descending || x.values.To == nil: // no values follow
	case x.Next != nil:
		v = x.Next
	case string(x.values.From) == string(x.Low): // the group is of one value
		v, end = x.Low, true
	default: // of a letter
		v = sortkey.Least(x.values.To)
	}
	c, err := o.Boundary(v)
	if end {
		c = o.End(c)
	}
	return grid.Cursor{c}, err
}

// beyond returns the values of the groups after a group, in the given order.
func beyond(x *Group, descending, nullsFirst bool) filter.Values {
	switch {
	case x.None && nullsFirst:
		return filter.Any()
	case x.None:
		return filter.Values{}
	}
	out := filter.Values{None: !nullsFirst}
	switch {
	case descending && len(x.values.From) > 0:
		out.Ranges = []filter.Range{{To: x.values.From}}
	case !descending && x.values.To != nil:
		out.Ranges = []filter.Range{{From: x.values.To}}
	}
	return out
}
