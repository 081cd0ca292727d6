package cli

import (
	"io"
	"os"
	"testing"
)

// TestProgressWithoutTerminal checks the lines in a log.
func TestProgressWithoutTerminal(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		done []int
		want string
	}{
		{"completed", []int{100, 200, 300}, "Loading: 100 of 300\nLoading: 300 of 300\n"},
		{"interrupted", []int{100, 200}, "Loading: 100 of 300\n"},
		{"nothing to do", []int{300}, ""},
		{"ended before the first update", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			b := newBar(&console{err: w}, "Loading")
			for _, n := range test.done {
				b.set(n, 300)
			}
			b.end()
			w.Close()
			if got, err := io.ReadAll(r); err != nil || string(got) != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}
