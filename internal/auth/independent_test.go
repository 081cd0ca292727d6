package auth_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"issuegrid/tracker"
)

var form = regexp.MustCompile(`\A([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]*)\z`)

// independent returns the principal of a token, and whether the token is valid.
func independent(token string, keyOf func(alg, id string) (key, bool)) (p tracker.Principal, valid bool) {
	parts := form.FindStringSubmatch(token)
	if parts == nil || len(token) > 8192 {
		return p, false
	}
	var decoded [3][]byte
	for i, part := range parts[1:] {
		raw, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil || encode(raw) != part {
			return p, false
		}
		decoded[i] = raw
	}
	header, ok := object(decoded[0])
	claims, ok2 := object(decoded[1])
	if !ok || !ok2 {
		return p, false
	}
	alg, _ := header["alg"].(string)
	id, named := header["kid"].(string)
	_, anyID := header["kid"]
	_, critical := header["crit"]
	typ, typed := header["typ"]
	name, _ := typ.(string)
	if critical || anyID != named || named && (id == "" || len(id) > 256) || typed &&
		!regexp.MustCompile(`\A(?i:(application/)?(at\+)?jwt)\z`).MatchString(name) {
		return p, false
	}
	k, known := keyOf(alg, id)
	if !known || !k.verifies(parts[1]+"."+parts[2], decoded[2]) || !current(claims) {
		return p, false
	}
	role := slices.Index([]string{"reader", "editor", "admin", "operator"}, claimString(claims["role"]))
	user := claimString(claims["sub"])
	for _, r := range user {
		if r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S,
			unicode.Zs) ||
			unicode.In(r, unicode.Other_Default_Ignorable_Code_Point) {
			return p, false
		}
	}
	tenant, given := claims["tenant"]
	visible := strings.ContainsFunc(user, func(r rune) bool {
		return !unicode.In(r, unicode.Zs, unicode.Variation_Selector) && r != 0x2800
	})
	visible = visible && !unicode.In([]rune(user)[0], unicode.Variation_Selector)
	if role < 0 || !visible || len([]rune(user)) > 200 ||
		(given || role != 3) && !regexp.MustCompile(`\A[a-z0-9]{1,32}\z`).MatchString(claimString(tenant)) {
		return p, false
	}
	return tracker.Principal{Tenant: tracker.TenantID(claimString(tenant)), User: user,
		Role: tracker.Reader + tracker.Role(role)}, true
}

func claimString(v any) string {
	s, _ := v.(string)
	return s
}

// current checks the issuer, the audience and the times.
func current(claims map[string]any) bool {
	audiences, several := claims["aud"].([]any)
	if !several {
		audiences = []any{claims["aud"]}
	}
	forUs := false
	for _, a := range audiences {
		if _, ok := a.(string); !ok {
			return false
		}
		forUs = forUs || a == audience
	}
	seconds := func(name string, without float64) float64 {
		value, given := claims[name]
		if !given {
			return without
		}
		if n, ok := value.(float64); ok && n >= 0 && n <= 253402300799 {
			return float64(int64(n)) // whole seconds count
		}
		return -1
	}
	exp, nbf, iat, at := seconds("exp", -1), seconds("nbf", 0), seconds("iat", 0), float64(now.Unix())
	return forUs && claims["iss"] == issuer && exp > 0 && at < exp+30 && nbf >= 0 && nbf <= at+30 &&
		iat >= 0 && iat <= at+30
}

// object parses a JSON object without duplicate names. It compares the number of names with the size of the
// resulting map.
func object(raw []byte) (map[string]any, bool) {
	var members map[string]any
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return nil, false
	}
	// Count the names at depth 1.
	depth, names, isName := 0, 0, false
	for d := json.NewDecoder(bytes.NewReader(raw)); ; {
		token, err := d.Token()
		if err != nil {
			return members, names == len(members)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			isName = depth == 1
			continue
		case json.Delim('}'), json.Delim(']'):
			depth--
			isName = depth == 1
			continue
		}
		if depth == 1 {
			if isName {
				names++
			}
			isName = !isName
		}
	}
}

// verifies verifies a signature with Go's own packages.
func (k key) verifies(text string, signature []byte) bool {
	hash := sha256.Sum256([]byte(text))
	switch public := k.public.(type) {
	case nil:
		return hmac.Equal(k.sign(text), signature)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(public, crypto.SHA256, hash[:], signature) == nil
	case *ecdsa.PublicKey:
		return len(signature) == 64 &&
			ecdsa.Verify(public, hash[:], new(big.Int).SetBytes(signature[:32]),
				new(big.Int).SetBytes(signature[32:]))
	case ed25519.PublicKey:
		return ed25519.Verify(public, []byte(text), signature)
	}
	return false
}
