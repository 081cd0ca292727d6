package definitions

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/dynamo/internal/work"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// Definition returns a project with all its fields, from the cache or with one read. It returns NotFound if
// there is no such project.
func (s *Store) Definition(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, error) {
	if !tracker.ValidID(string(p)) {
		return nil, tracker.Missing("project")
	}
	known := s.cache
	c, ok := known.cache.Get(s.t.Keys.Project(p))
	age := time.Duration(0)
	if ok {
		age = s.t.Now().Sub(c.checked)
	}
	if !ok || age >= known.ttl {
		var err error
		if c, err = s.loaded(ctx, p); err != nil {
			return nil, err
		}
	} else if age >= known.ttl/2 {
		s.load(ctx, p)
	}
	return c.definition, holdDefinition(ctx, c.definition)
}

// Renewed returns a definition that was the current one at since or later. It is for requests that may have
// failed because their definition, which was read before, is outdated. A request waits if the definition was
// read for such requests in vain less than RenewEvery ago. If maxWaiting requests wait for the same
// definition, others get the known one at once, so that a client that refers to what does not exist, again
// and again, does not keep other clients waiting.
func (s *Store) Renewed(ctx context.Context, p tracker.ProjectID, since time.Time) (*tracker.Definition,
	error) {
	if !tracker.ValidID(string(p)) {
		return nil, tracker.Missing("project")
	}
	known := s.cache
	partition := s.t.Keys.Project(p)
	before, ok := known.cache.Get(partition)
	if ok {
		if wait := before.unchanged.Add(known.renewEvery).Sub(s.t.Now()); wait > 0 &&
			before.checked.Before(since) {
			if !known.enter(partition) {
				return before.definition, holdDefinition(ctx, before.definition)
			}
			err := client.Wait(ctx, wait)
			if known.leave(partition); err != nil {
				return nil, err
			}
			before, ok = known.cache.Get(partition)
		}
	}
	c, err := s.currentSince(ctx, p, since)
	if err != nil {
		return nil, err
	}
	if ok && c != before && c.definition.Project.Version == before.definition.Project.Version {
		known.foundUnchanged(s.t.ID, partition, c)
	}
	return c.definition, holdDefinition(ctx, c.definition)
}

// Current returns the current definition, read consistently. It is for work that depends on the definition
// for long, such as an import.
func (s *Store) Current(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, error) {
	if !tracker.ValidID(string(p)) {
		return nil, tracker.Missing("project")
	}
	c, err := s.currentSince(ctx, p, s.t.Now())
	if err != nil {
		return nil, err
	}
	return c.definition, holdDefinition(ctx, c.definition)
}

// currentSince returns a definition that was the current one at since or later.
func (s *Store) currentSince(ctx context.Context, p tracker.ProjectID, since time.Time) (cached, error) {
	if c, ok := s.cache.cache.Get(s.t.Keys.Project(p)); ok && !c.checked.Before(since) {
		return c, nil
	}
	c, err := s.loaded(ctx, p)
	if err == nil && c.checked.Before(since) { // of a read that had begun before
		c, err = s.loaded(ctx, p)
	}
	return c, err
}

// known returns the latest time at which a definition is known to have been the current one.
func (s *Store) known(d *tracker.Definition) time.Time {
	if c, ok := s.cache.cache.Get(s.t.Keys.Project(d.Project.ID)); ok && c.definition == d {
		return c.checked
	}
	return d.Read
}

// forget drops the cached definition of a project that this server has changed.
func (s *Store) forget(p tracker.ProjectID) { s.cache.forget(s.t.Keys.Project(p)) }

// definitionTimeout limits the time of a read that several requests may share.
const definitionTimeout = 10 * time.Second

// loaded waits for load.
func (s *Store) loaded(ctx context.Context, p tracker.ProjectID) (cached, error) {
	select {
	case <-ctx.Done():
		return cached{}, client.Translate(ctx.Err())
	case r := <-s.load(ctx, p):
		if r.Err != nil {
			return cached{}, r.Err
		}
		return r.Val.(cached), nil
	}
}

