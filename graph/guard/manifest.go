package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/tracker"
)

// Manifest is the list of operations of a front end. If Options have one, no other operations run.
type Manifest struct {
	texts map[string]string // by id
	known map[string]bool   // set of texts
}

// apolloFormat is the value of `format` in the manifests of @apollo/generate-persisted-query-manifest.
const apolloFormat = "apollo-persisted-query-manifest"

// ParseManifest parses a manifest: a file of Apollo's generate-persisted-query-manifest (version 1), or the
// map of ids to queries that Relay's compiler writes with persistConfig. It returns an error if an operation
// is not valid in the schema or exceeds the limits, so that a server does not start with an unsuitable
// manifest.
func ParseManifest(data []byte, schema *ast.Schema, l Limits) (*Manifest, error) {
	if l == (Limits{}) {
		l = DefaultLimits()
	}
	texts, err := manifestTexts(data)
	if err != nil {
		return nil, err
	}
	if len(texts) == 0 {
		return nil, errors.New("the manifest has no operations")
	}
	m := &Manifest{texts: texts, known: map[string]bool{}}
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		if err := checkOperation(schema, texts[id], l); err != nil {
			return nil, fmt.Errorf("the operation %q of the manifest cannot run: %w", id, err)
		}
		m.known[texts[id]] = true
	}
	return m, nil
}

// manifestTexts parses either format.
func manifestTexts(data []byte) (map[string]string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, fmt.Errorf("the manifest is not a JSON object: %w", err)
	}
	texts := map[string]string{}
	if members["operations"] == nil {
		if err := json.Unmarshal(data, &texts); err != nil {
			return nil, errors.New("the manifest has no list `operations`, as Apollo's have, and is not a " +
				"map of ids to queries, as Relay's are")
		}
		return texts, nil
	}
	var apollo struct {
		Format     string
		Version    int
		Operations []struct{ ID, Body string }
	}
	if err := json.Unmarshal(data, &apollo); err != nil {
		return nil, fmt.Errorf("the manifest's operations cannot be read: %w", err)
	}
	if apollo.Format != apolloFormat || apollo.Version != 1 {
		return nil, fmt.Errorf("the manifest's format is %q, version %d; it must be %q, version 1",
			apollo.Format, apollo.Version, apolloFormat)
	}
	for i, o := range apollo.Operations {
		if o.ID == "" || o.Body == "" {
			return nil, fmt.Errorf("the operation %d of the manifest has no `id` or no `body`", i)
		}
		if before, twice := texts[o.ID]; twice && before != o.Body {
			return nil, fmt.Errorf("the manifest has two operations with the id %q", o.ID)
		}
		texts[o.ID] = o.Body
	}
	return texts, nil
}

// checkOperation applies the checks of a request to one operation.
func checkOperation(schema *ast.Schema, text string, l Limits) error {
	text, err := joinSurrogates(text)
	if err != nil {
		return err
	}
	g := &Extension{Options: &Options{Limits: l}, validator: l.validator(schema, nil)}
	doc, err := g.parse(text)
	if err == nil {
		err = g.validate(doc)
	}
	if all, ok := errors.AsType[gqlerror.List](err); ok {
		return all[0]
	}
	return err
}

// query returns the query of a request that has the id of an operation, its text, or both. It returns an
// error if the manifest does not list it.
func (m *Manifest) query(id, text string) (string, error) {
	if id == "" && m.known[text] {
		return text, nil
	}
	if listed, ok := m.texts[id]; ok && (text == "" || text == listed) {
		return listed, nil
	}
	return "", &tracker.Error{Code: tracker.Forbidden,
		Message: "this server runs only the operations of its list, by id or by exact text, and the list " +
			"does not contain this one"}
}
