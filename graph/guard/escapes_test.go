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

// units are parts of a string, as escapes and as themselves, with the UTF-16 units that they stand for.
var units = []struct {
	written string
	units   []uint16
}{
	{`\ud83d`, []uint16{0xd83d}}, {`\uDBFF`, []uint16{0xdbff}}, {`\ud800`, []uint16{0xd800}}, {`\uD800`, []uint16{0xd800}},
	{`\ude00`, []uint16{0xde00}}, {`\uDFFF`, []uint16{0xdfff}}, {`\udc00`, []uint16{0xdc00}}, {`\uDc00`, []uint16{0xdc00}},
	{`\ud7ff`, []uint16{0xd7ff}}, {`\ue000`, []uint16{0xe000}}, {`\u0041`, []uint16{0x41}}, {`\ufffd`, []uint16{0xfffd}},
	{`\\`, []uint16{'\\'}}, {`\"`, []uint16{'"'}}, {`\n`, []uint16{'\n'}}, {`x`, []uint16{'x'}}, {`u`, []uint16{'u'}}, {`😀`, []uint16{0xd83d, 0xde00}},
}

// whole reports whether UTF-16 is made of whole characters, and returns these. It looks at the units alone.
func whole(all []uint16) (string, bool) {
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

// strung draws a string of units, as it is written and as what it stands for. What is itself and half of a pair beside an escape is no pair.
func strung(t *rapid.T) (written, is string, sound bool) {
	sound = true
	var run []uint16
	flush := func() {
		text, ok := whole(run)
		is, sound, run = is+text, sound && ok, nil
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
	return written, is, sound
}

// TestHalvesOfCharactersInJSON compares with a reading by UTF-16 units, cut anywhere.
func TestHalvesOfCharactersInJSON(t *testing.T) {
	l := guard.DefaultLimits()
	for _, a := range units {
		for _, b := range append(units, units[0]) {
			for _, c := range []string{"", `\ude00`, `\u0041`, `z`, `\\ud800`} {
				text := a.written + b.written + c
				var decoded string
				if err := json.Unmarshal([]byte(`"`+text+`"`), &decoded); err != nil {
					t.Fatal(err)
				}
				// The decoder puts U+FFFD in the place of each half.
				sound := strings.Count(decoded, "\ufffd") == strings.Count(text, `\ufffd`)
				for _, body := range []string{`{"query": "` + text + `"}`, `{"` + text + `": 1}`, `{"variables": {"x": ["` + text + `"]}}`, `{"extensions": {"x": {"` + text + `": null}}}`, `{"other": "` + text + `"}`} {
					_, whole := guard.ReadJSON(strings.NewReader(body), l)
					_, cut := guard.ReadJSON(iotest.OneByteReader(strings.NewReader(body)), l)
					if (whole == nil) != sound || (cut == nil) != sound {
						t.Fatalf("%s: %v, cut %v; is it sound: %v", body, whole, cut, sound)
					}
					if !sound && (tracker.CodeOf(whole) != tracker.BadInput || !strings.Contains(whole.Error(), "lone surrogate")) {
						t.Fatalf("%s: %v", body, whole)
					}
				}
			}
		}
	}
}

// TestHalvesOfCharactersInQueries: the escapes of a string in a query stand for what they stand for in JSON, and halves are refused.
func TestHalvesOfCharactersInQueries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		written, is, sound := strung(t)
		for _, query := range []string{`{ a: node(id: "` + written + `") { id } }`, "# \"\n{ a: node(id: \"" + written + "\")\r\n{ id } }"} {
			joined, err := guard.JoinSurrogates(query)
			if (err == nil) != sound {
				t.Fatalf("%s: %v; is it sound: %v", query, err, sound)
			}
			if !sound {
				return
			}
			if got := firstString(t, joined); got != is {
				t.Fatalf("%q becomes %q, want %q", written, got, is)
			}
			if len([]rune(joined)) != len([]rune(query)) {
				t.Fatalf("%q becomes %q, which moves what follows", query, joined)
			}
		}
	})
	for query, want := range map[string]string{
		`{ a(x: """\ud800 \ud83d\ude00""") }`:         ``, // in which a backslash is a backslash
		`{ a(x: """ \""" \ud800 """, y: "\ud800") }`:  `lone`,
		`{ a(x: """"quoted" \ud800""") }`:             ``,
		`{ a(x: "\ud83d`:                              ``, // which the parser refuses
		"{ a(x: \"\\ud83d\n\\ude00\") }":              ``, // likewise
		`{ a # "\ud800` + "\n}":                       ``,
		`{ a(x: "\\ud800 \\\\ud83d") }`:               ``,
		`{ a(x: "\\\ud800") }`:                        `lone`,
		`{ a(x: "", y: "\udc00") }`:                   `lone`,
		`{ a(x: "\u{1F600}\ud83d\ude00\u{d800}") }`:   ``, // the braces are refused by the parser
		`query($x: String = "\ud800") { __typename }`: `lone`,
	} {
		if _, err := guard.JoinSurrogates(query); (err != nil) != (want != "") {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// firstString is the value of the first string of a query, as the library reads it.
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