// load reads a definition, or checks the cached one, and caches the result, a cached. The read is shared, so
// that it must continue if one caller disconnects.
func (s *Store) load(ctx context.Context, p tracker.ProjectID) <-chan singleflight.Result {
	known := s.cache
	partition := s.t.Keys.Project(p)
	return known.loading.DoChan(partition, func() (any, error) {
		a := account.From(ctx).Awaited() // may outlast the operation that started it
		defer func(first *account.Account) {
			first.Spend(a.CPU())
			a.Close()
		}(account.From(ctx))
		ctx, cancel := context.WithTimeout(account.With(context.WithoutCancel(ctx), a), definitionTimeout)
		defer cancel()
		before := known.changed()
		c := cached{checked: s.t.Now()}
		if was, ok := known.cache.Get(partition); ok {
			c.unchanged = was.unchanged
			if d := was.definition; !known.old(d, c.checked) && !d.HasOpenJobs() {
				version, err := s.version(ctx, p)
				if err != nil {
					return nil, err
				}
				if version == d.Project.Version {
					c.definition = d
				}
			}
		}
		if c.definition == nil {
			var err error
			c.definition, err = s.Read(ctx, p)
			if tracker.CodeOf(err) == tracker.NotFound {
				known.cache.Remove(partition)
			}
			if err != nil {
				return nil, err
			}
		}
		known.remember(s.t.ID, partition, c, before)
		return c, nil
	})
}

// version returns the version of a project, 0 if there is none. It reads 1 RCU.
func (s *Store) version(ctx context.Context, p tracker.ProjectID) (int64, error) {
	found, err := s.t.Read(ctx, []layout.Key{s.t.Keys.ProjectItem(p)},
		store.Reading{Consistent: true, Attributes: versionAttributes})
	if err != nil || found[0] == nil {
		return 0, err
	}
	return layout.GetN(found[0], "version"), nil
}

// versionAttributes are the key attributes and the version of an item.
var versionAttributes = []string{layout.AttrPK, layout.AttrSK, "version"}

// holdDefinition adds a definition to the memory held by the operation: it stays in memory while the
// operation uses it, cached or not.
func holdDefinition(ctx context.Context, d *tracker.Definition) error {
	return account.From(ctx).HoldOnce(ctx, d, d.Bytes())
}

// Read reads the partition of a project without its history: the project, its fields, its counter, its jobs.
// It returns NotFound if there is no such project, or if clients do not see it.
func (s *Store) Read(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, error) {
	d, w, err := s.ReadAny(ctx, p)
	if err != nil {
		return nil, err
	}
	if w != nil && w.Idle(s.t.Now()) {
		s.cache.RunJobs(s.t, p) // its server has stopped
	}
	if d.Project.Hidden() {
		return nil, tracker.Missing("project")
	}
	return d, nil
}

// ReadAny is Read, but also returns a project that clients do not see, and the work of its jobs, which is nil
// if it never had a job.
func (s *Store) ReadAny(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, *work.State, error) {
	if !tracker.ValidID(string(p)) {
		return nil, nil, tracker.Missing("project")
	}
	var (
		project *tracker.Project
		fields  []*tracker.Field
		highest int64
		added   work.Added
		w       *work.State
	)
	read := s.t.Now()
	projectKey, counterKey, jobsKey := s.t.Keys.ProjectItem(p), s.t.Keys.Counter(p), s.t.Keys.Jobs(p)
	fieldPrefix := s.t.Keys.Field(p, "").SK
	end := layout.HistoryOf(s.t.Keys, p).Start()
	err := s.t.Before(ctx, s.t.Keys.Project(p), end, func(m layout.Item) (err error) {
		switch sk := layout.GetS(m, layout.AttrSK); {
		case sk == projectKey.SK:
			project, err = s.t.Keys.DecodeProject(m)
		case sk == counterKey.SK:
			highest = layout.GetN(m, "n")
			added = work.Added{Reserved: time.Unix(layout.GetN(m, "reserved"), 0),
				Otherwise: time.Unix(layout.GetN(m, "added"), 0)}
		case sk == jobsKey.SK:
			w = work.Decode(p, m)
		case strings.HasPrefix(sk, fieldPrefix):
			fields = append(fields, layout.DecodeField(m))
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if project == nil {
		return nil, nil, tracker.Missing("project")
	}
	slices.SortFunc(fields, func(a, b *tracker.Field) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.ID, b.ID))
	})
	d := tracker.NewDefinition(*project, fields)
	d.MaxIssueNum, d.Read = highest, read
	if w != nil {
		d.Jobs, w.Added = w.Shown(), added
	}
	return d, w, nil
}
