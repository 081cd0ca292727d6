package importer

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// dateLayouts are ways in which people and programs write dates and times.
var dateLayouts = []string{"2006-01-02", "2.1.2006", "02.01.2006", "1/2/2006", "01/02/2006", "2/1/2006",
	"2006/01/02", "Jan 2, 2006", "2 January 2006", "02-Jan-06", "2006-01-02 15:04", "2006-01-02T15:04",
	"2006-01-02T15:04:05Z", "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05-07:00", "02.01.2006 15:04",
	"1/2/2006 3:04 PM", "02/Jan/06 3:04 PM", "20060102", "2006", "15:04", "2006-01-02T15:04:05.000Z"}

// TestDatesSurvive: if inference takes the cells of a column for dates or times, no cell is rejected, and if
// all are written in one way, each is what was written, so that no two cells become the same value (F1). A
// case is a column.
func TestDatesSurvive(t *testing.T) {
	types := map[tracker.FieldType]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range tier.PerCheck(2_000, 100_000) {
			layouts := []string{rapid.SampledFrom(dateLayouts).Draw(t, "layout")}
			if rapid.IntRange(0, 3).Draw(t, "mixed") == 0 {
				layouts = append(layouts, rapid.SampledFrom(dateLayouts).Draw(t, "other layout"))
			}
			var cells []string
			for range rapid.IntRange(1, 6).Draw(t, "cells") {
				zone := time.FixedZone("", rapid.SampledFrom([]int{0, 0, 3600, -18000}).Draw(t, "offset"))
				at := time.Date(2024, 1, rapid.IntRange(1, 40).Draw(t, "day"), 0,
					30*rapid.IntRange(0, 47).Draw(t, "time"), 0, 0, zone)
				cells = append(cells, at.Format(rapid.SampledFrom(layouts).Draw(t, "one")))
			}
			column, _ := inferPlain(t, cells)
			types[column.Type]++
			if column.Type != tracker.TypeDate && column.Type != tracker.TypeDateTime {
				continue
			}
			convert, err := newConverter(column)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range cells {
				got, f := convert(cell{text: s, bytes: len(s)})
				if f != nil {
					t.Fatalf("%s: %q of %q is rejected: %v", column.Type, s, cells, f.detail)
				}
				at, err := time.Parse(layouts[0], s)
				want := at.Format(time.DateOnly)
				if column.Type == tracker.TypeDateTime {
					want = tracker.FormatDateTime(at)
				}
				if len(layouts) == 1 && (err != nil || got.value.Text() != want) {
					t.Fatalf("%s %v: %q of %q is %s, want %s, %v", column.Type, column.Formats, s, cells,
						got.value.Text(), want, err)
				}
			}
		}
	})
	if types[tracker.TypeDate] == 0 || types[tracker.TypeDateTime] == 0 {
		t.Errorf("the types are %v", types)
	}
}
