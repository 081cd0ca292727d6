package grid

import (
	goflag "flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = goflag.Bool("update", false, "update the golden files")

// Golden compares plans with a file in testdata.
func Golden(t *testing.T, file, got string) {
	t.Helper()
	file = filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("plans differ (-want +got); rerun with -update to accept:\n%s", diff)
	}
}

// LowMemoryBatch exports lowMemoryBatch.
const LowMemoryBatch = lowMemoryBatch

// ProbeTime exports probeTime.
const ProbeTime = probeTime

// NewProbesAt returns an empty Probes with a time that a test can change.
func NewProbesAt() (*Probes, *time.Time) {
	p, now := NewProbes(), time.Now()
	p.now = func() time.Time { return now }
	return p, &now
}
