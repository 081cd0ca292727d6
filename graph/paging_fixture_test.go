package graph_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// connection is a page of a list.
type connection[T any] struct {
	Nodes []T
	Edges []struct {
		Cursor string
		Node   T
	}
	PageInfo            pageInfo
	TotalCount          int
	TotalCountPrecision string
	Incomplete          bool
}

type pageInfo struct {
	HasNextPage, HasPreviousPage bool
	StartCursor, EndCursor       *string
}

// flags selects the pageInfo of a page.
const flags = ` pageInfo { hasNextPage hasPreviousPage startCursor endCursor } `

// walkPages reads a list from end to end in pages of a size, forward and backward, and returns its rows,
// which must be the same in both directions. The arguments of read are those of a page.
func walkPages[T any](t testing.TB, size int, read func(arguments string) connection[T]) []T {
	t.Helper()
	forward := walkOneWay(t, size, false, read)
	same(t, fmt.Sprint("forward and backward by ", size), forward, walkOneWay(t, size, true, read))
	return forward
}

// walkOneWay reads a list in one direction, and returns the rows in the order of the list.
func walkOneWay[T any](t testing.TB, size int, backward bool,
	read func(arguments string) connection[T]) (rows []T) {
	t.Helper()
	first, after := "first", "after"
	if backward {
		first, after = "last", "before"
	}
	for cursor := "null"; ; {
		page := read(fmt.Sprintf("%s: %d, %s: %s", first, size, after, cursor))
		checkEdges(t, page)
		info := page.PageInfo
		more, against, end := info.HasNextPage, info.HasPreviousPage, info.EndCursor
		if backward {
			more, against, end = against, more, info.StartCursor
		}
		if n := len(page.Nodes); n > size || more && n < size || against != (len(rows) > 0) {
			t.Fatalf("%s %d, %s %s: %d rows, %+v", first, size, after, cursor, n, info)
		}
		if backward {
			rows = slices.Concat(page.Nodes, rows)
		} else {
			rows = slices.Concat(rows, page.Nodes)
		}
		if !more {
			return rows
		}
		cursor = null(*end)
	}
}

// checkEdges checks that edges, if they were requested, have the rows of nodes, and that the cursors of
// pageInfo are those of the first and the last edge.
func checkEdges[T any](t testing.TB, page connection[T]) {
	t.Helper()
	for i, e := range page.Edges {
		if !cmp.Equal(e.Node, page.Nodes[i]) || e.Cursor == "" {
			t.Errorf("edge %d is %+v, the node %+v", i, e, page.Nodes[i])
		}
	}
	switch n, info := len(page.Edges), page.PageInfo; {
	case len(page.Nodes) == 0 && (n > 0 || info.StartCursor != nil || info.EndCursor != nil):
		t.Errorf("an empty page has cursors: %+v", page)
	case n > 0 && (*info.StartCursor != page.Edges[0].Cursor || *info.EndCursor != page.Edges[n-1].Cursor):
		t.Error("the cursors of pageInfo are not those of the first and the last edge")
	}
}
