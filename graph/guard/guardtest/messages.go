package guardtest

import (
	"strings"
	"testing"
)

// InTermsOfGraphQL checks that a message contains no names of Go types, packages or functions.
func InTermsOfGraphQL(t *testing.T, message string) {
	t.Helper()
	for _, word := range []string{"interface", "json.", "strconv", "float64", "int32", "int64", "map[",
		"reflect", "%!", " slice", "is not a bool", "[]any"} {
		if strings.Contains(message, word) {
			t.Errorf("the message contains %q: %s", word, message)
		}
	}
}
