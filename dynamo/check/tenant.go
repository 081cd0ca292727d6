package check

import (
	"context"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// tenantPartition is the item of a tenant. It is compared with the guard of the tenant's name.
type tenantPartition struct {
	fewItems
	c     *checker
	t     *tenant
	guard layout.Item // as read by the last check; nil if there is none
}

func (p *tenantPartition) check(ctx context.Context, fresh bool) ([]Finding, error) {
	var out []Finding
	for _, m := range p.items {
		if layout.KeyOf(m) != p.t.Keys.TenantItem() {
			out = append(out, misplaced(p.t.ID, m))
			continue
		}
		t, err := layout.DecodeTenant(m)
		if err != nil || !t.Removed && tracker.CheckName("", t.Name) != nil {
			out = append(out, damaged(m, []string{"name"})...)
			continue
		}
		out = append(out, checkAttributes(m, differences(m, layout.EncodeTenant(*t)))...)
		if !t.Deleted.IsZero() {
			continue // a job is removing it, or has removed it
		}
		at := layout.TenantNameGuard(t.Name)
		found, err := p.c.db.Get(ctx, []layout.Key{at}, fresh)
		if err != nil {
			return nil, err
		}
		if p.guard = found[0]; layout.GetS(p.guard, "owner") != string(t.ID) {
			out = append(out, Finding{Kind: KindGuard, Key: at, Detail: "the tenant " + string(t.ID)})
		}
	}
	return out, nil
}

func (p *tenantPartition) record() {
	for _, m := range p.items {
		if layout.KeyOf(m) == p.t.Keys.TenantItem() {
			p.c.tenants[p.t.ID] = !layout.RemovedTenant(m)
		}
	}
}

// repair corrects the sort string of the tenant, or assigns the guard of its name. If two tenants have the
// same name, the guard of one of them stays.
func (p *tenantPartition) repair(ctx context.Context, kind FindingKind, _ []Finding) error {
	for _, m := range p.items {
		if layout.KeyOf(m) != p.t.Keys.TenantItem() {
			continue
		}
		name := layout.GetS(m, "name")
		switch kind {
		case KindSortString:
			t, err := layout.DecodeTenant(m)
			if err != nil {
				return err
			}
			want := layout.EncodeTenant(*t)[layout.AttrSS]
			return rewrite(ctx, p.c.db, m, layout.Item{layout.AttrSS: want}, nil, "name", "deleted",
				layout.AttrSS)
		case KindGuard:
			var x client.Transaction
			if err := p.c.requireUnused(ctx, &x, p.guard); err != nil {
				return err
			}
			x.Put(p.c.db.Table, layout.Guard(layout.TenantNameGuard(name), string(p.t.ID)),
				client.Unchanged(p.guard, client.ErrStale, "owner"))
			x.Check(p.c.db.Table, layout.KeyOf(m), client.Unchanged(m, client.ErrStale, "name", "deleted"))
			return p.c.db.Write(ctx, &x)
		}
	}
	return client.ErrStale
}

// nameOwner returns the tenant item of the owner of the guard of a tenant's name, nil if there is none with a
// valid name, and reports whether the owner has the name.
func (c *checker) nameOwner(ctx context.Context, guard layout.Item, fresh bool) (owner layout.Item, has bool,
	err error) {
	id := tracker.TenantID(layout.GetS(guard, "owner"))
	if !tracker.ValidID(string(id)) {
		return nil, false, nil
	}
	found, err := c.db.Get(ctx, []layout.Key{layout.Keys{Tenant: id}.TenantItem()}, fresh)
	if err == nil && layout.RemovedTenant(found[0]) {
		return found[0], false, nil
	}
	if err != nil || found[0] == nil || tracker.CheckName("", layout.GetS(found[0], "name")) != nil {
		return nil, false, err
	}
	has = layout.GetS(found[0], "deleted") == "" &&
		layout.TenantNameGuard(layout.GetS(found[0], "name")) == layout.KeyOf(guard)
	return found[0], has, nil
}

// requireUnused adds to a transaction that the owner of a guard does not take the name in the meantime. It
// returns ErrStale if the owner has the name.
func (c *checker) requireUnused(ctx context.Context, x *client.Transaction, guard layout.Item) error {
	owner, has, err := c.nameOwner(ctx, guard, true)
	switch {
	case err != nil:
		return err
	case has:
		return client.ErrStale
	case owner != nil:
		x.Check(c.db.Table, layout.KeyOf(owner),
			client.Unchanged(owner, client.ErrStale, "name", "deleted"))
	}
	return nil
}

// tenantNamePartition is the guard of the name of a tenant.
type tenantNamePartition struct {
	fewItems
	c *checker
}

func (p *tenantNamePartition) check(ctx context.Context, fresh bool) ([]Finding, error) {
	var out []Finding
	for _, m := range p.items {
		if layout.GetS(m, layout.AttrSK) != "*" {
			out = append(out, Finding{Kind: KindKey, Key: layout.KeyOf(m)})
			continue
		}
		if found := damaged(m, guardAttributes.unexpected(m)); len(found) > 0 {
			out = append(out, found...)
			continue
		}
		owner, has, err := p.c.nameOwner(ctx, m, fresh)
		if err != nil {
			return nil, err
		}
		if owner != nil && !has { // a lost tenant needs the guard when it is restored
			out = append(out, Finding{Kind: KindGuardStray, Key: layout.KeyOf(m),
				Detail: "of the tenant " + layout.GetS(m, "owner")})
		}
	}
	return out, nil
}

func (p *tenantNamePartition) record() {}

// repair removes an unused guard.
func (p *tenantNamePartition) repair(ctx context.Context, kind FindingKind, _ []Finding) error {
	for _, m := range p.items {
		if kind != KindGuardStray || layout.GetS(m, layout.AttrSK) != "*" {
			continue
		}
		var x client.Transaction
		if err := p.c.requireUnused(ctx, &x, m); err != nil {
			return err
		}
		x.Delete(p.c.db.Table, layout.KeyOf(m), client.Unchanged(m, client.ErrStale, "owner"))
		return p.c.db.Write(ctx, &x)
	}
	return client.ErrStale
}
