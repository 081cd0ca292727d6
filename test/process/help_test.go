//go:build unix

package process

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/test/harness"
)

var flagLine = regexp.MustCompile(`(?m)^ +(-h, )?--.*`)

// TestHelp compares the output of --help with testdata/help, and limits its width and the number of flags, of
// which a line that only mentions one counts too. The commands run without PATH, home directory and engine.
func TestHelp(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"issuegrid":    {"--help"},
		"serve":        {"serve", "--help"},
		"lambda":       {"lambda", "--help"},
		"table-create": {"table", "create", "--help"},
		"import":       {"import", "--help"},
		"export":       {"export", "--help"},
		"check":        {"check", "--help"},
		"settings":     {"settings", "--help"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.Start(t, args, harness.Env("PATH=", "HOME="))
			p.Wants(0)
			if got := p.Stderr.String() + strings.Join(entries(t, p.Cmd.Dir), " "); got != "" {
				t.Errorf("unexpected output: %q", got)
			}
			if n := len(flagLine.FindAllString(p.Stdout.String(), -1)); n > 35 {
				t.Errorf("%d flags", n)
			}
			for line := range strings.Lines(p.Stdout.String()) {
				if len(line) > 81 {
					t.Errorf("a line of more than 80 columns: %s", line)
				}
			}
			golden := filepath.Join("test", "process", "testdata", "help", name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(p.Stdout.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), p.Stdout.String()); diff != "" {
				t.Errorf("help (-want +got), -update writes it:\n%s", diff)
			}
		})
	}
}

// TestSettingsCommand checks that `settings` shows what the environment sets.
func TestSettingsCommand(t *testing.T) {
	t.Parallel()
	p := harness.Start(t, []string{"settings"}, harness.Env("PATH=", "HOME=", "ISSUEGRID_LIMIT_TOKENS=16000"))
	p.Wants(0)
	said := strings.Join(strings.Fields(p.Stdout.String()), " ")
	for text, count := range map[string]int{
		"if not set, 15000. It is set to 16000. ISSUEGRID_LIMIT_DEPTH": 1,
		"It is set to": 1, "(--limit-depth=N)": 1,
	} {
		if got := strings.Count(said, text); got != count {
			t.Errorf("%q appears %d times, want %d:\n%s", text, got, count, &p.Stdout)
		}
	}
}
