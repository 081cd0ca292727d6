package issues

import (
	"context"
	"errors"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/internal/definitions"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// CreateIssue writes a new issue atomically, regardless of the number of values, and assigns the project's
// next number unless it has one. It sets the times unless they are given. The values must have been checked
// against the definition.
func (s *Store) CreateIssue(ctx context.Context, d *tracker.Definition, i tracker.Issue) (*tracker.Issue,
	error) {
	ctx, b, cancel := s.definitions.BasedOn(ctx, d)
	defer cancel()
	load := s.loadIssue(ctx, d.Project.ID)
	return store.ApplyOnce(ctx, s.t, load, func() (*tracker.Issue, error) { return s.create(ctx, d, i, b) })
}

func (s *Store) create(ctx context.Context, d *tracker.Definition, i tracker.Issue,
	b *definitions.Basis) (*tracker.Issue, error) {
	if i.ID.Issue == "" {
		id, err := s.t.NewID()
		if err != nil {
			return nil, err
		}
		i.ID = d.Project.IssueID(id)
	}
	if err := checkIssueID(d, i.ID); err != nil {
		return nil, err
	}
	var group errgroup.Group
	group.Go(func() error { return b.Renew(ctx) })
	var err error
	if i.Num == 0 {
		i.Num, err = s.definitions.ReserveNums(ctx, d.Project.ID, 1)
	}
	if changed := group.Wait(); changed != nil {
		return nil, changed
	}
	if err != nil {
		return nil, err
	}
	at := s.t.Time()
	s.stamp(&i, at)
	once, err := s.t.NewID()
	if err != nil {
		return nil, err
	}
	c := s.newDocument(d, i, at, once)
	c.kind, c.conflict = tracker.Created, store.Taken("an issue with this id")
	if err := s.commit(ctx, c); err != nil {
		return nil, err
	}
	s.landed(ctx, b, c.after.ID)
	return c.after, nil
}

// checkIssueID rejects an id that belongs to another project or to a shard that it does not have, or from
// which the key of another item could be built (I1).
func checkIssueID(d *tracker.Definition, id tracker.IssueID) error {
	if !id.Valid() || id.Project != d.Project.ID || id.Shard() >= d.Project.ShardCount() {
		return tracker.Bad("id", "the id of a new issue is its project's, 1 to %d characters from a-z "+
			"and 0-9, and a shard of the project; got %q", tracker.MaxID, id)
	}
	return nil
}

// UpdateIssue reads an issue, merges the change into it, and writes the differences atomically, regardless of
// their size. Without an expected version it retries on conflict, so that concurrent changes of different
// fields both succeed.
func (s *Store) UpdateIssue(ctx context.Context, d *tracker.Definition, id tracker.IssueID,
	change tracker.Change) (*tracker.Issue, error) {
	ctx, b, cancel := s.definitions.BasedOn(ctx, d)
	defer cancel()
	load := s.loadIssue(ctx, id.Project)
	return store.ApplyOnce(ctx, s.t, load, func() (*tracker.Issue, error) {
		return s.update(ctx, d, id, change, b)
	})
}

func (s *Store) update(ctx context.Context, d *tracker.Definition, id tracker.IssueID,
	change tracker.Change, b *definitions.Basis) (*tracker.Issue, error) {
	for try := 1; ; try++ {
		old, err := s.current(ctx, id, change.ExpectedVersion, b)
		if err != nil {
			return nil, err
		}
		if d.Current(old) != old { // a job would convert it later
			if err := s.Migrate(ctx, d, nil, id); err != nil {
				return nil, err
			}
			if change.ExpectedVersion != nil {
				migrated := *change.ExpectedVersion + 1
				change.ExpectedVersion = &migrated
			}
			continue
		}
		c, err := s.merge(d, old, change)
		if err != nil {
			return nil, err
		}
		if d.Rebuilding() && len(c.columns) > 0 { // the index may have other entries than those of old
			if c.existing, err = s.entriesNow(ctx, id); err != nil {
				return nil, err
			}
			if c.full, c.lost, err = s.sortedTexts(ctx, d, c.after, c.full); err != nil {
				return nil, err
			}
		}
		if len(c.columns) == 0 {
			return old, s.t.Remember(ctx, id.Issue)
		}
		c.conflict = errIssueChanged
		err = s.commit(ctx, c)
		if err == nil {
			s.landed(ctx, b, id)
			return c.after, nil
		}
		if !errors.Is(err, c.conflict) {
			return nil, err
		}
		if err := s.afterConflict(ctx, try); err != nil {
			return nil, err
		}
	}
}

// afterConflict waits before a change of an issue is retried after a conflict. It returns Conflict after too
// many tries.
func (s *Store) afterConflict(ctx context.Context, try int) error {
	return s.t.Client.AfterConflict(ctx, try,
		&tracker.Error{Code: tracker.Conflict,
			Message: "too many requests are changing the issue; try again"})
}

// loadIssue returns a function that loads an issue of a project for store.ApplyOnce.
func (s *Store) loadIssue(
	ctx context.Context, p tracker.ProjectID,
) func(id string) (*tracker.Issue, error) {
	return func(id string) (*tracker.Issue, error) {
		found, err := s.issues(ctx, []tracker.IssueID{{Project: p, Issue: id}}, true)
		if err != nil {
			return nil, err
		}
		if found[0] == nil {
			return nil, tracker.Missing("issue; the change was applied earlier, and the issue has been " +
				"deleted since")
		}
		return found[0], nil
	}
}

// projectCheck examines the item of a project that is read together with an issue.
type projectCheck interface {
	// Stale reports whether the project must be read.
	Stale() bool
	// Read returns an error if the issue must not be changed. m is nil if there is no project.
	Read(m layout.Item, at time.Time) error
}

// visible is the check of a change that depends on no definition: the project must not be in the trash.
type visible struct{}

func (visible) Stale() bool { return true }

func (visible) Read(m layout.Item, _ time.Time) error {
	if m["trash"] != nil || m["deleted"] != nil {
		return errHidden
	}
	return nil
}

// errHidden is the error of a change of an issue whose project clients do not see.
var errHidden = tracker.Missing("issue")

// current returns the document of an issue. Indexing is set only if the issue has a marker. It returns
// Conflict if the issue does not have the expected version. If b requires the project, it is read in the same
// call.
func (s *Store) current(ctx context.Context, id tracker.IssueID, expected *int64,
	b projectCheck) (*tracker.Issue, error) {
	keys := s.issueKeys([]tracker.IssueID{id})
	if id.Valid() && b.Stale() {
		keys = append(keys, s.t.Keys.ProjectItem(id.Project))
	}
	began := s.t.Now()
	items, err := s.t.Read(ctx, keys, store.Reading{Consistent: true, Documents: true})
	if err != nil {
		return nil, err
	}
	if len(items) > 1 {
		if err := b.Read(items[1], began); err != nil {
			return nil, err
		}
	}
	if items[0] == nil {
		return nil, tracker.Missing("issue")
	}
	doc, err := s.t.Keys.DecodeIssue(items[0])
	if err != nil {
		return nil, err
	}
	if expected != nil && *expected != doc.Version {
		return nil, versionConflict(doc)
	}
	doc.Indexing, err = s.marked(ctx, doc)
	return doc, err
}

// versionConflict returns the error of a change that expects another version than that of current.
func versionConflict(current *tracker.Issue) error {
	return &tracker.Error{Code: tracker.Conflict, Path: "expectedVersion",
		Conflict: &tracker.VersionConflict{Issue: current},
		Message: "the issue has been changed; its version is " + strconv.FormatInt(current.Version, 10) +
			" now"}
}

// PutIssues writes many new issues quickly. It uses no transactions, but writes the entries, long texts and
// tags of a document before it: a crash can leave entries without a document, which readers skip, but no
// document without its entries. Writing the same issues again, with the same ids, completes an interrupted
// call. The ids and numbers must be set, and the values checked. The caller must ensure that no issue with
// such an id exists under another number, and must raise the counter with RaiseCounter.
func (s *Store) PutIssues(ctx context.Context, d *tracker.Definition, issues []tracker.Issue) error {
	ctx, b, cancel := s.definitions.BasedOn(ctx, d)
	defer cancel()
	if b != nil {
		if err := s.definitions.NoteAdded(ctx, d.Project.ID); err != nil {
			return err
		}
	}
	var entries, docs []layout.Item
	var tags []layout.Key
	for _, i := range issues {
		if err := checkIssueID(d, i.ID); err != nil {
			return err
		}
		at := s.t.Time()
		s.stamp(&i, at)
		c := s.newDocument(d, i, at, "") // the same texts get the same keys when repeated
		doc := s.t.Keys.EncodeIssue(c.after)
		if err := checkFits(&i, doc); err != nil {
			return err
		}
		docs = append(docs, doc)
		entries = append(entries, c.parts...)
		for _, e := range s.entriesAfter(c) {
			entries = append(entries, e.Item(c.after.Version))
			tags = e.AppendTag(tags)
		}
	}
	if err := s.list(ctx, d, tags); err != nil {
		return err
	}
	if err := s.t.Put(ctx, entries...); err != nil {
		return err
	}
	return s.t.Put(ctx, docs...)
}
