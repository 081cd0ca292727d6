package telemetry

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestLoadersHaveLabels: each loader is counted by its name. Unknown names are counted together.
func TestLoadersHaveLabels(t *testing.T) {
	source, err := os.ReadFile("../../loaders/loaders.go")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{other}
	for _, m := range regexp.MustCompile(`observed\(s\.Observe, "(\w+)"`).FindAllSubmatch(source, -1) {
		want = append(want, string(m[1]))
	}
	got := slices.Sorted(slices.Values(loaders))
	if slices.Sort(want); len(want) < 10 || !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
