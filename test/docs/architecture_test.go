//go:build unix

package docs

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// filesBelow returns the files of the repository, without those in hidden folders and in node_modules.
func filesBelow(t *testing.T) (files []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			files = append(files, name)
		case name != "." && (d.Name() == "node_modules" || d.Name()[0] == '.'):
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestMap checks that docs/architecture.md names every package exactly once and no other, and that the
// package comment of main names every folder of the root and of internal that has packages.
func TestMap(t *testing.T) {
	packages, folders := map[string]bool{}, map[string]bool{}
	for _, name := range filesBelow(t) {
		if path.Ext(name) != ".go" || strings.Contains(name, "testdata/") {
			continue
		}
		name = strings.TrimPrefix(name, "internal/")
		packages[path.Dir(name)] = true
		if top, _, below := strings.Cut(name, "/"); below {
			folders[top] = true
		}
	}
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for line := range strings.Lines(blocks(string(text), "text")[0]) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if named[words[0]] {
			t.Errorf("%s is named twice", words[0])
		}
		named[words[0]] = true
	}
	if diff := cmp.Diff(packages, named); diff != "" {
		t.Errorf("packages in docs/architecture.md (-in the repository +named):\n%s", diff)
	}
	main, err := os.ReadFile("server.go")
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(main), "\npackage main")
	listed := map[string]bool{}
	for line := range strings.Lines(comment) {
		if rest, ok := strings.CutPrefix(line, "//\t"); ok && rest[0] != ' ' {
			listed[strings.Fields(rest)[0]] = true
		}
	}
	if diff := cmp.Diff(folders, listed); diff != "" {
		t.Errorf("folders in the package comment of main (-in the repository +named):\n%s", diff)
	}
}

// TestFilesOfTheMap checks that the files that docs/architecture.md and CONTRIBUTING.md name exist in some
// folder.
func TestFilesOfTheMap(t *testing.T) {
	files := filesBelow(t)
	for _, document := range []string{"docs/architecture.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		named := 0
		for _, word := range strings.FieldsFunc(string(text), func(r rune) bool {
			return strings.ContainsRune(" \n(),;:`|*", r)
		}) {
			word = strings.TrimSuffix(word, ".")
			if !slices.Contains([]string{".go", ".ts", ".tsx", ".md"}, path.Ext(word)) {
				continue
			}
			named++
			if !slices.ContainsFunc(files, func(name string) bool {
				return name == word || strings.HasSuffix(name, "/"+word)
			}) {
				t.Errorf("%s names the missing file %s", document, word)
			}
		}
		if named < 20 {
			t.Errorf("%s: only %d files are named", document, named)
		}
	}
}
