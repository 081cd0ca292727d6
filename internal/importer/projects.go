package importer

import (
	"fmt"
	"slices"

	"issuegrid/tracker"
)

// newProject is a project that the import makes, without states. Its id is that of its key, so that an import
// that was interrupted finds it again even where the list of projects does not show it yet.
func (s *survey) newProject(p *projectSurvey) tracker.Project {
	var tenant tracker.TenantID
	if s.stored.tenant != nil {
		tenant = s.stored.tenant.ID()
	}
	out := tracker.Project{ID: tracker.ProjectID(tracker.IDFor(string(tenant), "project", p.key)), Key: p.key,
		Name: p.name, Shards: s.plan.mapping.Shards}
	if out.Name == "" {
		out.Name = p.key
	}
	return out
}

func newState(name string, open bool) tracker.State {
	return tracker.State{ID: tracker.OptionID(tracker.IDFor("state", name)), Name: name, Open: open}
}

// freeID returns id, or another one if id is taken: by a field, an option or a state that an import has made,
// and that was renamed since.
func freeID[ID ~string](id ID, taken func(ID) bool) ID {
	for taken(id) {
		id = ID(tracker.IDFor("renamed", string(id)))
	}
	return id
}

func hasState(p *tracker.Project, name string) bool {
	return slices.ContainsFunc(p.States, func(s tracker.State) bool { return folded(s.Name) == folded(name) })
}

// addStates returns states with those of added whose names are not among them.
func addStates(states, added []tracker.State) []tracker.State {
	p := tracker.Project{States: slices.Clone(states)}
	for _, state := range added {
		if !hasState(&p, state.Name) {
			state.ID = freeID(state.ID, func(id tracker.OptionID) bool {
				_, taken := p.State(id)
				return taken
			})
			p.States = append(p.States, state)
		}
	}
	return p.States
}

// newStates are the states that the project does not have. The mapping determines whether they are open, or
// else their names. A project without states gets two.
func (p *plan) newStates(s *projectSurvey) []tracker.State {
	var column Column
	if b, ok := p.builtins[ToState]; ok {
		column = *b.spec
	}
	var out []tracker.State
	for _, name := range s.states.added(Appearance) {
		closed := slices.Contains(closedStates, folded(name))
		if listed := column.states(); slices.Contains(listed, name) {
			closed = slices.Contains(column.Closed, name)
		}
		out = append(out, newState(name, !closed))
	}
	isOpen := func(s tracker.State) bool { return s.Open }
	switch {
	case s.before != nil || column.states() != nil || slices.ContainsFunc(out, isOpen):
		return out
	case out == nil:
		return []tracker.State{newState("Open", true), newState("Closed", false)}
	}
	return slices.Insert(out, 0, newState("Open", true))
}

// additions describes what the project gets before its rows.
func (p *projectSurvey) additions() []string {
	if p.rows == 0 {
		return nil
	}
	var out []string
	before := p.before
	if before == nil {
		out = append(out, "new project "+p.key)
		before = tracker.NewDefinition(tracker.Project{}, nil)
	}
	if n := len(before.Project.States); len(p.planned.Project.States) > n {
		var names []string
		for _, s := range p.planned.Project.States[n:] {
			names = append(names, s.Name)
		}
		out = append(out, "new states of "+p.key+": "+some(names))
	}
	var names []string
	var options []string
	for _, f := range p.planned.Fields {
		old := before.Field(f.ID)
		switch {
		case old == nil:
			names = append(names, f.Name)
		case len(f.Options) > len(old.Options):
			var added []string
			for _, o := range f.Options[len(old.Options):] {
				added = append(added, o.Name)
			}
			options = append(options, fmt.Sprintf("new options of %q in %s: %s", f.Name, p.key, some(added)))
		}
	}
	if names != nil {
		out = append(out, "new fields of "+p.key+": "+some(names))
	}
	return append(out, options...)
}

// some quotes names, at most 20 of them.
func some(names []string) string {
	if rest := len(names) - maxShown; rest > 0 {
		return quoted(names[:maxShown]) + fmt.Sprintf(" and %d more", rest)
	}
	return quoted(names)
}

// closedStates are the names of states, in lower case, that are closed unless the mapping says otherwise.
var closedStates = []string{"closed", "done", "resolved", "completed", "complete", "fixed", "finished",
	"cancelled", "canceled", "rejected",
	"won't fix", "wontfix", "won't do", "duplicate", "invalid", "merged", "archived"}
