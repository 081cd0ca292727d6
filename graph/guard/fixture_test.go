package guard_test

import (
	"os"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// slower is how much fewer is done under the race detector, where everything takes several times as long.
var slower = 1

// schemaFile is the schema that the product serves.
func schemaFile(t *testing.T) *ast.Schema {
	t.Helper()
	text, err := os.ReadFile("../../schema.graphqls")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphqls", Input: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
