package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/account"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

// longTTL sets a TTL such that no definition expires during a test.
func longTTL(s *dynamo.Settings) { s.DefinitionTTL = time.Hour }

// gate holds requests of one operation. It sends to came for each request, and lets all pass when open is
// closed.
type gate struct{ came, open chan struct{} }

// hold returns a gate for the requests of an operation. If late is set, it sends the requests and holds the
// responses.
func hold(wire *dynamotest.Wire, operation string, late bool) *gate {
	g := &gate{came: make(chan struct{}, 1000), open: make(chan struct{})}
	wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
		if r.Operation != operation {
			return send(r)
		}
		var response *dynamotest.Response
		if late {
			response = send(r)
		}
		g.came <- struct{}{}
		<-g.open
		if !late {
			response = send(r)
		}
		return response
	})
	return g
}

// another opens the fixture's table again, with an empty cache of definitions, as another server would.
func (f *fixture) another() *dynamo.Tenant { return f.grouping(false) }

func TestDefinition(t *testing.T) {
	f := setup(t)
	d := f.known()
	if d.Project.Tenant != acme || d.Project.Name != "The Project" || len(d.Fields) != len(everyField()) ||
		d.Field("fint").Name != "Integer" || d.Field("nofield") != nil {
		t.Errorf("definition %+v", d)
	}
	for range 2 { // a missing project is not cached
		_, err := f.store.Definition(t.Context(), "p2")
		wantCode(t, err, tracker.NotFound, "project")
	}
	_, err := f.another().CreateProject(t.Context(),
		tracker.Project{ID: "p2", Key: "P2", Name: "Second", States: twoStates})
	f.must(err)
	if d, err := f.store.Definition(t.Context(), "p2"); err != nil || d.Project.Name != "Second" {
		t.Errorf("definition %+v, %v", d, err)
	}
}

// TestDefinitionWhenMemoryIsHeld checks that operations that hold as much memory of their tenant as they can
// begin with get the definition that all of them wait for.
func TestDefinitionWhenMemoryIsHeld(t *testing.T) {
	f := setup(t)
	m := traffic.NewMemory(32 << 20)
	a := account.New(acme, account.Limits{}, m, nil)
	defer a.Close()
	ctx := account.With(t.Context(), a)
	f.must(a.Hold(ctx, m.Share()/4*3))
	if _, err := f.another().Definition(ctx, project); err != nil {
		t.Error(err)
	}
}

// TestDefinitionBytes checks that a definition which is larger than the cache is read every time.
func TestDefinitionBytes(t *testing.T) {
	f := setup(t, longTTL, func(s *dynamo.Settings) { s.DefinitionBytes = 1 })
	f.wire.Reset()
	for range 3 {
		_, err := f.store.Definition(t.Context(), project)
		f.must(err)
	}
	if n := f.wire.Calls()["Query"]; n != 3 {
		t.Errorf("%d Queries, want 3", n)
	}
}

func TestDefinitionsAreReadOnceAndCached(t *testing.T) {
	f := setup(t, longTTL)
	d := f.project(f.store, tracker.Project{ID: "p2", Key: "P2", Name: "Remembered"}, everyField()...)
	store := f.store
	// Any update removes the definition from the cache.
	_, err := store.UpdateProject(t.Context(), "p2", func(*tracker.Project) error { return nil })
	f.must(err)
	f.wire.Reset()
	g := hold(f.wire, "Query", false)
	var group errgroup.Group
	for n := range 50 {
		group.Go(func() error {
			handle := store
			if n%2 == 0 { // metered copies of a table share its cache
				var err error
				if handle, err = f.db.Metered(account.NewMeter()).Tenant(acme); err != nil {
					return err
				}
			}
			got, err := handle.Definition(t.Context(), "p2")
			if err == nil && len(got.Fields) != len(d.Fields) {
				err = fmt.Errorf("%d fields", len(got.Fields))
			}
			return err
		})
	}
	<-g.came
	close(g.open)
	f.must(group.Wait())
	for range 10 {
		if _, err := store.Definition(t.Context(), "p2"); err != nil {
			t.Fatal(err)
		}
	}
	if n := f.wire.Calls()["Query"]; n != 1 {
		t.Errorf("%d queries for 60 callers, want 1", n)
	}
	// The cached definition is not used for another tenant's project with the same id.
	other, err := f.db.Tenant(rival)
	f.must(err)
	_, err = other.Definition(t.Context(), "p2")
	wantCode(t, err, tracker.NotFound, "project")
}

