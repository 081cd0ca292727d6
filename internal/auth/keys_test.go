package auth_test

import (
	"crypto/ecdh"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"math/big"
	"strings"
	"testing"
)

// TestSetOfOne checks that a set with one key needs no key id, but that a key id in a token must match.
func TestSetOfOne(t *testing.T) {
	t.Parallel()
	for id, k := range issuerKeys() {
		named, nameless := bySet(t, jwks(jwk(k.public, id, nil))),
			bySet(t, jwks(jwk(k.public, "", change{"alg": k.alg})))
		checkAccepted(t, named, k.issue(nil, nil), ann)
		checkAccepted(t, named, k.issue(change{"kid": id}, nil), ann)
		checkRejected(t, named, k.issue(change{"kid": "other"}, nil), msgUnknownKey)
		checkAccepted(t, nameless, k.issue(nil, nil), ann)
		checkRejected(t, nameless, k.issue(change{"kid": id}, nil), msgUnknownKey)
		for other, wrong := range issuerKeys() {
			if other != id {
				checkRejected(t, named, wrong.issue(nil, nil), msgSignature)
				checkRejected(t, named, wrong.issue(change{"alg": k.alg}, nil), msgSignature)
			}
		}
	}
}

// TestSameID checks that the first of two keys with the same id is used.
func TestSameID(t *testing.T) {
	t.Parallel()
	first, second := issuerKeys()["ec"], issuerKeys()["ed"]
	v := bySet(t, jwks(jwk(first.public, "k", nil), jwk(second.public, "k", nil)))
	checkAccepted(t, v, first.issue(change{"kid": "k"}, nil), ann)
	checkRejected(t, v, second.issue(change{"kid": "k"}, nil), msgSignature)
	checkRejected(t, v, first.issue(nil, nil), msgNoKeyID)
}

// unusable returns keys that a set may contain but that verify nothing, by reason. Each has the id "k".
func unusable() map[string]struct {
	jwk change
	key key
} {
	type one = struct {
		jwk change
		key key
	}
	k := issuerKeys()
	strong, weak, p384 := k["rsa"], rsaKey(1024), ecKey(elliptic.P384())
	symmetric := hmacKey([]byte("a secret in a set that everyone can read"))
	symmetricAs := func(changes change) change {
		return with(change{"kty": "oct", "kid": "k", "k": encode(symmetric.secret.([]byte))}, changes)
	}
	exponent := encode(strong.secret.(*rsa.PrivateKey).D.Bytes())
	modulus := strong.public.(*rsa.PublicKey).N
	even := new(big.Int).Sub(modulus, big.NewInt(1))
	all := map[string]one{
		"symmetric": {symmetricAs(nil), symmetric},
		"symmetric for a supported algorithm": {symmetricAs(change{"alg": "RS256", "use": "sig"}),
			key{"RS256", nil, symmetric.secret}},
		"private RSA":      {jwk(strong.secret, "k", nil), strong},
		"private EC":       {jwk(k["ec"].secret, "k", nil), k["ec"]},
		"private Ed25519":  {jwk(k["ed"].secret, "k", nil), k["ed"]},
		"short RSA":        {jwk(weak.public, "k", nil), weak},
		"another curve":    {jwk(p384.public, "k", nil), p384},
		"not on the curve": {jwk(k["ec"].public, "k", change{"x": "AAAA"}), k["ec"]},
		"at infinity":      {jwk(k["ec"].public, "k", change{"x": "AA", "y": "AA"}), k["ec"]},
		"for agreeing on keys": {jwk(must(ecdh.X25519().GenerateKey(rand.Reader)).PublicKey(), "k", nil),
			k["ed"]},
		"of an unknown type": {change{"kty": "AKP", "kid": "k"}, strong},
		"empty":              {change{}, strong},
	}
	for name, changes := range map[string]change{
		"RSA with a symmetric part":       {"k": "AAAA"},
		"private RSA, the exponent only":  {"d": exponent},
		"for encryption":                  {"use": "enc"},
		"for an unknown use":              {"use": "SIG"},
		"for wrapping keys":               {"key_ops": []string{"wrapKey"}},
		"for RS512":                       {"alg": "RS512"},
		"for another supported algorithm": {"alg": "ES256"},
		"for no algorithm":                {"alg": "none"},
		"without a type":                  {"kty": absent{}},
		"with an id that is a number":     {"kid": 1},
		"with an invalid certificate":     {"x5c": []string{"AAAA"}},
		"RSA of 9000 bits":                {"n": encode([]byte(strings.Repeat("\xff", 9000/8)))},
		"RSA of 2047 bits":                {"n": encode(new(big.Int).Rsh(modulus, 1).Bytes())},
		"RSA with an even modulus":        {"n": encode(even.Bytes())},
		"RSA with the modulus 0":          {"n": encode([]byte{0})},
		"RSA without an exponent":         {"e": ""},
		"RSA, exponent 0":                 {"e": encode([]byte{0})},
		"RSA, exponent 1":                 {"e": encode([]byte{1})},
		"RSA, exponent 2":                 {"e": encode([]byte{2})},
		"RSA, exponent 65536":             {"e": encode([]byte{1, 0, 0})},
		"RSA, exponent 2^64 + 1":          {"e": encode([]byte{1, 0, 0, 0, 0, 0, 0, 0, 1})},
	} {
		all[name] = one{jwk(strong.public, "k", changes), strong}
	}
	return all
}

