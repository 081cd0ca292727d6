//go:build unix

package cli

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"issuegrid/test/harness"
)

var rewrite = flag.Bool("update", false, "write the settings of docs/production.md again")

// Between these lines docs/production.md has the table of settings, which -update writes.
const (
	settingsBegin = "<!-- settings: go test ./cli -run TestSettingsTable -update -->\n"
	settingsEnd   = "<!-- end of settings -->\n"
)

// settingsTable has a line for each flag: a flag of several commands that is the same in all of them has one line.
func settingsTable(t *testing.T) string {
	t.Helper()
	parser, err := newParser(&commandLine{}, "")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	commands := map[string][]string{} // by line
	for _, leaf := range parser.Model.Leaves(true) {
		command := strings.TrimPrefix(leaf.FullPath(), "issuegrid ")
		for _, flag := range leaf.Flags {
			if flag.Name == "help" {
				continue
			}
			if len(flag.Envs) != 1 {
				t.Errorf("--%s of %s has the environment variables %q", flag.Name, command, flag.Envs)
			}
			line := fmt.Sprintf("| `%s` | `%s` | %%s | %s | %s |", flagOf(flag), strings.Join(flag.Envs, " "), defaultOf(flag), strings.ReplaceAll(flag.Help, "|", `\|`))
			if commands[line] == nil {
				lines = append(lines, line)
			}
			commands[line] = append(commands[line], "`"+command+"`")
		}
	}
	table := "| flag | environment variable | of | default | what it is |\n|---|---|---|---|---|\n"
	for _, line := range lines {
		before, after, _ := strings.Cut(line, "%s")
		table += before + strings.Join(commands[line], ", ") + after + "\n"
	}
	return table
}

func flagOf(f *kong.Flag) string {
	name := "--" + f.Name
	if f.Tag.Negatable != "" {
		name = "--[no-]" + f.Name
	}
	if !f.IsBool() {
		name += "=" + f.PlaceHolder
	}
	return name
}

func defaultOf(f *kong.Flag) string {
	if !f.HasDefault || f.Default == "" {
		return ""
	}
	return "`" + f.Default + "`"
}

// TestSettingsTable compares the settings that docs/production.md lists with the flags that there are.
func TestSettingsTable(t *testing.T) {
	t.Parallel()
	const name = "docs/production.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), settingsBegin)
	got, after, ends := strings.Cut(rest, settingsEnd)
	if !begins || !ends {
		t.Fatalf("%s has no place for the settings", name)
	}
	want := settingsTable(t)
	for _, flag := range []string{"--addr=HOST:PORT", "--[no-]sample", "--table=NAME", "--auth-leeway=TIME"} {
		if !strings.Contains(want, "| `"+flag+"` |") {
			t.Errorf("the table lacks %s", flag)
		}
	}
	if *rewrite {
		if err := os.WriteFile(name, []byte(before+settingsBegin+want+settingsEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-flags +page), -update writes them:\n%s", diff)
	}
}

// TestSettingsTableIsHelp checks the variables of the table: each is the one that its flag's help names.
func TestSettingsTableIsHelp(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"serve", "lambda", "import", "check"} {
		p := harness.Start(t, []string{command, "--help"})
		p.Wants(0)
		said := strings.Join(strings.Fields(p.Stdout.String()), " ")
		for line := range strings.Lines(settingsTable(t)) {
			cells := strings.Split(line, "|")
			if len(cells) < 7 || !slices.Contains(strings.Split(strings.TrimSpace(cells[3]), ", "), "`"+command+"`") {
				continue
			}
			if variable := strings.Trim(cells[2], " `"); !strings.Contains(said, "($"+variable+")") {
				t.Errorf("`%s --help` does not name %s", command, variable)
			}
		}
	}
}
