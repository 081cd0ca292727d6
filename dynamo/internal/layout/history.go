package layout

import (
	"cmp"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/tracker"
)

// DecodeHistory adds the content of one item of an issue's history to its entry, whose columns it sorts,
// because the order of maps is random.
func DecodeHistory(m Item, to *tracker.Changed) error {
	if kind := GetS(m, "kind"); kind != "" {
		var err error
		if to.At, err = time.Parse(time.RFC3339Nano, GetS(m, "at")); err != nil {
			return tracker.Internal("an item of the history has no time", err)
		}
		to.Kind, to.By = tracker.ChangeKind(kind), GetActor(m)
	}
	before, after := GetM(m, "before"), GetM(m, "after")
	for column, av := range before {
		c := tracker.ChangedColumn{Column: tracker.Column(column), Before: DecodeValue(av)}
		if av, ok := after[column]; ok {
			c.After = DecodeValue(av)
		}
		to.Columns = append(to.Columns, c)
	}
	for column, av := range after {
		if _, both := before[column]; !both {
			to.Columns = append(to.Columns,
				tracker.ChangedColumn{Column: tracker.Column(column), After: DecodeValue(av)})
		}
	}
	words := GetM(m, "words")
	for i := range to.Columns {
		c := &to.Columns[i]
		c.Words = DecodeWords(words[string(c.Column)])
	}
	slices.SortFunc(to.Columns, func(a, b tracker.ChangedColumn) int {
		return cmp.Compare(a.Column, b.Column)
	})
	return nil
}

// EncodeWords returns what a history entry has of the words of a column, or nil if there are none.
func EncodeWords(w tracker.Words) Item {
	m := Item{}
	if w.Name != "" {
		m["name"] = S(w.Name)
	}
	encodeNames(m, "choices", w.Choices)
	if len(m) == 0 {
		return nil
	}
	return m
}

// DecodeWords returns the words of a column from a history entry.
func DecodeWords(av types.AttributeValue) tracker.Words {
	of, _ := av.(*types.AttributeValueMemberM)
	if of == nil {
		return tracker.Words{}
	}
	return tracker.Words{Name: GetS(of.Value, "name"), Choices: decodeNames(of.Value, "choices")}
}
