package tracker_test

import (
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/tracker"
)

func TestNumbersThatChange(t *testing.T) {
	for _, c := range []struct{ literal, says string }{
		{"0", ""}, {"-0", ""}, {"0.0e5", ""}, {"0e-400", ""}, {"0e999999999999999999999", ""}, {"0.1", ""},
		{"-12.5e-3", ""}, {".5", ""}, {"1.", ""}, {"+1", ""},
		{"1e-130", ""}, {"9.9e125", ""}, {"0.1234567890123456789", ""}, {"1e23", ""},
		{"100000000000000000000000", ""}, {"9007199254740993.5", ""},
		{"9007199254740991", ""}, {"9007199254740992", ""}, {"-9007199254740994", ""},
		{"1152921504606846976", ""}, {"1152921504606847000", ""}, {"1e22", ""},
		{"5e-324", ""}, // Field.Check rejects it
		{"1e-400", "would become 0"}, {"-1e-400", "would become 0"},
		{"0." + strings.Repeat("0", 400) + "1", "would become 0"},
		{"1e-99999999999999999999", "would become 0"},
		{"1e400", "out of range"}, {"-1e400", "out of range"}, {"1e99999999999999999999", "out of range"},
		{strings.Repeat("9", 400), "out of range"},
		{"9007199254740993", "more digits"}, {"-9007199254740993", "more digits"},
		{"9007199254740993.0", "more digits"}, {"9.007199254740993e15", "more digits"},
		{"12345678901234567890", "more digits"}, {"9223372036854775807", "more digits"},
		{"", "not a number"}, {"e5", "not a number"}, {"1e", "not a number"}, {"1e+-5", "not a number"},
		{".", "not a number"}, {"--1", "not a number"}, {"1_000", "not a number"}, {"0x10", "not a number"},
		{"Inf", "not a number"}, {"nan", "not a number"}, {" 1", "not a number"}, {"1e5.0", "not a number"},
	} {
		x, err := tracker.ParseNumber(c.literal)
		if c.says != "" {
			if tracker.CodeOf(err) != tracker.BadInput || !strings.Contains(err.Error(), c.says) {
				t.Errorf("ParseNumber(%.40s) = %g, %v; want error %q", c.literal, x, err, c.says)
			}
			continue
		}
		if want, _ := strconv.ParseFloat(c.literal, 64); err != nil || x != want {
			t.Errorf("ParseNumber(%s) = %g, %v", c.literal, x, err)
		}
	}
}

// TestNumbersKeepTheirValue compares with exact arithmetic. Accepted literals that become 0 are 0. An
// accepted integer that float64 cannot represent has the shortest form of its float64. The shortest form of
// every float64 is accepted.
func TestNumbersKeepTheirValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		literal := rapid.StringMatching(`-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,8})?([eE][+-]?[0-9]{1,3})?`).Draw(t,
			"literal")
		exact, ok := new(big.Rat).SetString(literal)
		if !ok {
			t.Fatalf("invalid literal %s", literal)
		}
		x, err := tracker.ParseNumber(literal)
		if err != nil {
			nearest, exactly := exact.Float64()
			if exactly {
				t.Fatalf("ParseNumber(%s) rejected an exact %g: %v", literal, nearest, err)
			}
			return
		}
		got := new(big.Rat).SetFloat64(x)
		shortest, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'e', -1, 64))
		if got.Sign() != exact.Sign() {
			t.Fatalf("ParseNumber(%s) = %g, a different number", literal, x)
		}
		if beyond := new(big.Rat).Abs(exact).Cmp(big.NewRat(1<<53, 1)) > 0; beyond && exact.IsInt() &&
			got.Cmp(exact) != 0 && shortest.Cmp(exact) != 0 {
			t.Fatalf("ParseNumber(%s) = %g, a different number", literal, x)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-1e126, 1e126).Draw(t, "x")
		for _, form := range []byte("gef") {
			got, err := tracker.ParseNumber(strconv.FormatFloat(x, form, -1, 64))
			if err != nil || got != x {
				t.Fatalf("ParseNumber of %g in format %c = %g, %v", x, form, got, err)
			}
		}
	})
}

// TestConversionsKeepNumbers checks that a conversion to another type does not change a number.
func TestConversionsKeepNumbers(t *testing.T) {
	from := &tracker.Form{Type: tracker.TypeText}
	for kind, texts := range map[tracker.FieldType]map[string]string{
		tracker.TypeInteger: {"1.0": "1", " 5e3 ": "5000", "-0": "0",
			"9007199254740992.0": "9007199254740992", "9223372036854775807": "9223372036854775807",
			"1e-400": "", "5.0000000000000000001": "", "4503599627370495.99999999": "",
			"9223372036854775808": "", "1e400": "", "0x10": "", "1e30": "", "1.5": ""},
		tracker.TypeNumber: {"1.50": "1.5", "1e-400": "", "9007199254740993": "", "0x1p4": "", "Inf": "",
			"1e126": "", "1e-131": ""},
	} {
		for text, want := range texts {
			v, err := tracker.Convert(from, &tracker.Field{Name: "F", Type: kind}, tracker.Text(text), "")
			if (err == nil) != (want != "") || err == nil && v.Literal() != want {
				t.Errorf("conversion to %s of %q = %q, %v; want %q", kind, text, v.Literal(), err, want)
			}
		}
	}
}
