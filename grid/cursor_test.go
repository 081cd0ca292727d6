package grid_test

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/grid"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// expectRejected checks that ParseCursor returns BadInput without a path for a string, and that the message
// tells the client what to do.
func expectRejected(t rapid.TB, text string, o grid.Order) {
	t.Helper()
	c, err := grid.ParseCursor(text, o)
	if err == nil {
		t.Fatalf("%q was accepted for the order of %s: %+v", text, o[0].Column, c)
	}
	e, ok := err.(*tracker.Error)
	if !ok || e.Code != tracker.BadInput || e.Path != "" || !strings.Contains(e.Message, "leave it out") {
		t.Fatalf("%q: got %#v, want BadInput without a path and with advice", text, err)
	}
}

func drawCursor(t *rapid.T) (column, grid.Position) {
	c := rapid.SampledFrom(sortable).Draw(t, "column")
	cursor := grid.Position{Column: c.id, HasValue: !c.id.Nullable() || rapid.Bool().Draw(t, "has value"),
		Num:   rapid.Int64().Draw(t, "num"),
		Issue: rapid.StringMatching(`[a-z0-9]{1,32}(|~[1-9]|~1[0-5])`).Draw(t, "issue")}
	if cursor.HasValue && c.values != nil {
		cursor.Value = c.encode(rapid.SampledFrom(c.values).Draw(t, "value"))
	}
	return c, cursor
}

func TestCursorRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, want := drawCursor(t)
		got := reparse(t, want, ascending(t, definition, c.id))[0]
		equal(t, "cursor", want.String(), got.String())
		equal(t, "value", string(want.Value), string(got.Value))
		got.Value, want.Value = nil, nil
		equal(t, "cursor", want, got)
	})
}

func TestLongestCursor(t *testing.T) {
	field := tracker.FieldID(strings.Repeat("f", tracker.MaxID))
	def := tracker.NewDefinition(tracker.Project{ID: project},
		[]*tracker.Field{{ID: field, Type: tracker.TypeText}})
	reparse(t, grid.Position{Column: field.Column(), HasValue: true,
		Value: sortkey.Text(strings.Repeat("x", 2000)), Num: -1 << 63,
		Issue: strings.Repeat("i", tracker.MaxID) + "~15"}, ascending(t, def, field.Column()))
}

func TestDamagedCursorIsRejected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, cursor := drawCursor(t)
		text, o := cursor.String(), ascending(t, definition, c.id)
		i := rapid.IntRange(0, len(text)-1).Draw(t, "position")
		flipped := []byte(text)
		flipped[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		expectRejected(t, string(flipped), o)

		raw, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		raw[rapid.IntRange(0, len(raw)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit of byte")
		expectRejected(t, base64.RawURLEncoding.EncodeToString(raw), o)

		expectRejected(t, text[:i], o)
		expectRejected(t, text[i+1:], o)
		expectRejected(t, text[:i]+"\n"+text[i:], o)
		expectRejected(t, text+"A", o)
		expectRejected(t, text+"=", o)
	})
}

func TestCursorOfAnotherColumnIsRejected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, cursor := drawCursor(t)
		for _, other := range sortable {
			if other.id != c.id {
				expectRejected(t, cursor.String(), ascending(t, definition, other.id))
			}
		}
	})
}

// withChecksum returns a cursor with the given bytes and a valid checksum, as a client that knows the format
// can make it.
func withChecksum(body string) string {
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint32([]byte(body),
		crc32.Checksum([]byte(body), crc32.MakeTable(crc32.Castagnoli))))
}

