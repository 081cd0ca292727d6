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

// pairs are the words for yes and no of other languages that make a column of a file a BOOLEAN if it has
// both, and nothing else. Other words, such as 1, x and on, also have other meanings.
var pairs = [][2]string{{"ja", "nein"}, {"oui", "non"}, {"sí", "no"}}

// boolean reports whether all cells of a column are true, yes, false or no, or a pair of another language.
func (c *columnProfile) boolean() bool {
	seen := map[string]bool{}
	for s := range c.distinct {
		seen[strings.ToLower(s)] = true
	}
	for _, pair := range pairs {
		if len(seen) == len(pair) && seen[pair[0]] && seen[pair[1]] {
			return true
		}
	}
	for _, word := range []string{"true", "yes", "false", "no"} {
		delete(seen, word)
	}
	return c.distinct != nil && len(seen) == 0
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
		if out[strings.ToLower(w)] && c.True != nil {
			return nil, tracker.Bad("false", "%q is both true and false", w)
		}
	}
	out.add(c.False, false)
	return out, nil
}

func (w words) add(all []string, value bool) {
	for _, word := range all {
		w[strings.ToLower(word)] = value
	}
}

func (w words) read(s string) (tracker.Value, *fault) {
	b, ok := w[strings.ToLower(s)]
	if !ok {
		return tracker.Value{}, &fault{reason: NotBoolean, detail: shown(s) +
			" is not one of the column's words for true and false"}
	}
	return tracker.Bool(b), nil
}
