package graph

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"
	"sync"
	"time"

	"issuegrid/graph/estimate"
	"issuegrid/graph/model"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// paging has the checked paging arguments of a connection.
type paging struct {
	size          int
	backward      bool
	after, before *string
}

// parsePaging checks first and last: at most one may be given, from 0 to limit.
func parsePaging(first *int32, after *string, last *int32, before *string, limit int) (paging, error) {
	p := paging{size: estimate.DefaultPage, after: after, before: before}
	argument, given := "first", first
	if last != nil {
		if first != nil {
			return paging{}, tracker.Bad("last", "give `first` or `last`, not both")
		}
		argument, given, p.backward = "last", last, true
	}
	if given != nil {
		p.size = int(*given)
	}
	if p.size < 0 || p.size > limit {
		return paging{}, tracker.Bad(argument, "%d is out of range: a page has 0 to %d rows", p.size, limit)
	}
	return p, nil
}

// listMark is the prefix of list cursors. It distinguishes them from grid cursors.
const listMark = "list1\x00"

func listCursor(position []byte) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte(listMark), position...))
}

func parseListCursor(argument string, cursor *string) ([]byte, error) {
	if cursor == nil {
		return nil, nil
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(*cursor)
	position, ok := bytes.CutPrefix(b, []byte(listMark))
	if err != nil || !ok || len(position) == 0 || len(position) > 1023 ||
		strings.ContainsAny(*cursor, "\r\n") {
		return nil, tracker.Bad(argument, "not a cursor of this list")
	}
	return position, nil
}

// listRange returns the range of a list for its paging arguments.
func listRange(first *int32, after *string, last *int32, before *string) (loaders.Range, error) {
	p, err := parsePaging(first, after, last, before, estimate.MaxListPage)
	r := loaders.Range{Size: p.size, Backward: p.backward}
	wrong := []error{err}
	r.After, err = parseListCursor("after", after)
	wrong = append(wrong, err)
	r.Before, err = parseListCursor("before", before)
	return r, tracker.Join(append(wrong, err)...)
}

// checkPositions returns the errors of the cursors of a range whose positions are not those of its list.
func checkPositions(r loaders.Range, valid func(position []byte) bool) error {
	var wrong []error
	for argument, position := range map[string][]byte{"after": r.After, "before": r.Before} {
		if position != nil && !valid(position) {
			wrong = append(wrong, tracker.Bad(argument, "not a cursor of this list"))
		}
	}
	return tracker.Join(wrong...)
}

func listPageInfo[V any](l loaders.List[V]) *model.PageInfo {
	info := &model.PageInfo{HasNextPage: l.HasNext, HasPreviousPage: l.HasPrevious}
	if n := len(l.Rows); n > 0 {
		start, end := listCursor(l.Rows[0].Position), listCursor(l.Rows[n-1].Position)
		info.StartCursor, info.EndCursor = &start, &end
	}
	return info
}

// rowsOf returns the nodes and the edges of a page of a list.
func rowsOf[E ~struct {
	Cursor string `json:"cursor"`
	Node   *N     `json:"node"`
}, V, N any](l loaders.List[V], node func(*V) *N) (nodes []*N, edges []*E) {
	nodes, edges = make([]*N, len(l.Rows)), make([]*E, len(l.Rows))
	for i, row := range l.Rows {
		nodes[i] = node(row.Value)
		edges[i] = &E{Cursor: listCursor(row.Position), Node: nodes[i]}
	}
	return nodes, edges
}

// A walk through a grid is a sequence of pages with the same filter. If the filter has relative times, they
// refer to the time of the first page on all pages. The cursors of such a grid therefore end in a mark: that
// time in microseconds since 1970. So does totalCountCursor.

// walk is the time and the time zone of the relative times in a filter.
type walk struct {
	now    time.Time         // in the time zone
	used   bool              // by the filter
	caller tracker.Principal // that filters mean by the caller
	// continued reports whether the walk began in an earlier request.
	continued bool
}

// beforeMark separates a cursor from its mark. It occurs in no cursor.
const beforeMark = "."

// newWalk continues the walk to which the cursors belong, of which each may be nil, or begins one at the
// time of the operation. It returns the cursors without their marks.
func newWalk(s *Session, zone string, cursors ...**string) (*walk, error) {
	w := &walk{now: s.began().Truncate(time.Microsecond), caller: s.Principal}
	for _, c := range cursors {
		if *c == nil {
			continue
		}
		if bare, at, ok := cutMark(**c); ok {
			*c = &bare
			if !w.continued {
				w.now, w.continued = at, true
			}
		}
	}
	location, err := s.zones.zone(zone)
	w.now = w.now.In(location)
	return w, tracker.At("timeZone", err)
}

// zones are the time zones of an operation by their names, for concurrent use.
//
// Its law of cost: an operation looks up each distinct name once, and at most maxZones of them, because a
// lookup reads files.
type zones struct {
	mu    sync.Mutex
	known map[string]*time.Location // nil for a name that does not exist
}

const (
	// maxZones is the maximum number of names of time zones in an operation.
	maxZones = 10
	// maxZone is the maximum length of the name of a time zone; the longest that exists has 32 bytes.
	maxZone = 64
)

// zone returns the time zone with a name, or UTC and an error.
func (z *zones) zone(name string) (*time.Location, error) {
	if len(name) > maxZone {
		return time.UTC, tracker.Bad("", "the name has %d bytes; the limit is %d", len(name), maxZone)
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	location, known := z.known[name]
	switch {
	case known:
	case len(z.known) == maxZones:
		return time.UTC, tracker.Bad("", "the operation has more than %d time zones", maxZones)
	default:
		if tracker.IsZoneName(name) {
			location, _ = time.LoadLocation(name) // nil after an error
		}
		if z.known == nil {
			z.known = map[string]*time.Location{}
		}
		z.known[name] = location
	}
	if location == nil {
		return time.UTC, tracker.Bad("", "%q is not the name of a time zone in the IANA Time Zone Database, "+
			"such as `Europe/Berlin`", name)
	}
	return location, nil
}

// cutMark returns a cursor without its mark, and the time of the mark. ok is false if it has no valid one.
func cutMark(cursor string) (bare string, at time.Time, ok bool) {
	bare, mark, _ := strings.Cut(cursor, beforeMark)
	micros, err := strconv.ParseInt(mark, 10, 64)
	at = time.UnixMicro(micros).UTC()
	valid := err == nil && strconv.FormatInt(micros, 10) == mark && at.Year() >= 1 && at.Year() <= 9999
	return bare, at, valid
}

// mark returns what cursors end in.
func (w *walk) mark() string {
	if !w.used {
		return ""
	}
	return beforeMark + strconv.FormatInt(w.now.UnixMicro(), 10)
}

// relativeTo returns the time that relative times in the filter refer to; nil if it has none.
func (w *walk) relativeTo() *model.DateTime {
	if !w.used {
		return nil
	}
	at := model.DateTime(tracker.FormatDateTime(w.now.UTC()))
	return &at
}
