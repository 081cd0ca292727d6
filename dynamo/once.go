package dynamo

import (
	"context"
	"errors"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// onceTTL is how long an idempotency key prevents a change from being repeated.
const onceTTL = 24 * time.Hour

// errAlreadyApplied is returned for a change that was already made under the same key. A caller sees it only
// while the first change is not yet readable.
var errAlreadyApplied = &tracker.Error{Code: tracker.Conflict, Path: "idempotencyKey",
	Message: "the same change is in progress; try again"}

// Once returns a handle for one change that is made at most once: a second change under the same key within
// 24 hours returns the result of the first. Fingerprint identifies the change; a change returns BadInput if
// its key was used with another one.
func (t *Tenant) Once(o tracker.Once) *Tenant {
	bound := *t
	bound.once = &o
	return &bound
}

// applyOnce makes a change, or loads its result if it was already made under the handle's key. load receives
// the id that was passed to addTo.
func applyOnce[T any](
	ctx context.Context, t scope, load func(id string) (*T, error), change func() (*T, error),
) (*T, error) {
	if t.once == nil {
		return change()
	}
	loadApplied := func() (*T, error) {
		id, ok, err := idempotency(t).applied(ctx)
		if err != nil || !ok {
			return nil, err
		}
		return load(id)
	}
	if before, err := loadApplied(); before != nil || err != nil {
		return before, err
	}
	changed, err := change()
	if code := tracker.CodeOf(err); code != tracker.NotFound && code != tracker.Conflict {
		return changed, err
	}
	// These errors are also returned after the change was made, because its issue is gone or has another
	// version. If the request was sent twice at the same time, the other one may have caused the error.
	if meanwhile, readErr := loadApplied(); meanwhile != nil || readErr != nil {
		return meanwhile, readErr
	}
	return nil, err
}

// notApplied returns the condition on the item that addTo puts.
func (t idempotency) notApplied() client.Condition {
	return client.Condition{
		Expression: "attribute_not_exists(" + layout.AttrPK + ") OR " + layout.AttrExpires + " <= :now",
		Values:     layout.Item{":now": t.db.expiry(0)},
		Otherwise:  errAlreadyApplied,
	}
}

// addTo adds to a transaction the item that prevents its change from being repeated. id is the id of the
// object changed.
func (t idempotency) addTo(x *client.Transaction, id string) {
	if t.once == nil {
		return
	}
	m := layout.KeyItem(t.keys.Once(t.once.Key))
	m["print"] = layout.S(t.once.Fingerprint)
	m["made"] = layout.S(id)
	m[layout.AttrExpires] = t.db.expiry(onceTTL)
	x.Put(t.db.table, m, t.notApplied())
}

// Applied reports for each idempotency key whether a change was made under it in the last 24 hours.
func (t *Tenant) Applied(ctx context.Context, keys []string) ([]bool, error) {
	all := make([]layout.Key, len(keys))
	for i, key := range keys {
		all[i] = t.keys.Once(key)
	}
	found, err := t.db.batchGet(ctx, all, true)
	applied := make([]bool, len(keys))
	for i := range found {
		applied[i] = err == nil && found[i] != nil && !t.db.expired(found[i])
	}
	return applied, err
}

// applied returns the id that was passed to addTo, if the change was already made under this key.
func (t idempotency) applied(ctx context.Context) (id string, ok bool, err error) {
	found, err := t.db.batchGet(ctx, []layout.Key{t.keys.Once(t.once.Key)}, true)
	if err != nil || found[0] == nil || t.db.expired(found[0]) {
		return "", false, err
	}
	if layout.GetS(found[0], "print") != t.once.Fingerprint {
		return "", false, tracker.Bad("idempotencyKey",
			"the key was used for another change; use a different key for each change")
	}
	return layout.GetS(found[0], "made"), true, nil
}

// loadIssue returns a function that loads an issue of a project for applyOnce.
func (t idempotency) loadIssue(
	ctx context.Context, p tracker.ProjectID,
) func(id string) (*tracker.Issue, error) {
	return func(id string) (*tracker.Issue, error) {
		found, err := reader(t).issues(ctx, []tracker.IssueID{{Project: p, Issue: id}}, true)
		if err != nil {
			return nil, err
		}
		if found[0] == nil {
			return nil, tracker.Missing("issue; the change was applied earlier, and the issue has been " +
				"deleted since")
		}
		return found[0], nil
	}
}

// remember records a change that modifies nothing.
func (t idempotency) remember(ctx context.Context, id tracker.IssueID) error {
	var x client.Transaction
	if t.addTo(&x, id.Issue); len(x.Writes) == 0 {
		return nil
	}
	if err := t.db.write(ctx, &x); !errors.Is(err, errAlreadyApplied) {
		return err
	}
	return nil
}
