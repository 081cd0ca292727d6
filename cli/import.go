package cli

import (
	"errors"
	"fmt"
	_ "time/tzdata" // for mappings that name a zone, on machines without zone data

	"issuegrid/graph/model"
	"issuegrid/importer"
	"issuegrid/loaders"
	"issuegrid/setting"
	"issuegrid/tracker"
)

type importCmd struct {
	storeFlags
	File    string `arg:"" help:"CSV or JSON Lines, plain or gzip." type:"path"`
	Tenant  string
	Project string
	Mapping string `type:"path"`
	Rejects string `type:"path"`
	DryRun  bool
}

func (i *importCmd) definitions() []setting.Definition {
	return append(i.storeFlags.definitions(), []setting.Definition{
		{Name: "tenant", Placeholder: "T",
			Help: "The tenant that receives the issues: its name, or its id in GraphQL."},
		{Name: "project", Placeholder: "P",
			Help: "Key of the project that receives the issues, if no column has it. A missing " +
				"project is created."},
		{Name: "mapping", Placeholder: "M", UnsetMeans: "inferred from the file",
			Help: "Mapping file: what each column becomes."},
		{Name: "rejects", Placeholder: "FILE", UnsetMeans: "next to FILE",
			Help: "File for the rows that cannot be imported."},
		{Name: "dry-run",
			Help: "Write nothing; print each column with its type, number of empty cells and " +
				"samples, and the mapping to edit."},
	}...)
}

// errRejected is the error of an import that left out rows. It results in a nonzero exit code.
var errRejected = errors.New("some rows were rejected; correct them in the rejects file and import that " +
	"file")

// Run imports the file, or with --dry-run shows what an import would do.
func (i *importCmd) Run(c *console) error {
	options := importer.Options{File: i.File, Project: i.Project, Rejects: i.Rejects}
	if i.Mapping != "" {
		var err error
		if options.Mapping, err = importer.ReadMapping(i.Mapping); err != nil {
			return err
		}
	}
	progress := stageBar{c: c}
	options.Progress = func(p importer.Progress) {
		progress.set(fmt.Sprint(p.Stage), int(p.Done), int(p.Total))
	}
	defer progress.end()
	if i.DryRun {
		report, err := importer.Inspect(c.ctx, options)
		progress.end()
		if err != nil {
			return err
		}
		c.say("%v", report)
		return report.Problem
	}
	return i.load(c, options, &progress)
}

func (i *importCmd) load(c *console, options importer.Options, progress *stageBar) (err error) {
	if i.Tenant == "" {
		return tracker.Bad("--tenant", "name the tenant that receives the issues, by its name or id")
	}
	s, err := i.join(c.ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	id, err := findTenant(c, s, i.Tenant)
	if err != nil {
		return err
	}
	tenant, err := s.db.Tenant(id)
	if err != nil {
		return err
	}
	summary, err := importer.Run(c.ctx, tenant, options)
	progress.end()
	if summary != nil {
		c.say("%v", summary)
	}
	if err == nil && summary.Rejected > 0 {
		return errRejected
	}
	return err
}

// findTenant returns the tenant with the given id, or else the only tenant with the given name.
func findTenant(c *console, s *store, given string) (tracker.TenantID, error) {
	if n, err := model.ParseTenantID(given); err == nil {
		return n.Tenant, nil
	}
	set := loaders.New(c.ctx, s.db)
	var found []tracker.TenantID
	for r := (loaders.Range{Size: 100}); ; {
		page, err := set.Tenants(c.ctx, r)
		if err != nil {
			return "", err
		}
		for _, t := range page.Rows {
			if t.Value.Name == given || string(t.Value.ID) == given {
				found = append(found, t.Value.ID)
			}
		}
		if !page.HasNext {
			break
		}
		r.After = page.Rows[len(page.Rows)-1].Position
	}
	switch len(found) {
	case 0:
		return "", tracker.Bad("--tenant",
			"there is no tenant with the name or id %q; create it with the mutation createTenant", given)
	case 1:
		return found[0], nil
	}
	return "", tracker.Bad("--tenant", "%d tenants are named %q; give the id of one", len(found), given)
}
