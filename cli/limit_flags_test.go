package cli

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"issuegrid/graph/guard"
	"issuegrid/tracker"
)

// TestLimitFlags: the flags' defaults are those of the limits, and each is checked under its own name.
func TestLimitFlags(t *testing.T) {
	t.Parallel()
	var c struct {
		Limit limitFlags `embed:"" prefix:"limit-"`
	}
	parser, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(guard.DefaultLimits(), c.Limit.limits()); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	for _, f := range parser.Model.Flags {
		if !strings.HasPrefix(f.Name, "limit-") {
			continue
		}
		if _, err := parser.Parse([]string{"--" + f.Name + "=-1"}); err != nil {
			t.Fatal(err)
		}
		if e, ok := c.Limit.check().(*tracker.Error); !ok || e.Path != "--"+f.Name {
			t.Errorf("--%s=-1: %v", f.Name, c.Limit.check())
		}
	}
}
