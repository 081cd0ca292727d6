package issues

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// stamp sets the version of an issue that is created at a time, and its times and users unless they are set.
func (s *Store) stamp(i *tracker.Issue, at time.Time) {
	i.Version = 1
	if i.CreatedBy = cmp.Or(i.CreatedBy, s.t.By.Name); i.UpdatedBy == "" {
		i.UpdatedBy, i.Editor = s.t.By.Name, s.t.By.User
	}
	if i.Created.IsZero() {
		i.Created = at
	}
	if i.Updated.IsZero() {
		i.Updated = i.Created
	}
}

// newDocument returns the commit of a new document that is written at a time. once makes the IDs of its long
// texts unique.
func (s *Store) newDocument(d *tracker.Definition, i tracker.Issue, at time.Time, once string) *commit {
	given := i.Values
	i.Values, i.Gens = make(map[tracker.FieldID]tracker.Value, len(given)), nil
	c := &commit{definition: d, after: &i, at: at, by: s.t.By, columns: layout.BuiltinColumns(),
		full: map[tracker.Column]string{}}
	i.Description = s.shorten(c, tracker.ColumnDescription, i.Description, once)
	for id, v := range given {
		if d.Field(id) != nil && v.Kind != tracker.KindNone {
			i.Values[id] = s.shorten(c, id.Column(), v, once)
			c.columns = append(c.columns, id.Column())
			setGen(&i, d.Field(id))
		}
	}
	return c
}

// setGen records the generation of a value that is being set.
func setGen(i *tracker.Issue, f *tracker.Field) {
	if f.Gen == 0 {
		delete(i.Gens, f.ID) // a value written with an older definition has an older generation
		return
	}
	if i.Gens == nil {
		i.Gens = map[tracker.FieldID]int64{}
	}
	i.Gens[f.ID] = f.Gen
}

// shorten returns a value as stored in the document: for a long text, a reference.
func (s *Store) shorten(c *commit, column tracker.Column, v tracker.Value, once string) tracker.Value {
	if !layout.IsLong(c.definition, column, v) {
		return v
	}
	l, parts := s.t.Keys.LongParts(c.after.ID, column, v.Text(), once, s.t.Now())
	c.parts = append(c.parts, parts...)
	c.full[column] = v.Text()
	if column != tracker.ColumnDescription { // which is not shown in grids
		l.Excerpt = tracker.Excerpt(v.Text())
	}
	return tracker.LongText(l)
}

// merge returns the commit of a change. It has no columns if the change modifies nothing.
func (s *Store) merge(d *tracker.Definition, old *tracker.Issue, change tracker.Change) (*commit, error) {
	once, err := s.t.NewID()
	if err != nil {
		return nil, err
	}
	next := *old
	next.Version++
	next.Updated = s.t.Time()
	next.Indexing = false
	next.Values, next.Gens = maps.Clone(old.Values), maps.Clone(old.Gens)
	c := &commit{definition: d, before: old, after: &next, unsure: old.Indexing, kind: tracker.Updated,
		at: next.Updated, by: s.t.By, full: map[tracker.Column]string{}}
	if change.Name != nil && *change.Name != old.Name {
		next.Name = *change.Name
		c.columns = append(c.columns, tracker.ColumnName)
	}
	if change.State != nil && *change.State != old.State {
		next.State = *change.State
		c.columns = append(c.columns, tracker.ColumnState)
	}
	if change.Description != nil {
		next.Description = s.replace(c, tracker.ColumnDescription, old.Description,
			tracker.Text(*change.Description), once)
	}
	for _, r := range []struct {
		column tracker.Column
		of     *[]tracker.Participant
		change tracker.ParticipantChange
	}{
		{tracker.ColumnAssignees, &next.Assignees, change.Assignees},
		{tracker.ColumnWatchers, &next.Watchers, change.Watchers},
	} {
		all, err := r.change.Apply(*r.of)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(all, *r.of) {
			*r.of = all
			c.columns = append(c.columns, r.column)
		}
	}
	values := maps.Clone(change.Values)
	for id, members := range change.Members {
		if f := d.Field(id); f != nil {
			v, err := members.Apply(f, old.Values[id])
			if err != nil {
				return nil, err
			}
			if values == nil {
				values = map[tracker.FieldID]tracker.Value{}
			}
			values[id] = v
		}
	}
	for id, v := range values {
		if d.Field(id) == nil {
			continue
		}
		if next.Values[id] = s.replace(c, id.Column(), old.Values[id], v, once); v.Kind == tracker.KindNone {
			delete(next.Values, id)
			delete(next.Gens, id)
		} else {
			setGen(&next, d.Field(id))
		}
	}
	if len(c.columns) > 0 {
		c.touch()
	}
	return c, nil
}

