package dynamo_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// TestRandomWrites creates, changes and deletes issues at random. After each write it compares the issue's
// partition with the items that follow from the document, and at the end the whole index.
func TestRandomWrites(t *testing.T) { randomWrites(setup(t)) }

// TestRandomWritesOfEmpties does the same with entries of the empty values.
func TestRandomWritesOfEmpties(t *testing.T) {
	f := setup(t)
	f.d = withEmpties(f.d, tracker.EmptiesIndexed)
	randomWrites(f)
}

// withEmpties returns a definition whose columns have entries of their empty values.
func withEmpties(d *tracker.Definition, e tracker.Empties) *tracker.Definition {
	p, fields := d.Project, make([]*tracker.Field, len(d.Fields))
	p.Empties = e
	for i, f := range d.Fields {
		indexed := *f
		indexed.Empties = e
		fields[i] = &indexed
	}
	return tracker.NewDefinition(p, fields)
}

func randomWrites(f *fixture) {
	t, run := f.T, 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		w := &world{T: rt, f: f, prefix: fmt.Sprintf("r%dx", run)}
		for range rapid.IntRange(1, 12).Draw(rt, "writes") {
			w.write()
		}
		verifyIndex(rt, f.raw, f.d, w.docs, func(pk string) bool {
			return strings.HasPrefix(pk, "acme/issue-p1."+w.prefix)
		})
		for len(w.docs) > 0 { // so that the table stays small
			w.remove(0)
		}
	})
}

// longUser has the maximum number of characters, and more bytes than a string stored in the document can
// have.
var longUser = strings.Repeat("日", tracker.MaxUser)

// world is the expected state of a run of random writes. The ids of its issues begin with prefix.
type world struct {
	*rapid.T
	f      *fixture
	prefix string
	made   int
	docs   []*document
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) write() {
	w.Helper()
	if len(w.docs) == 0 {
		w.createOne()
		return
	}
	at := rapid.IntRange(0, len(w.docs)-1).Draw(w.T, "issue")
	switch rapid.SampledFrom([]string{"create", "update", "update", "update", "update", "again",
		"delete"}).Draw(w.T, "write") {
	case "create":
		w.createOne()
	case "update":
		w.update(w.docs[at])
	case "again":
		w.again(w.docs[at])
	case "delete":
		w.remove(at)
	}
}

func (w *world) createOne() {
	w.Helper()
	w.made++
	i := tracker.Issue{ID: tracker.IssueID{Project: project, Issue: fmt.Sprintf("%s%d", w.prefix, w.made)},
		Name:  w.name(),
		State: w.state(), Values: map[tracker.FieldID]tracker.Value{}}
	description := w.text("description")
	i.Description = tracker.Text(description)
	for _, field := range w.fields() {
		if v := w.value(field); v.Kind != tracker.KindNone {
			i.Values[field.ID] = v
		}
	}
	participants := map[string][]string{}
	if rapid.Bool().Draw(w.T, "has an author") {
		i.Author = "ada"
		participants["author"] = []string{"ada"}
	}
	i.Assignees, _ = w.participate(participants, "assignees").Apply(nil)
	i.Watchers, _ = w.participate(participants, "watchers").Apply(nil)
	put := rapid.Bool().Draw(w.T, "in bulk")
	var created *tracker.Issue
	var err error
	if put {
		if i.Num, err = w.f.store.ReserveNums(w.f.Context(), project, 1); err == nil {
			err = w.author(&i.CreatedBy, &i.UpdatedBy).PutIssues(w.f.Context(), w.f.d, []tracker.Issue{i})
		}
		w.must(err)
		created = w.f.read(i.ID)
	} else {
		created, err = w.author(&i.CreatedBy, &i.UpdatedBy).CreateIssue(w.f.Context(), w.f.d, i)
		w.must(err)
	}
	d := documentOf(acme, created, description, i.Values)
	d.createdBy, d.updatedBy, d.participants = i.CreatedBy, i.UpdatedBy, participants
	if d.version != 1 {
		w.Fatalf("a new issue has version %d", d.version)
	}
	w.docs = append(w.docs, d)
	verify(w.T, w.f.raw, w.f.d, d)
}

