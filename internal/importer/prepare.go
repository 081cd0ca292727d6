package importer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"issuegrid/tracker"
)

// target is a project that receives rows, with the ids of the names in the file.
type target struct {
	id  tracker.ProjectID
	def *tracker.Definition
	// found reports whether the project existed before, so that it can have issues.
	found  bool
	start  tracker.OptionID // state of rows without one
	states lookup
	fields []*tracker.Field // by index of the plan's fields
	// options by index of the plan's fields; nil for fields without options.
	options []lookup
}

// lookup maps the names of options or states to their ids.
type lookup struct {
	like   *collected                  // the names of the rows
	ids    map[string]tracker.OptionID // by canonical name
	folded map[string]string           // name in the project, by the folded name
}

func newLookup(like *collected) lookup {
	return lookup{like: like, ids: map[string]tracker.OptionID{}, folded: map[string]string{}}
}

func (l lookup) add(name string, id tracker.OptionID) {
	l.ids[tracker.Canonical(name)] = id
	if _, ok := l.folded[folded(name)]; !ok {
		l.folded[folded(name)] = name
	}
}

// find returns the id of a name, or a fault if the project does not have it, or only in different case.
func (l lookup) find(name string) (tracker.OptionID, *fault) {
	if id, ok := l.ids[tracker.Canonical(name)]; ok {
		return id, nil
	}
	same, ok := l.folded[folded(name)]
	switch {
	case ok && l.like.ignoreCase:
		return l.ids[tracker.Canonical(same)], nil
	case ok:
		return "", caseDiffers(name, same)
	}
	return "", l.like.kind.missing(name)
}

// prepare returns the projects that receive rows. It finds or creates the projects, fields, options and
// states that the rows need, and raises the projects' counters above the numbers of the file, so that issues
// created meanwhile get none of them (R5). A dry run returns the projects as they would be.
func prepare(ctx context.Context, s *survey, opts Options, dry bool) (map[string]*target, error) {
	for _, key := range s.order {
		p := s.projects[key]
		var err error
		if p.planned, err = s.planned(p, p.before); err != nil {
			return nil, about("project "+key, err)
		}
		if more := p.additions(); opts.IssuesOnly && more != nil {
			return nil, &tracker.Error{
				Code: tracker.Forbidden,
				Message: "the file needs what its projects do " +
					"not have, and only an administrator may add it: " + strings.Join(more, "; "),
			}
		}
	}
	if opts.Journal != nil && opts.Journal.Definitions() == nil {
		found := Findings{Definitions: append([]string{}, s.additions()...)} // not nil if there are none
		if err := opts.Journal.Keep(ctx, found); err != nil {
			return nil, err
		}
	}
	out := map[string]*target{}
	for _, key := range s.order {
		p := s.projects[key]
		d := p.planned
		if !dry && p.rows > 0 {
			var err error
			if d, err = s.write(ctx, p); err != nil {
				return nil, about("project "+key, err)
			}
		}
		made, err := s.target(p, d)
		if err != nil {
			return nil, about("project "+key, err)
		}
		out[key] = made
	}
	return out, nil
}

// additions describes what the projects get before the rows.
func (s *survey) additions() (out []string) {
	for _, key := range s.order {
		out = append(out, s.projects[key].additions()...)
	}
	return out
}

// target looks up what the plan needs in a project that has everything.
func (s *survey) target(p *projectSurvey, d *tracker.Definition) (*target, error) {
	out := &target{id: d.Project.ID, def: d, found: p.before != nil, start: d.Project.FirstState(),
		states: newLookup(p.states), options: make([]lookup, len(s.plan.fields))}
	for _, state := range d.Project.States {
		out.states.add(state.Name, state.ID)
	}
	for i, b := range s.plan.fields {
		f := fieldNamed(d, b.spec.Name)
		if f == nil || f.Type != b.spec.Type {
			return nil, &tracker.Error{Code: tracker.Conflict,
				Message: "another request is changing the fields of the project; try again"}
		}
		out.fields = append(out.fields, f)
		if f.Type.HasOptions() {
			out.options[i] = newLookup(p.options[i])
			for _, o := range f.Options {
				out.options[i].add(o.Name, o.ID)
			}
		}
	}
	return out, nil
}

