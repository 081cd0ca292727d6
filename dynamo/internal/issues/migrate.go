package issues

import (
	"context"
	"errors"
	"maps"

	"github.com/aws/smithy-go"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/definitions"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// landed is called after a change was made. If that took so long that jobs may not have seen it, and the
// definition has changed since, it updates the issue. So a slow engine leaves no value of a field that was
// deleted or converted meanwhile. It does not change the result of the change, and ignores errors: it reports
// nothing that the client could repair.
func (s *Store) landed(ctx context.Context, b *definitions.Basis, id tracker.IssueID) {
	if b == nil || s.t.Now().Sub(b.Known()) < s.t.WriteTime {
		return
	}
	ctx, cancel := store.Completing(ctx)
	defer cancel()
	d, err := s.definitions.Read(ctx, id.Project)
	if err == nil && d.Project.Version != b.Definition.Project.Version {
		_ = s.Migrate(ctx, d, b.Definition, id)
	}
}

// Migrate updates the document and the index entries of an issue to the definition d. If was is not nil,
// values may have been written with it after the jobs of its changes had ended. Values that Migrate removes
// remain in the history. The change is that of a job, also in the request of a user.
func (s *Store) Migrate(ctx context.Context, d, was *tracker.Definition, id tracker.IssueID) error {
	// the idempotency key belongs to the change that follows, which would be skipped if the key were used
	// here
	s = s.withoutOnce()
	s.t.By = tracker.Actor{Kind: tracker.ActorJob}
	for try := 1; ; try++ {
		err := s.migrateOnce(ctx, d, was, id)
		if !errors.Is(err, client.ErrStale) {
			return err
		}
		if err := s.afterConflict(ctx, try); err != nil {
			return err
		}
	}
}

func (s *Store) migrateOnce(ctx context.Context, d, was *tracker.Definition, id tracker.IssueID) error {
	found, err := s.issues(ctx, []tracker.IssueID{id}, true)
	if err != nil || found[0] == nil {
		return err
	}
	ctx, cancel := whileNamed(ctx, d, found[0])
	defer cancel()
	return s.migrateVersion(ctx, d, was, found[0])
}

// whileNamed returns a context for the migration of an issue. If names in it become those of users, it
// ends before the job of a user that was renamed meanwhile relies on it that no value gets the former name
// any more.
func whileNamed(ctx context.Context, d *tracker.Definition, doc *tracker.Issue) (context.Context,
	context.CancelFunc) {
	for id, v := range doc.Values {
		if _, ok := d.Field(id).Linked(v); ok {
			return context.WithTimeout(ctx, definitions.ChangeTime)
		}
	}
	return ctx, func() {}
}

func (s *Store) migrateVersion(ctx context.Context, d, was *tracker.Definition,
	doc *tracker.Issue) error {
	marked, err := s.marked(ctx, doc)
	if err != nil {
		return err
	}
	now, err := s.converted(ctx, d, was, doc)
	if err != nil {
		return err
	}
	if now == doc && s.names != nil {
		return nil
	}
	if now == doc {
		by := byDocument
		if marked {
			by = byMarker
		}
		return s.index(ctx, d, doc, nil, by)
	}
	c, err := s.conversion(d, was, doc, now)
	if err != nil {
		return err
	}
	c.unsure = marked
	if c.full, c.lost, err = s.sortedTexts(ctx, d, c.after, c.full); err != nil {
		return err
	}
	if c.existing, err = s.entriesNow(ctx, doc.ID); err != nil {
		return err
	}
	if err := s.commit(ctx, c); err != nil {
		return err
	}
	if marked, err := s.marked(ctx, c.after); err != nil || !marked {
		return err
	}
	// commit leaves a failed indexing to the next change, but no change follows a job
	return s.index(ctx, d, c.after, c.full, byMarker)
}

// converted returns the document converted to the definition d, including long texts. It returns doc itself
// if nothing changes. was is as in Migrate.
func (s *Store) converted(ctx context.Context, d, was *tracker.Definition,
	doc *tracker.Issue) (*tracker.Issue, error) {
	now := d.Current(doc)
	copyOnce := func() {
		if now == doc {
			copied := *doc
			now = &copied
			now.Values, now.Gens = maps.Clone(doc.Values), maps.Clone(doc.Gens)
		}
	}
	if _, ok := d.Project.StateRank(now.State); !ok && was != nil {
		if _, had := was.Project.StateRank(now.State); had { // it was merged, and the job has ended
			copyOnce()
			now.State = d.Project.FirstState()
		}
	}
	for id, v := range doc.Values {
		f := d.Field(id)
		old := former(was, id)
		if f == nil && !d.Deleting(id) && old == nil {
			continue // another server has created it since the definition was read
		}
		if f == nil {
			copyOnce()
			delete(now.Values, id)
			delete(now.Gens, id)
			continue
		}
		if old != nil && outlived(old, f, v, doc.Gens[id]) {
			copyOnce()
			delete(now.Values, id)
			delete(now.Gens, id)
			continue
		}
		if v.Kind != tracker.KindLong || f.From == nil || doc.Gens[id] == f.Gen ||
			now.Values[id].Kind == tracker.KindLong {
			continue
		}
		text, err := s.LongText(ctx, doc.ID, id, v)
		if err != nil {
			return nil, err
		}
		if short, err := tracker.Convert(f.From, f, v, text); err == nil && short.Kind != tracker.KindNone {
			copyOnce()
			if now.Gens == nil {
				now.Gens = map[tracker.FieldID]int64{}
			}
			now.Values[id], now.Gens[id] = short, f.Gen
		}
	}
	linked := false
	for id, v := range now.Values {
		if user, ok := d.Field(id).Linked(v); ok {
			copyOnce()
			now.Values[id], linked = user, true
		}
	}
	if linked { // the names of the users may have changed since
		var err error
		if s, err = s.namingThose(ctx, now); err != nil {
			return nil, err
		}
	}
	for id, v := range now.Values {
		if name, ok := s.names[v.User()]; ok && v.Text() != name {
			copyOnce()
			now.Values[id] = tracker.UserValue(name, v.User())
		}
	}
	return now, nil
}

// former returns the field as it was in an older definition, or nil if was is nil or has no such field.
func former(was *tracker.Definition, id tracker.FieldID) *tracker.Field {
	if was == nil {
		return nil
	}
	return was.Field(id)
}

// outlived reports whether a value that was written with the older form of a field does not fit the field any
// more, and no job will convert it.
func outlived(old, f *tracker.Field, v tracker.Value, gen int64) bool {
	if f.From != nil || len(f.Merged) > 0 {
		return false // Definition.Current converts it
	}
	return gen == old.Gen && gen != f.Gen || gen == f.Gen && f.Type.HasOptions() && f.Check(v) != nil
}

// OfItem reports whether an error is caused by the content of an item, so that a retry would return it again,
// and not by the database.
func OfItem(err error) bool {
	e, ok := errors.AsType[*tracker.Error](err)
	_, isAPIError := errors.AsType[smithy.APIError](err)
	return ok && !isAPIError && (e.Code == tracker.InternalErr || e.Code == tracker.BadInput)
}

// MigrateTrashed converts the values of a deleted issue, which is not possible after the jobs have ended. It
// adds the change to the history. A concurrent restore finds another version and starts over.
func (s *Store) MigrateTrashed(ctx context.Context, d *tracker.Definition, trashed layout.Item) error {
	doc, err := s.t.Keys.DecodeIssue(trashed)
	if err != nil {
		return err
	}
	ctx, cancel := whileNamed(ctx, d, doc)
	defer cancel()
	now, err := s.converted(ctx, d, nil, doc)
	if err != nil || now == doc {
		return err
	}
	c, err := s.conversion(d, nil, doc, now)
	if err != nil {
		return err
	}
	write, err := s.t.NewID()
	if err != nil {
		return err
	}
	converted := s.t.Keys.EncodeIssue(c.after)
	layout.CopyDeletion(converted, trashed)
	converted[layout.AttrSK], converted[layout.AttrSS] = trashed[layout.AttrSK], trashed[layout.AttrSS]
	var parts client.Transaction
	for _, m := range c.parts {
		m[layout.AttrExpires] = layout.N(layout.GetN(trashed, layout.AttrExpires) +
			int64(trashMargin.Seconds()))
		parts.Put(s.t.Table, m, client.Condition{})
	}
	if err := s.t.WriteGuarded(ctx, &parts, nil); err != nil {
		return err
	}
	var x client.Transaction
	x.Put(s.t.Table, converted, client.MustHaveVersion(doc.Version, client.ErrStale))
	s.record(&x, c, write)
	s.expire(&x, c.unused, s.t.KeepHistory)
	if err := s.t.Write(ctx, &x); !errors.Is(err, client.ErrStale) {
		return err
	}
	s.discard(ctx, c)
	return nil // it was restored, and so converted
}
