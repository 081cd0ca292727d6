package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// crossCheck compares the projects with items outside their partitions. Those with findings become suspects.
func (c *checker) crossCheck(ctx context.Context) error {
	var subjects []subject
	claims := map[layout.Key]*guardSubject{}
	claim := func(t *tenant, projectKey string) *guardSubject {
		at := t.Keys.ProjectKeyGuard(projectKey)
		if claims[at] == nil {
			claims[at] = &guardSubject{t: t, key: projectKey}
		}
		return claims[at]
	}
	for _, key := range sortedKeysBy(c.projects) {
		p := c.projects[key]
		if p.project != nil && !p.project.Deleted { // otherwise a job is removing it
			s := claim(p.t, p.project.Key)
			s.projects = append(s.projects, p.id)
			if p.counter < p.highest {
				subjects = append(subjects, &counterSubject{t: p.t, id: p.id, highest: p.highest})
			}
			if !c.tenants[p.t.ID] {
				subjects = append(subjects, &tenantSubject{t: p.t, id: p.id})
			}
		}
		for _, num := range sortedKeys(p.duplicates) {
			subjects = append(subjects, &numberSubject{t: p.t, id: p.id, num: num})
		}
	}
	for at, owner := range c.guards {
		place := layout.ParsePartition(at.PK)
		t, err := c.tenant(place.Tenant)
		if err != nil {
			return err
		}
		s := claim(t, place.Key)
		if s.owned = true; !slices.Contains(s.projects, owner) {
			s.projects = append(s.projects, owner)
			s.owned = false
		}
	}
	for _, at := range sortedKeysBy(claims) {
		if s := claims[at]; !s.owned || len(s.projects) != 1 {
			subjects = append(subjects, s)
		}
	}
	for _, s := range subjects {
		if err := c.suspect(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// sortedKeysBy returns the keys of a map in order.
func sortedKeysBy[V any](m map[layout.Key]V) []layout.Key {
	out := make([]layout.Key, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b layout.Key) int {
		return cmp.Or(cmp.Compare(a.PK, b.PK), cmp.Compare(a.SK, b.SK))
	})
	return out
}

// guardSubject is the guard of a project key, with the projects that have the key or own the guard.
type guardSubject struct {
	t        *tenant
	key      string
	projects []tracker.ProjectID
	owned    bool // one of them owns the guard

	// results of the last inspection
	guard  layout.Item
	owner  layout.Item // the project that owns the guard; nil if there is none
	claims []layout.Item
}

func (s *guardSubject) inspect(ctx context.Context) ([]Finding, error) {
	at := s.t.Keys.ProjectKeyGuard(s.key)
	found, err := s.t.Get(ctx, []layout.Key{at}, true)
	if err != nil {
		return nil, err
	}
	s.guard, s.owner, s.claims = found[0], nil, nil
	all := []layout.Key{}
	for _, p := range append(slices.Clone(s.projects), tracker.ProjectID(layout.GetS(s.guard, "owner"))) {
		if key := s.t.Keys.ProjectItem(p); tracker.ValidID(string(p)) && !slices.Contains(all, key) {
			all = append(all, key)
		}
	}
	owner := tracker.ProjectID(layout.GetS(s.guard, "owner"))
	if found, err = s.t.Get(ctx, append(all, s.t.Keys.Counter(owner)), true); err != nil {
		return nil, err
	}
	rest := found[len(all)] // any remaining item of the owner, if the project item is lost
	var ids []string
	for _, m := range found[:len(all)] {
		if m == nil {
			continue
		}
		id, _ := s.t.Keys.ParseProject(layout.GetS(m, layout.AttrPK))
		if string(id) == layout.GetS(s.guard, "owner") {
			s.owner = m
		}
		if claimsKey(m, s.key) {
			s.claims, ids = append(s.claims, m), append(ids, string(id))
		}
	}
	owned := s.owner != nil && claimsKey(s.owner, s.key)
	switch {
	case len(s.claims) > 1:
		return []Finding{{Kind: KindProjectKey, Key: at, Detail: "the projects " + strings.Join(ids, ", ")}},
			nil
	case len(s.claims) == 1 && !owned:
		return []Finding{{Kind: KindGuard, Key: at, Detail: "the project " + ids[0]}}, nil
	case len(s.claims) == 0 && s.guard != nil &&
		(s.owner != nil || rest == nil): // a lost project needs it when it is restored
		return []Finding{{Kind: KindGuardStray, Key: at, Detail: "of the project " +
			layout.GetS(s.guard, "owner")}}, nil
	}
	return nil, nil
}

// claimsKey reports whether the item of a project has a key, which others then cannot have. The key of a
// project that is being deleted is free.
func claimsKey(m layout.Item, key string) bool {
	return layout.GetS(m, "key") == key && m["deleted"] == nil
}

// repair assigns the guard to the project, or removes it.
func (s *guardSubject) repair(ctx context.Context, kind FindingKind, _ []Finding) error {
	db := s.t.DB
	at := s.t.Keys.ProjectKeyGuard(s.key)
	unchanged := client.Unchanged(s.guard, client.ErrStale, "owner")
	var x client.Transaction
	if kind == KindGuard {
		id, _ := s.t.Keys.ParseProject(layout.GetS(s.claims[0], layout.AttrPK))
		x.Put(db.Table, layout.Guard(s.t.Keys.ProjectKeyGuard(s.key), string(id)), unchanged)
		x.Check(db.Table, layout.KeyOf(s.claims[0]),
			client.Unchanged(s.claims[0], client.ErrStale, "version", "key"))
	} else {
		x.Delete(db.Table, at, unchanged)
	}
	if owner := tracker.ProjectID(layout.GetS(s.guard, "owner")); tracker.ValidID(string(owner)) &&
		(len(s.claims) == 0 || layout.KeyOf(s.claims[0]) != s.t.Keys.ProjectItem(owner)) {
		x.Check(db.Table, s.t.Keys.ProjectItem(owner),
			client.Unchanged(s.owner, client.ErrStale, "version", "key"))
	}
	return db.Write(ctx, &x)
}

// counterSubject is the counter of a project.
type counterSubject struct {
	t       *tenant
	id      tracker.ProjectID
	highest int64
	missing bool
}

func (s *counterSubject) inspect(ctx context.Context) ([]Finding, error) {
	found, err := s.t.Get(ctx, []layout.Key{s.t.Keys.Counter(s.id), s.t.Keys.ProjectItem(s.id)}, true)
	if err != nil || found[1] == nil || found[1]["deleted"] != nil {
		return nil, err
	}
	s.missing = found[0] == nil
	if n := layout.GetN(found[0], "n"); s.missing || n < s.highest {
		return []Finding{{Kind: KindCounter, Key: s.t.Keys.Counter(s.id),
			Detail: fmt.Sprintf("%d, and the highest number is %d", n, s.highest)}}, nil
	}
	return nil, nil
}

// repair raises or creates the counter.
func (s *counterSubject) repair(ctx context.Context, _ FindingKind, _ []Finding) error {
	if !s.missing {
		return s.t.stored.RaiseCounter(ctx, s.id, s.highest)
	}
	m := layout.KeyItem(s.t.Keys.Counter(s.id))
	m["n"] = layout.N(s.highest)
	var x client.Transaction
	x.Put(s.t.Table, m, client.MustNotExist(client.ErrStale))
	x.Check(s.t.Table, s.t.Keys.ProjectItem(s.id), client.Condition{
		Expression: "attribute_exists(" + layout.AttrPK + ") AND attribute_not_exists(deleted)",
		Otherwise:  client.ErrStale})
	return s.t.Write(ctx, &x)
}

// numberSubject is a number that two issues of a project have.
type numberSubject struct {
	t   *tenant
	id  tracker.ProjectID
	num int64
}

// inspect finds the issues in the index, because a check does not keep their ids.
func (s *numberSubject) inspect(ctx context.Context) ([]Finding, error) {
	d, _, err := s.t.Definitions.ReadAny(ctx, s.id)
	if tracker.CodeOf(err) == tracker.NotFound {
		return nil, nil // reported with the issues
	}
	if err != nil {
		return nil, err
	}
	keys, err := s.t.Issues.WithNumber(ctx, &d.Project, s.num)
	if err != nil {
		return nil, err
	}
	ids := make([]tracker.IssueID, len(keys))
	for n, k := range keys {
		ids[n] = k.Issue
	}
	found, err := s.t.stored.IssuesConsistent(ctx, ids)
	if err != nil {
		return nil, err
	}
	var same []string
	for _, i := range found {
		if i != nil && i.Num == s.num {
			same = append(same, i.ID.Issue)
		}
	}
	if len(same) < 2 {
		return nil, nil
	}
	return []Finding{{Kind: KindNumber, Key: s.t.Keys.ProjectItem(s.id),
		Column: tracker.Column("#" + fmt.Sprint(s.num)), Detail: "the issues " +
			strings.Join(same, ", ")}}, nil
}

func (s *numberSubject) repair(context.Context, FindingKind, []Finding) error { return client.ErrStale }

// tenantSubject is a project whose tenant was not found.
type tenantSubject struct {
	t  *tenant
	id tracker.ProjectID
}

func (s *tenantSubject) inspect(ctx context.Context) ([]Finding, error) {
	found, err := s.t.Get(ctx, []layout.Key{s.t.Keys.TenantItem(), s.t.Keys.ProjectItem(s.id)}, true)
	if err != nil || found[1] == nil || found[0] != nil && !layout.RemovedTenant(found[0]) {
		return nil, err
	}
	return []Finding{{Kind: KindParent, Key: s.t.Keys.ProjectItem(s.id), Detail: "there is no such tenant"}},
		nil
}

func (s *tenantSubject) repair(context.Context, FindingKind, []Finding) error { return client.ErrStale }
