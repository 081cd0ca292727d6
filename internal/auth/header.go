package auth

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"issuegrid/internal/strictjson"
)

// maxKeyID is the maximum length of a key id in bytes.
const maxKeyID = 256

// checkForm checks what needs no key: the characters, the parts, and the header (A2). The parser alone would
// accept tokens with line breaks, which base64 skips, and use the last of several parameters with the same
// name.
func (v *Verifier) checkForm(token string) error {
	if len(token) > maxToken {
		return refuse("the token is longer than %d bytes", maxToken)
	}
	if strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") != "" ||
		strings.Count(token, ".") != 2 {
		return refuse("the token is not three base64url parts separated by dots")
	}
	first, _, _ := strings.Cut(token, ".")
	raw, err := base64.RawURLEncoding.Strict().DecodeString(first)
	if err == nil {
		_, err = strictjson.Members(raw)
	}
	if err != nil {
		return refuse("the token's header is not a JSON object with unique names")
	}
	var header map[string]any
	if json.Unmarshal(raw, &header) != nil {
		return refuse("the token's header is not a JSON object with unique names")
	}
	return v.checkHeader(header)
}

// checkHeader checks alg, typ, crit and kid. It ignores all other parameters, such as jwk, jku, x5c and x5u
// (A1).
func (v *Verifier) checkHeader(header map[string]any) error {
	if !v.allows(header["alg"]) {
		return v.notAllowed()
	}
	// Issuers sign other things with the same keys, such as logout tokens (RFC 8725, 3.11).
	if typ, present := header["typ"]; present {
		name, _ := typ.(string)
		switch strings.TrimPrefix(strings.ToLower(name), "application/") {
		case "jwt", "at+jwt":
		default:
			return refuse("the token's type (typ) is neither JWT nor at+jwt")
		}
	}
	// A recipient must reject a token with critical parameters that it does not support (RFC 7515, 4.1.11).
	if _, present := header["crit"]; present {
		return refuse("the token has critical parameters (crit), none of which is supported")
	}
	if kid, present := header["kid"]; present {
		if id, ok := kid.(string); !ok || id == "" || len(id) > maxKeyID {
			return refuse("the token's key id (kid) is not a string of 1 to %d bytes", maxKeyID)
		}
	}
	return nil
}
