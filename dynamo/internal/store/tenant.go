package store

import (
	"context"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// Tenant is a handle on the items of one tenant. It cannot access a key of another tenant (I1). The stores of
// a tenant share a handle, which therefore does not change.
type Tenant struct {
	*DB  // confined to the tenant
	ID   tracker.TenantID
	Keys layout.Keys
	By   tracker.Actor // of changes
	Once *tracker.Once // of the single change that the handle is for; may be nil
	// JobID is the id of the job that the single change starts. Empty, a job gets a new one.
	JobID string
}

// Tenant returns a handle on a tenant, which need not exist. It returns NotFound for an invalid id.
func (db *DB) Tenant(id tracker.TenantID) (*Tenant, error) {
	if !tracker.ValidID(string(id)) {
		return nil, tracker.Missing("tenant")
	}
	confined := *db
	confined.Client = db.Client.Of(id)
	return &Tenant{DB: &confined, ID: id, Keys: layout.Keys{Tenant: id}}, nil
}

// Background returns a handle for changes by an actor whose cost is charged to the tenant's background work,
// not to a request. It has no idempotency key.
func (t *Tenant) Background(by tracker.Actor) *Tenant {
	m := account.NewMeter()
	if t.Spent != nil {
		m.Settle(func(c account.Cost) { t.Spent(t.ID, c) })
	}
	return &Tenant{DB: t.Metered(m), ID: t.ID, Keys: t.Keys, By: by}
}

// Pace waits until the tenant's background work may continue.
func (t *Tenant) Pace(ctx context.Context) error {
	if t.PaceOf == nil {
		return nil
	}
	return client.Translate(t.PaceOf(ctx, t.ID))
}

// CheckIssue adds to a transaction the condition that an issue exists. It costs write units for the size of
// the document.
func (t *Tenant) CheckIssue(x *client.Transaction, id tracker.IssueID) {
	x.Check(t.Table, t.Keys.IssueItem(id), client.MustExist(tracker.Missing("issue")))
}

// CheckProject adds to a transaction the condition that a project exists and is not in the trash.
func (t *Tenant) CheckProject(x *client.Transaction, p tracker.ProjectID) {
	x.Check(t.Table, t.Keys.ProjectItem(p), client.Condition{
		Expression: "attribute_exists(" + layout.AttrPK + ") AND attribute_not_exists(deleted) AND " +
			"attribute_not_exists(trash)",
		Otherwise: tracker.Missing("project")})
}

// AddActivity adds to a transaction an entry of the activity of a project.
func (t *Tenant) AddActivity(x *client.Transaction, e tracker.Activity) {
	m := layout.ActivityOf(t.Keys, e.Issue.Project).Encode(&e)
	m[layout.AttrExpires] = layout.N(e.At.Add(t.KeepHistory).Unix())
	x.Put(t.Table, m, client.Condition{})
}
