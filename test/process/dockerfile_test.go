//go:build unix

package process

import (
	"debug/elf"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/test/harness"
	"issuegrid/test/tier"
)

// instruction is an instruction of a Dockerfile.
type instruction struct{ name, args string }

// dockerfile parses deploy/Dockerfile.
func dockerfile(t *testing.T) (all []instruction) {
	t.Helper()
	text, err := os.ReadFile("deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", "")) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			name, args, _ := strings.Cut(line, " ")
			all = append(all, instruction{name, args})
		}
	}
	return all
}

// one returns the arguments of the last instruction with a name.
func one(t *testing.T, all []instruction, name string) (args string) {
	t.Helper()
	for _, i := range all {
		if i.name == name {
			args = i.args
		}
	}
	if args == "" {
		t.Fatalf("no %s", name)
	}
	return args
}

// buildContext copies the files of the repository that .dockerignore does not exclude.
func buildContext(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(".dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			patterns = append(patterns, line)
		}
	}
	ignored := func(name string) bool {
		for _, p := range patterns {
			against := name
			if rest, ok := strings.CutPrefix(p, "**/"); ok {
				p, against = rest, path.Base(name)
			}
			if ok, err := path.Match(p, against); err != nil {
				t.Fatal(err)
			} else if ok {
				return true
			}
		}
		return false
	}
	dir := t.TempDir()
	err = filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, name)
		switch {
		case name != "." && ignored(filepath.ToSlash(name)):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, content, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestDockerfile tests the Dockerfile without a container engine. It runs the build's commands on the files
// that .dockerignore does not exclude, inspects the binary, and starts the server as the image does. It does
// not test that the base images exist or that the image runs.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	all := dockerfile(t)
	t.Run("build", func(t *testing.T) {
		tier.Verify(t, "it compiles all packages again, with -trimpath")
		t.Parallel()
		dir, out := buildContext(t), filepath.Join(t.TempDir(), "issuegrid")
		runs := 0
		for _, i := range all {
			if i.name != "RUN" {
				continue
			}
			runs++
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c",
				strings.ReplaceAll(i.args, "/out/issuegrid", out))
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOOS=linux", one(t, all, "ARG")+"v1.2.3-image")
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", i.args, err, said)
			}
		}
		binary, err := elf.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		defer binary.Close()
		libraries, err := binary.ImportedLibraries()
		if err != nil || len(libraries) > 0 || runs != 2 {
			t.Errorf("%d commands; the binary needs %v, %v", runs, libraries, err)
		}
		if said, err := exec.CommandContext(t.Context(), out, "--version").Output(); err != nil ||
			string(said) != "v1.2.3-image\n" {
			t.Errorf("the version is %q, %v", said, err)
		}
		for _, p := range binary.Progs {
			if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
				t.Errorf("the binary is not static: it has %s", p.Type)
			}
		}
		if symbols, err := binary.Symbols(); err == nil && len(symbols) > 0 {
			t.Errorf("the binary has %d symbols", len(symbols))
		}
	})
	t.Run("start", func(t *testing.T) {
		t.Parallel()
		var entrypoint, command []string
		for name, into := range map[string]*[]string{"ENTRYPOINT": &entrypoint, "CMD": &command} {
			if err := json.Unmarshal([]byte(one(t, all, name)), into); err != nil {
				t.Fatalf("%s is not a list and needs a shell: %v", name, err)
			}
		}
		if copied := one(t, all, "COPY"); !strings.HasSuffix(copied, " "+entrypoint[0]) {
			t.Errorf("the entrypoint is %s, but the image has %s", entrypoint[0], copied)
		}
		args, variables := append(entrypoint[1:], command...),
			harness.Env(strings.Fields(one(t, all, "ENV"))...)
		if !strings.HasSuffix(one(t, all, "ENV"), ":"+one(t, all, "EXPOSE")) {
			t.Errorf("the server does not listen at the exposed port")
		}
		p := harness.Start(t, args, variables)
		p.Wants(harness.ExitUsage)
		if diff := cmp.Diff("issuegrid: --addr: 0.0.0.0:8080 can be reached from other machines, and no "+
			"sign-in would be required: set --auth-jwks or --auth-secret-file, or listen on 127.0.0.1; "+
			"see `issuegrid serve --help`\n", p.Stderr.String()); diff != "" {
			t.Errorf("without settings (-want +got):\n%s", diff)
		}
		i := harness.NewIssuer(t)
		harness.Start(t, args, variables,
			harness.Env("ISSUEGRID_ADDR=127.0.0.1:0", "ISSUEGRID_ENDPOINT=http://127.0.0.1:1",
				"ISSUEGRID_AUTH_SECRET_FILE="+i.File,
				"ISSUEGRID_AUTH_ISSUER=https://id.test/",
				"ISSUEGRID_AUTH_AUDIENCE=grid")).
			Fails("the table issuegrid at http://127.0.0.1:1", "connection refused")
	})
	t.Run("privileges", func(t *testing.T) {
		if user := one(t, all, "USER"); strings.HasPrefix(user, "0") || strings.HasPrefix(user, "root") ||
			!strings.HasSuffix(one(t, all, "FROM"), ":nonroot") {
			t.Errorf("runs as %s", user)
		}
	})
}
