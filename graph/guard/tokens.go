package guard

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"

	"issuegrid/internal/setting"
	"issuegrid/tracker"
)

// checkTokens checks what must be known before a query is parsed: the number of its tokens, and how deeply
// its brackets are nested, because the parser recurses into them. It also refuses long names, which errors
// repeat, and numbers that the library cannot represent, which it would report for each list and object
// around them. What follows an error of the syntax does not matter: the parser does not read it.
func (l Limits) checkTokens(query string) error {
	var sets, inputs, deepest, nested int // inputs are lists, objects and types of lists
	lex, parens, valid := lexer.New(&ast.Source{Input: query}), 0, true
	for n := 1; valid; n++ {
		token, err := lex.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			break
		}
		if n > l.Tokens {
			return tracker.Bad("", "the query has more than %d tokens, which is the limit (Tokens): "+
				"select fewer columns, or send lists and objects in variables", l.Tokens)
		}
		open := &sets
		if parens > 0 {
			open = &inputs
		}
		switch token.Kind {
		case lexer.Name:
			if n := len(token.Value); n > l.Name {
				return setting.Exceeded("characters in a name of the query", n, "Name", l.Name,
					"use a shorter one")
			}
		case lexer.Int, lexer.Float:
			if outOfRange(token) {
				return tracker.Bad("", "the number %s is out of range", Shorten(token.Value))
			}
		case lexer.ParenL:
			parens++
		case lexer.ParenR:
			parens--
		case lexer.BraceL, lexer.BracketL:
			*open++
		case lexer.BraceR, lexer.BracketR:
			*open--
		}
		deepest, nested = max(deepest, sets), max(nested, inputs)
		valid = min(sets, inputs, parens) >= 0
	}
	if nested > l.Nesting {
		return l.tooNested(nested)
	}
	return l.checkDepth(deepest)
}

// outOfRange reports whether a token is a number that the library cannot represent.
func outOfRange(t lexer.Token) bool {
	var err error
	switch t.Kind {
	case lexer.Int:
		_, err = strconv.ParseInt(t.Value, 10, 64)
	case lexer.Float:
		_, err = strconv.ParseFloat(t.Value, 64)
	}
	return err != nil
}

func (l Limits) tooNested(levels int) error {
	return setting.Exceeded("nested lists and objects", levels, "Nesting", l.Nesting,
		"make the input less deep")
}

func (l Limits) checkDepth(depth int) error {
	if depth <= l.Depth {
		return nil
	}
	return setting.Exceeded("nested selection sets", depth, "Depth", l.Depth,
		"request deeper objects in another query, by their ids")
}
