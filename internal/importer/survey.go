package importer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"issuegrid/tracker"
)

// maxProjects limits the number of projects of one import, because a mapping with the wrong column for the
// project key would create one per row.
const maxProjects = 1000

// survey is the result of the first pass: everything that must exist before the rows can be written.
type survey struct {
	plan     *plan
	stored   *stored
	columns  []string
	repeats  []int    // as those of a csvReader
	notes    []string // as Summary.Notes
	rows     int64
	blank    int64
	skipped  int64
	rejected int64
	projects map[string]*projectSurvey
	order    []string // projects by appearance
}

// projectSurvey is what the rows of one project need.
type projectSurvey struct {
	key, name string
	// before is the project as it is, nil if the tenant has none with this key.
	before *tracker.Definition
	// planned is what prepare makes of it.
	planned *tracker.Definition
	rows    int64
	// maxNum is the highest number of a row that becomes an issue.
	maxNum int64
	// highest are the rows with the highest numbers above those of the project before, in descending order.
	highest []numbered
	states  *collected
	options []*collected // by index of the plan's fields; nil for fields without options
	filled  []int64      // by index of the plan's fields: the rows with a value
}

// numbered is the number and the key of a row.
type numbered struct {
	num int64
	key string
}

// maxHighest is the maximum number of rows of projectSurvey.highest: as many as one call looks up.
const maxHighest = 100

// number records the number of a row.
func (p *projectSurvey) number(r *row) {
	p.maxNum = max(p.maxNum, r.num)
	if p.before == nil || r.num <= p.before.MaxIssueNum {
		return
	}
	at, _ := slices.BinarySearchFunc(p.highest, r.num, func(n numbered, num int64) int {
		return cmp.Compare(num, n.num)
	})
	p.highest = slices.Insert(p.highest, at, numbered{r.num, strings.Clone(r.key)})
	p.highest = p.highest[:min(len(p.highest), maxHighest)]
}

// settleNumbers corrects the highest numbers of rows. A row of an issue that exists changes nothing about
// numbers: it is rejected if its own is another one (R3).
func (s *survey) settleNumbers(ctx context.Context) error {
	for _, p := range s.projects {
		if len(p.highest) == 0 {
			continue
		}
		project := &p.before.Project
		ids := make([]tracker.IssueID, len(p.highest))
		for i, n := range p.highest {
			ids[i] = project.IssueID(tracker.IDFor(string(project.ID), n.key))
		}
		found, err := s.stored.tenant.IssuesConsistent(ctx, ids)
		if err != nil {
			return err
		}
		switch at := slices.Index(found, nil); {
		case at >= 0:
			p.maxNum = p.highest[at].num
		case len(found) < maxHighest:
			p.maxNum = p.before.MaxIssueNum
		default: // those of the other rows are not higher
			p.maxNum = p.highest[maxHighest-1].num
		}
	}
	return nil
}

