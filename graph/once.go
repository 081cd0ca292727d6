package graph

import (
	"encoding/json"
	"errors"
	"unicode/utf8"

	"issuegrid/tracker"
)

// onceOf reads an idempotency key; nil if there is none. The print is of the mutation and of its whole input.
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

// keyMember is the member of an input that has the idempotency key, and the path of an error about it.
const keyMember = "idempotencyKey"

// atMember places the error of a write of what a member of the input describes. One about the key is about
// the input itself, whatever else the change is about: in createIssue it is at input.idempotencyKey and not
// at input.issue.idempotencyKey.
func atMember(member string, err error) error {
	if e, ok := errors.AsType[*tracker.Error](err); ok && e.Path == keyMember {
		return tracker.At("input", err)
	}
	return tracker.At("input."+member, err)
}

// atResult is atMember for one of the outcomes of a bulk mutation, whose paths begin below the input.
func atResult(member string, err error) error {
	if e, ok := errors.AsType[*tracker.Error](err); ok && e.Path == keyMember {
		return err
	}
	return tracker.At(member, err)
}

// part is the key of one of the changes of a bulk mutation.
func part(once *tracker.Once, n int) *tracker.Once {
	if once == nil {
		return nil
	}
	return &tracker.Once{Key: once.Key + "\x00" + index(n), Fingerprint: once.Fingerprint}
}
