package guard

import (
	"context"

	"github.com/vektah/gqlparser/v2/ast"
)

// parsedQueries is Extension.parsed as the executor wants it. A document counts for the tenant that has sent it first.
type parsedQueries struct{ *Extension }

// Get returns the document of a query that was parsed before.
func (p parsedQueries) Get(_ context.Context, query string) (*ast.QueryDocument, bool) {
	return p.parsed.Get(query)
}

// Add keeps the document of a query that is valid.
func (p parsedQueries) Add(ctx context.Context, query string, doc *ast.QueryDocument) {
	p.parsed.Add(string(p.tenant(ctx)), query, doc, int64(len(query)))
}