// planned returns what becomes of a project: before, which is nil if it does not exist, with the states,
// fields and options that its rows need. It is checked as the store checks it.
func (s *survey) planned(p *projectSurvey, before *tracker.Definition) (*tracker.Definition, error) {
	project, fields := s.newProject(p), []*tracker.Field(nil)
	var old *tracker.Project
	if before != nil {
		project, fields, old = before.Project, before.Fields, &before.Project
	}
	project.States = addStates(project.States, s.plan.newStates(p))
	project.RowKeys = s.plan.rowKeys(project.RowKeys)
	if err := project.Check(old); err != nil {
		return nil, err
	}
	d := redefined(before, project, fields)
	for i := range s.plan.fields {
		f, err := s.plannedField(p, d, i)
		if err == nil && f != nil {
			err = d.CheckField(f)
		}
		if err != nil {
			return nil, about(fmt.Sprintf("column %q", s.plan.fields[i].spec.Column), err)
		}
		if f != nil {
			d = redefined(d, project, withField(d.Fields, f))
		}
	}
	return d, nil
}

// redefined returns a definition with the highest number and the jobs of before, which may be nil.
func redefined(before *tracker.Definition, p tracker.Project, fields []*tracker.Field) *tracker.Definition {
	d := tracker.NewDefinition(p, fields)
	if before != nil {
		d.MaxIssueNum, d.Jobs = before.MaxIssueNum, before.Jobs
	}
	return d
}

// plannedField returns a field of the plan that the project d does not have, or not with all options, as it
// is to be. It returns nil for a field that does not change.
func (s *survey) plannedField(p *projectSurvey, d *tracker.Definition, i int) (*tracker.Field, error) {
	c := s.plan.fields[i].spec
	var names []string
	if p.options[i] != nil {
		names = p.options[i].added(c.Order)
	}
	old := fieldNamed(d, c.Name)
	switch {
	case old == nil:
		id := tracker.FieldID(tracker.IDFor(string(d.Project.ID), "field", strings.ToLower(c.Name)))
		f := &tracker.Field{Name: c.Name, Column: s.plan.origin(i), Type: c.Type}
		f.ID = freeID(id, func(id tracker.FieldID) bool { return d.Field(id) != nil || d.HasJobOn(id) })
		addOptions(f, names)
		if p.indexesEmpties(i) && f.Type.Indexed() {
			f.Empties = tracker.EmptiesBuilding
		}
		return f, nil
	case old.Archived:
		return nil, tracker.Bad("", "the field %q is archived and takes no new values; set \"to\": %q for "+
			"the column %q", old.Name, ToSkip, c.Column)
	case old.Type != c.Type:
		return nil, tracker.Bad("", "the project has a field %q of type %s; the mapping makes %s of the "+
			"column %q", old.Name, old.Type, c.Type, c.Column)
	}
	f := *old
	f.Options = slices.Clone(old.Options)
	if addOptions(&f, names); len(f.Options) == len(old.Options) {
		return nil, nil
	}
	return &f, nil
}

// withField returns fields with f, in the place of the field with its id, or else at the end.
func withField(fields []*tracker.Field, f *tracker.Field) []*tracker.Field {
	out := slices.Clone(fields)
	for i := range out {
		if out[i].ID == f.ID {
			out[i] = f
			return out
		}
	}
	return append(out, f)
}

