//go:build unix

// Package docs has only tests: what README.md and the pages of docs show is run, and what comes out is
// compared with what stands there.
package docs

import (
	"os"
	"strings"
	"testing"

	"issuegrid/test/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// blocks are the blocks of code in a language.
func blocks(text, language string) (all []string) {
	for {
		_, rest, found := strings.Cut(text, "```"+language+"\n")
		if !found {
			return all
		}
		block, rest, _ := strings.Cut(rest, "```")
		all = append(all, block)
		text = rest
	}
}
