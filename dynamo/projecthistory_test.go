package dynamo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// history returns the history of the project, newest first, one line for each part: the actor and the change.
func (f *fixture) history(p tracker.ProjectID) (all []string) {
	f.Helper()
	page, more, err := f.store.ProjectHistory(f.Context(), p, dynamo.HistoryQuery{Limit: 999})
	if f.must(err); more {
		f.Error("there are more than all changes")
	}
	for _, c := range page {
		for _, part := range c.Parts {
			line := fmt.Sprintf("%s%s: %s %s %s", ofJob(c.By), c.By.Name, part.Part, part.Change, part.Name)
			for _, p := range part.Properties {
				line += fmt.Sprintf(", %s %q to %q", p.Property, p.Before, p.After)
			}
			all = append(all, line)
		}
	}
	return all
}

// TestProjectHistory makes every kind of change of a definition and reads its entry.
//
//test:engine
func TestProjectHistory(t *testing.T) {
	f := setup(t, soon)
	f.store = f.store.As(ada)
	const p = tracker.ProjectID("p2")
	ctx := t.Context()
	_, err := f.store.CreateProject(ctx, tracker.Project{ID: p, Key: "TWO", Name: "Two", States: twoStates})
	f.must(err)
	project := func(change func(*tracker.Project) error) {
		t.Helper()
		_, err := f.store.UpdateProject(ctx, p, change)
		f.must(err)
	}
	field := func(change func(*tracker.Field) error) {
		t.Helper()
		_, err := f.store.UpdateField(ctx, p, "size", change)
		f.must(err)
	}
	project(func(p *tracker.Project) error { p.Name = "Deux"; return nil })
	project(func(p *tracker.Project) error { return nil }) // changes nothing
	project(func(p *tracker.Project) error { return p.AddState(tracker.State{ID: "new", Name: "New"}) })
	project(func(p *tracker.Project) error { return p.MoveState("new", "open") })
	project(func(p *tracker.Project) error {
		return p.MergeStates([]tracker.OptionID{"new"}, "done")
	})
	_, err = f.store.CreateField(ctx, p, tracker.Field{ID: "size", Name: "Size", Type: tracker.TypeSelect,
		Options: []tracker.Option{{ID: "s", Name: "S"}}})
	f.must(err)
	field(func(f *tracker.Field) error { return f.AddOption(tracker.Option{ID: "m", Name: "M"}) })
	field(func(f *tracker.Field) error { f.Archived = true; return nil })
	_, err = f.store.ChangeFieldType(ctx, p, "size", tracker.Form{Type: tracker.TypeText}, false, nil)
	f.must(err)
	f.must(f.store.RunJobs(ctx, p))
	f.must(f.store.DeleteField(ctx, p, "size", nil))
	f.must(f.store.RunJobs(ctx, p))
	want := []string{
		`ada: FIELD DELETED Size, TYPE "TEXT" to ""`,
		`job:ada: FIELD UPDATED Size, TYPE "SELECT" to "TEXT"`,
		`job:ada: OPTION DELETED S`,
		`job:ada: OPTION DELETED M`,
		`ada: FIELD UPDATED Size, ARCHIVED "false" to "true"`,
		`ada: OPTION CREATED M, NAME "" to "M"`,
		`ada: FIELD CREATED Size, NAME "" to "Size", TYPE "" to "SELECT", REQUIRED "" to "false", ` +
			`ARCHIVED "" to "false", POSITION "" to "1"`,
		`ada: OPTION CREATED S, NAME "" to "S"`,
		`ada: STATE MERGED New, INTO "" to "Done"`,
		`ada: STATE MOVED New, PLACE "3" to "1"`,
		`ada: STATE CREATED New, NAME "" to "New", OPEN "" to "false"`,
		`ada: PROJECT UPDATED Deux, NAME "Two" to "Deux"`,
		`ada: PROJECT CREATED Two, KEY "" to "TWO", NAME "" to "Two"`,
		`ada: STATE CREATED Open, NAME "" to "Open", OPEN "" to "true"`,
		`ada: STATE CREATED Done, NAME "" to "Done", OPEN "" to "false"`}
	if diff := cmp.Diff(want, f.history(p)); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	n, exact, err := f.store.CountProjectHistory(ctx, p)
	if f.must(err); n != 10 || !exact {
		t.Errorf("%d entries, exact %t; want 10", n, exact)
	}
	var forward, back []int64
	for q := (dynamo.HistoryQuery{Limit: 3}); ; {
		page, more, err := f.store.ProjectHistory(ctx, p, q)
		f.must(err)
		for _, c := range page {
			forward = append(forward, c.Version)
		}
		if q.To = forward[len(forward)-1]; !more {
			break
		}
	}
	for q := (dynamo.HistoryQuery{Limit: 4, OldestFirst: true}); ; {
		page, more, err := f.store.ProjectHistory(ctx, p, q)
		f.must(err)
		for _, c := range page {
			back = append(back, c.Version)
		}
		if q.From = back[len(back)-1] + 1; !more {
			break
		}
	}
	if diff := cmp.Diff(forward, reversed(back)); diff != "" || len(forward) != 10 ||
		!slices.IsSortedFunc(forward, func(a, b int64) int { return int(b - a) }) {
		t.Errorf("pages of versions %v, and backwards %v", forward, back)
	}
	f.sound()
}

