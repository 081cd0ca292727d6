package export

import (
	"testing"

	"issuegrid/tracker"
)

// TestEveryFieldTypeIsListed: fieldTypes has each type.
func TestEveryFieldTypeIsListed(t *testing.T) {
	for _, kind := range tracker.FieldTypes {
		if fieldTypes[kind].cell == nil {
			t.Errorf("internal/export/fieldtype.go: fieldTypes lacks %s", kind)
		}
	}
}
