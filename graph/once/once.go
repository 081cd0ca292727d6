// Package once has the idempotency keys of mutations, and the paths of errors about them.
package once

import (
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"

	"issuegrid/tracker"
)

// Of checks an idempotency key. It returns nil if key is nil. The key is that of a user: another one can use
// the same. The fingerprint is a hash of the mutation and its complete input.
func Of(p tracker.Principal, key *string, mutation string, input any) (*tracker.Once, error) {
	if key == nil {
		return nil, nil
	}
	if n := utf8.RuneCountInString(*key); n < 1 || n > tracker.MaxKey {
		return nil, tracker.Bad("input."+Member, "a key has 1 to %d characters; this has %d",
			tracker.MaxKey, n)
	}
	whole, err := json.Marshal(input)
	if err != nil {
		return nil, tracker.Internal("an input has no JSON", err)
	}
	user := "name " + p.User
	if p.UserID != "" {
		user = "id " + string(p.UserID)
	}
	return &tracker.Once{Key: user + "\x00" + *key,
		Fingerprint: tracker.IDFor("print", mutation, string(whole))}, nil
}

// Member is the input member with the idempotency key, and the path of errors about it.
const Member = "idempotencyKey"

// At prefixes the path of an error with the input member that was written. An error about the
// idempotency key is about the input itself: in createIssue its path is input.idempotencyKey and not
// input.issue.idempotencyKey.
func At(member string, err error) error {
	if e, ok := errors.AsType[*tracker.Error](err); ok && e.Path == Member {
		return tracker.At("input", err)
	}
	return tracker.At("input."+member, err)
}

// OfItem returns the idempotency key of change n of a bulk mutation.
func OfItem(o *tracker.Once, n int) *tracker.Once {
	if o == nil {
		return nil
	}
	return &tracker.Once{Key: o.Key + "\x00[" + strconv.Itoa(n) + "]", Fingerprint: o.Fingerprint}
}
