package columns

import "issuegrid/tracker"

// KeyQuery requests ordered keys of one index partition, or of one in each shard of a project: the rows of a
// project that have a value in a column, in the order of the column, or those that have none.
type KeyQuery struct {
	Project tracker.ProjectID
	// Shard is the first shard to read, and Shards the number of shards; 0 is 1.
	Shard, Shards int
	Column        tracker.Column
	// Gen is the generation of a custom field's values (tracker.Field.Gen).
	Gen int64
	// Member picks the index partition of one member of a set column: an option's id, or a folded tag.
	Member string
	// Empties selects the rows without a value, in the order of their numbers, which are the sort strings.
	// The column must have entries of them (tracker.Definition.IndexesEmpties).
	Empties bool
	// From and To bound the sort strings: From <= SS < To. Nil means unbounded.
	From, To []byte
	// ToIsNoKey states that no key has the sort string To. A count then needs no keys.
	ToIsNoKey bool
	// Descending reads from the end of the range.
	Descending bool
	// Limit is the maximum number of keys to examine; 0 examines as many as 1 MB holds. With several shards,
	// it is the maximum number of keys to return; up to three times as many are examined, and at least one in
	// each shard.
	Limit int
	// With keeps only keys of issues that have values in all these columns, Without only those of issues that
	// have a value in none of them. Keys left out count toward Limit, because DynamoDB filters after it
	// reads. Both require ColumnNum, whose index items list the nullable columns with values.
	With, Without []tracker.Column
	// Way, if it has a participant, selects the partition of a way instead of that of a column, which all
	// shards share. With a Project, it must be by number; the sort strings are then the numbers of the issues
	// of that project, and without one, those that WaySort returns, of the issues of all projects.
	Way Way
	// CountOnly returns the number of keys instead of the keys.
	CountOnly bool
}

// TagQuery requests the tags of a TAGS field, folded, in their order. Some may be of no issue.
type TagQuery struct {
	Project tracker.ProjectID
	Field   *tracker.Field
	// From and To bound the tags, inclusively. Empty means unbounded.
	From, To string
	// Descending reads from the end of the range.
	Descending bool
	// Limit is the maximum number of tags, at least 1.
	Limit int
}

// KeyPage is the response to a KeyQuery.
type KeyPage struct {
	Keys []IndexKey
	// Count is the number of matching keys, including those that are not returned.
	Count int
	// Examined is the number of keys read, including those left out.
	Examined int
	// Queries is the number of Queries sent.
	Queries int
	// RCU is the consumed read capacity, in units, as reported by the engine.
	RCU float64
	// Last is the sort string of the last key examined, or nil if the range is exhausted. The next query
	// starts after it. An empty page does not mean that the range is exhausted.
	Last []byte
	// LastIssue is the issue of that key.
	LastIssue tracker.IssueID
}

// IndexKey is one row of an index partition.
type IndexKey struct {
	Issue tracker.IssueID
	SS    []byte
}
