package tracker_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"issuegrid/tracker"
)

// TestHidden lists ranges of code points that are hidden, and ranges that are not.
func TestHidden(t *testing.T) {
	for _, r := range [][3]rune{
		{0x0, 0x1f, 1}, {0x7f, 0x9f, 1}, // controls
		// invisible characters and direction marks
		{0xad, 0xad, 1}, {0x61c, 0x61c, 1}, {0x180e, 0x180e, 1}, {0x200b, 0x200b, 1}, {0x200e, 0x200f, 1},
		{0x2028, 0x202e, 1}, {0x2060, 0x206f, 1}, {0xfeff, 0xfeff, 1}, {0xfff9, 0xfffb, 1},
		{0xe0000, 0xe007f, 1},
		// fillers
		{0x34f, 0x34f, 1}, {0x115f, 0x1160, 1}, {0x17b4, 0x17b5, 1}, {0x3164, 0x3164, 1}, {0xffa0, 0xffa0, 1},
		{0x1d173, 0x1d17a, 1},
		{0xfdd0, 0xfdef, 1}, {0xfffe, 0xffff, 1}, {0x10fffe, 0x10ffff, 1}, // noncharacters

		{' ', '~', 0}, {0xa0, 0xac, 0}, {0xae, 0x34e, 0}, {0x2000, 0x200a, 0}, {0x202f, 0x202f, 0},
		{0x3000, 0x3000, 0},
		// joiners and variation selectors
		{0x200c, 0x200d, 0}, {0xfe00, 0xfe0f, 0}, {0xe0100, 0xe01ef, 0}, {0x180b, 0x180d, 0},
		// visible format characters
		{0x600, 0x605, 0}, {0x6dd, 0x6dd, 0}, {0x70f, 0x70f, 0}, {0x13430, 0x1343f, 0},
		// private-use and unassigned characters, replacement characters, emoji
		{0xe000, 0xf8ff, 0}, {0x378, 0x379, 0}, {0xfffc, 0xfffd, 0}, {0x1f600, 0x1f64f, 0},
	} {
		for c := r[0]; c <= r[1]; c++ {
			if got := tracker.Hidden(c); got != (r[2] == 1) {
				t.Errorf("Hidden(U+%04X) = %v", c, got)
			}
		}
	}
}

func TestNewNames(t *testing.T) {
	for _, c := range []struct{ name, says string }{
		{"Zoë", ""}, {"  blanks  ", ""}, {"東京 Ærøskøbing", ""}, {"می\u200cخواهم", ""},
		{"👩\u200d👩\u200d👧 ❤️", ""}, {"क्\u200dष", ""}, {"\ufffd", ""}, {"\ue000", ""}, {"x", ""},
		{"", "must not be empty"}, {" \u3000", "must not be empty"},
		{"a\x00", "U+0000"}, {"a\nb", "U+000A"}, {"a\x7f", "U+007F"}, {"\u200b", "U+200B"},
		{"a\u202eb", "U+202E"}, {"a\u2028b", "U+2028"}, {"\u3164", "U+3164"},
		{"a\U000e0041", "U+E0041"}, {"a\U0010ffff", "U+10FFFF"},
		{"\u200d", "begins with"}, {"\u200da", "begins with"}, {"\ufe0fa", "begins with"},
		{"a\u200c", "ends with"}, {"a\u200d", "ends with"},
		{"\u2800", "a visible character"}, {"\u00a0\u2800", "a visible character"},
		{" \ufe0f", "a visible character"}, {" \u200d ", "a visible character"},
		{strings.Repeat("x", tracker.MaxName+1), "the limit is"}, {"a\xff", "UTF-8"},
	} {
		err := tracker.CheckNewName("the.path", c.name)
		if c.says == "" && err == nil {
			continue
		}
		all := tracker.AllOf(err)
		if c.says == "" || len(all) != 1 || all[0].Code != tracker.BadInput || all[0].Path != "the.path" ||
			!strings.Contains(all[0].Message, c.says) {
			t.Errorf("CheckNewName(%q) = %v; want an error with %q", c.name, err, c.says)
		}
		if strings.ContainsFunc(fmt.Sprint(err), unicode.IsControl) {
			t.Errorf("%q: the message contains a control character: %q", c.name, err)
		}
	}
}

