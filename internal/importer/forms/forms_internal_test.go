package forms

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestWrittenNumbers checks the cases that the web client also reads (numbers.test.ts).
func TestWrittenNumbers(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../testdata/numbers.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][3]*string
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 100 {
		t.Fatal(err, len(cases))
	}
	for _, c := range cases {
		for i, d := range Decimals {
			want := "no number"
			if c[i+1] != nil {
				want = *c[i+1]
			}
			if got := written(*c[0], d); got != want {
				t.Errorf("%q with the decimal separator %q is %s, want %s", *c[0], d, got, want)
			}
		}
	}
}

func written(s, decimal string) string {
	n, ok := Split(s)
	if ok {
		var literal string
		if literal, ok = n.Literal(decimal); ok {
			return literal
		}
	}
	return "no number"
}

// TestWrittenNumbersRoundTrip writes random numbers as people do, and reads them back exactly.
func TestWrittenNumbersRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		decimal := rapid.SampledFrom(Decimals).Draw(t, "decimal")
		groups := []string{"", " ", "\u00a0", "\u202f", "'", "’", "_", ".", ","}
		group := rapid.SampledFrom(groups).Filter(func(s string) bool { return s != decimal }).
			Draw(t, "group")
		whole := strconv.FormatInt(rapid.Int64Range(0, 1e15-1).Draw(t, "whole"), 10)
		fraction := rapid.StringMatching(`[0-9]{0,9}`).Draw(t, "fraction")
		negative := rapid.Bool().Draw(t, "negative")
		literal, text := whole, grouped(whole, group, rapid.Bool().Draw(t, "Indian"))
		if fraction != "" {
			literal, text = literal+"."+fraction, text+decimal+fraction
		}
		units := []string{"%s", "$%s", "%s €", "EUR %s", "%s USD", "%s %%", "US$ %s", "%s%%"}
		text = fmt.Sprintf(rapid.SampledFrom(units).Draw(t, "unit"), text)
		if negative {
			literal = "-" + literal
			minus := []string{"-%s", "\u2212%s", "(%s)", "- %s"}
			text = fmt.Sprintf(rapid.SampledFrom(minus).Draw(t, "minus"), text)
		}
		if rapid.Bool().Draw(t, "wide") {
			text = strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return r - '0' + '０'
				}
				return r
			}, text)
		}
		if got := written(text, decimal); got != literal {
			t.Fatalf("%q with the decimal separator %q is %s, want %s", text, decimal, got, literal)
		}
	})
}

// grouped writes digits in groups.
func grouped(digits, by string, indian bool) string {
	size, out := 3, ""
	for len(digits) > size {
		out = by + digits[len(digits)-size:] + out
		digits = digits[:len(digits)-size]
		if indian {
			size = 2
		}
	}
	return digits + out
}

// TestWritten: which cell shows that numbers are not written alike.
func TestWritten(t *testing.T) {
	for _, c := range []struct{ cells, lossy string }{
		{"$1,234.50|$0.75|-$12.00|-$9,000.00", ""},
		{"1234 €|12 345 €|1 €", ""},          // groups from five digits on
		{"1,23,456.00 %|12,34,567.00 %", ""}, // lakhs
		{"1,23,456.00 %|123,456.00 %", "123,456.00 %"},
		{"123,456.00 %|1,23,456.00 %", "1,23,456.00 %"},
		{"12,345.00|12'345.00", "12'345.00"},
		{"1 234.00|1234.00", "1234.00"},
		{"1 234.00|1\u00a0234.00", "1\u00a0234.00"},
		{"12.50 €|12.5 €", "12.50 €"},
		{"(5)|-5", "-5"},
		{"5 €|$5", "$5"},
		{"1e3|5", "1e3"},
		{"1e-07|0.5", ""},
		{"1e-07|0.0000001", "0.0000001"},
		{"0.0000001|1e-07", "0.0000001"},
		{"1e+21|1000000000000000000000", "1000000000000000000000"},
		{"1.10|1e3|1.9", "1.10"},
		{"１２．５０ ￥|１３．５０ ￥", ""},
		{"１２．５０ ￥|１３.５０ ￥", "１３.５０ ￥"},
		{"１２．５０ ￥|１２．５０ ¥", "１２．５０ ¥"},
		{"12２34.50 €|12.50 €", "12２34.50 €"},
		{"1\u200e2345.50 €|12.50 €", "1\u200e2345.50 €"},
		{"．5 €", "．5 €"},
		{"1\u202f234.50\u00a0€|12.00\u00a0€", ""},
	} {
		var w Written
		for s := range strings.SplitSeq(c.cells, "|") {
			w.Look(s, written(s, "."), ".")
		}
		if got := w.Lossy(); got != c.lossy {
			t.Errorf("%s: %q, want %q", c.cells, got, c.lossy)
		}
	}
}

// TestLiteralsBesideStrings: a number of JSON is not written like a string with a unit or with more zeros.
func TestLiteralsBesideStrings(t *testing.T) {
	for _, c := range []struct {
		literals, strings string
		alike             bool
	}{
		{"12|1.5", "$12.00|$1,234.50", false},
		{"1.5", "1.50", false},
		{"1.50|2", "1.5|3", true},
	} {
		var n Numbers
		for s := range strings.SplitSeq(c.literals, "|") {
			n.Look(s, true)
		}
		for s := range strings.SplitSeq(c.strings, "|") {
			n.Look(s, false)
		}
		if got := n.Alike(); got != c.alike {
			t.Errorf("%s beside %s: %t", c.literals, c.strings, got)
		}
	}
}

// TestReadsAnyText: no text makes the parsers fail, and what they read is a literal.
func TestReadsAnyText(t *testing.T) {
	t.Parallel()
	characters := []rune("0123456789.,'_ -+()%$€eEUSDX\u202f\u2212\ufffd/：５PM")
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.SampledFrom(characters), -1, 14, -1)).
			Draw(t, "s")
		Readings(s)
		for _, d := range Decimals {
			if got := written(s, d); got != "no number" {
				_, err := strconv.ParseFloat(got, 64)
				if err != nil && !errors.Is(err, strconv.ErrRange) {
					t.Fatalf("%q is %q: %v", s, got, err)
				}
			}
		}
	})
}