// write makes of a project what is planned, and returns it as it is then. The project is read again, because
// another import may have changed it since the file was checked.
func (s *survey) write(ctx context.Context, p *projectSurvey) (*tracker.Definition, error) {
	t := s.stored.tenant
	before, err := find(ctx, t, p.key)
	if err != nil {
		return nil, err
	}
	d, err := s.planned(p, before)
	if err != nil {
		return nil, err
	}
	if before == nil {
		_, err = t.CreateProject(ctx, d.Project)
		before = tracker.NewDefinition(d.Project, nil)
	} else if len(d.Project.States) > len(before.Project.States) ||
		!slices.Equal(d.Project.RowKeys, before.Project.RowKeys) {
		_, err = t.UpdateProject(ctx, d.Project.ID, func(project *tracker.Project) error {
			project.States = addStates(project.States, s.plan.newStates(p))
			project.RowKeys = s.plan.rowKeys(project.RowKeys)
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	for i, b := range s.plan.fields {
		if err := s.writeField(ctx, before, fieldNamed(d, b.spec.Name), p.options[i], b); err != nil {
			return nil, about(fmt.Sprintf("column %q", b.spec.Column), err)
		}
	}
	if p.rows >= minIndexed {
		if err := t.CompleteEmpties(ctx, d.Project.ID); err != nil {
			return nil, err
		}
	}
	if p.maxNum > before.MaxIssueNum {
		if err := t.RaiseCounter(ctx, d.Project.ID, p.maxNum); err != nil {
			return nil, err
		}
	}
	return t.Current(ctx, d.Project.ID)
}

// What projects and fields remember of the columns of files: names of row keys, their bytes, and the bytes of
// the name of a field's column.
const (
	maxRowKeys    = 20
	maxRowKey     = 255
	maxColumnName = 1024
)

// rowKeys returns the columns that a project remembers as row keys, with that of the plan: the first one if a
// mapping says so, the last one if it was inferred.
func (p *plan) rowKeys(before []string) []string {
	key := p.builtins[ToRowKey].name
	known := slices.Contains(before, key)
	switch {
	case key == "" || len(key) > maxRowKey || p.inferred && (known || len(before) >= maxRowKeys):
		return before
	case p.inferred:
		return append(slices.Clone(before), key)
	}
	others := slices.DeleteFunc(slices.Clone(before), func(other string) bool { return other == key })
	return slices.Insert(others[:min(len(others), maxRowKeys-1)], 0, key)
}

// minIndexed is the minimum number of rows of a new project whose columns may get entries of their empty
// values. To do it for fewer rows would take longer than to write them.
const minIndexed = 5000

// indexesEmpties reports whether a field of a new project gets index entries of its empty values: it does if
// they are fewer than the values.
func (p *projectSurvey) indexesEmpties(field int) bool {
	return p.before == nil && p.rows >= minIndexed && 2*p.filled[field] > p.rows
}

// writeField creates a field of the plan, or adds its new options.
func (s *survey) writeField(ctx context.Context, before *tracker.Definition, f *tracker.Field,
	options *collected, b bound) error {
	t, project := s.stored.tenant, before.Project.ID
	old := before.Field(f.ID)
	if old == nil {
		created := *f
		created.ID = "" // the planned one is for the plan only
		_, err := t.CreateField(ctx, project, created)
		return err
	}
	if len(f.Options) == len(old.Options) {
		return nil
	}
	_, err := t.UpdateField(ctx, project, f.ID, func(f *tracker.Field) error {
		addOptions(f, options.added(b.spec.Order))
		return nil
	})
	return err
}

// hasOption reports whether the field has an option of this name in any case, because options must not differ
// only in case.
func hasOption(f *tracker.Field, name string) bool {
	return slices.ContainsFunc(f.Options, func(o tracker.Option) bool {
		return folded(o.Name) == folded(name)
	})
}

func addOptions(f *tracker.Field, names []string) {
	for _, name := range names {
		if !hasOption(f, name) {
			id := tracker.OptionID(tracker.IDFor(string(f.ID), "option", name))
			f.Options = append(f.Options, tracker.Option{Name: name,
				ID: freeID(id, func(id tracker.OptionID) bool {
					_, taken := f.Option(id)
					return taken
				})})
		}
	}
}
