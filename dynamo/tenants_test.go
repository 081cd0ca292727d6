package dynamo_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/dynamo/check"
	"issuegrid/tracker"
)

// nameGuards returns the owners of the guards of tenants' names, by partition key.
func (f *fixture) nameGuards() map[string]string {
	out := map[string]string{}
	for at, m := range f.raw.items("/tenantname-") {
		out[at.PK] = m["owner"].(string)
	}
	return out
}

// TestTenantsOnce creates, renames and deletes a tenant, each twice under one idempotency key, and then
// uses the
// keys for something else.
func TestTenantsOnce(t *testing.T) {
	f := setup(t)
	once := func(key, print string) *dynamo.DB {
		return f.db.Once(tracker.Once{Key: key,
			Fingerprint: print})
	}
	create := func(db *dynamo.DB) error {
		return db.CreateTenant(t.Context(), tracker.Tenant{ID: "pears", Name: "Pears"})
	}
	rename := func(db *dynamo.DB) error {
		renamed, err := db.RenameTenant(t.Context(), "pears", "Apples")
		if err == nil && renamed.Name != "Apples" {
			t.Errorf("renamed to %q", renamed.Name)
		}
		return err
	}
	remove := func(db *dynamo.DB) error {
		return db.DeleteTenant(t.Context(), "pears", func(*tracker.Tenant) error { return nil })
	}
	for n, change := range []func(*dynamo.DB) error{create, rename, remove} {
		key := fmt.Sprint(n)
		for range 2 {
			f.must(change(once(key, "x")))
		}
		wantCode(t, change(once(key, "y")), tracker.BadInput, "another change")
	}
	f.sound()
}

// TestTenantNames creates and renames tenants with names that people do not tell apart.
//
//test:engine
func TestTenantNames(t *testing.T) {
	f := setup(t)
	create := func(id, name string) error {
		return f.db.CreateTenant(t.Context(), tracker.Tenant{ID: tracker.TenantID(id), Name: name})
	}
	rename := func(id, name string) error {
		_, err := f.db.RenameTenant(t.Context(), tracker.TenantID(id), name)
		return err
	}
	taken := func(err error) {
		t.Helper()
		wantCode(t, err, tracker.Conflict, "another tenant has the name")
		if e, _ := err.(*tracker.Error); e == nil || e.Path != "name" {
			t.Errorf("%#v, want an error about the name", err)
		}
	}
	before := len(f.nameGuards())
	f.must(create("apples", "Äpfel"))
	f.must(create("pears", "Pears"))
	for _, name := range []string{"Äpfel", "äpfel", "Apfel", "A p f e l", "ÄPFEL\u00a0"} {
		taken(create("other", name))
		taken(rename("pears", name))
	}
	wantCode(t, create("apples", "Bananas"), tracker.Conflict, "another tenant has or had the claim")
	f.must(rename("apples", "APFEL")) // its own name
	f.must(rename("apples", "Apples"))
	f.must(create("other", "Äpfel"))
	f.must(rename("pears", "Pears"))
	if left := f.raw.items("bananas/"); len(left) > 0 {
		t.Errorf("written for a refused tenant: %v", left)
	}
	if n := len(f.nameGuards()); n != before+3 {
		t.Errorf("%d guards for 3 more tenants than %d: %v", n, before, f.nameGuards())
	}
	f.sound()
}

// TestTenantNamesAtTheSameTime creates and renames tenants to one name concurrently. One of them gets it.
func TestTenantNamesAtTheSameTime(t *testing.T) {
	f := setup(t)
	const n = 8
	for i := range n {
		f.must(f.db.CreateTenant(t.Context(), tracker.Tenant{ID: tracker.TenantID(fmt.Sprint("old", i)),
			Name: fmt.Sprint("Old ", i)}))
	}
	errs := make([]error, 2*n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			errs[i] = f.db.CreateTenant(context.WithoutCancel(t.Context()),
				tracker.Tenant{ID: tracker.TenantID(fmt.Sprint("new", i)), Name: "Wanted"})
		})
		group.Go(func() {
			_, errs[n+i] = f.db.RenameTenant(context.WithoutCancel(t.Context()),
				tracker.TenantID(fmt.Sprint("old", i)), "wanted")
		})
	}
	group.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			wantCode(t, err, tracker.Conflict, "name")
		}
	}
	if won != 1 {
		t.Errorf("%d tenants have the name: %v", won, errs)
	}
	f.sound()
}

// TestUnguardedTenantNames checks a table whose tenants have no guards, as an earlier version of the program
// left it, with two of the same name.
func TestUnguardedTenantNames(t *testing.T) {
	f := setup(t)
	for _, id := range []string{"one", "two", "three"} {
		f.must(f.db.CreateTenant(t.Context(), tracker.Tenant{ID: tracker.TenantID(id), Name: "Tenant " + id}))
	}
	for pk := range f.nameGuards() {
		f.raw.delete(key{pk, "*"})
	}
	one := f.raw.get(key{"one/tenant-one", "tenants"})
	two := f.raw.get(key{"two/tenant-two", "tenants"})
	two["name"] = one["name"]
	f.raw.put(two)

	if _, err := f.db.RenameTenant(t.Context(), "three", "Third"); err != nil {
		t.Errorf("renaming a tenant without a guard: %v", err)
	}
	found := kindsOf(f.check(check.Options{}))["name not guarded"]
	if want := "4 found, 0 repaired"; found != want { // acme, rival, one and two
		t.Errorf("%q, want %q", found, want)
	}
	f.check(check.Options{Repair: true})
	found = kindsOf(f.check(check.Options{}))["name not guarded"]
	if want := "1 found, 0 repaired"; found != want { // one or two
		t.Errorf("after the repair %q, want %q", found, want)
	}
	if _, err := f.db.RenameTenant(t.Context(), "two", "Second"); err != nil {
		t.Errorf("renaming the tenant of the same name: %v", err)
	}
	f.check(check.Options{Repair: true})
	f.sound()

	stray := f.nameGuards()
	f.raw.put(attributes(item{"PK": "/tenantname-" + strings.Repeat("b", 26), "SK": "*", "owner": "two"}))
	if found := kindsOf(f.check(check.Options{Repair: true})); found["guard without owner"] !=
		"1 found, 1 repaired" {
		t.Errorf("%v, want a guard without owner", found)
	}
	if got := f.nameGuards(); fmt.Sprint(got) != fmt.Sprint(stray) {
		t.Errorf("guards %v, want %v", got, stray)
	}
	f.sound()
}
