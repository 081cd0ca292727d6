package cli

import (
	"context"
	"errors"
	"fmt"
	_ "time/tzdata" // for mappings and grids that name a zone, on machines without zone data

	"issuegrid/dynamo"
	"issuegrid/graph/model"
	"issuegrid/internal/importer"
	"issuegrid/internal/setting"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

type importCmd struct {
	storeFlags
	File              string `arg:"" help:"CSV or JSON Lines, plain or gzip." type:"path"`
	Tenant            string
	CreateTenant      bool
	Project           string
	Mapping           string `type:"path"`
	NewOptions        bool
	OnlyNew           bool
	RemoveApostrophes bool
	Rejects           string `type:"path"`
	DryRun            bool
}

func (i *importCmd) definitions() []setting.Definition {
	return append(i.storeFlags.definitions(), []setting.Definition{
		{Name: "tenant", Placeholder: "T",
			Help: "The tenant that receives the issues: its name, or its id in GraphQL."},
		{Name: "create-tenant",
			Help: "Create the tenant named by --tenant if there is none."},
		{Name: "project", Placeholder: "P",
			Help: "Key of the project that receives the issues, if no column has it. A missing " +
				"project is created."},
		{Name: "mapping", Placeholder: "M", UnsetMeans: "inferred from the file",
			Help: "Mapping file: what each column becomes."},
		{Name: "new-options",
			Help: "Add options and states that neither the mapping nor the project has. Without this, " +
				"rows with others are rejected."},
		{Name: "only-new",
			Help: "Only add issues. Without this, the rows of existing issues change them: edits made " +
				"since the last import are overwritten."},
		{Name: "remove-apostrophes",
			Help: "Remove the apostrophes that the CSV export of the browser's grid inserts where a " +
				"spreadsheet would run a part of a cell as a formula."},
		{Name: "rejects", Placeholder: "FILE", UnsetMeans: "next to FILE",
			Help: "File for the rows that cannot be imported."},
		{Name: "dry-run",
			Help: "Write nothing; print what the import would do, what each column would become, and " +
				"the mapping to edit. Without --tenant, as if there were no projects."},
	}...)
}

// errRejected and errWouldReject are the errors of an import that left out rows, and of its dry run. They
// result in the same nonzero exit code.
var (
	errRejected = errors.New("some rows were rejected; correct them in the rejects file and import that " +
		"file")
	errWouldReject = errors.New("some rows would be rejected")
)

// Run imports the file, or with --dry-run shows what an import would do.
func (i *importCmd) Run(c *console) (err error) {
	options := importer.Options{File: i.File, Project: i.Project, Rejects: i.Rejects,
		NewOptions: i.NewOptions, OnlyNew: i.OnlyNew, RemoveApostrophes: i.RemoveApostrophes}
	if i.Mapping != "" {
		if options.Mapping, err = importer.ReadMapping(i.Mapping); err != nil {
			return err
		}
	}
	progress := stageBar{c: c}
	options.Progress = func(p importer.Progress) {
		progress.set(fmt.Sprint(p.Stage), int(p.Done), int(p.Total))
	}
	defer progress.end()
	if i.Tenant == "" {
		if i.DryRun && !i.CreateTenant {
			return i.inspect(c, nil, options, &progress)
		}
		return tracker.Bad("--tenant", "name the tenant that receives the issues, by its name or id")
	}
	s, err := i.join(c.ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	tenant, err := i.receiver(c, s)
	if err != nil {
		return err
	}
	if i.DryRun {
		return i.inspect(c, tenant, options, &progress)
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

// inspect makes a dry run, and returns the error that the import would return.
func (i *importCmd) inspect(c *console, tenant *dynamo.Tenant, options importer.Options,
	progress *stageBar) error {
	report, err := importer.Inspect(c.ctx, tenant, options)
	progress.end()
	if err != nil {
		return err
	}
	if report.Columns == nil { // it cannot be read
		return report.Problem
	}
	c.say("%v", report)
	if report.Problem == nil && report.Summary.Rejected > 0 {
		return errWouldReject
	}
	return report.Problem
}

// receiver returns the tenant that receives the issues. If it does not exist, --create-tenant creates it, but
// a dry run does not.
func (i *importCmd) receiver(c *console, s *store) (*dynamo.Tenant, error) {
	if !i.CreateTenant {
		id, err := findTenant(c, s, i.Tenant)
		if err != nil {
			return nil, err
		}
		return s.db.Tenant(id)
	}
	id, err := lookUpTenant(c, s, i.Tenant)
	if err == nil && id == "" {
		id, err = createTenant(c.ctx, s.db, i.Tenant, i.DryRun)
	}
	if err != nil {
		return nil, err
	}
	return s.db.Tenant(id)
}

// createTenant creates a tenant with a name that no tenant has. Its id is derived from the name, so that a
// repetition does not create another one while the list of tenants does not show it yet. A dry run returns an
// id without creating a tenant.
func createTenant(ctx context.Context, db *dynamo.DB, name string, dry bool) (tracker.TenantID, error) {
	name = tracker.CleanName(name)
	if err := tracker.CheckNewName("--tenant", name); err != nil {
		return "", err
	}
	for derived := []string{"tenant", name}; ; derived = append(derived, "renamed") {
		id := tracker.TenantID(tracker.IDFor(derived...))
		handle, err := db.Tenant(id)
		if err != nil {
			return "", err
		}
		old, err := handle.Get(ctx)
		switch {
		case err == nil && old.Name == name:
			return id, nil
		case err == nil: // the tenant was renamed since
			continue
		case tracker.CodeOf(err) != tracker.NotFound:
			return "", err
		case dry:
			return id, nil
		}
		err = db.CreateTenant(ctx, tracker.Tenant{ID: id, Name: name})
		if e, ok := errors.AsType[*tracker.Error](err); ok && e.Code == tracker.Conflict {
			_, missing := handle.Get(ctx)
			switch {
			case missing == nil: // another command has just created it
				err = nil
			case e.Path == "claim": // a tenant that was deleted had the id
				continue
			}
		}
		return id, err
	}
}

// findTenant returns the tenant with the given id, or else the only tenant with the given name.
func findTenant(c *console, s *store, given string) (tracker.TenantID, error) {
	id, err := lookUpTenant(c, s, given)
	if err == nil && id == "" {
		err = tracker.Bad("--tenant", "there is no tenant with the name or id %q; create it with the "+
			"mutation createTenant, or with --create-tenant of import", given)
	}
	return id, err
}

// lookUpTenant is findTenant, but returns "" if no tenant has the name.
func lookUpTenant(c *console, s *store, given string) (tracker.TenantID, error) {
	if n, err := model.ParseTenantID(given); err == nil {
		handle, err := s.db.Tenant(n.Tenant)
		if err == nil {
			_, err = handle.Get(c.ctx)
		}
		if tracker.CodeOf(err) == tracker.NotFound {
			return "", tracker.Bad("--tenant", "there is no tenant with the id %q", given)
		}
		return n.Tenant, err
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
		return "", nil
	case 1:
		return found[0], nil
	}
	return "", tracker.Bad("--tenant", "%d tenants are named %q; give the id of one", len(found), given)
}
