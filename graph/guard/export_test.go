package guard

import (
	"io"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// Sizes are the sizes of a query with the fragments that its operations spread.
type Sizes struct {
	Aliases, Directives, Operations, Fragments, Variables, Depth, Selections, Tokens int
}

// SizesOf returns the sizes of a query. It returns an error for fragment cycles.
func SizesOf(doc *ast.QueryDocument) (Sizes, error) {
	s := measure(doc)
	depth, selections, _, err := s.total()
	return Sizes{Aliases: s.aliases, Directives: s.directives, Operations: len(s.operations),
		Fragments: len(s.fragments), Variables: s.variables, Depth: depth, Selections: selections,
		Tokens: s.tokens()}, err
}

func (s *sizes) tokens() (n int) {
	for _, p := range slices.Concat(s.operations, s.fragments) {
		n += p.tokens
	}
	return n
}

// CheckTokens exports checkTokens.
func (l Limits) CheckTokens(query string) error { return l.checkTokens(query) }

// ReadJSON reads JSON as a body is read, and returns the number of its values.
func ReadJSON(r io.Reader, l Limits) (int, error) {
	b := &jsonBody{ReadCloser: io.NopCloser(r), limits: l}
	_, err := io.Copy(io.Discard, b)
	return b.values, err
}

// JoinSurrogates exports joinSurrogates.
var JoinSurrogates = joinSurrogates
