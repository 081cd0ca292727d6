package columns

import "issuegrid/tracker"

// KeyQuery requests ordered keys of one index partition: the rows of a project that have a value in a column,
// in the order of the column.
type KeyQuery struct {
	Project tracker.ProjectID
	Column  tracker.Column
	// Gen is the generation of a custom field's values (tracker.Field.Gen).
	Gen int64
	// Member picks the index partition of one member of a set column: an option's id, or a folded tag.
	Member string
	// From and To bound the sort strings, half-open: From <= SS < To. Nil is no bound.
	From, To []byte
	// Descending reads from the end of the range.
	Descending bool
	// Limit is the maximum number of keys to examine; 0 examines as many as 1 MB holds.
	Limit int
	// With keeps only the keys of issues that have a value of each of these fields, Without those of issues
	// that have a value of none. Keys left out count towards Limit, because DynamoDB filters after it has
	// read. Only for ColumnNum, whose index items carry what an issue has.
	With, Without []tracker.FieldID
	// CountOnly returns the number of keys and not the keys.
	CountOnly bool
}

// KeyPage is the response to a KeyQuery.
type KeyPage struct {
	Keys []IndexKey
	// Count is the number of keys that match, also where they are not returned.
	Count int
	// Examined is the number of keys that were read, those left out among them.
	Examined int
	// RCU is the consumed read capacity, in units, as reported by the engine.
	RCU float64
	// Last is the sort string of the last key examined, from which reading goes on, exclusive; nil when the
	// range is exhausted. An empty page is not the end; a nil Last is.
	Last []byte
	// LastIssue is the issue of that key.
	LastIssue tracker.IssueID
}

// IndexKey is one row of an index partition.
type IndexKey struct {
	Issue tracker.IssueID
	SS    []byte
}
