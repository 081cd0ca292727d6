package importer

import (
	"context"
	"slices"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// stored are the projects of the tenant as they are before the import.
type stored struct {
	tenant   *dynamo.Tenant // nil if there is none, so that there are no projects
	projects map[string]*tracker.Definition
}

func newStored(t *dynamo.Tenant) *stored {
	return &stored{tenant: t, projects: map[string]*tracker.Definition{}}
}

// project returns the project with a key, nil if there is none.
func (s *stored) project(ctx context.Context, key string) (*tracker.Definition, error) {
	if d, ok := s.projects[key]; ok {
		return d, nil
	}
	d, err := find(ctx, s.tenant, key)
	if err != nil {
		return nil, err
	}
	s.projects[key] = d
	return d, nil
}

// find reads the project with a key. It returns nil if there is none.
func find(ctx context.Context, t *dynamo.Tenant, key string) (*tracker.Definition, error) {
	if t == nil {
		return nil, nil
	}
	id, err := t.ProjectByKey(ctx, key)
	var d *tracker.Definition
	if err == nil {
		d, err = t.Current(ctx, id)
	}
	if tracker.CodeOf(err) == tracker.NotFound {
		return nil, nil
	}
	return d, err
}

// receivers returns the existing projects that receive the rows of a file, as far as its profile shows.
func (s *stored) receivers(ctx context.Context, p *profile, project string) ([]*tracker.Definition, error) {
	var keys []string
	if project != "" {
		keys = append(keys, project)
	}
	if p.projectAt >= 0 && p.columns[p.projectAt].fits(ToProjectKey) {
		for key := range p.columns[p.projectAt].distinct {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	var out []*tracker.Definition
	for _, key := range slices.Compact(keys) {
		d, err := s.project(ctx, key)
		if err != nil {
			return nil, err
		}
		if d != nil {
			out = append(out, d)
		}
	}
	return out, nil
}

// fieldNamed returns the field with a name, as a project compares names, or nil.
func fieldNamed(d *tracker.Definition, name string) *tracker.Field { return d.FieldNamed(name) }
