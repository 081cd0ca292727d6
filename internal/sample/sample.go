// Package sample holds the data that the first start loads: an example of two small projects with fixed ids,
// and a generated project of 2,000 issues with every type of field. Start here: [Load].
//
// The data is the same on every machine and at any time; its generator uses neither the clock nor random
// seeds.
package sample

import (
	"context"
	"errors"
	"time"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// Project is a project with its tenant, fields and issues.
type Project struct {
	Tenant  tracker.Tenant
	Project tracker.Project
	Fields  []tracker.Field
	Issues  []tracker.Issue
}

// chunk is the number of issues written at a time.
const chunk = 100

// Load writes projects, and calls progress after each chunk. It can be repeated: it completes an interrupted
// Load, and does not touch a project that was loaded completely.
func Load(ctx context.Context, db *dynamo.DB, projects []Project, progress func(done, total int)) error {
	total, done := 0, 0
	for _, p := range projects {
		total += len(p.Issues)
	}
	for _, p := range projects {
		t, err := db.Tenant(p.Tenant.ID)
		if err != nil {
			return err
		}
		last := int64(0)
		for _, i := range p.Issues {
			last = max(last, i.Num)
		}
		// The counter is written last, so if it is there, the rest is, too.
		if n, err := t.Counter(ctx, p.Project.ID); err != nil && tracker.CodeOf(err) != tracker.NotFound {
			return err
		} else if err == nil && n >= last {
			done += len(p.Issues)
			progress(done, total)
			continue
		}
		d, err := define(ctx, db, t, p)
		if err != nil {
			return err
		}
		if d == nil { // the tenant was deleted
			done += len(p.Issues)
			progress(done, total)
			continue
		}
		for issues := p.Issues; len(issues) > 0; {
			n := min(len(issues), chunk)
			if err := t.PutIssues(ctx, d, issues[:n]); err != nil {
				return err
			}
			issues = issues[n:]
			done += n
			progress(done, total)
		}
		if err := t.RaiseCounter(ctx, p.Project.ID, last); err != nil {
			return err
		}
	}
	return nil
}

// define creates the tenant, the project and its fields, unless they exist. It returns nil if the tenant was
// deleted, whose id is not used again.
func define(ctx context.Context, db *dynamo.DB, t *dynamo.Tenant, p Project) (*tracker.Definition, error) {
	there := func(err error) bool { return err == nil || tracker.CodeOf(err) == tracker.Conflict }
	if err := db.CreateTenant(ctx, p.Tenant); err != nil {
		_, missing := t.Get(ctx)
		if e, ok := errors.AsType[*tracker.Error](err); ok && e.Path == "claim" &&
			tracker.CodeOf(missing) == tracker.NotFound {
			return nil, nil
		}
		if !there(err) || missing != nil { // another tenant may have the name
			return nil, err
		}
	}
	if _, err := t.CreateProject(ctx, p.Project); !there(err) {
		return nil, err
	}
	for _, f := range p.Fields {
		if _, err := t.CreateField(ctx, p.Project.ID, f); !there(err) {
			return nil, err
		}
	}
	return t.Definition(ctx, p.Project.ID)
}

var openAndClosed = []tracker.State{{ID: "open", Name: "open", Open: true}, {ID: "closed", Name: "closed"}}

// Worked returns the worked example: two tenants, two projects, five issues, four custom fields.
func Worked() []Project {
	acme := tracker.Tenant{ID: "0807", Name: "ACME Engineering"}
	media := tracker.Tenant{ID: "3cc8", Name: "Big Media"}
	day := func(n int) time.Time { return time.Date(2023, 4, n, 9, 0, 0, 0, time.UTC) }
	issue := func(p tracker.ProjectID, id string, num int64, name, state string,
		values map[tracker.FieldID]tracker.Value) tracker.Issue {
		return tracker.Issue{ID: tracker.IssueID{Project: p, Issue: id}, Num: num, Name: name,
			State:   tracker.OptionID(state),
			Created: day(int(num)), Updated: day(int(num)), Values: values}
	}
	text := tracker.Text
	return []Project{
		{
			Tenant: acme,
			Project: tracker.Project{ID: "35e9", Key: "FRB", Name: "Forth Rail Bridge",
				States: openAndClosed},
			Fields: []tracker.Field{
				{ID: "3812", Name: "Start", Type: tracker.TypeDate, Position: 1},
				{ID: "882a", Name: "End", Type: tracker.TypeDate, Position: 2},
				{ID: "3fe6", Name: "Num Items", Type: tracker.TypeInteger, Position: 3},
				{ID: "47e5", Name: "Sign Off", Type: tracker.TypeText, Position: 4},
			},
			Issues: []tracker.Issue{
				issue("35e9", "020e", 1, "Needs Painting", "open",
					map[tracker.FieldID]tracker.Value{"3812": text("2023-05-01"),
						"882a": text("2023-06-01")}),
				issue("35e9", "67d1", 2, "Check for rust", "closed",
					map[tracker.FieldID]tracker.Value{"3812": text("2023-05-02"),
						"882a": text("2023-06-02")}),
				issue("35e9", "af34", 3, "Girder needs replacing", "open",
					map[tracker.FieldID]tracker.Value{"3fe6": tracker.Int(42), "47e5": text("Approved")}),
			},
		},
		{
			Tenant:  media,
			Project: tracker.Project{ID: "7b7e", Key: "TDN", Name: "The Daily News", States: openAndClosed},
			Issues: []tracker.Issue{
				issue("7b7e", "3544", 1, "Launch new newspaper!", "closed", nil),
				issue("7b7e", "83a4", 2, "Hire reporter for showbiz desk", "open", nil),
			},
		},
	}
}

// All returns everything that the first start loads.
func All() []Project { return append(Worked(), Generated()) }
