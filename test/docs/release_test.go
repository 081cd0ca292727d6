//go:build unix

package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRelease checks that make release closes the section of the changelog under the version's name, begins
// another one, and keeps the schema; and that it changes nothing without a version or with one of an earlier
// release.
func TestRelease(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	changelog, released := filepath.Join(dir, "CHANGELOG.md"),
		filepath.Join(dir, "test", "testdata", "schema-released.graphqls")
	const before = "# Changelog\n\n## Unreleased\n\n- `Query.a`: ask for b.\n\n" +
		"## v1.1.0\n\n- `Query.z`: gone.\n"
	if err := os.MkdirAll(filepath.Dir(released), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{filepath.Join(dir, "Makefile"): string(makefile),
		changelog: before, released: "old", filepath.Join(dir, "schema.graphqls"): "new"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	wants := func(version string, ok bool, text, schema string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "make", "release", "VERSION="+version)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); (err == nil) != ok {
			t.Errorf("VERSION=%s: %v, %s", version, err, out)
		}
		for name, want := range map[string]string{changelog: text, released: schema} {
			got, err := os.ReadFile(name)
			if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
				t.Errorf("VERSION=%s: %s: %v\n%s", version, name, err, diff)
			}
		}
	}
	wants("", false, before, "old")
	wants("1.2", false, before, "old")
	wants("v1.1.0", false, before, "old")
	wants("v1.2.0", true, "# Changelog\n\n## Unreleased\n\n## v1.2.0\n\n- `Query.a`: ask for b.\n\n"+
		"## v1.1.0\n\n- `Query.z`: gone.\n", "new")
}
