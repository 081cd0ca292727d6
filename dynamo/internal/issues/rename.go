package issues

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// renameParallel is the number of issues in which a user is renamed in parallel.
const renameParallel = 4

// naming returns a store whose migrations give their names to the users in values, and leave an issue whose
// values have them as it is.
func (s *Store) naming(names map[tracker.UserID]string) *Store {
	return &Store{s.t, s.definitions, names}
}

// namingThose returns naming with the names of the users in an issue. Jobs do not find it while it is not in
// the index.
func (s *Store) namingThose(ctx context.Context, i *tracker.Issue) (*Store, error) {
	people := layout.PeopleOf(s.t.Keys)
	var keys []layout.Key
	for _, v := range i.Values {
		if at := people.User(v.User()); v.User() != "" && !slices.Contains(keys, at) {
			keys = append(keys, at)
		}
	}
	if len(keys) == 0 {
		return s, nil
	}
	found, err := store.DecodeAll(ctx, s.t.DB, keys, store.Consistent, people.DecodeUser)
	names := map[tracker.UserID]string{}
	for _, u := range found {
		if u != nil {
			names[u.ID] = u.Name
		}
	}
	return s.naming(names), err
}

// Rename gives the name of a user to the values of issues that refer to it. The change is that of a job, and
// leaves the time of the last change as it is. The error is tracker.ErrDefinitionChanged if d is not the
// current definition any more. An issue whose content prevents the change is left out: the others must not
// wait for it, and check reports it.
func (s *Store) Rename(ctx context.Context, d *tracker.Definition, u *tracker.User,
	all []tracker.IssueID) error {
	ctx, b, cancel := s.definitions.BasedOn(ctx, d)
	defer cancel()
	to := s.naming(map[tracker.UserID]string{u.ID: u.Name})
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(renameParallel)
	for _, id := range all {
		group.Go(func() error {
			err := to.Migrate(ctx, d, nil, id)
			if err == nil {
				s.landed(ctx, b, id)
			}
			return skipDamaged(err)
		})
	}
	return group.Wait()
}

// RenameTrashed is Rename for issues in the trash.
func (s *Store) RenameTrashed(ctx context.Context, d *tracker.Definition, u *tracker.User,
	all []layout.Item) error {
	ctx, _, cancel := s.definitions.BasedOn(ctx, d)
	defer cancel()
	to := s.naming(map[tracker.UserID]string{u.ID: u.Name})
	for _, m := range all {
		if m == nil {
			continue // it was restored or purged
		}
		if err := skipDamaged(to.MigrateTrashed(ctx, d, m)); err != nil {
			return err
		}
	}
	return nil
}

func skipDamaged(err error) error {
	if OfItem(err) {
		return nil
	}
	return err
}
