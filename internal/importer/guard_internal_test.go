package importer

import (
	"encoding/json"
	"os"
	"testing"
)

// TestGuard: the apostrophes are those of the web client, whose tests read the same cases, and are removed
// again.
func TestGuard(t *testing.T) {
	data, err := os.ReadFile("testdata/guard.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][2]string
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 400 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		text, guarded := c[0], c[1]
		if got := withGuard(text); got != guarded {
			t.Errorf("withGuard(%q) = %q, want %q", text, got, guarded)
		}
		if got := withoutGuard(guarded); got != text {
			t.Errorf("withoutGuard(%q) = %q, want %q", guarded, got, text)
		}
		if got := withoutGuard(withGuard(guarded)); got != guarded {
			t.Errorf("%q guarded twice becomes %q", text, got)
		}
	}
}
