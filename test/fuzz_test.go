package test

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFuzzTargets checks that make fuzz runs every fuzz target.
func TestFuzzTargets(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var want []string
	target := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\)`)
	for _, name := range goFiles(t) {
		for _, found := range target.FindAllStringSubmatch(read(name), -1) {
			want = append(want, path.Dir(name)+":"+found[1])
		}
	}
	makefile := strings.ReplaceAll(read("Makefile"), "\\\n", "")
	list := regexp.MustCompile(`(?m)^FUZZ := (.*)$`).FindStringSubmatch(makefile)
	if list == nil {
		t.Fatal("the Makefile has no FUZZ")
	}
	got := strings.Fields(list[1])
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fuzz targets (-functions +Makefile):\n%s", diff)
	}
}
