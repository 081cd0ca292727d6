package importer_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// attempt is the journal of an attempt before which another one has found that all rows are added.
type attempt struct {
	mu   sync.Mutex
	rest int64
}

func (a *attempt) Keep(context.Context, importer.Findings) error { return nil }

func (a *attempt) Outcome(string, int) importer.Outcome { return importer.Added }

func (a *attempt) Counted(string, importer.Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rest--
}

func (a *attempt) Rest() map[string]importer.Counts {
	a.mu.Lock()
	defer a.mu.Unlock()
	return map[string]importer.Counts{"P": {Added: a.rest}}
}

func (a *attempt) Definitions() []string { return nil }

// TestRejectedLater: a row that an earlier attempt was about to add, and that is rejected now, counts once.
func TestRejectedLater(t *testing.T) {
	f := setup(t)
	f.project(tracker.Field{ID: "k", Name: "Kind", Type: tracker.TypeText, Required: true})
	before := f.file("before.csv", "key,name,number,Kind\nother,Other,8,x\n")
	f.run(importer.Options{File: before, Project: "P"})
	var in strings.Builder
	in.WriteString("key,name,number,Kind\n")
	for n := range 12 {
		kind := strings.Repeat("x", n%3) // each third row has none
		fmt.Fprintf(&in, "k%d,Name %d,%d,%s\n", n, n, n+1, kind)
	}
	a := &attempt{rest: 12}
	s := f.run(importer.Options{File: f.file("in.csv", in.String()), Project: "P", Journal: a})
	if s.Added != 7 || s.Rejected != 5 || a.rest != 0 { // one number is taken
		t.Errorf("%s; %d rows are left", s, a.rest)
	}
}