func TestForgedCursorIsRejected(t *testing.T) {
	one := string(sortkey.Int(1))
	withValue := func(c tracker.Column, v sortkey.Value) string {
		return grid.Position{Column: c, HasValue: true, Value: v, Num: 1, Issue: "i"}.String()
	}
	for name, c := range map[string]struct {
		column tracker.Column
		text   string
	}{
		"empty":                         {"3fe6", ""},
		"only a checksum":               {"3fe6", withChecksum("")},
		"version 0":                     {"3fe6", withChecksum("\x00\x01\x043fe6\x01" + one + "\x02\x01i")},
		"version 2":                     {"3fe6", withChecksum("\x02\x01\x043fe6\x01" + one + "\x02\x01i")},
		"flag 2":                        {"3fe6", withChecksum("\x01\x02\x043fe6\x00\x02\x01i")},
		"trailing bytes":                {"3fe6", withChecksum("\x01\x00\x043fe6\x00\x02\x01i.")},
		"column longer than the cursor": {"3fe6", withChecksum("\x01\x00\x7f3fe6\x00\x02\x01i")},
		"value longer than any": {"3fe6",
			withChecksum("\x01\x01\x043fe6\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" + one + "\x02\x01i")},
		"length of two bytes for four": {"3fe6", withChecksum("\x01\x00\x84\x003fe6\x00\x02\x01i")},
		"number of two bytes for one":  {"3fe6", withChecksum("\x01\x00\x043fe6\x00\x82\x00\x01i")},
		"no issue":                     {"3fe6", withChecksum("\x01\x00\x043fe6\x00\x02\x00")},
		"an issue id with a separator": {"3fe6", withChecksum("\x01\x00\x043fe6\x00\x02\x02i/")},
		"a value, but no value flag":   {"3fe6", withChecksum("\x01\x00\x043fe6\x01" + one + "\x02\x01i")},
		"a value flag, but no value":   {"3fe6", withChecksum("\x01\x01\x043fe6\x00\x02\x01i")},
		"a text for an integer":        {"3fe6", withValue("3fe6", sortkey.Text("a"))},
		"an integer for a text":        {"47e5", withValue("47e5", sortkey.Int(1))},
		"infinity for a number":        {"aa01", withValue("aa01", sortkey.Int(0x7ff<<52))},
		"two values":                   {"3fe6", withValue("3fe6", sortkey.Value(one+one))},
		"a value too long": {"47e5",
			withValue("47e5", sortkey.Value(strings.Repeat("a", 970)+"\x00\x01"))},
		"a value for the number":  {"num", withValue("num", sortkey.Int(1))},
		"no value for the number": {"num", grid.Position{Column: "num", Num: 1, Issue: "i"}.String()},
		"no value for a built-in column": {"name",
			grid.Position{Column: "name", Num: 1, Issue: "i"}.String()},
		"longer than any cursor":          {"3fe6", strings.Repeat("A", 1<<20)},
		"the standard base64 of a cursor": {"3fe6", base64.StdEncoding.EncodeToString([]byte("\x01"))},
	} {
		t.Run(name, func(t *testing.T) { expectRejected(t, c.text, ascending(t, definition, c.column)) })
	}
	// The format itself must not change: clients may have stored cursors.
	got := withValue("3fe6", sortkey.Int(1))
	equal(t, "cursor", withChecksum("\x01\x01\x043fe6\x01"+one+"\x02\x01i"), got)
	equal(t, "cursor", "AQEEM2ZlNgGBAgFp2BjfzQ", got)
}

// FuzzParseCursor parses any string, unchanged and with a valid checksum. It checks that nothing panics, and
// that an accepted cursor encodes to the same string and can be read from.
func FuzzParseCursor(f *testing.F) {
	for _, c := range sortable {
		cursor := grid.Position{Column: c.id, HasValue: true, Num: 42, Issue: "020e"}
		for _, v := range c.values {
			cursor.Value = c.encode(v)
			f.Add(cursor.String(), string(c.id))
		}
		f.Add(cursor.String(), string(c.id))
		cursor.HasValue, cursor.Value = false, nil
		f.Add(cursor.String(), string(c.id))
	}
	f.Add("", "num")
	f.Add("\x01\x01\x043fe6\x01\x81\x02\x01i", "3fe6")
	f.Fuzz(func(t *testing.T, text, by string) {
		order, err := grid.OrderBy(definition, tracker.Column(by), false, false)
		if err != nil {
			return
		}
		bodies := []string{text, withChecksum(text)}
		if raw, err := base64.RawURLEncoding.DecodeString(text); err == nil && len(raw) > 4 {
			bodies = append(bodies, withChecksum(string(raw[:len(raw)-4])))
		}
		for _, s := range bodies {
			c, err := grid.ParseCursor(s, order)
			if err != nil {
				expectRejected(t, s, order)
				continue
			}
			equal(t, "text of the cursor", s, c.String())
			if _, err := grid.Read(t.Context(), grid.Source{Index: newStore(), Fetch: newStore().fetch},
				grid.Request{Project: project, Order: order, Size: 1, After: c}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
