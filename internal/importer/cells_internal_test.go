package importer

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/tracker"
)

// cellTexts are cells as they occur in files, each kind of which looks like the values of some type.
var cellTexts = []*rapid.Generator[string]{
	rapid.StringMatching(`[1-9]?[0-9]\.[0-9]{1,2}`), // versions, or prices
	rapid.StringMatching(`[0-9]\.[0-9]0`),
	rapid.StringMatching(`-?[0-9]{1,4}`),
	rapid.StringMatching(`0{0,2}[0-9]{1,3}`), // part numbers
	rapid.StringMatching(`-?[0-9]{1,3}\.0{1,3}`),
	rapid.StringMatching(`\+[0-9]{2} ?[0-9]{3}`), // phone numbers
	rapid.StringMatching(`[0-9]e[0-9]`),
	rapid.SampledFrom([]string{"NO", "SE", "no", "No", "yes", "Yes", "YES", "true", "TRUE", "false", "ja",
		"nein", "oui", "non", "sí", "y", "n", "1", "0", "x", "on", "off", "да", "нет", "はい", "いいえ", "evet",
		"hayır"}),
	rapid.SampledFrom([]string{"Yes", "No"}),
	rapid.SampledFrom([]string{"１２", "٣", "1\u00a0234", "5 kg", "12 %", "$12", "12:30", "1/2", ".5", "5.",
		"-0", "-0.00", "1.000", "00:00", "10-20", "1_000", "0x10", "Infinity", "NaN"}),
}

// TestPlainCellsSurvive: if inference takes the cells of a column for Booleans, or for numbers as programs
// write them, no two cells become the same value, and each value, written as the column is, is the cell
// again, without the white space around it (F1).
func TestPlainCellsSurvive(t *testing.T) {
	types := map[tracker.FieldType]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 100 {
			text := rapid.SampledFrom(cellTexts).Draw(t, "kind")
			if rapid.IntRange(0, 3).Draw(t, "mixed") == 0 {
				text = rapid.OneOf(cellTexts...)
			}
			cells := rapid.SliceOfN(text, 1, 6).Draw(t, "cells")
			column := inferPlain(t, cells)
			if types[column.Type]++; column.Decimal == "" { // without units and separators of groups
				survive(t, column, cells)
			}
		}
	})
	for _, kind := range []tracker.FieldType{tracker.TypeInteger, tracker.TypeNumber, tracker.TypeBoolean,
		tracker.TypeText} {
		if types[kind] == 0 {
			t.Errorf("no column was inferred to be %s: %v", kind, types)
		}
	}
}

// inferPlain returns what is inferred for a column of cells with white space around them.
func inferPlain(t *rapid.T, cells []string) *Column {
	p, err := newProfile(&meter{})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"c"}
	p.meet(names)
	for _, s := range cells {
		s = rapid.SampledFrom([]string{"", "", "", " ", "\u00a0"}).Draw(t, "space") + s
		p.add(names, &record{cells: []cell{{text: s, bytes: len(s)}}})
	}
	column := &Column{Column: "c", To: ToField, Name: "F", Type: p.columns[0].fieldType()}
	p.columns[0].settle(column)
	return column
}

// survive checks that the cells of a column of numbers or Booleans are kept.
func survive(t *rapid.T, column *Column, cells []string) {
	if column.Type != tracker.TypeInteger && column.Type != tracker.TypeNumber &&
		column.Type != tracker.TypeBoolean {
		return
	}
	convert, err := newConverter(column)
	if err != nil {
		t.Fatal(err)
	}
	_, fraction, _ := strings.Cut(cells[0], ".")
	values := map[string]string{}
	for _, s := range cells {
		got, f := convert(cell{text: s, bytes: len(s)})
		if f != nil {
			t.Fatalf("%s: %q of %q is rejected: %v", column.Type, s, cells, f.detail)
		}
		shown := (&tracker.Field{Type: column.Type}).Display(got.value)
		if other, taken := values[shown]; taken && other != s {
			t.Fatalf("%s: %q and %q of %q become %s", column.Type, other, s, cells, shown)
		}
		values[shown] = s
		switch {
		case shown == s, column.Type == tracker.TypeBoolean:
		case column.Type == tracker.TypeInteger,
			strconv.FormatFloat(got.value.Float(), 'f', len(fraction), 64) != s:
			t.Fatalf("%s: %q of %q becomes %s", column.Type, s, cells, shown)
		}
	}
}
