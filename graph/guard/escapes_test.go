package guard_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"
	"pgregory.net/rapid"

	"issuegrid/graph/guard"
	"issuegrid/tracker"
)

// units are parts of a string, escaped and unescaped, with their UTF-16 code units.
var units = []struct {
	written string
	units   []uint16
}{
	{`\ud83d`, []uint16{0xd83d}}, {`\uDBFF`, []uint16{0xdbff}}, {`\ud800`, []uint16{0xd800}},
	{`\uD800`, []uint16{0xd800}},
	{`\ude00`, []uint16{0xde00}}, {`\uDFFF`, []uint16{0xdfff}}, {`\udc00`, []uint16{0xdc00}},
	{`\uDc00`, []uint16{0xdc00}},
	{`\ud7ff`, []uint16{0xd7ff}}, {`\ue000`, []uint16{0xe000}}, {`\u0041`, []uint16{0x41}},
	{`\ufffd`, []uint16{0xfffd}},
	{`\\`, []uint16{'\\'}}, {`\"`, []uint16{'"'}}, {`\n`, []uint16{'\n'}}, {`x`, []uint16{'x'}},
	{`u`, []uint16{'u'}}, {`😀`, []uint16{0xd83d, 0xde00}},
}

// decodeUnits decodes UTF-16 code units. It returns false if they contain a lone surrogate.
func decodeUnits(all []uint16) (string, bool) {
	for i := 0; i < len(all); i++ {
		switch u := all[i]; {
		case u >= 0xd800 && u < 0xdc00:
			if i++; i == len(all) || all[i] < 0xdc00 || all[i] > 0xdfff {
				return "", false
			}
		case u >= 0xdc00 && u < 0xe000:
			return "", false
		}
	}
	return string(utf16.Decode(all)), true
}

// drawString draws a string of units. It returns its escaped form, its value, and whether it has no lone
// surrogate. A literal character next to an escaped surrogate does not form a pair with it.
func drawString(t *rapid.T) (written, is string, wellFormed bool) {
	wellFormed = true
	var run []uint16
	flush := func() {
		text, ok := decodeUnits(run)
		is, wellFormed, run = is+text, wellFormed && ok, nil
	}
	for range rapid.IntRange(0, 6).Draw(t, "length") {
		u := rapid.SampledFrom(units).Draw(t, "unit")
		written += u.written
		if len(u.units) > 1 {
			flush()
			is += u.written
			continue
		}
		run = append(run, u.units...)
	}
	flush()
	return written, is, wellFormed
}

// TestLoneSurrogatesInJSON compares the checks of JSON, read in pieces, with an examination of the UTF-16
// code units.
func TestLoneSurrogatesInJSON(t *testing.T) {
	l := guard.DefaultLimits()
	for _, a := range units {
		for _, b := range append(units, units[0]) {
			for _, c := range []string{"", `\ude00`, `xxde00`, `\u0041`, `z`, `\\ud800`} {
				text := a.written + b.written + c
				var decoded string
				if err := json.Unmarshal([]byte(`"`+text+`"`), &decoded); err != nil {
					t.Fatal(err)
				}
				// The decoder replaces each lone surrogate by U+FFFD.
				wellFormed := strings.Count(decoded, "\ufffd") == strings.Count(text, `\ufffd`)
				for _, body := range []string{`{"query": "` + text + `"}`, `{"` + text + `": 1}`,
					`{"variables": {"x": ["` + text + `"]}}`, `{"extensions": {"x": {"` + text + `": null}}}`,
					`{"other": "` + text + `"}`} {
					_, whole := guard.ReadJSON(strings.NewReader(body), l)
					_, cut := guard.ReadJSON(iotest.OneByteReader(strings.NewReader(body)), l)
					if (whole == nil) != wellFormed || (cut == nil) != wellFormed {
						t.Fatalf("%s: %v, in pieces %v; well-formed: %v", body, whole, cut, wellFormed)
					}
					if !wellFormed && (tracker.CodeOf(whole) != tracker.BadInput ||
						!strings.Contains(whole.Error(), "lone surrogate")) {
						t.Fatalf("%s: %v", body, whole)
					}
				}
			}
		}
	}
}

// TestLoneSurrogatesInQueries checks that escapes in strings of a query mean the same as in JSON, and that
// lone surrogates are rejected.
func TestLoneSurrogatesInQueries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		written, is, wellFormed := drawString(t)
		for _, query := range []string{`{ a: node(id: "` + written + `") { id } }`,
			"# \"\n{ a: node(id: \"" + written + "\")\r\n{ id } }"} {
			joined, err := guard.JoinSurrogates(query)
			if (err == nil) != wellFormed {
				t.Fatalf("%s: %v; well-formed: %v", query, err, wellFormed)
			}
			if !wellFormed {
				return
			}
			if got := firstString(t, joined); got != is {
				t.Fatalf("%q becomes %q, want %q", written, got, is)
			}
			if len([]rune(joined)) != len([]rune(query)) {
				t.Fatalf("%q becomes %q, which changes the positions after it", query, joined)
			}
		}
	})
	for query, want := range map[string]string{
		`{ a(x: """\ud800 \ud83d\ude00""") }`:         ``, // block strings have no escapes
		`{ a(x: """ \""" \ud800 """, y: "\ud800") }`:  `lone`,
		`{ a(x: """"quoted" \ud800""") }`:             ``,
		`{ a(x: "\ud83d`:                              ``, // rejected by the parser
		"{ a(x: \"\\ud83d\n\\ude00\") }":              ``, // rejected by the parser
		`{ a # "\ud800` + "\n}":                       ``,
		`{ a(x: "\\ud800 \\\\ud83d") }`:               ``,
		`{ a(x: "\\\ud800") }`:                        `lone`,
		`{ a(x: "", y: "\udc00") }`:                   `lone`,
		`{ a(x: "\u{1F600}\ud83d\ude00\u{d800}") }`:   ``, // braces are rejected by the parser
		`query($x: String = "\ud800") { __typename }`: `lone`,
	} {
		if _, err := guard.JoinSurrogates(query); (err != nil) != (want != "") {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// firstString returns the value of the first string in a query, as the library decodes it.
func firstString(t *rapid.T, query string) string {
	lex := lexer.New(&ast.Source{Input: query})
	for {
		token, err := lex.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			t.Fatalf("%q has no string: %v", query, err)
		}
		if token.Kind == lexer.String {
			return token.Value
		}
	}
}
