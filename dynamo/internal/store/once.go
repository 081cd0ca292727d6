package store

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

// errResultGone is returned for a change that was already made and whose result does not exist any more.
var errResultGone = &tracker.Error{Code: tracker.NotFound, Path: "idempotencyKey",
	Message: "the change was made earlier under this key, and its result does not exist any more"}

// ApplyOnce makes a change, or loads its result if it was already made under the handle's key. load receives
// the id that was passed to AddOnce.
func ApplyOnce[T any](
	ctx context.Context, t *Tenant, load func(id string) (*T, error), change func() (*T, error),
) (*T, error) {
	if t.Once == nil {
		return change()
	}
	loadApplied := func() (*T, error) {
		id, ok, err := t.applied(ctx)
		if err != nil || !ok {
			return nil, err
		}
		result, err := load(id)
		if tracker.CodeOf(err) == tracker.NotFound {
			err = errResultGone
		}
		return result, err
	}
	if before, err := loadApplied(); before != nil || err != nil {
		return before, err
	}
	changed, err := change()
	switch tracker.CodeOf(err) {
	case tracker.NotFound, tracker.Conflict, tracker.BadInput:
	default:
		return changed, err
	}
	// These errors are also returned after the change was made, because its issue is gone or has another
	// version, or what it has merged is gone. If the request was sent twice at the same time, the other
	// one may have caused the error.
	if meanwhile, readErr := loadApplied(); meanwhile != nil || readErr != nil {
		return meanwhile, readErr
	}
	return nil, err
}

// DoOnce is ApplyOnce for a change without a result, such as a deletion.
func DoOnce(ctx context.Context, t *Tenant, change func() error) error {
	type done struct{}
	load := func(string) (*done, error) { return &done{}, nil }
	_, err := ApplyOnce(ctx, t, load, func() (*done, error) { return &done{}, change() })
	return err
}

// notApplied returns the condition on the item that AddOnce puts.
func (t *Tenant) notApplied() client.Condition {
	return client.Condition{
		Expression: "attribute_not_exists(" + layout.AttrPK + ") OR " + layout.AttrExpires + " <= :now",
		Values:     layout.Item{":now": t.Expiry(0)},
		Otherwise:  errAlreadyApplied,
	}
}

// AddOnce adds to a transaction the item that prevents its change from being repeated. id is the id of the
// object changed.
func (t *Tenant) AddOnce(x *client.Transaction, id string) {
	if t.Once != nil {
		t.addOnce(x, id, t.notApplied())
	}
}

func (t *Tenant) addOnce(x *client.Transaction, id string, c client.Condition) {
	m := layout.KeyItem(t.Keys.Once(t.Once.Key))
	m["print"] = layout.S(t.Once.Fingerprint)
	m["made"] = layout.S(id)
	m[layout.AttrExpires] = t.Expiry(onceTTL)
	x.Put(t.Table, m, c)
}

// Claim records that the handle's key is that of one call, which makes several changes with keys of their
// own. It returns BadInput if the key was used for another call.
func (t *Tenant) Claim(ctx context.Context) error {
	if t.Once == nil {
		return nil
	}
	if _, claimed, err := t.applied(ctx); claimed || err != nil {
		return err
	}
	unused := t.notApplied()
	unused.Expression += " OR print = :print"
	unused.Values[":print"] = layout.S(t.Once.Fingerprint)
	unused.Otherwise = errOtherChange
	var x client.Transaction
	t.addOnce(&x, "", unused)
	return t.Write(ctx, &x)
}

// errOtherChange is returned for a key that was used for another change.
var errOtherChange = tracker.Bad("idempotencyKey",
	"the key was used for another change; use a different key for each change")

// Repeated reports whether the handle's change was already made under its key.
func (t *Tenant) Repeated(ctx context.Context) (bool, error) {
	if t.Once == nil {
		return false, nil
	}
	_, made, err := t.applied(ctx)
	return made, err
}

// Applied reports for each idempotency key whether a change was made under it in the last 24 hours.
func (t *Tenant) Applied(ctx context.Context, keys []string) ([]bool, error) {
	all := make([]layout.Key, len(keys))
	for i, key := range keys {
		all[i] = t.Keys.Once(key)
	}
	found, err := t.Get(ctx, all, true)
	applied := make([]bool, len(keys))
	for i := range found {
		applied[i] = err == nil && found[i] != nil && !t.Expired(found[i])
	}
	return applied, err
}

// applied returns the id that was passed to AddOnce, if the change was already made under this key.
func (t *Tenant) applied(ctx context.Context) (id string, ok bool, err error) {
	found, err := t.Get(ctx, []layout.Key{t.Keys.Once(t.Once.Key)}, true)
	if err != nil || found[0] == nil || t.Expired(found[0]) {
		return "", false, err
	}
	if layout.GetS(found[0], "print") != t.Once.Fingerprint {
		return "", false, errOtherChange
	}
	return layout.GetS(found[0], "made"), true, nil
}

// Remember records a change that modifies nothing.
func (t *Tenant) Remember(ctx context.Context, id string) error {
	var x client.Transaction
	if t.AddOnce(&x, id); len(x.Writes) == 0 {
		return nil
	}
	if err := t.Write(ctx, &x); !errors.Is(err, errAlreadyApplied) {
		return err
	}
	return nil
}
