package guard

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"

	"issuegrid/tracker"
)

// outline holds what the tokens of a query show: its sizes, and the fragments that its operations and
// fragments spread. It is built in one pass over the tokens. A query with a syntax error has no outline; the
// parser rejects it later.
//
// Example: { a: f(x: [1, $v]) { g ...F } } fragment F on T { h } has 26 tokens, one alias and two parts. The
// operation has 3 selections (f, g and the spread) and depth 2, uses one variable, and spreads F once at
// depth 2. The nesting of its inputs is 1.
type outline struct {
	tokens, aliases, directives, operations, variables int
	nesting                                            int // of lists and objects
	parts                                              []*queryPart
	fragments                                          map[string]int // indexes in parts, by name
}

// queryPart is an operation or a fragment, not including the fragments that it spreads.
type queryPart struct {
	fragment      bool
	name          string // of a fragment
	tokens        int    // tokens in nested inputs count more; see outline.steps
	uses, spreads int    // number of uses of variables and of fragment spreads
	selections    int
	depth         int
	inside        map[string]*spread // by fragment name
}

// spread counts how often a part spreads a fragment, and its greatest depth there.
type spread struct{ count, depth int }

// outlineOf scans the tokens of a query. It returns nil if the query cannot be parsed, and an error as soon
// as the query exceeds a limit on its tokens.
func outlineOf(query string, l Limits) (*outline, error) {
	s := scanner{outline: outline{fragments: map[string]int{}}}
	lex := lexer.New(&ast.Source{Input: query})
	for {
		token, err := lex.ReadToken()
		if err != nil {
			return nil, nil
		}
		if token.Kind == lexer.EOF {
			break
		}
		if s.tokens++; s.tokens > l.Tokens {
			return nil, tracker.Bad("", "the query has more than %d tokens, which is the limit (Tokens): "+
				"select fewer columns, or send lists and objects in variables", l.Tokens)
		}
		if token.Kind == lexer.Comment {
			continue
		}
		if n := len(token.Value); token.Kind == lexer.Name && n > l.Name {
			return nil, LimitError("characters in a name of the query", n, "Name", l.Name,
				"use a shorter one")
		}
		if outOfRange(token) {
			return nil, tracker.Bad("", "the number %s is out of range", Shorten(token.Value))
		}
		if !s.read(token) {
			return nil, nil
		}
		s.before = token.Kind
	}
	if len(s.open) > 0 {
		return nil, nil
	}
	return &s.outline, nil
}

// outOfRange reports whether a token is a number that the library cannot represent. The library would report
// it once for each list and object around it.
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

// scanner is the state of a scan of a query's tokens.
type scanner struct {
	outline
	part      *queryPart   // nil between two parts
	open      []lexer.Type // open brackets of all kinds
	sets      int          // open selection sets
	parens    int          // open parentheses: they contain inputs and types, never selections
	inputs    int          // open lists and objects
	before    lexer.Type   // kind of the previous token
	condition bool         // the next name is the type of an inline fragment
}

// read processes one token. It returns false if a bracket is not allowed there.
func (s *scanner) read(t lexer.Token) bool {
	if s.part == nil {
		s.begin(t)
	}
	s.part.tokens += 1 + s.inputs/2
	switch t.Kind {
	case lexer.BraceL, lexer.BracketL, lexer.ParenL:
		return s.enter(t.Kind)
	case lexer.BraceR, lexer.BracketR, lexer.ParenR:
		return s.leave(t.Kind)
	case lexer.At:
		s.directives++
	case lexer.Dollar:
		s.part.uses++
		// where a variable is used, a colon or a bracket comes before it
		if s.sets == 0 && s.inputs == 0 && s.before != lexer.Colon {
			s.variables++
		}
	}
	if s.parens > 0 {
		return true
	}
	switch {
	case t.Kind == lexer.Name && s.sets > 0:
		s.name(t.Value)
	case t.Kind == lexer.Name && s.part.fragment && s.part.name == "" && s.part.tokens > 1:
		s.part.name = t.Value
		if _, twice := s.fragments[t.Value]; !twice {
			s.fragments[t.Value] = len(s.parts) - 1
		}
	case t.Kind == lexer.Colon:
		s.aliases++
	case t.Kind == lexer.Spread:
		s.part.selections++
	}
	return true
}

// begin begins an operation or a fragment.
func (s *scanner) begin(t lexer.Token) {
	s.part = &queryPart{fragment: t.Kind == lexer.Name && t.Value == "fragment", inside: map[string]*spread{}}
	s.parts = append(s.parts, s.part)
	if !s.part.fragment {
		s.operations++
	}
}

// enter processes an opening bracket. It returns false if the bracket is not allowed.
func (s *scanner) enter(kind lexer.Type) bool {
	s.open = append(s.open, kind)
	switch {
	case kind == lexer.ParenL:
		s.parens++
	case s.parens > 0:
		s.inputs++
		s.nesting = max(s.nesting, s.inputs)
	case kind == lexer.BracketL:
		return false
	default:
		s.sets++
		s.part.depth = max(s.part.depth, s.sets)
	}
	return true
}

// leave processes a closing bracket. It returns false if the bracket does not match the last opening one.
func (s *scanner) leave(kind lexer.Type) bool {
	last := len(s.open) - 1
	if last < 0 || s.open[last] != opening(kind) {
		return false
	}
	s.open = s.open[:last]
	switch {
	case kind == lexer.ParenR:
		s.parens--
	case s.parens > 0:
		s.inputs--
	default:
		if s.sets--; s.sets == 0 {
			s.part = nil
		}
	}
	return true
}

func opening(closing lexer.Type) lexer.Type {
	switch closing {
	case lexer.BraceR:
		return lexer.BraceL
	case lexer.BracketR:
		return lexer.BracketL
	}
	return lexer.ParenL
}

// name processes a name in a selection set: that of a directive, fragment, type or field, or an alias.
func (s *scanner) name(name string) {
	switch {
	case s.condition:
		s.condition = false
	case s.before == lexer.At || s.before == lexer.Colon: // an alias was counted for its field
	case s.before == lexer.Spread && name == "on":
		s.condition = true
	case s.before == lexer.Spread:
		s.part.spreads++
		f := s.part.inside[name]
		if f == nil {
			f = &spread{}
			s.part.inside[name] = f
		}
		f.count++
		f.depth = max(f.depth, s.sets)
	default:
		s.part.selections++
	}
}
