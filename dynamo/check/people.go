package check

import (
	"context"
	"slices"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/work"
	"issuegrid/tracker"
)

// person is a user or a team, as far as a check looks at it.
type person struct {
	key     layout.Key
	id      string
	encoded layout.Item
	guards  []layout.Key
	others  []layout.Key // its teams, or its members
}

// parsePerson decodes the item of a user or a team.
func parsePerson(k layout.People, kind layout.PartitionKind, m layout.Item) (person, error) {
	if kind == layout.PartitionTeam {
		t, err := k.DecodeTeam(m)
		if err != nil {
			return person{}, err
		}
		p := person{key: k.Team(t.ID), id: string(t.ID), encoded: k.EncodeTeam(t),
			guards: []layout.Key{k.TeamGuard(t.Name)}}
		for _, id := range t.Members {
			p.others = append(p.others, k.User(id))
		}
		return p, nil
	}
	u, err := k.DecodeUser(m)
	if err != nil {
		return person{}, err
	}
	p := person{key: k.User(u.ID), id: string(u.ID), encoded: k.EncodeUser(u), guards: k.UserGuards(u)}
	for _, id := range u.Teams {
		p.others = append(p.others, k.Team(id))
	}
	return p, nil
}

// personPartition is the partition of a user or a team.
type personPartition struct {
	fewItems
	t     *tenant
	place layout.Partition
}

