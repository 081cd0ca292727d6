package importer

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// Keeper is a Journal that keeps in memory what the attempts of an import into one project have found.
type Keeper struct {
	mu          sync.Mutex
	project     string // its key
	random      *rand.Rand
	failing     bool
	found       map[int]Outcome // by line, by all attempts
	earlier     map[int]Outcome // before this attempt
	rest        Counts
	definitions []string // of the first attempt that has come so far
}

// NewKeeper returns the journal of an import before its first attempt.
func NewKeeper(project string, r *rand.Rand) *Keeper {
	return &Keeper{project: project, random: r, found: map[int]Outcome{}}
}

// Begin begins the next attempt. If failing is set, Keep fails sometimes.
func (k *Keeper) Begin(failing bool) {
	k.failing, k.earlier, k.rest = failing, map[int]Outcome{}, Counts{}
	for line, o := range k.found {
		k.earlier[line] = o
		k.rest.Count(o, 1)
	}
}

func (k *Keeper) Keep(_ context.Context, found Findings) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	failed := &tracker.Error{Code: tracker.Unavailable, Message: "the journal fails"}
	if k.failing && k.random.IntN(8) == 0 {
		return failed
	}
	if k.definitions == nil {
		k.definitions = found.Definitions
	}
	for o, all := range map[Outcome]map[string][]int{Added: found.Added, Changed: found.Changed} {
		for _, line := range all[k.project] {
			k.found[line] = o
		}
	}
	if k.failing && k.random.IntN(8) == 0 { // the response is lost
		return failed
	}
	return nil
}

func (k *Keeper) Outcome(_ string, line int) Outcome { return k.earlier[line] }

func (k *Keeper) Counted(_ string, found Outcome) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rest.Count(found, -1)
}

func (k *Keeper) Rest() map[string]Counts {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.rest == (Counts{}) {
		return nil
	}
	return map[string]Counts{k.project: k.rest}
}

func (k *Keeper) Definitions() []string { return k.definitions }

// fate is what becomes of a row whenever an attempt comes to it.
type fate uint8

const (
	isNew fate = iota
	differs
	isSame
	isFaulty // in a way that is found before the row is compared
	isTaken  // is new, and rejected when it is written
	fates
)

// attempt does what a writer does with rows, in batches of any order, and ends at a random step. It returns
// what the attempt has counted, and whether it came to the end.
func attempt(t *testing.T, r *rand.Rand, k *Keeper, rows []fate, written map[int]bool, last int) (*Summary,
	bool) {
	t.Helper()
	opts := Options{Journal: k}
	w := &writer{opts: opts, rejects: &rejects{dry: true, counts: map[reasonIn]int64{}},
		survey: &survey{order: []string{"P"}, rows: int64(len(rows)),
			projects: map[string]*projectSurvey{"P": {}}},
		counts: map[string]*Counts{"P": {}}}
	ends := func() bool { last--; return last < 0 }
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	reject := func(p pending) {
		must(w.rejectRow(p.row, &fault{reason: BadValue}))
	}
	for _, batch := range batchesOf(r, len(rows)) {
		var missing, changed []pending
		for _, line := range batch {
			w.rows.Add(1)
			p := pending{row: &row{project: "P", rec: &record{line: line}}}
			switch {
			case rows[line] == isFaulty:
				reject(p)
			case rows[line] == isSame || written[line]:
				w.count(p, Unchanged)
			case rows[line] == differs:
				changed = append(changed, p)
			default:
				missing = append(missing, p)
			}
		}
		if ends() || w.keep(t.Context(), missing, changed) != nil || ends() {
			return w.summary(false), false
		}
		for _, p := range slices.Concat(changed, missing) {
			if rows[p.row.rec.line] == isTaken {
				reject(p)
				continue
			}
			written[p.row.rec.line] = true
			if ends() { // the response is lost
				return w.summary(false), false
			}
			o := Added
			if rows[p.row.rec.line] == differs {
				o = Changed
			}
			w.count(p, o)
		}
	}
	return w.summary(true), true
}

// batchesOf divides lines into batches.
func batchesOf(r *rand.Rand, lines int) (out [][]int) {
	for line := 0; line < lines; {
		var batch []int
		for range min(1+r.IntN(20), lines-line) {
			batch = append(batch, line)
			line++
		}
		out = append(out, batch)
	}
	r.Shuffle(len(out), func(a, b int) { out[a], out[b] = out[b], out[a] })
	return out
}

// TestCountsOfAttempts: an import whose attempts end anywhere, also between a write and its count or with its
// journal, counts each row once, as one that is not interrupted does. Until then it counts at most these, and
// never fewer than before (F10). A case is a row of an import that was interrupted.
func TestCountsOfAttempts(t *testing.T) {
	interruptions := 0
	for cases, seed := 0, uint64(0); cases < tier.Cases(2_000, 100_000); seed++ {
		r := rand.New(rand.NewPCG(seed, 11))
		rows, want := make([]fate, 1+r.IntN(200)), Summary{}
		for line := range rows {
			switch rows[line] = fate(r.IntN(int(fates))); rows[line] {
			case isNew:
				want.Added++
			case differs:
				want.Changed++
			case isSame:
				want.Unchanged++
			default:
				want.Rejected++
			}
		}
		possible := want.Added // rows that are rejected when they are written count as added until then
		for _, f := range rows {
			if f == isTaken {
				possible++
			}
		}
		k, written := NewKeeper("P", r), map[int]bool{}
		for attempts := 1; ; attempts++ {
			k.Begin(attempts < 20)
			s, ended := attempt(t, r, k, rows, written, r.IntN(1+attempts*len(rows)/4))
			if s.Added > possible || s.Changed > want.Changed || s.Unchanged > want.Unchanged ||
				s.Added+s.Changed+s.Unchanged+s.Rejected > int64(len(rows)) {
				t.Fatalf("seed %d: attempt %d: %s, want at most %s", seed, attempts, s, &want)
			}
			done := Counts{}
			for line := range written {
				if rows[line] == differs {
					done.Changed++
				} else {
					done.Added++
				}
			}
			// A row may have been written without a response.
			if k.Begin(false); !ended && (k.rest.Added < done.Added || k.rest.Changed < done.Changed) {
				t.Fatalf("seed %d: after attempt %d the journal has %+v, and written are %+v", seed, attempts,
					k.rest, done)
			}
			if !ended {
				interruptions++
				continue
			}
			if s.Added != want.Added || s.Changed != want.Changed || s.Unchanged != want.Unchanged ||
				s.Rejected != want.Rejected || s.Rows != int64(len(rows)) {
				t.Fatalf("seed %d: after %d attempts %s, want %s", seed, attempts, s, &want)
			}
			if attempts > 1 {
				cases += len(rows)
			}
			break
		}
	}
	if interruptions < 50 {
		t.Errorf("%d interruptions", interruptions)
	}
}
