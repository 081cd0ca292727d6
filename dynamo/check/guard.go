package check

import (
	"context"
	"errors"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// checkGuards checks the guards of the field names of a project. It reads them by their keys.
func (p *projectPartition) checkGuards(ctx context.Context, fresh bool) ([]Finding, error) {
	all := make([]layout.Key, len(p.fields))
	for n, f := range p.fields {
		all[n] = p.t.Keys.FieldNameGuard(p.id, f.Name)
	}
	var err error
	if p.guards, err = p.t.Get(ctx, all, fresh); err != nil {
		return nil, err
	}
	var out []Finding
	for n, f := range p.fields {
		if layout.GetS(p.guards[n], "owner") != string(f.ID) {
			out = append(out, Finding{Kind: KindGuard, Key: all[n], Detail: "the field " + string(f.ID)})
		}
	}
	return out, nil
}

// repairGuards assigns the guards of the field names to their fields. If two fields have the same name, the
// guard of one of them stays.
func (p *projectPartition) repairGuards(ctx context.Context, all []Finding) error {
	err := client.ErrStale
	for _, finding := range all {
		for n, f := range p.fields {
			at := p.t.Keys.FieldNameGuard(p.id, f.Name)
			if at != finding.Key || layout.GetS(p.guards[n], "owner") == string(f.ID) ||
				p.owns(layout.GetS(p.guards[n], "owner"), f.Name) {
				continue
			}
			var x client.Transaction
			x.Put(p.t.Table, layout.Guard(p.t.Keys.FieldNameGuard(p.id, f.Name), string(f.ID)),
				client.Unchanged(p.guards[n], client.ErrStale, "owner"))
			x.Check(p.t.Table, p.t.Keys.ProjectItem(p.id),
				client.Unchanged(p.item, client.ErrStale, "version"))
			if err = p.t.Write(ctx, &x); err != nil {
				return err
			}
		}
	}
	return err
}

// owns reports whether a field has a name.
func (p *projectPartition) owns(field, name string) bool {
	for _, f := range p.fields {
		if string(f.ID) == field && tracker.NameKey(f.Name) == tracker.NameKey(name) {
			return true
		}
	}
	return false
}

// damagedGuard returns the finding for an item in the partition of a guard that is none, and nothing for one.
func damagedGuard(t tracker.TenantID, m layout.Item) []Finding {
	if layout.GetS(m, layout.AttrSK) != "*" {
		return []Finding{misplaced(t, m)}
	}
	return damaged(m, guardAttributes.unexpected(m))
}

// nameGuardPartition is the guard of a field's name.
type nameGuardPartition struct {
	fewItems
	c     *checker
	t     *tenant
	place layout.Partition
}

func (p *nameGuardPartition) check(ctx context.Context, fresh bool) ([]Finding, error) {
	var out []Finding
	for _, m := range p.items {
		if found := damagedGuard(p.place.Tenant, m); len(found) > 0 {
			out = append(out, found...)
			continue
		}
		d, err := p.c.definition(ctx, p.t, p.place.Project, fresh)
		if err != nil {
			return nil, err
		}
		if d == nil || d.Project.Deleted {
			// A lost project needs the guard when it is restored. A job removes that of a deleted project.
			continue
		}
		// a lost field, too, needs the guard when it is restored
		f := d.Field(tracker.FieldID(layout.GetS(m, "owner")))
		if f != nil && p.t.Keys.FieldNameGuard(p.place.Project, f.Name) != layout.KeyOf(m) {
			out = append(out, Finding{Kind: KindGuardStray, Key: layout.KeyOf(m),
				Detail: "of the field " + layout.GetS(m, "owner")})
		}
	}
	return out, nil
}

func (p *nameGuardPartition) record() {}

// repair removes an unused guard, unless its project has changed since it was read.
func (p *nameGuardPartition) repair(ctx context.Context, kind FindingKind, all []Finding) error {
	if kind != KindGuardStray {
		return client.ErrStale
	}
	project, err := p.t.Get(ctx, []layout.Key{p.t.Keys.ProjectItem(p.place.Project)}, true)
	if err != nil {
		return err
	}
	still, err := p.check(ctx, true)
	if err != nil {
		return err
	}
	for _, m := range p.items {
		if f := (Finding{Kind: KindGuardStray, Key: layout.KeyOf(m)}); !contains(all, f) ||
			!contains(still, f) {
			continue
		}
		var x client.Transaction
		x.Delete(p.t.Table, layout.KeyOf(m), client.Unchanged(m, client.ErrStale, "owner"))
		x.Check(p.t.Table, p.t.Keys.ProjectItem(p.place.Project),
			client.Unchanged(project[0], client.ErrStale, "version"))
		if err := p.t.Write(ctx, &x); err != nil && !errors.Is(err, client.ErrStale) {
			return err
		}
	}
	return nil
}
