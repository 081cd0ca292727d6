package graph

import (
	"encoding/json"
	"unicode/utf8"

	"issuegrid/tracker"
)

// onceOf reads an idempotency key; nil if there is none. The print is of the mutation and of its whole input.
func onceOf(key *string, mutation string, input any) (*tracker.Once, error) {
	if key == nil {
		return nil, nil
	}
	if n := utf8.RuneCountInString(*key); n < 1 || n > tracker.MaxKey {
		return nil, tracker.Bad("input.idempotencyKey", "a key has 1 to %d characters; this has %d", tracker.MaxKey, n)
	}
	whole, err := json.Marshal(input)
	if err != nil {
		return nil, tracker.Internal("an input has no JSON", err)
	}
	return &tracker.Once{Key: *key, Print: tracker.IDFor("print", mutation, string(whole))}, nil
}

// part is the key of one of the changes of a bulk mutation.
func part(once *tracker.Once, n int) *tracker.Once {
	if once == nil {
		return nil
	}
	return &tracker.Once{Key: once.Key + "\x00" + index(n), Print: once.Print}
}
