package model_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/graph/model"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// shownIn are the columns of a diary. Values of all but the state can be without words when their field is
// gone.
var shownIn = []tracker.Column{tracker.ColumnState, tracker.FieldID("one").Column(),
	tracker.FieldID("many").Column(), tracker.FieldID("plain").Column()}

// diary is a project whose definition changes while entries of the history of an issue are written.
type diary struct {
	random     *rand.Rand
	definition *tracker.Definition
	issue      *tracker.Issue // as it is stored: a job may not have changed it yet
	deleted    []tracker.Job
	names      map[tracker.Column]map[string]string // those that options have, or had when they were removed
	next       int                                  // the number of the next name
	entries    []entry
	after      map[string]int // what was done to the words of entries, by kind
}

// entry is an entry of the history, and what it showed when it was written.
type entry struct {
	change        tracker.Changed
	name          string
	before, after string
}

// name returns a new name.
func (d *diary) name() string {
	d.next++
	return fmt.Sprint([]string{"Größe", "バス", "data base", "m²", "Done"}[d.random.IntN(5)], " ", d.next)
}

func newDiary(seed uint64) *diary {
	d := &diary{random: rand.New(rand.NewPCG(seed, 9)), names: map[tracker.Column]map[string]string{},
		after: map[string]int{}}
	for _, c := range shownIn {
		d.names[c] = map[string]string{}
	}
	p := tracker.Project{ID: "p"}
	for n := range 3 {
		id := tracker.OptionID(fmt.Sprint("state", n))
		p.States = append(p.States, tracker.State{ID: id, Name: d.named(tracker.ColumnState, id), Open: true})
	}
	fields := []*tracker.Field{{ID: "one", Name: d.name(), Type: tracker.TypeSelect},
		{ID: "many", Name: d.name(), Type: tracker.TypeMultiSelect},
		{ID: "plain", Name: d.name(), Type: []tracker.FieldType{tracker.TypeText, tracker.TypeInteger,
			tracker.TypeNumber, tracker.TypeBoolean, tracker.TypeDate, tracker.TypeTags}[d.random.IntN(6)]}}
	for _, f := range fields[:2] {
		f.Options = d.options(f.ID.Column())
	}
	d.definition = tracker.NewDefinition(p, fields)
	d.issue = &tracker.Issue{ID: tracker.IssueID{Project: "p", Issue: "i"},
		Values: map[tracker.FieldID]tracker.Value{}, Gens: map[tracker.FieldID]int64{}}
	for _, c := range shownIn {
		d.set(c)
	}
	return d
}

// named gives a new option or state a name.
func (d *diary) named(c tracker.Column, id tracker.OptionID) string {
	name := d.name()
	d.names[c][string(id)] = name
	return name
}

func (d *diary) options(c tracker.Column) (out []tracker.Option) {
	for range 1 + d.random.IntN(4) {
		id := tracker.OptionID(fmt.Sprint("option", d.next))
		out = append(out, tracker.Option{ID: id, Name: d.named(c, id)})
	}
	return out
}

// set gives the issue a new value of a column that is not gone.
func (d *diary) set(c tracker.Column) {
	if c == tracker.ColumnState {
		d.issue.State = pick(d.random, d.definition.Project.States).ID
		return
	}
	f := d.definition.Field(c.Field())
	if f == nil {
		return
	}
	var v tracker.Value
	switch f.Type {
	case tracker.TypeSelect:
		v = tracker.Text(string(pick(d.random, f.Options).ID))
	case tracker.TypeMultiSelect:
		var ids []string
		for _, o := range f.Options {
			if len(ids) == 0 || d.random.IntN(2) == 0 {
				ids = append(ids, string(o.ID))
			}
		}
		v = tracker.Set(ids)
	case tracker.TypeTags:
		v = tracker.Set([]string{d.name(), d.name()})
	case tracker.TypeInteger:
		v = tracker.Int(d.random.Int64N(1000))
	case tracker.TypeNumber:
		v = tracker.Float(float64(d.random.IntN(1000)) / 4)
	case tracker.TypeBoolean:
		v = tracker.Bool(d.random.IntN(2) == 0)
	case tracker.TypeDate:
		v = tracker.Text(fmt.Sprintf("2026-01-%02d", 1+d.random.IntN(31)))
	default:
		v = tracker.Text(d.name())
	}
	d.issue.Values[f.ID], d.issue.Gens[f.ID] = v, f.Gen
}

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// words returns what a value of a column is called now. ofOptions reports whether it has options: those of
// the form of the field that the value is of.
func (d *diary) words(c tracker.Column, v tracker.Value, ofOptions bool) string {
	all := v.Set()
	switch v.Kind {
	case tracker.KindNone:
		return "none"
	case tracker.KindText:
		all = []string{v.Text()}
	case tracker.KindSet:
	default:
		return v.Literal()
	}
	all = slices.Clone(all)
	for i, id := range all {
		if ofOptions {
			all[i] = d.names[c][id]
		}
	}
	return strings.Join(all, ", ")
}

