package importer

import (
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
		if got := quotedMembers(text, separator); !slices.Equal(want, got) {
			t.Fatalf("%q is read as %q, want %q", text, got, want)
		}
	})
}
