package importer

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestQuotedMembers checks that a list of members is read as it was written: in quotes, or without them where
// a member needs none, with any spaces around.
func TestQuotedMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		separator := rapid.SampledFrom([]string{",", ";", "|"}).Draw(t, "separator")
		spaces := rapid.SampledFrom([]string{"", " ", "\t ", "\u00a0"})
		want := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune(`ab",;| é漢`)), 1, 8, -1), 1, 6).Draw(t,
			"members")
		var written []string
		for _, m := range want {
			plain := !strings.ContainsAny(m, `",;|`) && strings.TrimSpace(m) == m
			if !plain || rapid.Bool().Draw(t, "quoted") {
				m = `"` + strings.ReplaceAll(m, `"`, `""`) + `"`
			}
			written = append(written, spaces.Draw(t, "before")+m+spaces.Draw(t, "after"))
		}
		text := strings.Join(written, separator)
		if got := slices.Collect(quotedMembers(text, separator)); !slices.Equal(want, got) {
			t.Fatalf("%q is read as %q, want %q", text, got, want)
		}
	})
}

// TestLongLists checks that only as many members of a cell are kept as a value can have, and that a cell with
// more is a fault that says how many there are.
func TestLongLists(t *testing.T) {
	const many = 100_000
	list, count := jsonList([]byte("[" + strings.Repeat(`1, "", `, many) + "true]"))
	if len(list) != maxMembers || count != many+1 {
		t.Errorf("kept %d of %d", len(list), count)
	}
	for _, c := range []struct {
		cell   cell
		column Column
	}{
		{jsonCell([]byte("[" + strings.Repeat("1,", many-1) + "1]")), Column{}},
		{newCell(strings.Repeat("a||", many), nil), Column{Separator: "|"}},
		{newCell(strings.Repeat(`"a" ,`, many), nil), Column{Separator: ",", Quotes: true}},
	} {
		members, f := c.cell.members(&c.column)
		if members != nil || f == nil || f.detail != "the cell has 100000 members; the limit is 500" {
			t.Errorf("%d members, %+v", len(members), f)
		}
	}
}

// TestJSONLists checks that arrays are read as encoding/json reads them.
func TestJSONLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space := rapid.SampledFrom([]string{"", "", " ", "\t\r\n"})
		scalar := rapid.OneOf(rapid.String().AsAny(),
			rapid.StringOf(rapid.RuneFrom([]rune("\\\"],[ "))).AsAny(),
			rapid.Int().AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.Bool().AsAny())
		other := rapid.OneOf(rapid.Just[any](nil), rapid.SliceOfN(rapid.Int(), 0, 2).AsAny(),
			rapid.Just[any](map[string]any{"a": []int{1}}))
		members := rapid.SliceOfN(scalar, 0, 6).Draw(t, "members")
		isList := rapid.IntRange(0, 3).Draw(t, "other") > 0
		if !isList {
			at := rapid.IntRange(0, len(members)).Draw(t, "at")
			members = slices.Insert(members, at, other.Draw(t, "member"))
		}
		var parts []string
		want := []string{}
		for _, m := range members {
			text, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, space.Draw(t, "space")+string(text)+space.Draw(t, "space"))
			if s, isString := m.(string); !isString {
				want = append(want, string(text))
			} else if s != "" {
				var decoded string // json.Marshal replaces what is not UTF-8
				if err := json.Unmarshal(text, &decoded); err != nil {
					t.Fatal(err)
				}
				want = append(want, decoded)
			}
		}
		array := "[" + space.Draw(t, "space") + strings.Join(parts, ",") + "]"
		list, count := jsonList(json.RawMessage(array))
		if (list != nil) != isList || isList && (count != len(want) || !slices.Equal(list, want)) {
			t.Fatalf("%s: %q, %d members, want %q", array, list, count, want)
		}
	})
}
