package work

import (
	"context"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/internal/runner"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Rename is the job that gives a user's new name to the values of USER fields that refer to the user. It is
// one item in the user's partition, written in the transaction of the change of the name, and deleted when
// the job ends. Another change of the name replaces it, so that the job starts over.
type Rename struct {
	User tracker.UserID
	// ID identifies the job among those of the user.
	ID string
	// Pass is the number of the passes over all projects that have ended, and At the last project of the next
	// one whose values have the name, in the order of the ids.
	Pass int
	At   tracker.ProjectID
	// Since is when a server first saw the job, and so after the user was renamed; zero until then.
	Since  time.Time
	Lease  runner.Lease
	stored layout.Item
}

// PutRename adds the job that a change of a user's name needs.
func PutRename(t *store.Tenant, x *client.Transaction, id tracker.UserID) error {
	job, err := t.NewID()
	if err != nil {
		return err
	}
	m := (&Rename{User: id, ID: job}).Encode(layout.PeopleOf(t.Keys))
	x.Put(t.Table, m, client.Condition{})
	return nil
}

// ReadRename returns the job of a user, or nil if there is none.
func ReadRename(ctx context.Context, t *store.Tenant, id tracker.UserID) (*Rename, error) {
	items, err := t.Get(ctx, []layout.Key{layout.PeopleOf(t.Keys).Rename(id)}, true)
	if err != nil || items[0] == nil {
		return nil, err
	}
	return DecodeRename(id, items[0]), nil
}

// Save stores the progress of the job, and renews the lease of its owner. It returns client.ErrStale if
// another server has the job, or the user was renamed once more.
func (r *Rename) Save(ctx context.Context, t *store.Tenant) error {
	if r.Lease.Owner != "" {
		r.Lease = runner.Take(r.Lease.Owner, t.Now())
	}
	m := r.Encode(layout.PeopleOf(t.Keys))
	var x client.Transaction
	x.Put(t.Table, m, r.unchanged())
	err := t.Write(ctx, &x)
	if err == nil {
		r.stored = m
	}
	return err
}

// End deletes the job. Its error is that of Save.
func (r *Rename) End(ctx context.Context, t *store.Tenant) error {
	var x client.Transaction
	x.Delete(t.Table, layout.PeopleOf(t.Keys).Rename(r.User), r.unchanged())
	return t.Write(ctx, &x)
}

func (r *Rename) unchanged() client.Condition {
	return client.Unchanged(r.stored, client.ErrStale, "id", "owner", "until", "pass", "at")
}

// Encode returns the item of the job.
func (r *Rename) Encode(k layout.People) layout.Item {
	m := layout.KeyItem(k.Rename(r.User))
	m[layout.AttrSS] = layout.B(sortkey.Name("", string(r.User)))
	m["id"] = layout.S(r.ID)
	m["since"] = layout.S(tracker.FormatDateTime(r.Since))
	m["pass"] = layout.N(int64(r.Pass))
	m["at"] = layout.S(string(r.At))
	m["owner"] = layout.S(r.Lease.Owner)
	m["until"] = layout.S(tracker.FormatDateTime(r.Lease.Until))
	return m
}

// DecodeRename returns the job of a user from its item.
func DecodeRename(id tracker.UserID, m layout.Item) *Rename {
	at := func(name string) time.Time {
		at, _ := time.Parse(time.RFC3339Nano, layout.GetS(m, name)) // a damaged job begins at once
		return at
	}
	return &Rename{User: id, ID: layout.GetS(m, "id"), At: tracker.ProjectID(layout.GetS(m, "at")),
		Pass: int(layout.GetN(m, "pass")), Since: at("since"), stored: m,
		Lease: runner.Lease{Owner: layout.GetS(m, "owner"), Until: at("until")}}
}
