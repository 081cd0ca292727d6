package dynamo

import (
	"context"
	"errors"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// keepOnce is how long a key that a client gave a change keeps the change from being made again.
const keepOnce = 24 * time.Hour

// errAlreadyApplied is the refusal of a change that was made before under the same key. A caller sees it
// while the other one is not readable yet.
var errAlreadyApplied = &tracker.Error{Code: tracker.Conflict, Path: "idempotencyKey",
	Message: "the same change is in progress; try again"}

// Once returns the same handle for one change that is made only once: another one under the same key, within
// 24 hours, answers as the first one did. Print is of what the change is; BadInput if the key was used for
// another.
func (t *Tenant) Once(o tracker.Once) *Tenant {
	bound := *t
	bound.once = &o
	return &bound
}

// applyOnce makes a change, or loads what it has made if it was made before under the handle's key. id is
// what addTo was given.
func applyOnce[T any](
	ctx context.Context, t scope, load func(id string) (*T, error), change func() (*T, error),
) (*T, error) {
	if t.once == nil {
		return change()
	}
	made := func() (*T, error) {
		id, ok, err := idempotency(t).applied(ctx)
		if err != nil || !ok {
			return nil, err
		}
		return load(id)
	}
	if before, err := made(); before != nil || err != nil {
		return before, err
	}
	changed, err := change()
	if code := tracker.CodeOf(err); code != tracker.NotFound && code != tracker.Conflict {
		return changed, err
	}
	// A change is refused for these reasons after it was made, too: its issue is gone, or has another
	// version. So where it was sent twice at the same time, the refusal may be for its own work.
	if meanwhile, readErr := made(); meanwhile != nil || readErr != nil {
		return meanwhile, readErr
	}
	return nil, err
}

// notApplied is the condition on the item that addTo puts.
func (t idempotency) notApplied() client.Condition {
	return client.Condition{
		Expression: "attribute_not_exists(" + layout.AttrPK + ") OR " + layout.AttrExpires + " <= :now",
		Values:     layout.Item{":now": t.db.expiry(0)},
		Otherwise:  errAlreadyApplied,
	}
}

// addTo adds to a transaction what keeps its change from being made again. id is of what it is about.
func (t idempotency) addTo(x *client.Transaction, id string) {
	if t.once == nil {
		return
	}
	m := layout.KeyItem(t.keys.Once(t.once.Key))
	m["print"] = layout.S(t.once.Print)
	m["made"] = layout.S(id)
	m[layout.AttrExpires] = t.db.expiry(keepOnce)
	x.Put(t.db.table, m, t.notApplied())
}

// applied returns the id that addTo was given, if the change was made under this key before.
func (t idempotency) applied(ctx context.Context) (id string, ok bool, err error) {
	found, err := t.db.batchGet(ctx, []layout.Key{t.keys.Once(t.once.Key)}, true)
	if err != nil || found[0] == nil || t.db.expired(found[0]) {
		return "", false, err
	}
	if layout.GetS(found[0], "print") != t.once.Print {
		return "", false, tracker.Bad("idempotencyKey",
			"the key was used for another change; use a different key for each change")
	}
	return layout.GetS(found[0], "made"), true, nil
}

// loadIssue returns what loads an issue of a project for applyOnce.
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

// remember keeps a change that changes nothing from being made again.
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
