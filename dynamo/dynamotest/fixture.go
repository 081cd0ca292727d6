package dynamotest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"issuegrid/dynamo"
	"issuegrid/dynamo/check"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// Fixture is a table with the tenant acme, for the tests of packages with entities of a tenant.
type Fixture struct {
	testing.TB
	DB     *dynamo.DB
	Wire   *Wire
	Tenant *dynamo.Tenant
}

// NewFixture opens a table with options, and creates the tenant.
func NewFixture(t testing.TB, options ...func(*dynamo.Settings)) *Fixture {
	t.Helper()
	db, wire := Open(t, options...)
	f := &Fixture{TB: t, DB: db, Wire: wire}
	f.Must(db.CreateTenant(t.Context(), tracker.Tenant{ID: "acme", Name: "ACME"}))
	var err error
	f.Tenant, err = db.Tenant("acme")
	f.Must(err)
	return f
}

// Project creates a project with the state open.
func (f *Fixture) Project(id tracker.ProjectID, key string, shards int) *tracker.Definition {
	f.Helper()
	_, err := f.Tenant.CreateProject(f.Context(), tracker.Project{ID: id, Name: string(id), Key: key,
		Shards: shards, States: []tracker.State{{ID: "open", Name: "Open", Open: true}}})
	f.Must(err)
	d, err := f.Tenant.Definition(f.Context(), id)
	f.Must(err)
	return d
}

// Metered returns the tenant with a meter.
func (f *Fixture) Metered() (*dynamo.Tenant, *account.Meter) {
	f.Helper()
	m := account.NewMeter()
	tenant, err := f.DB.Metered(m).Tenant("acme")
	f.Must(err)
	return tenant, m
}

// Must fails the test at once if there is an error.
func (f *Fixture) Must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// Same compares values, for which an empty slice or map is like none.
func (f *Fixture) Same(what string, want, got any) {
	f.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		f.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Sound checks that a check of the table finds nothing. It may be called when the test ends.
func (f *Fixture) Sound() {
	f.Helper()
	report, err := check.Run(context.WithoutCancel(f.Context()), f.DB, check.Options{}, nil)
	if err != nil {
		f.Error(err)
		return
	}
	for _, kind := range report.Kinds {
		f.Errorf("check finds %s: %+v", kind.Kind, kind.Examples)
	}
}
