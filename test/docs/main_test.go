//go:build unix

// Package docs has only tests. They run the examples of README.md and the pages of docs, and compare the
// output with what the pages show.
package docs

import (
	"os"
	"strings"
	"testing"

	"issuegrid/test/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// blocks returns the code blocks of a page that are in a language.
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