// write writes an entry about a new value of a column, in place of one that a job may not have changed yet.
func (d *diary) write() {
	c := pick(d.random, shownIn)
	before, hadOptions := d.issue.Value(c), c == tracker.ColumnState
	f, name := d.definition.Field(c.Field()), ""
	var job *tracker.Job
	if f != nil {
		name = f.Name
		hadOptions = f.Type.HasOptions()
		if f.From != nil && d.issue.Gens[f.ID] != f.Gen {
			hadOptions = f.From.Type.HasOptions()
		}
	} else if n := slices.IndexFunc(d.deleted, func(j tracker.Job) bool {
		return j.Field == c.Field()
	}); n >= 0 {
		job = &d.deleted[n]
		name, hadOptions = job.Name, len(job.Options) > 0
	}
	change := tracker.ChangedColumn{Column: c, Before: before}
	e := entry{name: name, before: d.words(c, before, hadOptions), after: "none"}
	switch {
	case f != nil || c == tracker.ColumnState:
		d.set(c)
		change.After = d.issue.Value(c)
		e.after = d.words(c, change.After, c == tracker.ColumnState || f.Type.HasOptions())
	case job == nil || before.Kind == tracker.KindNone:
		return
	default:
		delete(d.issue.Values, c.Field())
	}
	change.Words = d.definition.Words(c, change.Before, change.After)
	e.change = tracker.Changed{Kind: tracker.Updated, At: time.Unix(1, 0),
		Columns: []tracker.ChangedColumn{change}}
	d.entries = append(d.entries, e)
}

// edit changes the definition: it adds, renames, merges or removes a state or an option, renames, converts or
// deletes a field, or ends the jobs.
func (d *diary) edit(t *testing.T) {
	t.Helper()
	p := d.definition.Project
	fields := slices.Clone(d.definition.Fields)
	if len(fields) == 0 || d.random.IntN(3) == 0 {
		d.editStates(t, &p)
		d.redefine(p, fields)
		return
	}
	at := d.random.IntN(len(fields))
	f := *fields[at]
	fields[at] = &f
	c := f.ID.Column()
	choice := d.random.IntN(8)
	var err error
	switch {
	case choice == 0:
		f.Name = d.name()
		d.after["field renamed"]++
	case choice == 1 && d.random.IntN(3) == 0 && f.From == nil:
		var options []tracker.Option
		options = append(options, f.Options...)
		for id, name := range f.Former {
			options = append(options, tracker.Option{ID: id, Name: name})
		}
		d.deleted = append(d.deleted, tracker.Job{Kind: tracker.JobDeleteField, Status: tracker.JobRunning,
			Field: f.ID, Name: f.Name, Options: options})
		fields = slices.Delete(fields, at, at+1)
		d.after["field deleted"]++
	case choice == 2 && f.From == nil && len(f.Merged) == 0:
		to := tracker.Form{Type: pick(d.random, []tracker.FieldType{tracker.TypeText, tracker.TypeTags,
			tracker.TypeSelect, tracker.TypeMultiSelect})}
		if to.Type.HasOptions() {
			to.Options = d.options(c)
		}
		f = f.As(to)
		if !to.Type.HasOptions() {
			f.Options = nil
		}
		d.after["field converted"]++
	case choice == 3:
		d.endJobs()
		return
	case !f.Type.HasOptions():
		return
	case choice == 4:
		id := tracker.OptionID(fmt.Sprint("option", d.next))
		err = f.AddOption(tracker.Option{ID: id, Name: d.named(c, id)})
	case choice == 5:
		id := pick(d.random, f.Options).ID
		err = f.ChangeOption(tracker.Option{ID: id, Name: d.named(c, id)})
		d.after["option renamed"]++
	case len(f.Options) > 1 && f.From == nil:
		from, into := pick(d.random, f.Options).ID, pick(d.random, f.Options).ID
		if from == into {
			into = ""
		}
		err = f.MergeOptions([]tracker.OptionID{from}, into)
		d.after["option merged"]++
	}
	if err != nil {
		t.Fatal(err)
	}
	d.redefine(p, fields)
}

