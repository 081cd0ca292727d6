package tracker_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"issuegrid/tracker"
)

// TestExcerpt compares excerpts with the texts: an excerpt is the beginning of its text without white space,
// and as long as the limit allows.
func TestExcerpt(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"white space only", " \n\t\u3000", " \n\t\u3000"},
		{"much white space only", strings.Repeat(" ", 300), strings.Repeat(" ", 256)},
		{"short", "  \n# Title\n\nBody\n", "# Title\n\nBody\n"},
		{"256 bytes", strings.Repeat("x", 256), strings.Repeat("x", 256)},
		{"257 bytes", strings.Repeat("x", 257), strings.Repeat("x", 256)},
		{"a character of 2 bytes at the limit", strings.Repeat("x", 255) + "é", strings.Repeat("x", 255)},
		{"a character of 4 bytes at the limit", strings.Repeat("x", 253) + "😀😀",
			strings.Repeat("x", 253)},
		{"white space before the limit", strings.Repeat(" ", 300) + "x", "x"},
	} {
		if got := tracker.Excerpt(test.text); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.String().Draw(t, "text"), rapid.IntRange(1, 50).Draw(t, "times"))
		got, trimmed := tracker.Excerpt(text), strings.TrimLeftFunc(text, unicode.IsSpace)
		if trimmed == "" {
			trimmed = text
		}
		if !strings.HasPrefix(trimmed, got) || len(got) > tracker.MaxInlineText {
			t.Fatalf("%q is not the beginning of %q", got, trimmed)
		}
		next, size := utf8.DecodeRuneInString(trimmed[len(got):])
		if size > 0 && len(got)+size <= tracker.MaxInlineText {
			t.Fatalf("%q could have %q too", got, next)
		}
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not valid UTF-8", got)
		}
	})
}