// TestShown checks that the result follows the law of names unless it is empty, and is stored as it is, and
// that a string that follows the law is unchanged, apart from white space at its ends.
func TestShown(t *testing.T) {
	odd := rapid.SampledFrom([]rune{'a', 'é', ' ', '\t', '\n', 0, 0x1b, 0x200b, 0x200c, 0x200d, 0x202e,
		0x2028, 0xfeff, 0xfe0f, 0x2800, 0x3164, 0xe0041, 0x1f600, 0xffff, 0x1f3f4, 0xe0067, 0xe007f})
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.StringOf(odd), rapid.String()).Draw(t, "s")
		shown := tracker.Shown(s)
		if err := tracker.CheckVisible("", "it", shown); err != nil && !tracker.Blank(shown) {
			t.Fatalf("Shown(%q) = %q, which is invalid: %v", s, shown, err)
		}
		if want := tracker.CleanName(s); tracker.CheckVisible("", "it", want) == nil && shown != want {
			t.Fatalf("Shown(%q) = %q; want a valid name as it is stored, %q", s, shown, want)
		}
		if clean := tracker.CleanName(shown); clean != shown {
			t.Fatalf("Shown(%q) = %q, which is stored as %q", s, shown, clean)
		}
		if again := tracker.Shown(shown); again != shown {
			t.Fatalf("Shown(%q) = %q, but a second call returns %q", s, shown, again)
		}
	})
	if got := tracker.Shown("\x1b[1mTab\there\r\nand\u200b there\u200d"); got != "[1mTab here and there" {
		t.Errorf("got %q", got)
	}
}

// TestFlags allows tag characters in the flags of regions only: elsewhere nobody sees them.
func TestFlags(t *testing.T) {
	tags := func(code string) string {
		return strings.Map(func(r rune) rune { return r + 0xe0000 }, code)
	}
	const black, end = "\U0001F3F4", "\U000E007F"
	for _, code := range []string{"gbeng", "gbsct", "gbwls", "ustx", "us48"} {
		flag := black + tags(code) + end
		for _, name := range []string{flag, "Made in " + flag + " and " + flag, flag + flag} {
			if err := tracker.CheckVisible("", "it", name); err != nil || tracker.Shown(name) != name {
				t.Errorf("%q: %v, %q", name, err, tracker.Shown(name))
			}
		}
	}
	if a, b := black+tags("gbeng")+end, black+tags("gbsct")+end; tracker.NameKey(a) == tracker.NameKey(b) {
		t.Error("two flags are one name")
	}
	for name, shown := range map[string]string{
		black + tags("gbeng"):              black, // it does not end
		black + tags("gb") + end:           black,
		black + tags("gbengland") + end:    black,
		"a" + tags("gbeng") + end:          "a",
		black + tags("gb-ng") + end:        black,
		black + tags("GBENG") + end + "\n": black,
		tags("gbeng") + black:              black,
	} {
		if err := tracker.CheckVisible("", "it", name); err == nil || tracker.Shown(name) != shown {
			t.Errorf("%q: %v, %q, want %q", name, err, tracker.Shown(name), shown)
		}
	}
}

// TestUsersAndTags checks that the law of names applies to new values, and not to stored values or search
// operands.
func TestUsersAndTags(t *testing.T) {
	for kind, v := range map[tracker.FieldType]tracker.Value{tracker.TypeUser: tracker.Text("ann\u202e"),
		tracker.TypeTags: tracker.Set([]string{"a", "b\u200b"})} {
		f := tracker.Field{Name: "F", Type: kind}
		if err := f.Check(v); err != nil {
			t.Errorf("Check rejected a stored %s: %v", kind, err)
		}
		if err := f.CheckWrite(v); tracker.CodeOf(err) != tracker.BadInput ||
			!strings.Contains(err.Error(), "U+20") {
			t.Errorf("CheckWrite of a %s: got %v, want BadInput", kind, err)
		}
	}
	for _, kind := range []tracker.FieldType{tracker.TypeText, tracker.TypeLongText} {
		f := tracker.Field{Name: "F", Type: kind}
		if err := f.CheckWrite(tracker.Text("a\x00\u202e\u200b")); err != nil {
			t.Errorf("CheckWrite rejected a %s: %v", kind, err)
		}
	}
}
