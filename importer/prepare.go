package importer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// target is a project that receives rows, with the ids of the names in the file.
type target struct {
	id     tracker.ProjectID
	def    *tracker.Definition
	start  tracker.OptionID // state of rows without one
	states lookup
	fields []*tracker.Field // by index of the plan's fields
	// options by index of the plan's fields; nil for fields without options.
	options []lookup
}

// lookup maps the names of options or states to their ids.
type lookup struct {
	ids        map[string]tracker.OptionID
	folded     map[string]string // name in the project, by the folded name
	ignoreCase bool
}

func newLookup(ignoreCase bool) lookup {
	return lookup{ids: map[string]tracker.OptionID{}, folded: map[string]string{}, ignoreCase: ignoreCase}
}

func (l lookup) add(name string, id tracker.OptionID) {
	l.ids[name], l.folded[folded(name)] = id, name
}

// find returns the id of a name, or a fault if the project had it before the import in different case.
func (l lookup) find(name string) (tracker.OptionID, *fault) {
	if id, ok := l.ids[name]; ok {
		return id, nil
	}
	same, ok := l.folded[folded(name)]
	switch {
	case ok && l.ignoreCase:
		return l.ids[same], nil
	case ok:
		return "", caseDiffers(name, same)
	}
	return "", &fault{reason: UnknownName, detail: shown(name) +
		" is not an option, and was not one when the file was checked"}
}

// preparer creates what the rows need.
type preparer struct {
	tenant *dynamo.Tenant
	survey *survey
}

// prepare finds or creates the projects, fields, options and states that the rows need. It raises the
// projects' counters above the numbers of the file, so that issues created meanwhile get none of them (R5).
func prepare(ctx context.Context, t *dynamo.Tenant, s *survey) (map[string]*target, error) {
	p := &preparer{tenant: t, survey: s}
	out := map[string]*target{}
	for _, key := range s.order {
		made, err := p.target(ctx, s.projects[key])
		if err != nil {
			return nil, about("project "+key, err)
		}
		out[key] = made
	}
	return out, nil
}

func (p *preparer) target(ctx context.Context, s *projectSurvey) (*target, error) {
	id, err := p.project(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := p.fields(ctx, id, s); err != nil {
		return nil, err
	}
	if s.maxNum > 0 {
		if err := p.tenant.RaiseCounter(ctx, id, s.maxNum); err != nil {
			return nil, err
		}
	}
	d, err := p.tenant.Definition(ctx, id)
	if err != nil {
		return nil, err
	}
	return newTarget(d, p.survey.plan)
}

// newTarget looks up what the plan needs in a project that has everything.
func newTarget(d *tracker.Definition, plan *plan) (*target, error) {
	out := &target{id: d.Project.ID, def: d, states: newLookup(plan.ignoresCaseOfStates()),
		options: make([]lookup, len(plan.fields))}
	for _, s := range d.Project.States {
		out.states.add(s.Name, s.ID)
		if out.start == "" && s.Open {
			out.start = s.ID
		}
	}
	if out.start == "" {
		out.start = d.Project.States[0].ID
	}
	for i, b := range plan.fields {
		f := fieldNamed(d, b.spec.Name)
		if f == nil {
			return nil, &tracker.Error{Code: tracker.Conflict,
				Message: "another request is changing the fields of the project; try again"}
		}
		out.fields = append(out.fields, f)
		if f.Type.HasOptions() {
			out.options[i] = newLookup(b.spec.IgnoreCase)
			for _, o := range f.Options {
				out.options[i].add(o.Name, o.ID)
			}
		}
	}
	for _, f := range d.Fields {
		if f.Required && !slices.Contains(out.fields, f) {
			return nil, tracker.Bad("", "the project requires a value of the field %q; map a column to it",
				f.Name)
		}
	}
	return out, nil
}

func (p *plan) ignoresCaseOfStates() bool {
	b, ok := p.builtins[ToState]
	return ok && b.spec.IgnoreCase
}

func fieldNamed(d *tracker.Definition, name string) *tracker.Field {
	for _, f := range d.Fields {
		if folded(f.Name) == folded(name) {
			return f
		}
	}
	return nil
}

// fields creates the missing fields, and adds the missing options to existing ones.
func (p *preparer) fields(ctx context.Context, id tracker.ProjectID, s *projectSurvey) error {
	d, err := p.tenant.Definition(ctx, id)
	if err != nil {
		return err
	}
	for i, b := range p.survey.plan.fields {
		f := fieldNamed(d, b.spec.Name)
		if f != nil && f.Type != b.spec.Type {
			return tracker.Bad("", "the project has a field %q of type %s; the mapping makes %s of the "+
				"column %q",
				f.Name, f.Type, b.spec.Type, b.spec.Column)
		}
		var names []string
		if s.options[i] != nil {
			names = s.options[i].inOrder(b.spec.Order)
		}
		if f == nil {
			fieldID := tracker.FieldID(tracker.IDFor(string(id), "field", strings.ToLower(b.spec.Name)))
			field := tracker.Field{ID: fieldID, Name: b.spec.Name, Type: b.spec.Type}
			addOptions(&field, names)
			_, err = p.tenant.CreateField(ctx, id, field)
		} else if slices.ContainsFunc(names, func(name string) bool { return !hasOption(f, name) }) {
			_, err = p.tenant.UpdateField(ctx, id, f.ID, func(f *tracker.Field) error {
				addOptions(f, names)
				return nil
			})
		}
		if err != nil {
			return about(fmt.Sprintf("column %q", b.spec.Column), err)
		}
	}
	return nil
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
			f.Options = append(f.Options, tracker.Option{
				ID: tracker.OptionID(tracker.IDFor(string(f.ID), "option", name)), Name: name})
		}
	}
}
