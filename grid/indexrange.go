package grid

import (
	"bytes"
	"fmt"
	"slices"

	"issuegrid/grid/filter"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// indexRange is a part of the index whose keys answer a condition: a range of the partition of a column, the
// entries of the issues without a value at the end of that partition, the partition of one member of a set,
// the issues of the project in a way, or the keys of the project's own partition, which DynamoDB filters by
// the columns in which an issue has a value.
type indexRange struct {
	column  tracker.Column
	gen     int64 // generation of the field's values
	member  string
	kind    sortkey.Kind // of the column's values
	values  filter.Range
	empties bool        // the entries of the issues without a value
	way     columns.Way // if it has a participant, which is then the member
	// contains are strings of which the texts in the sort strings must contain one, unless they are cut; nil
	// if they need not.
	contains      *filter.Strings
	with, without []tracker.Column
	// shard is one more than the only shard of the range; 0 means all shards of the project.
	shard int
}

// emptiesOf returns the range of the issues without a value in a nullable column: their entries if the column
// has these, otherwise the keys of the project's own partition, filtered.
func emptiesOf(d *tracker.Definition, c tracker.Column, gen int64) indexRange {
	if d != nil && d.IndexesEmpties(c) {
		return indexRange{column: c, gen: gen, empties: true}
	}
	return indexRange{column: tracker.ColumnNum, without: []tracker.Column{c}}
}

// prefix returns the value that all sort strings of the range begin with, empty if they are numbers. byNumber
// is false if the range is not in the order of the numbers.
func (l *indexRange) prefix() (value sortkey.Value, byNumber bool) {
	if l.ofNumbers() {
		return nil, true
	}
	return l.values.Point(l.kind)
}

// ofNumbers reports whether the sort strings of the range are numbers.
func (l *indexRange) ofNumbers() bool {
	return l.column == tracker.ColumnNum || l.member != "" || l.empties
}

// contained reports whether the text in a sort string contains one of some strings. decided is false if only
// its beginning is known, which does not.
func contained(ss []byte, strings *filter.Strings) (contained, decided bool) {
	v, _, err := sortkey.Split(sortkey.KindText, ss)
	if err != nil {
		return false, false // reported where the key is used
	}
	text, whole := sortkey.FoldedOf(v)
	contained = strings.In(text)
	return contained, contained || whole
}

// filtered reports whether DynamoDB filters the keys of the range by the columns in which issues have
// a value.
func (l *indexRange) filtered() bool { return len(l.with)+len(l.without) > 0 }

// rangeKey identifies the keys of a range.
type rangeKey struct {
	column        tracker.Column
	gen           int64
	member        string
	empties       bool
	way           columns.Way
	from, to      string
	bounded       bool // above
	with, without string
	shard         int
}

// key returns what identifies the keys of the range.
func (l *indexRange) key() rangeKey {
	return rangeKey{l.column, l.gen, l.member, l.empties, l.way, string(l.values.From), string(l.values.To),
		l.values.To != nil, fmt.Sprint(l.with), fmt.Sprint(l.without), l.shard}
}

// all reports whether the range has every value of a column that can be empty.
func (l *indexRange) all() bool { return l.values.All() && l.column.Nullable() && !l.ofNumbers() }

// partitions returns the number of partitions over which the keys of the range are spread, also if it is only
// in one of them.
func (l *indexRange) partitions(p *tracker.Project) int {
	if l.way != (columns.Way{}) {
		return 1
	}
	return p.ShardCount()
}

// partitions returns the number of partitions over which the keys of ranges are spread.
func partitions(p *tracker.Project, ranges []indexRange) (n int) {
	for i := range ranges {
		n += ranges[i].partitions(p)
	}
	return n
}

// query returns the query of the whole range.
func (l *indexRange) query(p *tracker.Project) columns.KeyQuery {
	q := columns.KeyQuery{Project: p.ID, Shards: l.partitions(p), Column: l.column, Gen: l.gen,
		Member: l.member, Way: l.way, Empties: l.empties, To: l.values.To, With: l.with, Without: l.without}
	if l.shard > 0 {
		q.Shard, q.Shards = l.shard-1, 1
	}
	if len(l.values.From) > 0 {
		q.From = l.values.From
	}
	return q
}

// within returns the query of the part of the range within bounds, and false if that is empty.
func (l *indexRange) within(p *tracker.Project, b bounds) (columns.KeyQuery, bool) {
	q := l.query(p)
	q.Descending = b.descending
	if b.from != nil && bytes.Compare(b.from, q.From) > 0 {
		q.From = b.from
	}
	if b.to != nil && (q.To == nil || bytes.Compare(b.to, q.To) < 0) {
		q.To = b.to
	}
	return q, !empty(q)
}

// num returns the issue number of a key of the range.
func (l *indexRange) num(ss []byte) (int64, error) {
	if l.ofNumbers() {
		return sortkey.ParseNum(ss)
	}
	_, n, err := sortkey.Split(l.kind, ss)
	return n, err
}

// num returns the number that a sort string encodes.
func num(ss []byte) int64 {
	n, _ := sortkey.ParseNum(ss) // 0 on error, which only affects an estimate
	return n
}

// bounds are the half-open bounds of an iterator's sort strings, with the direction of reading.
type bounds struct {
	from, to   []byte
	descending bool
	seen       bool // see scan
}

// empty reports whether no sort string is within the bounds of q. DynamoDB rejects a lower bound above the
// upper one.
func empty(q columns.KeyQuery) bool {
	return q.From != nil && q.To != nil && bytes.Compare(q.From, q.To) >= 0
}

// resume makes q the query for the keys after last, in its direction.
func resume(q *columns.KeyQuery, last []byte) {
	if q.Descending {
		q.To = last
	} else {
		q.From = sortkey.After(last)
	}
}

// cover is a set of ranges whose keys include at least one key of each issue that matches a condition.
type cover struct {
	ranges []indexRange
	// numberRanges has the same keys in ranges that are in the order of the numbers. It is nil if there are
	// no such ranges, or too many.
	numberRanges []indexRange
	// exact reports whether the ranges have no keys of other issues.
	exact bool
	// texts reports whether the ranges are not exact, but the texts in their keys decide the condition,
	// except for those that are cut.
	texts bool
}

// leaveOut removes the ranges of which every key is that of an issue that is no row, for other reasons than
// the condition. impossible may be nil.
func (c *cover) leaveOut(impossible func(indexRange) bool) {
	if impossible != nil {
		c.ranges = slices.DeleteFunc(c.ranges, impossible)
		c.numberRanges = slices.DeleteFunc(slices.Clone(c.numberRanges), impossible)
	}
}

// decided reports whether the keys decide the condition, apart from texts that are cut.
func (c *cover) decided() bool { return c.exact || c.texts }

// decides reports whether the texts in the keys of a range of c decide whether an issue matches.
func (c *cover) decides(l *indexRange) bool { return c.texts && l.contains != nil }

// textRanges returns the number of ranges of whose keys the texts decide which match.
func (c *cover) textRanges() (n int) {
	for i := range c.ranges {
		if c.ranges[i].contains != nil {
			n++
		}
	}
	return n
}

// maxNumberRanges is the maximum number of ranges in the order of the numbers for one condition. They are
// read in parallel.
const maxNumberRanges = 20

// findNumberRanges sets numberRanges.
func (c *cover) findNumberRanges(d *tracker.Definition) {
	var found []indexRange
	for _, l := range c.ranges {
		if _, ok := l.prefix(); ok {
			found = append(found, l)
			continue
		}
		values, ok := integers(d, &l)
		if !ok || len(found)+len(values) > maxNumberRanges {
			return
		}
		for _, i := range values {
			v := filter.Equal(sortkey.Int(i))
			found = append(found, indexRange{column: l.column, gen: l.gen, kind: l.kind, values: v.Ranges[0]})
		}
	}
	if len(found) <= maxNumberRanges {
		c.numberRanges = found
	}
}

// integers returns the values in a range of a column of integers, such as states, options and booleans. It
// returns false if there are more than maxNumberRanges.
func integers(d *tracker.Definition, l *indexRange) ([]int64, bool) {
	if l.kind != sortkey.KindInt {
		return nil, false
	}
	first, most := int64(0), int64(columns.Count(d, l.column))
	if v, ok := sortkey.Decode(sortkey.KindInt, l.values.From); ok {
		first = v.(int64)
	} else if most == 0 {
		return nil, false
	}
	var out []int64
	for i := first; most == 0 || i < most; i++ {
		if v := sortkey.Int(i); l.values.To != nil && bytes.Compare(v, l.values.To) >= 0 {
			break
		}
		if out = append(out, i); len(out) > maxNumberRanges {
			return nil, false
		}
	}
	return out, true
}

// coverOf returns the cover of a condition, with its number ranges. It returns false if the index cannot
// answer the condition.
func coverOf(d *tracker.Definition, c filter.Condition) (cover, bool) {
	out, ok := findCover(d, c)
	if ok {
		out.findNumberRanges(d)
	}
	return out, ok
}

func findCover(d *tracker.Definition, c filter.Condition) (cover, bool) {
	if column, strings := filter.StringsOf(c); strings != nil {
		return coverTexts(d, column, strings)
	}
	switch c := c.(type) {
	case filter.In:
		return coverIn(d, c)
	case filter.Has:
		if role, ok := c.Column.Role(); ok {
			return coverParticipant(c, role), slices.Contains(tracker.ParticipantRoles, role)
		}
		f := d.Field(c.Column.Field())
		members := indexRange{column: c.Column, gen: f.Gen, member: c.Member}
		return cover{ranges: []indexRange{members}, exact: true}, !f.Rebuilding()
	case filter.Or:
		any := cover{exact: true, texts: true}
		for _, m := range filter.GroupTexts(c) {
			one, ok := findCover(d, m)
			if !ok {
				return cover{}, false
			}
			any.ranges = append(any.ranges, one.ranges...)
			any.exact, any.texts = any.exact && one.exact, any.texts && one.decided()
		}
		any.texts = any.texts && !any.exact
		return any, true
	case filter.And:
		// One member covers the condition, inexactly. Take the one with the fewest ranges, preferably one
		// that DynamoDB does not filter.
		var best cover
		found := false
		for _, m := range c {
			one, ok := findCover(d, m)
			if ok && (!found || one.preference() < best.preference()) {
				best, found = one, true
			}
		}
		best.exact, best.texts = false, false
		return best, found
	}
	return cover{}, false
}

// coverParticipant returns the cover of the issues that have a participant in a role.
func coverParticipant(c filter.Has, role tracker.ParticipantRole) cover {
	out := cover{exact: true}
	for _, way := range columns.WaysOf(tracker.Participant(c.Member), role) {
		out.ranges = append(out.ranges, indexRange{column: c.Column, member: c.Member, way: way})
	}
	return out
}

// coverTexts returns the cover of the texts in a column that contain one of some strings.
func coverTexts(d *tracker.Definition, c tracker.Column, strings *filter.Strings) (cover, bool) {
	all, ok := coverIn(d, filter.In{Column: c, Values: filter.Any()})
	all.exact = false
	for i := range all.ranges {
		if l := &all.ranges[i]; !l.filtered() {
			l.contains = strings
		}
	}
	all.texts = len(all.ranges) == 1 && all.ranges[0].contains != nil
	return all, ok
}

// preference ranks covers without statistics; the lowest is the best.
func (c *cover) preference() int {
	n := len(c.ranges)
	for i := range c.ranges {
		if c.ranges[i].filtered() {
			n += 100
		}
	}
	return n
}

func coverIn(d *tracker.Definition, c filter.In) (cover, bool) {
	if c.Column == tracker.ColumnDescription {
		return cover{}, false // neither indexed nor in the set of fields that an issue has
	}
	if d.RebuildingColumn(c.Column) {
		return cover{}, false // neither the index nor that set is reliable
	}
	out := cover{exact: true}
	_, participants := c.Column.Role()
	sortable, gen := !participants, int64(0)
	if !c.Column.Builtin() {
		f := d.Field(c.Column.Field())
		gen = f.Gen
		sortable = f.Type.Sortable()
	}
	if c.Values.None && c.Column.Nullable() {
		out.ranges = append(out.ranges, emptiesOf(d, c.Column, gen))
	}
	if !sortable && len(c.Values.Ranges) > 0 {
		with := indexRange{column: tracker.ColumnNum, with: []tracker.Column{c.Column}}
		out.ranges = append(out.ranges, with)
		out.exact = len(c.Values.Ranges) == 1 && c.Values.Ranges[0].All()
	}
	if sortable {
		for _, r := range c.Values.Ranges {
			out.ranges = append(out.ranges,
				indexRange{column: c.Column, gen: gen, kind: kindOf(d, c.Column), values: r})
		}
	}
	return out, true
}

// kindOf returns the kind of the sort values of a sortable column.
func kindOf(d *tracker.Definition, c tracker.Column) sortkey.Kind { return columns.Kind(d, c) }