func (d *diary) editStates(t *testing.T, p *tracker.Project) {
	t.Helper()
	var err error
	id := pick(d.random, p.States).ID
	switch d.random.IntN(3) {
	case 0:
		id = tracker.OptionID(fmt.Sprint("state", d.next))
		err = p.AddState(tracker.State{ID: id, Name: d.named(tracker.ColumnState, id), Open: true})
	case 1:
		err = p.ChangeState(tracker.State{ID: id, Name: d.named(tracker.ColumnState, id), Open: true})
		d.after["state renamed"]++
	case 2:
		if into := pick(d.random, p.States).ID; into != id {
			err = p.MergeStates([]tracker.OptionID{id}, into)
			d.after["state merged"]++
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (d *diary) redefine(p tracker.Project, fields []*tracker.Field) {
	d.definition = tracker.NewDefinition(p, fields)
	d.definition.Jobs = d.deleted
}

// endJobs changes the issue as the jobs do, and ends them.
func (d *diary) endJobs() {
	d.issue = d.definition.Current(d.issue)
	for _, j := range d.deleted {
		d.issue.Values = maps.Clone(d.issue.Values)
		delete(d.issue.Values, j.Field)
	}
	d.deleted = nil
	p := d.definition.Project
	p.Rebuild = p.Rebuild.Ended()
	fields := slices.Clone(d.definition.Fields)
	for i := range fields {
		done := *fields[i]
		done.Rebuild, done.From = done.Rebuild.Ended(), nil
		fields[i] = &done
	}
	d.redefine(p, fields)
}

// TestHistoriesKeepTheirWords: an entry of a history shows the names that a field, a state and options had
// when it was written, whatever became of them since, and never an id (F9). A case is an entry.
func TestHistoriesKeepTheirWords(t *testing.T) {
	cases, after := 0, map[string]int{}
	for seed := uint64(0); cases < tier.Cases(2_000, 100_000); seed++ {
		d := newDiary(seed)
		for range 120 {
			if d.random.IntN(3) > 0 {
				d.edit(t)
			} else {
				d.write()
			}
		}
		i := &model.Issue{Issue: d.issue, Definition: d.definition}
		for n, e := range d.entries {
			shown := (&model.IssueChange{Issue: i, Change: e.change}).Columns()[0]
			if column := e.change.Columns[0].Column; !column.Builtin() && shown.Name() != e.name {
				t.Fatalf("seed %d, entry %d: the field is shown as %q, want %q", seed, n, shown.Name(),
					e.name)
			}
			before, err := shown.Before(t.Context())
			if err != nil || textOf(before) != e.before {
				t.Fatalf("seed %d, entry %d: %+v was %q before, %v, want %q", seed, n, e.change.Columns[0],
					textOf(before), err, e.before)
			}
			if got, err := shown.After(t.Context()); err != nil || textOf(got) != e.after {
				t.Fatalf("seed %d, entry %d: %+v was %q after, %v, want %q", seed, n, e.change.Columns[0],
					textOf(got), err, e.after)
			}
		}
		cases += len(d.entries)
		for kind, times := range d.after {
			after[kind] += times
		}
	}
	if len(after) != 7 {
		t.Errorf("the edits were %v", after)
	}
}

// textOf returns a text, or "none".
func textOf(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}
