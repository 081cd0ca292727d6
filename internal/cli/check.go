package cli

import (
	"errors"
	"time"

	"github.com/alecthomas/kong"

	"issuegrid/dynamo/check"
	"issuegrid/graph/model"
	"issuegrid/internal/account"
	"issuegrid/internal/setting"
	"issuegrid/tracker"
)

type checkCmd struct {
	storeFlags
	Tenant   string
	Project  string
	Repair   bool
	Segments int
	Settle   time.Duration
}

func (k *checkCmd) definitions() []setting.Definition {
	return append(k.storeFlags.definitions(), []setting.Definition{
		{Name: "tenant", Placeholder: "T",
			Help: "Check only this tenant: its name, or its id in GraphQL."},
		{Name: "project", Placeholder: "P",
			Help: "Check only this project: its key, with --tenant, or its id in GraphQL."},
		{Name: "repair",
			Help: "Repair what can be derived from the issues."},
		{Name: "segments", Default: 4, Min: 1, Max: 1000,
			Help: "How many segments of the table are read in parallel."},
		{Name: "settle", Default: 5 * time.Second, Min: time.Duration(0), Max: 24 * time.Hour,
			Help: "How long to wait before possible damage is checked again."},
	}...)
}

// AfterApply validates the command line.
func (k *checkCmd) AfterApply(line *kong.Context) error {
	if _, err := model.ParseProjectID(k.Project); k.Project != "" && k.Tenant == "" && err != nil {
		return tracker.Bad("--project", "%s is not an id from GraphQL; a project's key also needs "+
			"--tenant",
			k.Project)
	}
	return k.storeFlags.check(line)
}

// The errors of a check that leaves findings. They result in a nonzero exit code.
var (
	errFindings = errors.New("the table is damaged; `check --repair` repairs the findings for which the " +
		"report says so")
	errLeft = errors.New("the table is damaged; `check --repair` cannot repair the findings")
)

// Run checks the table and prints the findings.
func (k *checkCmd) Run(c *console) (err error) {
	s, err := k.join(c.ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	options := check.Options{Repair: k.Repair, Segments: k.Segments, Settle: k.Settle}
	if options.Tenant, options.Project, err = findScope(c, s, k.Tenant, k.Project); err != nil {
		return err
	}
	progress := stageBar{c: c}
	defer progress.end()
	meter := account.NewMeter()
	report, err := check.Run(c.ctx, s.db.Metered(meter), options, func(p check.Progress) {
		progress.set(string(p.Stage), p.Done, p.Total)
	})
	progress.end()
	if err != nil {
		return err
	}
	c.say("%v", report)
	cost := meter.Cost()
	c.note("The check consumed %.0f read and %.0f write capacity units.", cost.RCU, cost.WCU)
	switch {
	case report.Left() == 0:
		return nil
	case k.Repair || !report.Repairable():
		return errLeft
	}
	return errFindings
}

// findScope returns the tenant and the project that flags name. Empty ids mean all.
func findScope(c *console, s *store, givenTenant, givenProject string) (tenant tracker.TenantID,
	project tracker.ProjectID, err error) {
	if n, err := model.ParseProjectID(givenProject); err == nil && givenTenant == "" {
		return n.Tenant, n.Project, nil
	}
	if givenTenant == "" {
		return "", "", nil
	}
	if tenant, err = findTenant(c, s, givenTenant); err != nil || givenProject == "" {
		return tenant, "", err
	}
	project, err = findProject(c, s, tenant, givenProject)
	return tenant, project, err
}

// findProject returns the project of a tenant with the given id, or else with the given key.
func findProject(c *console, s *store, id tracker.TenantID, given string) (tracker.ProjectID, error) {
	if n, err := model.ParseProjectID(given); err == nil && n.Tenant == id {
		return n.Project, nil
	}
	tenant, err := s.db.Tenant(id)
	if err != nil {
		return "", err
	}
	found := tracker.ProjectID(given) // a key has upper-case letters, and an id does not
	if tracker.ValidID(given) {
		var projects []*tracker.Project
		if projects, err = tenant.Projects(c.ctx, []tracker.ProjectID{found}); err == nil &&
			projects[0] == nil {
			err = tracker.Missing("project")
		}
	} else {
		found, err = tenant.ProjectByKey(c.ctx, given)
	}
	if tracker.CodeOf(err) == tracker.NotFound {
		err = tracker.Bad("--project", "the tenant has no project with the key or id %q", given)
	}
	return found, err
}
