package importer

import (
	"errors"
	"fmt"

	"issuegrid/tracker"
)

// about prefixes an error's message with what it is about.
func about(what string, err error) error {
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok {
		return fmt.Errorf("%s: %w", what, err)
	}
	named := *e
	named.Message = what + ": " + e.Message
	return &named
}
