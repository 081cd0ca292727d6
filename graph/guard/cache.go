package guard

import (
	"context"

	"github.com/vektah/gqlparser/v2/ast"
)

// parsedQueries adapts Extension.parsed to the interface of the executor. A document counts toward the share
// of the tenant that sent it first.
type parsedQueries struct{ *Extension }

// Get returns the document of a query from the cache.
func (p parsedQueries) Get(_ context.Context, query string) (*ast.QueryDocument, bool) {
	return p.parsed.Get(query)
}

// Add caches the document of a valid query.
func (p parsedQueries) Add(ctx context.Context, query string, doc *ast.QueryDocument) {
	p.parsed.Add(string(p.tenant(ctx)), query, doc, int64(len(query)))
}