func (w *world) update(d *document) {
	w.Helper()
	c := tracker.Change{Values: map[tracker.FieldID]tracker.Value{}}
	next := *d
	next.values, next.participants = maps.Clone(d.values), maps.Clone(d.participants)
	c.Assignees = w.participate(next.participants, "assignees")
	c.Watchers = w.participate(next.participants, "watchers")
	if rapid.Bool().Draw(w.T, "change name") {
		next.name = w.name()
		c.Name = &next.name
	}
	if rapid.Bool().Draw(w.T, "change state") {
		next.state = w.state()
		c.State = &next.state
	}
	if rapid.Bool().Draw(w.T, "change description") {
		next.description = w.text("description")
		c.Description = &next.description
	}
	for _, field := range w.fields() {
		v := w.value(field)
		c.Values[field.ID] = v
		if was := d.values[field.ID]; v.Kind == tracker.KindText && v.User() == "" && v.Text() == was.Text() {
			continue // also if it refers to a user
		}
		if next.values[field.ID] = v; v.Kind == tracker.KindNone {
			delete(next.values, field.ID)
		}
	}
	if rapid.Bool().Draw(w.T, "expect the version") {
		c.ExpectedVersion = &d.version
	}
	var by string
	changed, err := w.author(&by).UpdateIssue(w.f.Context(), w.f.d, d.id, c)
	w.must(err)
	if next.version = d.version; differ(d, &next) {
		next.version++
		next.updatedBy = by
		next.updated = changed.Updated
	}
	if changed.Version != next.version {
		w.Fatalf("an update returned version %d, want %d", changed.Version, next.version)
	}
	*d = next
	verify(w.T, w.f.raw, w.f.d, d)
}

// again updates an issue to its current values.
func (w *world) again(d *document) {
	w.Helper()
	c := tracker.Change{Name: &d.name, State: &d.state, Values: map[tracker.FieldID]tracker.Value{}}
	for id, v := range d.values {
		c.Values[id] = v
	}
	var by string
	changed, err := w.author(&by).UpdateIssue(w.f.Context(), w.f.d, d.id, c)
	w.must(err)
	if changed.Version != d.version {
		w.Fatalf("an update that changes nothing made version %d from %d", changed.Version, d.version)
	}
	verify(w.T, w.f.raw, w.f.d, d)
}

func (w *world) remove(at int) {
	w.Helper()
	d := w.docs[at]
	w.must(w.f.store.PurgeIssue(w.f.Context(), d.id, &d.version))
	if left := w.f.raw.partition(d.pk()); len(left) > 0 {
		w.Fatalf("a deleted issue left %v", left)
	}
	w.docs = slices.Delete(w.docs, at, at+1)
}

// differ reports whether two documents differ, apart from versions and times.
func differ(a, b *document) bool {
	return a.name != b.name || a.state != b.state || a.description != b.description ||
		!maps.EqualFunc(a.values, b.values, tracker.Value.Equal) ||
		!maps.EqualFunc(a.participants, b.participants, slices.Equal)
}

// participate draws a change of participants, and makes it in a document.
func (w *world) participate(all map[string][]string, attribute string) tracker.ParticipantChange {
	if rapid.IntRange(0, 2).Draw(w.T, attribute) > 0 {
		return tracker.ParticipantChange{}
	}
	var c tracker.ParticipantChange
	next := slices.Clone(all[attribute])
	one := rapid.SampledFrom([]string{"uada", "ubo", "tada", "tcore"})
	for _, p := range rapid.SliceOfNDistinct(one, 0, 3, rapid.ID[string]).Draw(w.T, attribute+" to remove") {
		c.Remove = append(c.Remove, tracker.Participant(p))
		next = slices.DeleteFunc(next, func(has string) bool { return has == p })
	}
	for _, p := range rapid.SliceOfNDistinct(one, 0, 3, rapid.ID[string]).Draw(w.T, attribute+" to add") {
		c.Add = append(c.Add, tracker.Participant(p))
		if !slices.Contains(next, p) {
			next = append(next, p)
		}
	}
	if all[attribute] = next; len(next) == 0 {
		delete(all, attribute)
	}
	return c
}

// fields draws distinct fields.
func (w *world) fields() []*tracker.Field {
	var all []tracker.FieldID
	for _, f := range w.f.d.Fields {
		all = append(all, f.ID)
	}
	var out []*tracker.Field
	for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, len(all),
		rapid.ID[tracker.FieldID]).Draw(w.T, "fields") {
		out = append(out, w.f.d.Field(id))
	}
	return out
}

