package guard_test

import (
	"strings"
	"testing"

	"issuegrid/graph/guard"
)

func TestBrief(t *testing.T) {
	x, y := strings.Repeat("x", 200), strings.Repeat("é", 100)
	for long, want := range map[string]string{
		"short":                          "short",
		`a "` + x + `" b`:                `a "` + x[:176] + `…" b`,
		`a "` + x + `" b "` + y + `"`:    `a "` + x[:176] + `…" b "` + y[:176] + `…"`,
		`a "\"` + x + `" b`:              `a "\"` + x[:174] + `…" b`,
		`an odd quote ("), and no other`: `an odd quote ("), and no other`,
		`"` + x:                          `"` + x[:176] + `…`,
		strings.Repeat("b", 501):         strings.Repeat("b", 500) + "…",
		`"` + x[:175] + `\n` + x + `" `:  `"` + x[:175] + `…" `,
		strings.Repeat("a ", 31) + `"x"`: strings.Repeat("a ", 31) + `"x"`,
	} {
		if got := guard.Shorten(long); got != want {
			t.Errorf("%s\n%s, want\n%s", long, got, want)
		}
	}
}
