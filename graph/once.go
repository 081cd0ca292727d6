package graph

import (
	"encoding/json"
	"errors"
	"unicode/utf8"

	"issuegrid/tracker"
)

// onceOf checks an idempotency key. It returns nil if key is nil. The fingerprint is a hash of the mutation
// and its complete input.
func onceOf(key *string, mutation string, input any) (*tracker.Once, error) {
	if key == nil {
		return nil, nil
	}
	if n := utf8.RuneCountInString(*key); n < 1 || n > tracker.MaxKey {
		return nil, tracker.Bad("input."+keyMember, "a key has 1 to %d characters; this has %d",
			tracker.MaxKey, n)
	}
	whole, err := json.Marshal(input)
	if err != nil {
		return nil, tracker.Internal("an input has no JSON", err)
	}
	return &tracker.Once{Key: *key, Fingerprint: tracker.IDFor("print", mutation, string(whole))}, nil
}

// keyMember is the input member with the idempotency key, and the path of errors about it.
const keyMember = "idempotencyKey"

// atMember prefixes the path of an error with the input member that was written. An error about the
// idempotency key is about the input itself: in createIssue its path is input.idempotencyKey and not
// input.issue.idempotencyKey.
func atMember(member string, err error) error {
	if e, ok := errors.AsType[*tracker.Error](err); ok && e.Path == keyMember {
		return tracker.At("input", err)
	}
	return tracker.At("input."+member, err)
}

// atResult is like atMember for an item of a bulk mutation, whose paths are relative to the input.
func atResult(member string, err error) error {
	if e, ok := errors.AsType[*tracker.Error](err); ok && e.Path == keyMember {
		return err
	}
	return tracker.At(member, err)
}

// onceOfItem returns the idempotency key of change n of a bulk mutation.
func onceOfItem(once *tracker.Once, n int) *tracker.Once {
	if once == nil {
		return nil
	}
	return &tracker.Once{Key: once.Key + "\x00" + index(n), Fingerprint: once.Fingerprint}
}
