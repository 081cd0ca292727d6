package model_test

import (
	"slices"
	"testing"

	"issuegrid/graph/guard/guardtest"
	"issuegrid/graph/model"
)

// TestSummaryParts checks that each part of a summary that a view can show is a field of ColumnSummary, and
// the other way round.
func TestSummaryParts(t *testing.T) {
	want := []string{"precision", "readAt"} // are of the whole summary
	for _, p := range model.AllSummaryPart {
		want = append(want, string(model.SummaryParts[p]))
	}
	var got []string
	for _, f := range guardtest.SchemaFile(t, "../../schema.graphqls").Types["ColumnSummary"].Fields {
		got = append(got, f.Name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the fields are %v, want %v", got, want)
	}
}