// check reads the whole file and checks every row against the other rows and the definitions of the stored
// projects.
func check(ctx context.Context, in *input, opts Options, have *stored) (*survey, error) {
	s := &survey{stored: have, projects: map[string]*projectSurvey{}}
	taken := newClaims(opts.meter.grow)
	var preset []string
	for _, c := range opts.Mapping.Columns {
		preset = append(preset, c.Column)
	}
	end, err := eachRecord(ctx, in, opts, Checking, preset, func(from *pass, rec *record) error {
		if s.plan == nil {
			var err error
			if s.plan, err = newPlan(opts, from.reader.columns()); err != nil {
				return err
			}
		}
		s.rows++
		r, f := s.plan.row(rec)
		if f != nil && r != nil {
			if err := s.meet(ctx, r.project); err != nil {
				return err
			}
		}
		if f == nil {
			f = taken.take(s.plan, r)
		}
		if f == nil {
			var err error
			if f, err = s.need(ctx, r); err != nil {
				return err
			}
		}
		if f != nil {
			s.rejected++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.columns, s.blank, s.skipped = end.reader.columns(), end.blank, end.skipped
	// A file without rows has made no plan yet, and in JSON Lines later rows may have added columns.
	if s.plan, err = newPlan(opts, s.columns); err != nil {
		return nil, err
	}
	s.repeats = end.repeats
	if err := s.identified(); err != nil {
		return nil, err
	}
	return s, s.fits()
}

// identified returns an error if an inferred mapping identifies the rows of a project in another way than
// earlier imports, although the file has their column.
func (s *survey) identified() error {
	if !s.plan.inferred {
		return nil
	}
	folds := foldedNames(s.columns)
	b, keyed := s.plan.builtins[ToRowKey]
	for _, key := range s.order {
		p := s.projects[key]
		if p.before == nil || p.before.Project.RowKeys == nil {
			continue
		}
		was := p.before.Project.RowKeys
		isKey := func(name string) bool {
			return folded(name) == folded(b.name) || folded(name) == folded(exportedField(b.name))
		}
		switch at := keyColumn(s.columns, folds, p.before); {
		case keyed && slices.ContainsFunc(was, isKey):
		case at >= 0:
			return tracker.Bad("mapping", "the rows of the project %s are identified by the column %q, but "+
				"those of another project in the file are not: import them on their own, or give a mapping",
				key, s.columns[at])
		case !keyed:
			s.notes = append(s.notes, fmt.Sprintf("The rows of the project %s were identified by the column "+
				"%q; in this file, their numbers identify them.", key, was[0]))
		}
	}
	return nil
}

// need records what a row needs: everything, or nothing if it conflicts with other rows or with the stored
// project (R3).
func (s *survey) need(ctx context.Context, r *row) (*fault, error) {
	p := s.projects[r.project]
	if p == nil {
		d, err := s.stored.project(ctx, r.project)
		if err != nil {
			return nil, about("project "+r.project, err)
		}
		if len(s.projects) == maxProjects {
			return nil, tracker.Bad("mapping",
				"the column %q names more than %d projects; is it a project's key?",
				s.plan.builtins[ToProjectKey].spec.Column, maxProjects)
		}
		if p = s.plan.newProject(r.project, d); d != nil {
			s.add(p)
		}
	}
	if f := s.refused(p, r); f != nil {
		return f, nil
	}
	if s.projects[r.project] == nil {
		s.add(p)
	}
	p.rows++
	p.number(r)
	if p.name == "" {
		p.name = r.projectName
	}
	if r.state != "" {
		p.states.add(r.state)
	}
	for i, options := range p.options {
		for _, name := range r.values[i].namesIn(options) {
			options.add(name)
		}
		if v := &r.values[i]; v.value.Kind != tracker.KindNone || len(v.names) > 0 {
			p.filled[i]++
		}
	}
	return nil, nil
}

// meet adds the project of a row that is rejected, if the tenant has it, so that what else is wrong with such
// rows is known.
func (s *survey) meet(ctx context.Context, key string) error {
	if s.projects[key] != nil || len(s.stored.projects) >= maxProjects ||
		tracker.CheckProjectKey("", key) != nil {
		return nil
	}
	d, err := s.stored.project(ctx, key)
	if err == nil && d != nil && len(s.projects) < maxProjects {
		s.add(s.plan.newProject(key, d))
	}
	return err
}

// refused returns the faults of the states and options that a row cannot use, or nil.
func (s *survey) refused(p *projectSurvey, r *row) (wrong *fault) {
	if s.plan.states != nil && r.state != "" {
		if f := p.states.refuse(r.state); f != nil {
			wrong = wrong.and(f.in(s.plan.builtins[ToState]))
		}
	}
	for i, options := range p.options {
		for _, name := range r.values[i].namesIn(options) {
			if f := options.refuse(name); f != nil {
				wrong = wrong.and(f.in(s.plan.fields[i]))
				break
			}
		}
	}
	return wrong
}

func (s *survey) add(p *projectSurvey) {
	s.projects[p.key] = p
	s.order = append(s.order, p.key)
}

// newProject returns what is known of a project before its rows: the states and options that it has, and
// those of the mapping, which it gets in any case.
func (p *plan) newProject(key string, d *tracker.Definition) *projectSurvey {
	p.meter.grow(nameMemory + len(p.fields)*16)
	out := &projectSurvey{key: key, before: d, options: make([]*collected, len(p.fields)),
		filled: make([]int64, len(p.fields))}
	var column Column
	if b, ok := p.builtins[ToState]; ok {
		column = *b.spec
	}
	states := nameKind{UnknownState, "a state of the project " + key}
	out.states = newCollected(states, tracker.MaxStates, column.IgnoreCase, p.meter)
	if d != nil {
		for _, s := range d.Project.States {
			out.states.has(s.Name)
		}
		out.states.closed = !column.NewOptions
	}
	for _, name := range column.states() {
		out.states.add(name)
	}
	for i, b := range p.fields {
		if !b.spec.Type.HasOptions() {
			continue
		}
		c := newCollected(nameKind{UnknownName,
			fmt.Sprintf("an option of the field %q in the project %s", b.spec.Name, key)},
			tracker.MaxOptions, b.spec.IgnoreCase, p.meter)
		if d != nil {
			if f := fieldNamed(d, b.spec.Name); f != nil {
				for _, o := range f.Options {
					c.has(o.Name)
				}
				c.closed = !b.spec.NewOptions
			}
		}
		for _, name := range b.spec.Options {
			c.add(name)
		}
		out.options[i] = c
	}
	return out
}

// fits returns an error if the import needs more states or options than a project can have, before
// anything is written.
func (s *survey) fits() error {
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