// TestOwnChangesAreSeenAtOnce changes a definition in each way, and checks that the next read returns the
// change, also through another handle of the table.
func TestOwnChangesAreSeenAtOnce(t *testing.T) {
	f := setup(t, longTTL)
	read := func() *tracker.Definition {
		t.Helper()
		handle, err := f.db.Metered(account.NewMeter()).Tenant(acme)
		f.must(err)
		d, err := handle.Definition(t.Context(), project)
		f.must(err)
		return d
	}
	read()
	f.editProject(func(p *tracker.Project) { p.Name = "Renamed" })
	if read().Project.Name != "Renamed" {
		t.Error("the new name is not seen")
	}
	_, err := f.store.CreateField(t.Context(), project,
		tracker.Field{ID: "new", Name: "New", Type: tracker.TypeText})
	if f.must(err); read().Field("new") == nil {
		t.Error("the new field is not seen")
	}
	f.edit("new", func(field *tracker.Field) { field.Name = "Newer" })
	if read().Field("new").Name != "Newer" {
		t.Error("the renamed field is not seen")
	}
	t.Run("during a read", func(t *testing.T) {
		// Any update removes the definition from the cache.
		f.editProject(func(*tracker.Project) {})
		g := hold(f.wire, "Query", true) // holds the response with the old name
		result := make(chan error, 1)
		go func() {
			_, err := f.store.Definition(t.Context(), project)
			result <- err
		}()
		<-g.came
		f.wire.Intercept(nil)
		f.editProject(func(p *tracker.Project) { p.Name = "During the read" })
		// fails rather than waits forever if the call joins the read that is held
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if d, err := f.store.Definition(ctx, project); err != nil || d.Project.Name != "During the read" {
			t.Errorf("a second read does not see the change: %v", err)
		}
		close(g.open)
		f.must(<-result)
		if read().Project.Name != "During the read" {
			t.Error("the definition read before the change is cached after it")
		}
	})
	t.Run("when the write is made but reported as failed", func(t *testing.T) {
		read()
		f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
			response := send(r)
			if r.Operation == "TransactWriteItems" {
				return dynamotest.Refusal("ValidationException", "internal-detail")
			}
			return response
		})
		_, err := f.store.UpdateProject(t.Context(), project, func(p *tracker.Project) error {
			p.Name = "After all"
			return nil
		})
		f.wire.Intercept(nil)
		if wantCode(t, err, tracker.InternalErr); read().Project.Name != "After all" {
			t.Error("the change is not seen")
		}
	})
}

func TestCancelledCallerDoesNotFailTheOthers(t *testing.T) {
	f := setup(t, longTTL)
	// Any update removes the definition from the cache.
	f.editProject(func(*tracker.Project) {})
	f.wire.Reset()
	g := hold(f.wire, "Query", false)
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := f.store.Definition(ctx, project)
		first <- err
	}()
	<-g.came // the first caller's read has begun
	go func() {
		_, err := f.store.Definition(t.Context(), project)
		second <- err
	}()
	cancel()
	wantCode(t, <-first, tracker.Unavailable, "canceled")
	close(g.open)
	f.must(<-second)
	if n := f.wire.Calls()["Query"]; n != 1 {
		t.Errorf("%d queries, want 1", n)
	}
}

// TestDefinitionFailuresAreNotCached checks that a failed read returns its error, and that the next call
// reads again.
func TestDefinitionFailuresAreNotCached(t *testing.T) {
	f := setup(t, longTTL)
	// Any update removes the definition from the cache.
	f.editProject(func(*tracker.Project) {})
	f.wire.Intercept(dynamotest.Refuse("Query", "AccessDeniedException"))
	_, err := f.store.Definition(t.Context(), project)
	wantCode(t, err, tracker.Unavailable, "credentials")
	f.wire.Intercept(nil)
	if _, err := f.store.Definition(t.Context(), project); err != nil {
		t.Error(err)
	}
}

// TestDefinitionsWhileTheyChange reads a definition in parallel while fields are added, for the race
// detector. No reader sees an older version after a newer one.
func TestDefinitionsWhileTheyChange(t *testing.T) {
	f := setup(t, longTTL)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			last := int64(0)
			for {
				select {
				case <-done:
					return
				default:
				}
				d, err := f.store.Definition(t.Context(), project)
				if err != nil || d.Project.Version < last {
					t.Errorf("version %d after %d, %v", d.Project.Version, last, err)
					return
				}
				last = d.Project.Version
			}
		})
	}
	for n := range 20 {
		id := tracker.FieldID(fmt.Sprintf("new%d", n))
		f.field(tracker.Field{ID: id, Name: string(id), Type: tracker.TypeText})
		d, err := f.store.Definition(t.Context(), project)
		if f.must(err); d.Field(id) == nil {
			t.Errorf("the writer does not see its new field %s", id)
		}
	}
	close(done)
	readers.Wait()
}

// TestHighest checks that a definition returns the highest issue number right after the counter is raised.
func TestHighest(t *testing.T) {
	f := setup(t)
	before := f.known()
	f.must(f.store.RaiseCounter(t.Context(), project, before.MaxIssueNum+500))
	after := f.known()
	if after.MaxIssueNum != before.MaxIssueNum+500 {
		t.Errorf("the highest number is %d, want %d", after.MaxIssueNum, before.MaxIssueNum+500)
	}
}

// TestFewWaitForADefinition checks that only a few requests wait for a definition that was just read in vain.
// The others get the known one.
func TestFewWaitForADefinition(t *testing.T) {
	f := setup(t, longTTL, func(s *dynamo.Settings) { s.RenewEvery = time.Hour })
	known := f.known()
	_, err := f.store.Renewed(t.Context(), project, time.Now())
	f.must(err)
	f.wire.Reset()
	ctx, cancel := context.WithCancel(t.Context())
	const all, waiting = 20, 8
	results := make(chan error, all)
	for range all {
		go func() {
			d, err := f.store.Renewed(ctx, project, time.Now())
			if err == nil && d != known {
				err = errors.New("another definition")
			}
			results <- err
		}()
	}
	for range all - waiting {
		f.must(<-results)
	}
	cancel()
	for range waiting {
		wantCode(t, <-results, tracker.Unavailable)
	}
	if calls := f.wire.Calls(); len(calls) > 0 {
		t.Errorf("calls %v", calls)
	}
}
