package guard

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestHarmlessBytesChangeNothing checks that the bytes that harmless skips do not change what take finds in a
// string, however the string is cut into pieces.
func TestHarmlessBytesChangeNothing(t *testing.T) {
	part := rapid.SampledFrom([]string{`a`, `é`, `"`, `\`, `\"`, `\\`, `\n`, `u`, `\u`, `\u0041`, `\ud7ff`, `\uD83d`,
		`\ude00`, `\ud83d\ude00`, `\udbff\udfff`, `\ud83d\udbff`, `\ue000`, `d83d`, `0`, `\u00`, `\u00zz`})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(part, 1, 12).Draw(t, "parts"), "")
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		end := func(skip bool) (at int, closed, lone bool) {
			var e escapes
			for _, piece := range []string{text[:cut], text[cut:]} {
				for i := 0; i < len(piece); i++ {
					if skip {
						n := e.harmless([]byte(piece[i:]))
						at += n
						if i += n; i == len(piece) {
							break
						}
					}
					closed, lone = e.take(piece[i])
					if at++; closed || lone {
						return at, closed, lone
					}
				}
			}
			return at, closed, lone
		}
		at, closed, lone := end(false)
		fastAt, fastClosed, fastLone := end(true)
		if at != fastAt || closed != fastClosed || lone != fastLone {
			t.Fatalf("%q ends at %d, %t, %t; with skipped bytes at %d, %t, %t", text, at, closed, lone,
				fastAt, fastClosed, fastLone)
		}
	})
}
