package importer

import (
	"errors"
	"fmt"

	"issuegrid/tracker"
)

// about puts before an error's message what it is about.
func about(what string, err error) error {
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok {
		return fmt.Errorf("%s: %w", what, err)
	}
	named := *e
	named.Message = what + ": " + e.Message
	return &named
}
