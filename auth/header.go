package auth

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
)

// maxKeyID is how long a key id may be, in bytes.
const maxKeyID = 256

// checkForm looks at what can be seen before any key is needed: the characters, the parts, and the header (A2). The parser alone would take tokens
// with line breaks in them, which base64 skips, and of two parameters with one name the last.
func (v *Verifier) checkForm(token string) error {
	if len(token) > maxToken {
		return refuse("the token is longer than %d bytes", maxToken)
	}
	if strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") != "" || strings.Count(token, ".") != 2 {
		return refuse("the token is not three parts of base64url with dots between them")
	}
	first, _, _ := strings.Cut(token, ".")
	raw, err := base64.RawURLEncoding.Strict().DecodeString(first)
	if err != nil || uniqueNames(raw) != nil {
		return refuse("the token's header is not a JSON object in which each name stands once")
	}
	var header map[string]any
	if json.Unmarshal(raw, &header) != nil {
		return refuse("the token's header is not a JSON object in which each name stands once")
	}
	return v.checkHeader(header)
}

// checkHeader looks at alg, typ, crit and kid. Whatever else is there, such as jwk, jku, x5c and x5u, is never read (A1).
func (v *Verifier) checkHeader(header map[string]any) error {
	if !v.allows(header["alg"]) {
		return v.notAllowed()
	}
	// Issuers sign other things with the same keys, such as a notice that somebody has signed out (RFC 8725, 3.11).
	if typ, given := header["typ"]; given {
		name, _ := typ.(string)
		switch strings.TrimPrefix(strings.ToLower(name), "application/") {
		case "jwt", "at+jwt":
		default:
			return refuse("the token's type (typ) is neither JWT nor at+jwt")
		}
	}
	// A token that lists here what it takes to understand it must be refused by whoever does not (RFC 7515, 4.1.11).
	if _, given := header["crit"]; given {
		return refuse("the token has parameters that are critical (crit), of which none is supported")
	}
	if kid, given := header["kid"]; given {
		if id, ok := kid.(string); !ok || id == "" || len(id) > maxKeyID {
			return refuse("the token's key id (kid) is not a text of 1 to %d bytes", maxKeyID)
		}
	}
	return nil
}

// uniqueNames checks that raw begins with a JSON object in which no name stands twice. Of two, one parser takes the first and another the last, and
// what an issuer, a proxy and this server understand must not differ. What lies deeper is not read by anybody here, and not checked.
func uniqueNames(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return errors.New("no object")
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if seen[name] {
			return errors.New("a name twice")
		}
		seen[name] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}
