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

// certainWords are the words that make a column of a file a BOOLEAN. Others, such as 1, x and on, also have
// other meanings.
var certainWords = &Column{True: []string{"true", "yes", "ja", "oui", "sí"},
	False: []string{"false", "no", "nein", "non"}}

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
