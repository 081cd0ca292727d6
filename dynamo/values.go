package dynamo

import (
	"issuegrid/dynamo/internal/layout"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// Key is the primary key of an item.
type Key = layout.Key

// BuiltinValue encodes what an issue has in a built-in column.
func BuiltinValue(p *tracker.Project, i *tracker.Issue, c tracker.Column) sortkey.Value {
	return layout.BuiltinValue(p, i, c)
}

// FoldTag is the name under which a tag is indexed. It is never longer than a key can be.
func FoldTag(tag string) string { return layout.FoldTag(tag) }

// SortValue encodes a value of a sortable field. A long text must be given as the text itself.
func SortValue(f *tracker.Field, v tracker.Value) sortkey.Value { return layout.SortValue(f, v) }
