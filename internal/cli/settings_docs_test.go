//go:build unix

package cli

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"issuegrid/graph/guard"
	"issuegrid/internal/setting"
	"issuegrid/test/harness"
)

var rewrite = flag.Bool("update", false, "write the tables of settings in docs/ again")

// The lines around a table of settings in a page. -update writes the table.
const (
	tableBegin = "<!-- %s: go test ./internal/cli -run TestSettingsTables -update -->\n"
	tableEnd   = "<!-- end of %s -->\n"
)

// tables returns the tables by page and name. Each setting is in the table of settings, of limits or of rare
// settings.
func tables(t *testing.T) map[string]map[string]string {
	t.Helper()
	isLimit := func(f *kong.Flag) bool { return strings.HasPrefix(f.Name, "limit-") }
	isAuth := func(f *kong.Flag) bool { return strings.HasPrefix(f.Name, "auth-") }
	return map[string]map[string]string{
		"docs/auth.md": {
			"sign-in": settingsTable(t, isAuth),
		},
		"docs/production.md": {
			"settings": settingsTable(t, func(f *kong.Flag) bool { return !f.Hidden }),
		},
		"docs/limits.md": {
			"limits":        limitsTable(),
			"rare settings": settingsTable(t, func(f *kong.Flag) bool { return f.Hidden && !isLimit(f) }),
		},
	}
}

// settingsTable returns a table with a line for each flag that has selects. A flag that is the same in
// several commands has one line.
func settingsTable(t *testing.T, has func(*kong.Flag) bool) string {
	t.Helper()
	var lines []string
	commands := map[string][]string{} // by line
	eachFlag(parser(t), func(args []string, f *kong.Flag, d setting.Definition) {
		if !has(f) {
			return
		}
		command := "`" + strings.TrimSuffix(strings.Join(args, " "), " FILE") + "`"
		line := fmt.Sprintf("| `%s` | `%s` | %%s | %s | %s | %s |",
			flagOf(f), f.Envs[0], d.DefaultText(), d.Range(), d.Help)
		if commands[line] == nil {
			lines = append(lines, line)
		}
		commands[line] = append(commands[line], command)
	})
	table := "| flag | environment variable | of | default | range | what it is |\n" +
		"|---|---|---|---|---|---|\n"
	for _, line := range lines {
		table += strings.Replace(line, "%s", strings.Join(commands[line], ", "), 1) + "\n"
	}
	return table
}

// limitsTable returns a table with a line for each limit of requests, under its name in errors.
func limitsTable() string {
	table := "| limit | environment variable | default | range | what it is |\n|---|---|---|---|---|\n"
	for _, d := range guard.LimitDefinitions() {
		variable := envPrefix + "_LIMIT_" + strings.ToUpper(strings.ReplaceAll(hyphenated(d.Name), "-", "_"))
		setBy, limits := "`"+variable+"`", d.Range()
		if d.Fixed {
			setBy, limits = "", "fixed"
		}
		table += fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", d.Name, setBy, d.DefaultText(), limits, d.Help)
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

// TestSettingsTables compares the tables of settings in docs/ with the definitions.
func TestSettingsTables(t *testing.T) {
	t.Parallel()
	listed := ""
	for page, tables := range tables(t) {
		raw, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		for name, want := range tables {
			listed += want
			before, rest, begins := strings.Cut(text, fmt.Sprintf(tableBegin, name))
			got, after, ends := strings.Cut(rest, fmt.Sprintf(tableEnd, name))
			if !begins || !ends {
				t.Fatalf("%s lacks the markers of the table %q", page, name)
			}
			if diff := cmp.Diff(want, got); diff != "" && !*rewrite {
				t.Errorf("the table %q of %s differs from the definitions (-definitions +page); -update "+
					"writes it:\n%s", name, page, diff)
			}
			text = before + fmt.Sprintf(tableBegin, name) + want + fmt.Sprintf(tableEnd, name) + after
		}
		if *rewrite {
			if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	eachFlag(parser(t), func(args []string, f *kong.Flag, d setting.Definition) {
		if !strings.Contains(listed, "`"+f.Envs[0]+"`") || !strings.Contains(listed, d.Help) {
			t.Errorf("--%s of %s is missing from the tables", f.Name, args)
		}
	})
}

// TestHelpIsComplete checks that --help of a command shows the variables of all settings except rare ones,
// and that `settings` shows those of all settings of a server, with descriptions.
func TestHelpIsComplete(t *testing.T) {
	t.Parallel()
	outputs := map[string]string{}
	output := func(args ...string) string {
		key := strings.Join(args, " ")
		if outputs[key] == "" {
			p := harness.Start(t, args)
			p.Wants(0)
			outputs[key] = strings.Join(strings.Fields(p.Stdout.String()), " ")
		}
		return outputs[key]
	}
	eachFlag(parser(t), func(args []string, f *kong.Flag, d setting.Definition) {
		variable := "($" + f.Envs[0] + ")"
		if strings.Contains(output(append(args, "--help")...), variable) == f.Hidden {
			t.Errorf("`%s --help` shows %s: got %t, want %t", args, variable, f.Hidden, !f.Hidden)
		}
		entry := f.Envs[0] + " (" + f.Summary() + ") " + d.Summary()
		if args[0] == "serve" && !strings.Contains(output("settings"), entry) {
			t.Errorf("`settings` lacks %s", f.Envs[0])
		}
	})
}
