package importer

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"issuegrid/tracker"
)

// booleansFile has the words for true and false in lower case. The web client reads them too.
//
//go:embed booleans.json
var booleansFile []byte

var defaultWords = sync.OnceValue(func() (out struct{ True, False []string }) {
	if err := json.Unmarshal(booleansFile, &out); err != nil {
		panic(err)
	}
	return out
})

// pairs are the words for yes and no that make a column of a file a BOOLEAN if it has both, and nothing else.
// One of them alone can be something else: NO is a country. Other words, such as 1, x and on, also have other
// meanings.
var pairs = [][2]string{{"yes", "no"}, {"ja", "nein"}, {"oui", "non"}, {"sí", "no"}}

// boolean reports whether all cells of a column are true or false, or both words of a pair, each in one
// spelling.
func (c *columnProfile) boolean() bool {
	seen, written := map[string]bool{}, map[string]bool{}
	for s := range c.distinct {
		s = strings.TrimSpace(s)
		seen[strings.ToLower(s)], written[s] = true, true
	}
	if len(seen) == 0 || len(seen) < len(written) {
		return false
	}
	for _, pair := range pairs {
		if len(seen) == len(pair) && seen[pair[0]] && seen[pair[1]] {
			return true
		}
	}
	delete(seen, "true")
	delete(seen, "false")
	return len(seen) == 0
}

// words are the words for true and false of a BOOLEAN column, in lower case.
type words map[string]bool

// newWords returns the words of a column. A default word to which the mapping gives the other meaning has
// only that one.
func newWords(c *Column) (words, error) {
	out := words{}
	if c.True == nil {
		out.add(defaultWords().True, true)
	}
	if c.False == nil {
		out.add(defaultWords().False, false)
	}
	out.add(c.True, true)
	for _, w := range c.False {
		if out[plainWord(w)] && c.True != nil {
			return nil, tracker.Bad("false", "%q is both true and false", w)
		}
	}
	out.add(c.False, false)
	return out, nil
}

func (w words) add(all []string, value bool) {
	for _, word := range all {
		w[plainWord(word)] = value
	}
}

func plainWord(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

func (w words) read(s string) (tracker.Value, *fault) {
	b, ok := w[strings.ToLower(s)]
	if !ok {
		return tracker.Value{}, &fault{reason: NotBoolean, detail: shown(s) +
			" is not one of the column's words for true and false"}
	}
	return tracker.Bool(b), nil
}
