package importer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"issuegrid/internal/importer"
	"issuegrid/test/tier"
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

// TestCountsOfImports: the same as TestCountsOfAttempts for fewer imports, which write to the table, and
// whose attempts end at a random request.
func TestCountsOfImports(t *testing.T) {
	f := setup(t)
	interruptions := 0
	for cases, seed := 0, uint64(0); cases < tier.Cases(200, 5_000); seed++ {
		r := rand.New(rand.NewPCG(seed, 10))
		var first, second strings.Builder
		for _, b := range []*strings.Builder{&first, &second} {
			b.WriteString("key,name,Kind,Points\n")
		}
		for n := range 40 + r.IntN(200) {
			row := func() string {
				points := fmt.Sprint(r.IntN(3))
				if r.IntN(30) == 0 {
					points = "none"
				}
				return fmt.Sprintf("k%d,Issue,%s,%s\n", n, []string{"Bug", "Task"}[r.IntN(2)], points)
			}
			if r.IntN(2) == 0 {
				first.WriteString(row())
			}
			second.WriteString(row())
		}
		m := f.mapping(`{"columns": [{"column": "key", "to": "rowKey"}, {"column": "name", "to": "name"},
			{"column": "Kind", "type": "SELECT"}, {"column": "Points", "type": "INTEGER"}]}`)
		opts := importer.Options{Project: fmt.Sprint("C", seed), Mapping: m, Workers: 1 + r.IntN(3)}
		for n, text := range []string{first.String(), second.String()} {
			opts.File = f.file("in.csv", text)
			want := f.dry(opts)
			k := importer.NewKeeper(opts.Project, r)
			opts.Journal = k
			k.Begin(true)
			before, attempts := importer.Counts{}, 0
			f.interrupted(opts, 12, cancels, func(s *importer.Summary, err error) {
				if s == nil && err != nil {
					s = importer.Interrupted(k)
				}
				if s == nil {
					s = &importer.Summary{}
				}
				now := importer.Counts{Added: s.Added, Changed: s.Changed}
				if now.Added < before.Added || now.Added > want.Added || now.Changed < before.Changed ||
					now.Changed > want.Changed {
					t.Fatalf("seed %d, file %d: %s after %+v, want at most %s\n%v", seed, n, s, before,
						want, err)
				}
				if err == nil && (now.Added != want.Added || now.Changed != want.Changed ||
					s.Unchanged != want.Unchanged || s.Rejected != want.Rejected || s.Rows != want.Rows ||
					!slices.Equal(s.Definitions, want.Definitions)) {
					t.Fatalf("seed %d, file %d: after %d attempts %s, want %s", seed, n, attempts, s, want)
				}
				before = now
				attempts++
				k.Begin(attempts < 20)
			})
			if attempts > 1 {
				cases, interruptions = cases+int(want.Rows), interruptions+attempts-1
			}
			opts.Journal = nil
		}
	}
	t.Logf("%d interruptions", interruptions)
}
