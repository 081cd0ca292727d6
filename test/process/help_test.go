//go:build unix

package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/test/harness"
)

// TestHelp compares what --help says with testdata/help. It needs nothing: no PATH, no home, no engine.
func TestHelp(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"issuegrid":    {"--help"},
		"serve":        {"serve", "--help"},
		"lambda":       {"lambda", "--help"},
		"table-create": {"table", "create", "--help"},
		"check":        {"check", "--help"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.Start(t, args, harness.Env("PATH=", "HOME="))
			p.Wants(0)
			if got := p.Stderr.String() + strings.Join(entries(t, p.Cmd.Dir), " "); got != "" {
				t.Errorf("besides the help: %q", got)
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

// TestUsage checks that a command line that can't be understood gets one sentence and a hint, and does nothing.
func TestUsage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		said string
	}{
		{[]string{"--dat", "x"}, "unknown flag --dat, did you mean \"--data\"?; `issuegrid serve --help` tells more"},
		{[]string{"sevre"}, "unexpected argument sevre; `issuegrid --help` tells more"},
		{[]string{"table"}, "expected \"create\"; `issuegrid table --help` tells more"},
		{[]string{"table", "create"}, "--table: name the table to make; an embedded engine makes its own when it starts; `issuegrid table create --help` tells more"},
		{[]string{"check", "--project", "DEMO"}, "--project: DEMO is no id as GraphQL shows it; a key needs --tenant too; `issuegrid check --help` tells more"},
		{[]string{"check", "--segments", "0"}, "--segments: from 1 to 1000; `issuegrid check --help` tells more"},
		{[]string{"--region", "eu-west-1"}, "--region: a region alone does not say which table to use; give --table too; `issuegrid serve --help` tells more"},
		{[]string{"--endpoint", "localhost:8000"}, "--endpoint: localhost:8000 is no URL such as http://127.0.0.1:8000; `issuegrid serve --help` tells more"},
		{[]string{"table", "create", "--endpoint", "http://"}, "--endpoint: http:// is no URL such as http://127.0.0.1:8000; `issuegrid table create --help` tells more"},
		{[]string{"--cors-origin", "https://a.example", "--cors-origin", "https://b.example/"},
			"--cors-origin: https://b.example/ is no origin such as https://app.example.com, without a path and without patterns, nor * for all; `issuegrid serve --help` tells more"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			t.Parallel()
			p := harness.Start(t, test.args)
			p.Wants(harness.ExitUsage)
			if got, want := p.Stderr.String(), "issuegrid: "+test.said+"\n"; got != want {
				t.Errorf("stderr %q, want %q", got, want)
			}
			if got := p.Stdout.String() + strings.Join(entries(t, p.Cmd.Dir), " "); got != "" {
				t.Errorf("besides the sentence: %q", got)
			}
		})
	}
}

// TestAddressesRefused checks what can't be listened on.
func TestAddressesRefused(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"8080", "127.0.0.1:http-of-mine", "192.0.2.1:8080"} {
		t.Run(addr, func(t *testing.T) {
			t.Parallel()
			p := harness.Start(t, append([]string{"--addr", addr}, harness.NewIssuer(t).Flags()...))
			p.Fails("can't listen on "+addr, "--addr")
			if entries(t, p.Cmd.Dir) != nil {
				t.Error("a data directory was made")
			}
		})
	}
}
