package dynamo

import (
	"context"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// keepOnce is how long a key that a client gave a change keeps the change from being made again.
const keepOnce = 24 * time.Hour

// errTwice tells that a change was made before under the same key.
var errTwice = &tracker.Error{Code: tracker.Conflict, Path: "idempotencyKey", Message: "the same change is being made at this moment; try again"}

// Once returns the same handle for one change that is made only once: another one under the same key, within 24 hours, answers as the first one did.
// Print is of what the change is; BadInput if the key was used for another.
func (t *Tenant) Once(o tracker.Once) *Tenant {
	bound := *t
	bound.once = &o
	return &bound
}

// notTwice is the condition on the item that onceInto puts.
func (t *Tenant) notTwice() client.Condition {
	return client.Condition{Expression: "attribute_not_exists(" + layout.AttrPK + ") OR " + layout.AttrExpires + " <= :now", Values: layout.Item{":now": t.db.expiry(0)}, Otherwise: errTwice}
}

// onceInto adds to a transaction what keeps its change from being made again. made is the id of what it is about.
func (t *Tenant) onceInto(x *client.Transaction, made string) {
	if t.once == nil {
		return
	}
	m := layout.KeyItem(t.keys.Once(t.once.Key))
	m["print"] = layout.S(t.once.Print)
	m["made"] = layout.S(made)
	m[layout.AttrExpires] = t.db.expiry(keepOnce)
	x.Put(t.db.table, m, t.notTwice())
}

// madeBefore tells what the change was about, if it was made under this key before.
func (t *Tenant) madeBefore(ctx context.Context) (made string, ok bool, err error) {
	if t.once == nil {
		return "", false, nil
	}
	found, err := t.db.batchGet(ctx, []layout.Key{t.keys.Once(t.once.Key)}, true)
	if err != nil || found[0] == nil || t.db.expired(found[0]) {
		return "", false, err
	}
	if layout.GetS(found[0], "print") != t.once.Print {
		return "", false, tracker.Bad("idempotencyKey", "the key was used for another change; give each change a key of its own")
	}
	return layout.GetS(found[0], "made"), true, nil
}

// refusedFor tells whether a change was refused for the reasons that it would be refused for if it was made: its issue is gone, or has another version.
// That may be its own work, when it was sent twice under one key at the same time.
func (t *Tenant) refusedFor(err error) bool {
	code := tracker.CodeOf(err)
	return t.once != nil && (code == tracker.NotFound || code == tracker.Conflict)
}

// orMade is the answer to a change: a refusal only of what was not made meanwhile, under the same key. made reads what was; nil if nothing was.
func orMade[T any](t *Tenant, changed *T, err error, made func() (*T, error)) (*T, error) {
	if !t.refusedFor(err) {
		return changed, err
	}
	if made, readErr := made(); made != nil || readErr != nil {
		return made, readErr
	}
	return nil, err
}

// issueOrMade is orMade for a change of an issue.
func (t *Tenant) issueOrMade(ctx context.Context, p tracker.ProjectID, changed *tracker.Issue, err error) (*tracker.Issue, error) {
	return orMade(t, changed, err, func() (*tracker.Issue, error) { return t.madeIssue(ctx, p) })
}