// touch sets who changed the issue, if a job knows it, and adds the columns that change with any other.
func (c *commit) touch() {
	c.columns = append(c.columns, tracker.ColumnUpdated)
	if !c.by.OfJob() || c.by.Name != "" {
		c.after.UpdatedBy, c.after.Editor = c.by.Name, c.by.User
	}
	if c.after.UpdatedBy != c.before.UpdatedBy {
		c.columns = append(c.columns, tracker.ColumnUpdatedBy)
	}
	c.columns = append(c.columns, tracker.ColumnParticipation)
}

// replace returns the new value of a column as stored in the document, or the old one if they are equal.
func (s *Store) replace(c *commit, column tracker.Column, was, v tracker.Value, once string) tracker.Value {
	if sameValue(c.definition, column, was, v) {
		return was
	}
	c.columns = append(c.columns, column)
	if was.Kind == tracker.KindLong {
		c.unused = append(c.unused, s.t.Keys.PartKeys(c.after.ID, column, was.Long())...)
	}
	return s.shorten(c, column, v, once)
}

// sameValue reports whether a stored value equals v. Numbers are compared by value, because DynamoDB may
// return a different literal than was written. A name equals a user with this name, so that writing what was
// read, or importing what was exported, keeps the reference.
func sameValue(d *tracker.Definition, column tracker.Column, stored, v tracker.Value) bool {
	if stored.Kind == tracker.KindLong && v.Kind == tracker.KindText {
		return stored.Long().Holds(v.Text())
	}
	if v.Kind == tracker.KindText && v.User() == "" && stored.User() != "" {
		return stored.Text() == v.Text()
	}
	if stored.Kind == tracker.KindNum && v.Kind == tracker.KindNum &&
		d.Field(column.Field()).Type == tracker.TypeNumber {
		return stored.Float() == v.Float()
	}
	return stored.Equal(v)
}

// conversion returns the commit that replaces a document by its converted form. was is as in Migrate.
func (s *Store) conversion(d, was *tracker.Definition, doc, now *tracker.Issue) (*commit, error) {
	once, err := s.t.NewID()
	if err != nil {
		return nil, err
	}
	next := *now
	c := &commit{definition: d, was: was, before: doc, after: &next, kind: tracker.Updated, at: s.t.Time(),
		by: s.t.By, conflict: client.ErrStale, full: map[tracker.Column]string{}}
	next.Version++
	next.Indexing = false
	next.Values = maps.Clone(now.Values)
	var jobs []*tracker.Job // that have converted it
	converted := false
	if now.State != doc.State {
		c.columns, converted = append(c.columns, tracker.ColumnState), true
		jobs = d.JobsOf(tracker.ColumnState)
	}
	for id, before := range doc.Values {
		after := now.Values[id]
		same := after.Equal(before)
		renamed := after.User() != "" && after.User() == before.User()
		if !same && !renamed || now.Gens[id] != doc.Gens[id] {
			jobs = append(jobs, d.JobsOf(id.Column())...)
		}
		if same {
			continue
		}
		c.columns = append(c.columns, id.Column())
		converted = converted || !renamed
		if before.Kind == tracker.KindLong && after.Kind != tracker.KindLong {
			c.unused = append(c.unused, s.t.Keys.PartKeys(doc.ID, id.Column(), before.Long())...)
		}
		if after.Kind == tracker.KindText {
			next.Values[id] = s.shorten(c, id.Column(), after, once)
		}
	}
	c.by.Name, c.by.User = startedBy(jobs)
	if converted { // and not only the generations of values and the names of users
		next.Updated = c.at
		c.touch()
	}
	return c, nil
}

// startedBy returns the name and the id of the user that started jobs, or none if several did.
func startedBy(jobs []*tracker.Job) (string, tracker.UserID) {
	if len(jobs) == 0 || slices.ContainsFunc(jobs, func(j *tracker.Job) bool {
		return j.By != jobs[0].By || j.ByUser != jobs[0].ByUser
	}) {
		return "", ""
	}
	return jobs[0].By, jobs[0].ByUser
}

// CheckFits returns BadInput if a new issue is too large for the table. It makes no calls.
func (s *Store) CheckFits(d *tracker.Definition, i tracker.Issue) error {
	at := s.t.Time()
	s.stamp(&i, at)
	return checkFits(&i, s.t.Keys.EncodeIssue(s.newDocument(d, i, at, "").after))
}

// Changes reports whether UpdateIssue would write anything for an issue as it is stored, or returns the
// BadInput that it would return. It makes no calls.
func (s *Store) Changes(d *tracker.Definition, stored *tracker.Issue, change tracker.Change) (bool, error) {
	c, err := s.merge(d, d.Current(stored), change)
	if err != nil || len(c.columns) == 0 {
		return false, err
	}
	return true, checkFits(stored, s.t.Keys.EncodeIssue(c.after))
}

// checkFits rejects the document of an issue that is larger than an item of the table can be.
func checkFits(i *tracker.Issue, document layout.Item) error {
	if n := layout.ItemBytes(document); n > client.MaxItemBytes {
		return tracker.Bad("", "the values of issue %d have %d bytes, counting only the excerpts of long "+
			"strings; the limit is %d", i.Num, n, client.MaxItemBytes)
	}
	return nil
}