// TestProjectHistoryIsComplete fails each write of changes in turn. A change that is made has its entry, and
// one that is not has none.
func TestProjectHistoryIsComplete(t *testing.T) {
	f := setup(t)
	for n, more := 0, true; more; n++ {
		before := len(f.history(project))
		undo := f.cut(n)
		name := fmt.Sprint("Name", n)
		_, err := f.store.UpdateProject(t.Context(), project, func(p *tracker.Project) error {
			p.Name = name
			return nil
		})
		more = undo()
		d, readErr := f.another().Definition(t.Context(), project)
		f.must(readErr)
		made := d.Project.Name == name
		if entries := len(f.history(project)) - before; made != (err == nil) || made != (entries == 1) {
			t.Errorf("after %d requests: made %t, %d entries, %v", n, made, entries, err)
		}
	}
}

// TestProjectHistoryExpires checks that an entry is not shown after it has expired, although DynamoDB has not
// removed it.
func TestProjectHistoryExpires(t *testing.T) {
	f, c := timed(t, func(s *dynamo.Settings) { s.KeepHistory = time.Hour })
	rename := func(name string) {
		f.editProject(func(p *tracker.Project) { p.Name = name })
	}
	count := func() int {
		n, _, err := f.store.CountProjectHistory(t.Context(), project)
		f.must(err)
		return n
	}
	before := count() // of entries that were written for longer
	rename("First")
	c.add(time.Hour + time.Second)
	rename("Second")
	all := strings.Join(f.history(project), "\n")
	if !strings.Contains(all, `to "Second"`) || strings.Contains(all, `to "First"`) {
		t.Errorf("history %s, want only the last change", all)
	}
	if n := count(); n != before+1 {
		t.Errorf("%d entries, want %d", n, before+1)
	}
}

// TestLargeProjectHistory creates a field with as many options as possible, with long names, and checks that
// its entry fits, and that the history does not make it more expensive to read the definition.
func TestLargeProjectHistory(t *testing.T) {
	f := setup(t)
	store, meter := f.metered(acme)
	read := func() float64 {
		before := meter.Cost().RCU
		_, err := store.Renewed(t.Context(), project, time.Now().Add(time.Hour))
		f.must(err)
		return meter.Cost().RCU - before
	}
	large := tracker.Field{ID: "large", Name: strings.Repeat("𝔛", tracker.MaxName), Type: tracker.TypeSelect}
	for n := range 350 {
		large.Options = append(large.Options, tracker.Option{ID: tracker.OptionID(fmt.Sprint(n)),
			Name: fmt.Sprintf("%03d%s", n, strings.Repeat("𝔛", tracker.MaxName-3))})
	}
	_, err := f.store.CreateField(t.Context(), project, large)
	f.must(err)
	page, _, err := f.store.ProjectHistory(t.Context(), project, dynamo.HistoryQuery{Limit: 1})
	if f.must(err); len(page[0].Parts)+page[0].Omitted != 351 || page[0].Omitted < 250 {
		t.Errorf("%d parts and %d omitted", len(page[0].Parts), page[0].Omitted)
	}
	f.must(f.store.DeleteField(t.Context(), project, "large", nil))
	if after := read(); after > 10 {
		t.Errorf("the definition costs %g RCU to read", after)
	}
}

// ofJob returns how the lines of a history begin whose changes a job has made.
func ofJob(by tracker.Actor) string {
	if by.OfJob() {
		return "job:"
	}
	return ""
}