// author returns a handle whose changes have a random author, and sets all to the author.
func (w *world) author(all ...*string) *dynamo.Tenant {
	by := rapid.SampledFrom([]string{"", "", "Ada", "ada", "Bo", longUser}).Draw(w.T, "author")
	for _, s := range all {
		*s = by
	}
	return w.f.store.As(user(by))
}

func (w *world) name() string {
	name := rapid.SampledFrom([]string{"a", "A", "ä", "b", "Näme", "with\x00NUL", "long 日",
		"long 日 too"}).Draw(w.T, "name")
	if strings.HasPrefix(name, "long") {
		return strings.Repeat("日", 980) + name
	}
	return name
}

func (w *world) state() tracker.OptionID {
	return rapid.SampledFrom([]tracker.OptionID{"open", "doing", "done"}).Draw(w.T, "state")
}

// text draws a string, possibly "", of a length near those at which the storage format changes. Strings of
// more than 3 bytes are distinct.
func (w *world) text(label string) string {
	sizes := []int{0, 0, 1, 3, 255, 256, 257, 300, 1023, 1024, 1025, 5000}
	if label == "flong" { // only here: folding a sortable string of this length is slow
		sizes = append(sizes, 380<<10)
	}
	size := rapid.SampledFrom(sizes).Draw(w.T, label+" bytes")
	w.made++
	begin := fmt.Sprintf("%c%d", rapid.RuneFrom([]rune("aAäz")).Draw(w.T, label+" begin"), w.made)
	switch {
	case size <= 3:
		return strings.Repeat("x", size)
	case rapid.IntRange(0, 3).Draw(w.T, label+" random") == 0:
		return begin + incompressible(size-len(begin))
	}
	return begin + strings.Repeat("\x00 é", size)[:(size-len(begin))&^3] + "xyz"[:(size-len(begin))%4]
}

// value draws a value of a field, or the zero value.
func (w *world) value(f *tracker.Field) tracker.Value {
	if rapid.IntRange(0, 4).Draw(w.T, "none") == 0 {
		return tracker.Value{}
	}
	pick := func(all ...string) string { return rapid.SampledFrom(all).Draw(w.T, string(f.ID)) }
	some := func(all ...string) []string {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, len(all), rapid.ID[string]).Draw(w.T,
			string(f.ID))
	}
	switch f.Type {
	case tracker.TypeText, tracker.TypeLongText:
		return tracker.Text(w.text(string(f.ID)))
	case tracker.TypeInteger:
		return tracker.Int(rapid.OneOf(rapid.Int64Range(-3, 3), rapid.Int64()).Draw(w.T, string(f.ID)))
	case tracker.TypeNumber:
		return tracker.Float(rapid.SampledFrom([]float64{0, 1, -1.5, 0.1, 1e21, -1e21, 1e-7, 123456789.125,
			3.141592653589793, tracker.MaxNumber,
			-tracker.MaxNumber, tracker.MinNumber, -tracker.MinNumber}).Draw(w.T, string(f.ID)))
	case tracker.TypeDate:
		return tracker.Text(pick("0001-01-01", "1969-12-31", "2024-02-29", "9999-12-31"))
	case tracker.TypeDateTime:
		return tracker.Text(pick("0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z",
			"2024-02-29T12:00:00.5Z", "9999-12-31T23:59:59Z"))
	case tracker.TypeBoolean:
		return tracker.Bool(rapid.Bool().Draw(w.T, string(f.ID)))
	case tracker.TypeSelect:
		return tracker.Text(pick("o0", "o1", "o2"))
	case tracker.TypeMultiSelect:
		return tracker.Set(some("m0", "m1", "m2", "m3", "m199"))
	case tracker.TypeTags:
		return tracker.Set(some("a", "A", "ä", "1", "a.b/c-d~e", "with space", "\x00", "日本"))
	case tracker.TypeUser:
		name := pick("Ada", "ADA", "Édith", longUser)
		if id := pick("", "ada", "edith"); id != "" {
			return tracker.UserValue(name, tracker.UserID(id))
		}
		return tracker.Text(name)
	}
	panic(f.Type)
}