// TestUnusableKeys checks that each unusable key is ignored in a set with a good key, and that a verifier
// cannot start with it alone.
func TestUnusableKeys(t *testing.T) {
	t.Parallel()
	good := edKey()
	for name, test := range unusable() {
		t.Run(name, func(t *testing.T) {
			v := bySet(t, jwks(test.jwk, jwk(good.public, "good", nil)))
			checkAccepted(t, v, good.issue(change{"kid": "good"}, nil), ann)
			checkAccepted(t, v, good.issue(nil, nil), ann)
			want := msgUnknownKey
			if test.key.alg == "HS256" {
				want = msgAsymmetric
			}
			checkRejected(t, v, test.key.issue(change{"kid": "k"}, nil), want)
			if why := noStart(t, jwks(test.jwk)); !strings.HasPrefix(why, "it has no usable key: key 1 is ") {
				t.Errorf("a set of this key only: %s", why)
			}
		})
	}
}

// TestSecretsPublished checks that published secrets are logged.
func TestSecretsPublished(t *testing.T) {
	t.Parallel()
	good := jwk(issuerKeys()["ed"].public, "good", nil)
	for i, name := range []string{"private RSA", "private EC", "symmetric"} {
		// The number of the key distinguishes this test's log lines from those of other tests.
		keys := make([]change, 40+i)
		bySet(t, jwks(append(keys, unusable()[name].jwk, good)...))
		if want := fmt.Sprintf("key %d is ", 41+i); !strings.Contains(logged.String(), want) {
			t.Errorf("%s: the log does not contain %q", name, want)
		}
	}
}

// TestSetsOfNoUse checks that a verifier cannot start with an invalid set.
func TestSetsOfNoUse(t *testing.T) {
	t.Parallel()
	one := text(jwk(issuerKeys()["ed"].public, "ed", nil))
	for _, test := range []struct{ name, set, want string }{
		{"nothing", "", `it is not a JWK set, a JSON object such as {"keys": [...]}`},
		{"a page", "<html>", `it is not a JWK set, a JSON object such as {"keys": [...]}`},
		{"keys that are not an array", `{"keys": {}}`,
			`it is not a JWK set, a JSON object such as {"keys": [...]}`},
		{"an empty object", `{}`, "it has no usable key"},
		{"a key alone", one, "it has no usable key"},
		{"no keys", `{"keys": []}`, "it has no usable key"},
		{"strings", `{"keys": ["a"]}`, "it has no usable key: key 1 is not a JWK"},
		{"many invalid keys", `{"keys": [1,2,3,4,5,6]}`,
			"it has no usable key: key 1 is not a JWK, key 2 is not a JWK, key 3 is not a JWK, key 4 is " +
				"not a JWK, key 5 is not a JWK"},
		{"too many", `{"keys": [` + strings.Repeat(one+",", 100) + one + `]}`,
			"it has 101 keys; the limit is 100"},
		{"too long", `{"keys": [` + one + `]` + strings.Repeat(" ", 256<<10) + `}`,
			"it is longer than 262144 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if why := noStart(t, []byte(test.set)); why != test.want {
				t.Errorf("got %s\nwant %s", why, test.want)
			}
		})
	}
}
