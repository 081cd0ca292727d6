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

// TestHelp compares the output of --help with testdata/help. The commands run without PATH, home directory
// and engine.
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

// TestHelpIsShort limits the number of flags of a command. A line that only mentions a flag counts too.
func TestHelpIsShort(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"serve", "lambda", "import", "export", "check"} {
		p := harness.Start(t, []string{command, "--help"})
		p.Wants(0)
		lines := regexp.MustCompile(`(?m)^ +(-h, )?--.*`).FindAllString(p.Stdout.String(), -1)
		if len(lines) < 8 || len(lines) > 35 {
			t.Errorf("`%s --help` has %d flags:\n%s", command, len(lines), strings.Join(lines, "\n"))
		}
		for line := range strings.Lines(p.Stdout.String()) {
			if len(line) > 81 {
				t.Errorf("`%s --help`: line of more than 80 columns: %s", command, line)
			}
		}
	}
}

// TestSettingsCommand checks that `settings` shows what the environment sets, and refuses what the server
// refuses.
func TestSettingsCommand(t *testing.T) {
	t.Parallel()
	p := harness.Start(t, []string{"settings"}, harness.Env("PATH=", "HOME=", "ISSUEGRID_LIMIT_TOKENS=16000"))
	p.Wants(0)
	said := strings.Join(strings.Fields(p.Stdout.String()), " ")
	for text, count := range map[string]int{
		"if not set, 15000. It is set to 16000. ISSUEGRID_LIMIT_NAME": 1,
		"It is set to": 1, "(--limit-depth=N)": 1,
	} {
		if got := strings.Count(said, text); got != count {
			t.Errorf("%q appears %d times, want %d:\n%s", text, got, count, &p.Stdout)
		}
	}
	for variable, says := range map[string]string{
		"ISSUEGRID_LIMIT_TOKENS=0":      "ISSUEGRID_LIMIT_TOKENS: 0 is out of range: 1 to 2147483647",
		"ISSUEGRID_LIMIT_TOKENS=many":   "expected a valid 64 bit int",
		"ISSUEGRID_LOG_FORMAT=xml":      `ISSUEGRID_LOG_FORMAT: "xml" is none of auto, text, json`,
		"ISSUEGRID_OPERATION_CPU=100ms": "ISSUEGRID_OPERATION_CPU: 100ms is out of range: 500ms to 1m",
	} {
		harness.Start(t, []string{"settings"}, harness.Env(variable)).Fails(says)
		p := harness.Start(t, []string{"serve"}, harness.Env(variable))
		p.Wants(harness.ExitUsage)
		p.Sentence(says)
	}
}

// TestUsage checks that an invalid command line prints one error and a hint, and does nothing else.
func TestUsage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		said string
	}{
		{[]string{"--dat", "x"}, "unknown flag --dat, did you mean \"--data\"?; see `issuegrid serve " +
			"--help`"},
		{[]string{"sevre"}, "unexpected argument sevre; see `issuegrid --help`"},
		{[]string{"table"}, "expected \"create\"; see `issuegrid table --help`"},
		{[]string{"table", "create"}, "--table: name the table to create; the embedded engine creates " +
			"its own when it starts; see `issuegrid table create --help`"},
		{[]string{"check", "--project", "DEMO"},
			"--project: DEMO is not an id from GraphQL; a project's key also needs --tenant; see " +
				"`issuegrid check --help`"},
		{[]string{"check", "--segments", "0"},
			"--segments: 0 is out of range: 1 to 1000; see `issuegrid check --help`"},
		{[]string{"--region", "eu-west-1"},
			"--region: a region alone does not name a table; set --table too; see `issuegrid serve " +
				"--help`"},
		{[]string{"--endpoint", "localhost:8000"},
			"--endpoint: localhost:8000 is not a URL such as http://127.0.0.1:8000; see `issuegrid " +
				"serve --help`"},
		{[]string{"table", "create", "--endpoint", "http://"},
			"--endpoint: http:// is not a URL such as http://127.0.0.1:8000; see `issuegrid table " +
				"create --help`"},
		{[]string{"--cors-origin", "https://a.example", "--cors-origin", "https://b.example/"},
			"--cors-origin: https://b.example/ is not an origin such as https://app.example.com, " +
				"without a path or patterns, or * for all; see `issuegrid serve --help`"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			t.Parallel()
			p := harness.Start(t, test.args)
			p.Wants(harness.ExitUsage)
			if got, want := p.Stderr.String(), "issuegrid: "+test.said+"\n"; got != want {
				t.Errorf("stderr %q, want %q", got, want)
			}
			if got := p.Stdout.String() + strings.Join(entries(t, p.Cmd.Dir), " "); got != "" {
				t.Errorf("unexpected output: %q", got)
			}
		})
	}
}

// TestAddressesRefused checks that invalid and unavailable addresses are refused.
func TestAddressesRefused(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"8080", "127.0.0.1:http-of-mine", "192.0.2.1:8080"} {
		t.Run(addr, func(t *testing.T) {
			t.Parallel()
			p := harness.Start(t, append([]string{"--addr", addr}, harness.NewIssuer(t).Flags()...))
			p.Fails("cannot listen on "+addr, "--addr")
			if entries(t, p.Cmd.Dir) != nil {
				t.Error("the server made a data directory")
			}
		})
	}
}
