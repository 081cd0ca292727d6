package importer

import (
	"context"

	"issuegrid/tracker"
)

// maxProjects limits the number of projects of one import, because a mapping with the wrong column for the
// project key would create one per row.
const maxProjects = 1000

// survey is the result of the first pass: everything that must exist before the rows can be written.
type survey struct {
	plan     *plan
	columns  []string
	format   Format
	comma    byte
	rows     int64
	rejects  []Reject // the first maxSamples ones
	rejected map[reasonIn]int64
	projects map[string]*projectSurvey
	order    []string // projects by appearance
}

// maxSamples is how many rejects a survey keeps for display.
const maxSamples = 20

// projectSurvey is what the rows of one project need.
type projectSurvey struct {
	key, name string
	rows      int64
	maxNum    int64
	states    *collected
	options   []*collected // by index of the plan's fields; nil for fields without options
}

// check reads the whole file and checks every row, without the database.
func check(ctx context.Context, in *input, opts Options) (*survey, error) {
	s := &survey{rejected: map[reasonIn]int64{}, projects: map[string]*projectSurvey{}}
	taken := newClaims()
	var preset []string
	for _, c := range opts.Mapping.Columns {
		preset = append(preset, c.Column)
	}
	end, err := eachRecord(ctx, in, opts, Checking, preset, func(from *pass, rec *record) error {
		if s.plan == nil {
			var err error
			if s.plan, err = newPlan(opts.Mapping, opts.Project, from.reader.columns()); err != nil {
				return err
			}
		}
		s.rows++
		r, f := s.plan.row(rec)
		if f == nil {
			f = taken.take(s.plan, r)
		}
		if f == nil {
			var err error
			if f, err = s.need(r); err != nil {
				return err
			}
		}
		if f != nil {
			s.reject(rejected(rec, f))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.columns, s.format, s.comma = end.reader.columns(), end.format, end.comma
	// A file without rows has made no plan yet, and in JSON Lines later rows may have added columns.
	if s.plan, err = newPlan(opts.Mapping, opts.Project, s.columns); err != nil {
		return nil, err
	}
	return s, s.fits()
}

func (s *survey) reject(r *Reject) {
	if len(s.rejects) < maxSamples {
		s.rejects = append(s.rejects, *r)
	}
	s.rejected[reasonIn{r.Column, r.Reason}]++
}

// need records what a row needs: everything, or nothing if it conflicts with other rows (R3).
func (s *survey) need(r *row) (*fault, error) {
	p := s.projects[r.project]
	if p == nil {
		if len(s.projects) == maxProjects {
			return nil, tracker.Bad("mapping",
				"the column %q names more than %d projects; is it a project's key?",
				s.plan.builtins[ToProjectKey].spec.Column, maxProjects)
		}
		p = s.plan.newProject(r.project)
	}
	if s.plan.states != nil && r.state != "" {
		if f := p.states.clash(r.state); f != nil {
			return f.in(s.plan.builtins[ToState]), nil
		}
	}
	for i, options := range p.options {
		for _, name := range r.values[i].names {
			if f := options.clash(name); f != nil {
				return f.in(s.plan.fields[i]), nil
			}
		}
	}
	if s.projects[r.project] == nil {
		s.projects[r.project] = p
		s.order = append(s.order, r.project)
	}
	p.rows++
	p.maxNum = max(p.maxNum, r.num)
	if p.name == "" {
		p.name = r.projectName
	}
	if r.state != "" {
		p.states.add(r.state)
	}
	for i, options := range p.options {
		for _, name := range r.values[i].names {
			options.add(name)
		}
	}
	return nil, nil
}

func (p *plan) newProject(key string) *projectSurvey {
	out := &projectSurvey{key: key, states: newCollected(tracker.MaxStates, false),
		options: make([]*collected, len(p.fields))}
	if b, ok := p.builtins[ToState]; ok {
		out.states.ignoreCase = b.spec.IgnoreCase
	}
	for i, b := range p.fields {
		if b.spec.Type.HasOptions() {
			out.options[i] = newCollected(tracker.MaxOptions, b.spec.IgnoreCase)
			// Options of the mapping always exist, in its order.
			for _, name := range b.spec.Options {
				out.options[i].add(name)
			}
		}
	}
	return out
}

// fits returns an error if the import needs more states, options or fields than a project can have, before
// anything is written.
func (s *survey) fits() error {
	if n := len(s.plan.fields); n > tracker.MaxFields {
		return tracker.Bad("mapping", "the mapping makes %d custom fields; the limit is %d", n,
			tracker.MaxFields)
	}
	for _, key := range s.order {
		p := s.projects[key]
		if p.states.overflow {
			return tracker.Bad("mapping", "the column %q has more than %d states in the project %s; is it "+
				"the state?",
				s.plan.builtins[ToState].spec.Column, tracker.MaxStates, key)
		}
		for i, options := range p.options {
			if options != nil && options.overflow {
				c := s.plan.fields[i].spec
				return tracker.Bad("mapping", "the column %q needs more than %d options in the project %s, "+
					"which is the limit of %s; make it TEXT or TAGS",
					c.Column, tracker.MaxOptions, key, c.Type)
			}
		}
	}
	return nil
}
