package importjob

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"issuegrid/internal/importer"
	"issuegrid/test/tier"
)

// TestJournal: the journal of an attempt knows each line that earlier attempts of the same start have kept,
// and what they were about to do with it, and leaves those that this attempt has not counted. Two attempts
// can keep the same lines, and all can end anywhere (F10). A case is a line that an attempt has kept.
func TestJournal(t *testing.T) {
	all := newSite(t).server(false).imports()
	overlaps := 0
	for cases, seed := 0, uint64(0); cases < tier.Cases(2_000, 100_000); seed++ {
		r := rand.New(rand.NewPCG(seed, 12))
		x := &run{Imports: all, entry: &Import{ID: fmt.Sprint("journal", seed),
			Expires: time.Now().Add(time.Hour)}}
		kept, definitions := map[string]map[int]importer.Outcome{}, []string(nil)
		for range 1 + r.IntN(4) {
			x.entry.Attempts++
			if r.IntN(8) == 0 { // the file is imported again, and nothing of before counts
				x.entry.First = x.entry.Attempts - 1
				kept, definitions = map[string]map[int]importer.Outcome{}, nil
			}
			j, err := x.openJournal(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			rest := checkJournal(t, seed, j, kept, definitions)
			for range r.IntN(60) { // counts rows of earlier attempts
				project, line := projectOf(r), r.IntN(400)
				if o := kept[project][line]; o != importer.Unchanged {
					j.Counted(project, o)
					c := rest[project]
					c.Count(o, -1)
					rest[project] = c
				}
			}
			for project, c := range j.Rest() {
				if c != rest[project] {
					t.Fatalf("seed %d: %+v of %s are left, want %+v", seed, c, project, rest[project])
				}
			}
			if definitions == nil {
				definitions = append([]string{}, fmt.Sprint("new field ", seed))[:r.IntN(2)]
				if err := j.Keep(t.Context(), importer.Findings{Definitions: definitions}); err != nil {
					t.Fatal(err)
				}
			}
			for range r.IntN(5) {
				found := importer.Findings{Added: map[string][]int{}, Changed: map[string][]int{}}
				first := r.IntN(300)
				for line := first; line < first+r.IntN(100); line++ {
					project := projectOf(r)
					if kept[project] == nil {
						kept[project] = map[int]importer.Outcome{}
					}
					before, twice := kept[project][line]
					switch { // an attempt that was cut off finds the same to do with a line
					case twice && r.IntN(2) == 0:
						continue
					case twice && before == importer.Changed, !twice && r.IntN(3) == 0:
						kept[project][line] = importer.Changed
						found.Changed[project] = append(found.Changed[project], line)
					default:
						kept[project][line] = importer.Added
						found.Added[project] = append(found.Added[project], line)
					}
					if cases++; twice {
						overlaps++
					}
				}
				if err := j.Keep(t.Context(), found); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if overlaps < 20 {
		t.Errorf("%d lines were kept twice", overlaps)
	}
}

func projectOf(r *rand.Rand) string { return []string{"A", "B"}[min(r.IntN(10), 1)] }

// checkJournal compares a journal with what was kept, and returns what this attempt has to count of it.
func checkJournal(t *testing.T, seed uint64, j *journal, kept map[string]map[int]importer.Outcome,
	definitions []string) map[string]importer.Counts {
	t.Helper()
	rest := map[string]importer.Counts{}
	for project, lines := range kept {
		c := importer.Counts{}
		for line := range 450 {
			if got := j.Outcome(project, line); got != lines[line] {
				t.Fatalf("seed %d: line %d of %s is %d, want %d", seed, line, project, got, lines[line])
			}
			if o := lines[line]; o != importer.Unchanged {
				c.Count(o, 1)
			}
		}
		if got := j.Rest()[project]; got != c {
			t.Fatalf("seed %d: %+v of %s are left, want %+v", seed, got, project, c)
		}
		rest[project] = c
	}
	if got := j.Definitions(); (got == nil) != (definitions == nil) ||
		fmt.Sprint(got) != fmt.Sprint(definitions) {
		t.Fatalf("seed %d: the definitions are %q, want %q", seed, got, definitions)
	}
	return rest
}