func (p *personPartition) check(ctx context.Context, fresh bool) ([]Finding, error) {
	var out []Finding
	for _, m := range p.items {
		if again := p.renamed(m); again != nil {
			out = append(out, checkAttributes(m, differences(m, again))...)
			continue
		}
		one, err := parsePerson(layout.PeopleOf(p.t.Keys), p.place.Kind, m)
		if err != nil {
			out = append(out, Finding{Kind: KindItem, Key: layout.KeyOf(m), Detail: err.Error()})
			continue
		}
		if layout.KeyOf(m) != one.key {
			out = append(out, misplaced(p.place.Tenant, m))
			continue
		}
		damage := checkAttributes(m, differences(m, one.encoded))
		out = append(out, damage...)
		if slices.ContainsFunc(damage, func(f Finding) bool { return f.Kind == KindItem }) {
			continue
		}
		found, err := p.checkReferences(ctx, one, fresh)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// checkReferences checks the guards of a user or a team, and that its teams or members refer to it. While a
// job removes the tenant, neither has to be so.
func (p *personPartition) checkReferences(ctx context.Context, one person, fresh bool) ([]Finding, error) {
	all := append(slices.Clone(one.guards), one.others...)
	items, err := p.t.Get(ctx, append(all, p.t.Keys.TenantItem()), fresh)
	if err != nil {
		return nil, err
	}
	if tenant := items[len(all)]; tenant["deleted"] != nil {
		return nil, nil
	}
	items = items[:len(all)]
	var out []Finding
	for n, at := range one.guards {
		if layout.GetS(items[n], "owner") != one.id {
			out = append(out, Finding{Kind: KindGuard, Key: at, Detail: one.key.PK})
		}
	}
	for n, m := range items[len(one.guards):] {
		at := one.others[n]
		if m == nil {
			out = append(out, Finding{Kind: KindItem, Key: one.key, Detail: at.PK + " does not exist"})
			continue
		}
		other, err := parsePerson(layout.PeopleOf(p.t.Keys), layout.ParsePartition(at.PK).Kind, m)
		if err == nil && !slices.Contains(other.others, one.key) {
			out = append(out, Finding{Kind: KindItem, Key: one.key, Detail: at.PK + " does not refer to it"})
		}
	}
	return out, nil
}

// renamed returns the item of the job of a renamed user as it must be, or nil if m is another item.
func (p *personPartition) renamed(m layout.Item) layout.Item {
	people, at := layout.PeopleOf(p.t.Keys), layout.KeyOf(m)
	id, ok := people.ParseUser(at.PK)
	if !ok || at != people.Rename(id) {
		return nil
	}
	return work.DecodeRename(id, m).Encode(people)
}

func (p *personPartition) record() {}

// repair sets the sort string, or assigns the guards to the user or the team. If two users or teams have the
// same guard, that of one of them stays.
func (p *personPartition) repair(ctx context.Context, kind FindingKind, all []Finding) error {
	err := client.ErrStale
	for _, m := range p.items {
		if again := p.renamed(m); again != nil {
			if contains(all, Finding{Kind: KindSortString, Key: layout.KeyOf(m)}) {
				set := layout.Item{layout.AttrSS: again[layout.AttrSS]}
				err = rewrite(ctx, p.t.DB, m, set, nil, "id", "owner", "until", "pass", "at")
			}
			continue
		}
		one, parseErr := parsePerson(layout.PeopleOf(p.t.Keys), p.place.Kind, m)
		if parseErr != nil || layout.KeyOf(m) != one.key {
			continue
		}
		if kind == KindSortString && contains(all, Finding{Kind: kind, Key: one.key}) {
			set := layout.Item{layout.AttrSS: one.encoded[layout.AttrSS]}
			return rewrite(ctx, p.t.DB, m, set, nil, "version", "name")
		}
		for _, at := range one.guards {
			if kind != KindGuard || !contains(all, Finding{Kind: KindGuard, Key: at}) {
				continue
			}
			if err = p.assign(ctx, at, one, m); err != nil {
				return err
			}
		}
	}
	return err
}

// assign assigns a guard, unless its owner has what it guards.
func (p *personPartition) assign(ctx context.Context, at layout.Key, to person, m layout.Item) error {
	guard, owner, err := guardOwner(ctx, p.t, at, p.place.Kind)
	if err != nil {
		return err
	}
	if owner.m != nil && slices.Contains(owner.guards, at) {
		return client.ErrStale
	}
	var x client.Transaction
	x.Put(p.t.Table, layout.Guard(at, to.id), client.Unchanged(guard, client.ErrStale, "owner"))
	x.Check(p.t.Table, to.key, client.Unchanged(m, client.ErrStale, "version"))
	if owner.m != nil {
		x.Check(p.t.Table, owner.key, client.Unchanged(owner.m, client.ErrStale, "version"))
	}
	return p.t.Write(ctx, &x)
}

// ownerOf is the user or team that owns a guard; m is nil if it does not exist or cannot be decoded.
type ownerOf struct {
	person
	m layout.Item
}

// guardOwner reads a guard of a user or a team, and its owner.
func guardOwner(ctx context.Context, t *tenant, at layout.Key, kind layout.PartitionKind) (
	guard layout.Item, _ ownerOf, _ error) {
	found, err := t.Get(ctx, []layout.Key{at}, true)
	if err != nil || found[0] == nil {
		return nil, ownerOf{}, err
	}
	guard = found[0]
	id := layout.GetS(guard, "owner")
	if !tracker.ValidID(id) {
		return guard, ownerOf{}, nil
	}
	people := layout.PeopleOf(t.Keys)
	key := people.User(tracker.UserID(id))
	if kind == layout.PartitionTeam {
		key = people.Team(tracker.TeamID(id))
	}
	if found, err = t.Get(ctx, []layout.Key{key}, true); err != nil || found[0] == nil {
		return guard, ownerOf{}, err
	}
	one, err := parsePerson(people, kind, found[0])
	if err != nil {
		return guard, ownerOf{}, nil
	}
	return guard, ownerOf{one, found[0]}, nil
}

// personGuardPartition is the guard of a user's e-mail address or claim, or of a team's name.
type personGuardPartition struct {
	fewItems
	t     *tenant
	place layout.Partition
}

func (p *personGuardPartition) kind() layout.PartitionKind {
	if p.place.OfTeam {
		return layout.PartitionTeam
	}
	return layout.PartitionUser
}

func (p *personGuardPartition) check(ctx context.Context, _ bool) ([]Finding, error) {
	var out []Finding
	for _, m := range p.items {
		if found := damagedGuard(p.place.Tenant, m); len(found) > 0 {
			out = append(out, found...)
			continue
		}
		// a lost user or team needs the guard when it is restored
		_, owner, err := guardOwner(ctx, p.t, layout.KeyOf(m), p.kind())
		if err != nil {
			return nil, err
		}
		if owner.m != nil && !slices.Contains(owner.guards, layout.KeyOf(m)) {
			out = append(out, Finding{Kind: KindGuardStray, Key: layout.KeyOf(m),
				Detail: "of " + owner.key.PK})
		}
	}
	return out, nil
}

func (p *personGuardPartition) record() {}

// repair removes a guard whose owner does not have what it guards.
func (p *personGuardPartition) repair(ctx context.Context, kind FindingKind, all []Finding) error {
	err := client.ErrStale
	for _, f := range all {
		if kind != KindGuardStray {
			return err
		}
		guard, owner, readErr := guardOwner(ctx, p.t, f.Key, p.kind())
		if readErr != nil {
			return readErr
		}
		if owner.m == nil || slices.Contains(owner.guards, f.Key) {
			continue
		}
		var x client.Transaction
		x.Delete(p.t.Table, f.Key, client.Unchanged(guard, client.ErrStale, "owner"))
		x.Check(p.t.Table, owner.key, client.Unchanged(owner.m, client.ErrStale, "version"))
		if err = p.t.Write(ctx, &x); err != nil {
			return err
		}
	}
	return err
}
