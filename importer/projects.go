package importer

import (
	"context"
	"slices"

	"issuegrid/tracker"
)

// project finds the project with a key, or makes it, and gives it the states that the rows need.
func (p *preparer) project(ctx context.Context, s *projectSurvey) (tracker.ProjectID, error) {
	states := p.survey.plan.wantedStates(s)
	found, err := p.find(ctx, s.key)
	if tracker.CodeOf(err) == tracker.NotFound {
		return p.make(ctx, s, states)
	}
	if err != nil || !slices.ContainsFunc(states, func(state tracker.State) bool {
		return !hasState(found, state.Name)
	}) {
		return projectID(found), err
	}
	_, err = p.tenant.UpdateProject(ctx, found.ID, func(project *tracker.Project) error {
		project.States = slices.Clone(project.States)
		for _, state := range states {
			if !hasState(project, state.Name) {
				project.States = append(project.States, state)
			}
		}
		return nil
	})
	return found.ID, err
}

func projectID(p *tracker.Project) tracker.ProjectID {
	if p == nil {
		return ""
	}
	return p.ID
}

// importedID is the id of a project that an import makes: that of its key, so that an import that was
// interrupted finds it again even where the list of projects does not show it yet.
func (p *preparer) importedID(key string) tracker.ProjectID {
	return tracker.ProjectID(tracker.IDFor(string(p.tenant.ID()), "project", key))
}

// find returns the project with a key, NotFound if there is none.
func (p *preparer) find(ctx context.Context, key string) (*tracker.Project, error) {
	id, err := p.tenant.ProjectByKey(ctx, key)
	if err != nil {
		return nil, err
	}
	d, err := p.tenant.Definition(ctx, id)
	if err != nil {
		return nil, err
	}
	return &d.Project, nil
}

func (p *preparer) make(ctx context.Context, s *projectSurvey, states []tracker.State) (tracker.ProjectID,
	error) {
	project := tracker.Project{ID: p.importedID(s.key), Key: s.key, Name: s.name, States: states}
	if project.Name == "" {
		project.Name = s.key
	}
	if len(project.States) == 0 {
		project.States = []tracker.State{newState("Open", true), newState("Closed", false)}
	}
	made, err := p.tenant.CreateProject(ctx, project)
	return projectID(made), err
}

func newState(name string, open bool) tracker.State {
	return tracker.State{ID: tracker.OptionID(tracker.IDFor("state", name)), Name: name, Open: open}
}

func hasState(p *tracker.Project, name string) bool {
	return slices.ContainsFunc(p.States, func(s tracker.State) bool { return folded(s.Name) == folded(name) })
}

// wantedStates are the states that the mapping gives, or those of the rows; the name determines whether
// they are open.
func (p *plan) wantedStates(s *projectSurvey) []tracker.State {
	var out []tracker.State
	if b, ok := p.builtins[ToState]; ok && b.spec.Open != nil || ok && b.spec.Closed != nil {
		for _, name := range b.spec.Open {
			out = append(out, newState(name, true))
		}
		for _, name := range b.spec.Closed {
			out = append(out, newState(name, false))
		}
		return out
	}
	for _, name := range s.states.names {
		out = append(out, newState(name, !slices.Contains(closedStates, folded(name))))
	}
	return out
}

// closedStates are the names of states, in lower case, that are closed unless the mapping says otherwise.
var closedStates = []string{"closed", "done", "resolved", "completed", "complete", "fixed", "finished",
	"cancelled", "canceled", "rejected",
	"won't fix", "wontfix", "won't do", "duplicate", "invalid", "merged", "archived"}
