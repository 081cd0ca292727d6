//go:build unix

package importer_test

import (
	"fmt"
	"os"
	"testing"

	"issuegrid/internal/importer"
)

// TestPipe imports a stream that can be read only once, and checks that no copy remains.
func TestPipe(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f := setup(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		defer w.Close()
		w.WriteString("key,name\n1,a\n2,b\n")
	}()
	f.run(importer.Options{File: fmt.Sprintf("/dev/fd/%d", r.Fd())})
	f.want("P", "1 a", "2 b")
	left, err := os.ReadDir(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		if !e.IsDir() {
			t.Errorf("%s is left", e.Name())
		}
	}
}
