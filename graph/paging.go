package graph

import (
	"bytes"
	"encoding/base64"
	"strings"

	"issuegrid/graph/model"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

const (
	defaultPage = 50
	maxGridPage = 500
	maxListPage = 100
)

// paging has the checked paging arguments of a connection.
type paging struct {
	size          int
	backward      bool
	after, before *string
}

// parsePaging checks first and last: at most one may be given, from 0 to limit.
func parsePaging(first *int32, after *string, last *int32, before *string, limit int) (paging, error) {
	p := paging{size: defaultPage, after: after, before: before}
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
	p, err := parsePaging(first, after, last, before, maxListPage)
	r := loaders.Range{Size: p.size, Backward: p.backward}
	wrong := []error{err}
	r.After, err = parseListCursor("after", after)
	wrong = append(wrong, err)
	r.Before, err = parseListCursor("before", before)
	return r, tracker.Join(append(wrong, err)...)
}

func listPageInfo[V any](l loaders.List[V]) *model.PageInfo {
	info := &model.PageInfo{HasNextPage: l.HasNext, HasPreviousPage: l.HasPrevious}
	if n := len(l.Rows); n > 0 {
		start, end := listCursor(l.Rows[0].Position), listCursor(l.Rows[n-1].Position)
		info.StartCursor, info.EndCursor = &start, &end
	}
	return info
}
