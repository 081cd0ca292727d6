package importer

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// TestFieldNames: names that are equal for a project get suffixes, also at the maximum length, and so many
// that a quadratic search would not end.
func TestFieldNames(t *testing.T) {
	t.Parallel()
	used := newFieldNames()
	var got []string
	take := func(column string) string {
		name := used.free(column)
		if err := tracker.CheckNewName("", name); err != nil || used.taken[folded(name)] {
			t.Fatalf("%q becomes %q, which is taken or not valid: %v", column, name, err)
		}
		used.taken[folded(name)] = true
		return name
	}
	for _, column := range []string{"a", "A", "a_", "Á", "á", "a_2", "state"} {
		got = append(got, take(column))
	}
	if want := "a A_ a__ Á á_ a_2 state_"; strings.Join(got, " ") != want {
		t.Errorf("names %q, want %q", got, want)
	}
	long := strings.Repeat("y", tracker.MaxName)
	for i := range maxColumns {
		take(long + fmt.Sprint(i))
	}
	names := make([]string, maxColumns)
	for i := range names {
		names[i] = fmt.Sprintf("%014b", i)
	}
	for _, name := range names {
		take(strings.NewReplacer("0", "b", "1", "B").Replace(name))
	}
}
