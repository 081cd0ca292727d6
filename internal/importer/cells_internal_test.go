package importer

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/internal/importer/forms"
	"issuegrid/test/tier"
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
	rapid.SampledFrom([]string{"1e-07", "0.0000001", "1e+21", "1000000000000000000000", "0.5", "7"}),
	rapid.SampledFrom([]string{"NO", "SE", "no", "No", "yes", "Yes", "YES", "true", "TRUE", "false", "ja",
		"nein", "oui", "non", "sí", "y", "n", "1", "0", "x", "on", "off", "да", "нет", "はい", "いいえ", "evet",
		"hayır"}),
	rapid.SampledFrom([]string{"Yes", "No"}),
	rapid.SampledFrom([]string{"１２", "٣", "1\u00a0234", "5 kg", "12 %", "$12", "12:30", "1/2", ".5", "5.",
		"-0", "-0.00", "1.000", "00:00", "10-20", "1_000", "0x10", "Infinity", "NaN"}),
	rapid.Custom(func(t *rapid.T) string { return randomForm(t)(t) }),
}

// randomForm returns a function that draws numbers that are all written in one random form, with a unit or
// separators of groups.
func randomForm(t *rapid.T) func(t *rapid.T) string {
	decimal := rapid.SampledFrom(forms.Decimals).Draw(t, "decimal")
	groups := rapid.SampledFrom([]string{"", " ", "\u00a0", "'", "’", ".", ","}).
		Filter(func(s string) bool { return s != decimal }).Draw(t, "groups")
	around := rapid.SampledFrom([][2]string{{"", " €"}, {"$", ""}, {"", "%"}, {"CHF ", ""}, {"", "\u00a0%"},
		{"", " USD"}, {"US$ ", ""}}).Draw(t, "around")
	negative := rapid.SampledFrom([][2]string{{"-", ""}, {"\u2212", ""}, {"(", ")"}}).Draw(t, "negative")
	indian := rapid.Bool().Draw(t, "indian")
	length := rapid.SampledFrom([]int{0, 1, 2, 3, -1}).Draw(t, "length")
	isWide := rapid.IntRange(0, 3).Draw(t, "wide") == 0
	return func(t *rapid.T) string {
		whole := strconv.Itoa(rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, 1e8)).Draw(t, "whole"))
		text, rest := "", whole
		for size := 3; len(rest) > size && groups != ""; {
			text, rest = groups+rest[len(rest)-size:]+text, rest[:len(rest)-size]
			if indian {
				size = 2
			}
		}
		text, fraction := rest+text, ""
		if length < 0 {
			fraction = rapid.StringMatching(`([0-9]?[1-9])?`).Draw(t, "fraction")
		} else {
			fraction = rapid.StringMatching(fmt.Sprintf(`[0-9]{%d}`, length)).Draw(t, "fraction")
		}
		if fraction != "" {
			text += decimal + fraction
		}
		text = around[0] + text + around[1]
		if strings.ContainsAny(text, "123456789") && rapid.IntRange(0, 3).Draw(t, "sign") == 0 {
			text = negative[0] + text + negative[1]
		}
		if isWide {
			return strings.Map(wide, text)
		}
		return text
	}
}

// wide returns a digit or a point of full width.
func wide(r rune) rune {
	if r >= '0' && r <= '9' || r == '.' {
		return r - '0' + '０'
	}
	return r
}

// otherwise writes a number in another form, so that it may be the same number.
func otherwise(t *rapid.T, s string) string {
	old := rapid.SampledFrom([]string{".", ",", " ", "\u00a0", "'", "’", "€", "$", "%", "-", "\u2212", "(",
		")", "0", "00", "USD"}).Draw(t, "old")
	changed := rapid.SampledFrom([]string{"", "", " ", ".", ",", "'", "€", "-", "0"}).Draw(t, "new")
	switch rapid.IntRange(0, 4).Draw(t, "way") {
	case 0:
		return strings.NewReplacer(" ", "", "\u00a0", "", "'", "", "’", "").Replace(s)
	case 1:
		at := rapid.IntRange(0, len(s)-1).Draw(t, "at")
		return s[:at] + strings.Map(wide, s[at:])
	case 2:
		end := strings.LastIndexAny(s, "0123456789") + 1
		zeros := rapid.SampledFrom([]string{"0", ".0", ",0", ".00", ",00"}).Draw(t, "zeros")
		return s[:end] + zeros + s[end:]
	}
	if changed = strings.TrimSpace(strings.Replace(s, old, changed, 1)); changed == "" {
		return s
	}
	return changed
}

// TestCellsSurvive: if inference takes the cells of a column for Booleans or numbers, no two cells become the
// same value, and each value of a number as programs write them, written as the column is, is the cell again,
// without the white space around it (F1). A case is a column.
func TestCellsSurvive(t *testing.T) {
	types := map[tracker.FieldType]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range tier.PerCheck(3_000, 100_000) {
			text := rapid.SampledFrom(cellTexts).Draw(t, "kind")
			if rapid.IntRange(0, 3).Draw(t, "mixed") == 0 {
				text = rapid.OneOf(cellTexts...)
			}
			cells := rapid.SliceOfN(text, 1, 6).Draw(t, "cells")
			if rapid.Bool().Draw(t, "one form") {
				cells = rapid.SliceOfN(rapid.Custom(randomForm(t)), 1, 6).Draw(t, "cells")
			}
			if rapid.Bool().Draw(t, "another form") {
				cells = append(cells, otherwise(t, rapid.SampledFrom(cells).Draw(t, "cell")))
			}
			column, _ := inferPlain(t, cells)
			types[column.Type]++
			survive(t, column, cells)
		}
	})
	for _, kind := range []tracker.FieldType{tracker.TypeInteger, tracker.TypeNumber, tracker.TypeBoolean,
		tracker.TypeText} {
		if types[kind] == 0 {
			t.Errorf("no column was inferred to be %s: %v", kind, types)
		}
	}
}

// inferPlain returns what is inferred for a column of cells with white space around them, and its profile.
func inferPlain(t *rapid.T, cells []string) (*Column, *columnProfile) {
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
	return column, p.columns[0]
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
		case shown == s, column.Type == tracker.TypeBoolean, column.Decimal != "":
		case column.Type == tracker.TypeInteger,
			strconv.FormatFloat(got.value.Float(), 'f', len(fraction), 64) != s &&
				strconv.FormatFloat(got.value.Float(), 'f', -1, 64) != s:
			t.Fatalf("%s: %q of %q becomes %s", column.Type, s, cells, shown)
		}
	}
}

// TestWrittenAlike: a column of numbers that are all written in one form becomes numbers if its decimal
// separator is clear (F1). A case is a column.
func TestWrittenAlike(t *testing.T) {
	numbers := 0
	rapid.Check(t, func(t *rapid.T) {
		for range tier.PerCheck(2_000, 100_000) {
			cells := rapid.SliceOfN(rapid.Custom(randomForm(t)), 1, 6).Draw(t, "cells")
			column, profile := inferPlain(t, cells)
			isNumber := column.Type == tracker.TypeInteger || column.Type == tracker.TypeNumber
			isClear := profile.numbers.All(int64(len(cells))) && // none is too long
				profile.numbers.Decimal(tracker.TypeNumber) != ""
			if isClear && !isNumber {
				t.Fatalf("%q become %s", cells, column.Type)
			}
			if isNumber {
				numbers++
			}
		}
	})
	if numbers < 100 {
		t.Errorf("only %d columns became numbers", numbers)
	}
}
