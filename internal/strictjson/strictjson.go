// Package strictjson decodes JSON objects in which each name occurs once. Of two members with the same name,
// one parser uses the first and another the last, but all that read an object must agree on what it says.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrNotObject is the error of JSON that is not an object.
var ErrNotObject = errors.New("not a JSON object")

// DuplicateError is the error of an object that has a member twice.
type DuplicateError struct{ Name string }

func (e *DuplicateError) Error() string { return fmt.Sprintf("the member %q is given twice", e.Name) }

// Members returns the members of the object that raw begins with. Objects within them are not checked. It
// returns ErrNotObject, a *DuplicateError, or the error of a syntax that is not JSON.
func Members(raw []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, ErrNotObject
	}
	out := map[string]json.RawMessage{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		if _, twice := out[name]; twice {
			return nil, &DuplicateError{name}
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		out[name] = value
	}
	_, err := d.Token()
	return out, err
}
