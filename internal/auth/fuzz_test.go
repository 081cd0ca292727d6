package auth_test

import (
	"slices"
	"strings"
	"testing"

	"issuegrid/internal/auth"
	"issuegrid/tracker"
)

// FuzzToken compares the verifiers with an independent implementation of RFC 7515, RFC 7519 and docs/auth.md:
// they accept the same tokens and return the same principals. Header and payload are signed with one of the
// keys, or not at all, so that the checks after the signature are reached. cut then removes or inserts one
// byte. The message for a rejected token must be one of docs/auth.md.
func FuzzToken(f *testing.F) {
	type signer struct {
		key
		id string
	}
	signers := []signer{{issuerSecret, ""}, {issuerKeys()["rsa"], "rsa"}, {issuerKeys()["ec"], "ec"},
		{issuerKeys()["ed"], "ed"}}
	for i, s := range signers {
		header := text(change{"alg": s.alg, "kid": s.id, "typ": "JWT"})
		if s.id == "" {
			header = text(change{"alg": s.alg})
		}
		for _, p := range seedPayloads() {
			f.Add(uint8(i), header, p, uint16(0), byte(0))
		}
		for _, h := range seedHeaders(s.alg, s.id) {
			f.Add(uint8(i), h, payload(nil), uint16(0), byte(0))
		}
		f.Add(uint8(i), header, payload(nil), uint16(40), byte('\n'))
		f.Add(uint8(i), header, payload(nil), uint16(41), byte(0))
	}
	for _, whole := range []string{"", "a.b.c", "....", "eyJhbGciOiJub25lIn0.e30.",
		"eyJhbGciOiJIUzI1NiJ9.bnVsbA.AA"} {
		f.Add(uint8(len(signers)), whole, "", uint16(0), byte(0))
	}
	secret, set := bySecret(f), bySet(f, issuerSet())
	sentences := documented(f)
	f.Fuzz(func(t *testing.T, by uint8, header, payload string, cut uint16, put byte) {
		token := header
		if int(by) < len(signers) {
			token = signers[by].token(header, payload)
		}
		if at := int(cut); at > 0 && at < len(token) {
			if put == 0 {
				token = token[:at] + token[at+1:]
			} else {
				token = token[:at] + string([]byte{put}) + token[at:]
			}
		}
		for _, side := range []struct {
			verifier *auth.Verifier
			keyOf    func(alg, id string) (key, bool)
		}{
			{secret, func(alg, _ string) (key, bool) { return issuerSecret, alg == "HS256" }},
			{set, func(alg, id string) (key, bool) {
				k, ok := issuerKeys()[id]
				return k, ok && alg == k.alg
			}},
		} {
			want, valid := independent(token, side.keyOf)
			got, err := side.verifier.Verify(t.Context(), token)
			if (err == nil) != valid || got != want {
				t.Errorf("%q: got %+v, %v; want %+v, %t", token, got, err, want, valid)
			}
			if err != nil && (tracker.CodeOf(err) != tracker.Unauthenticated ||
				!slices.Contains(sentences, err.Error())) {
				t.Errorf("%q: %#v", token, err)
			}
		}
	})
}

func seedPayloads() []string {
	good := payload(nil)
	return []string{
		good, payload(change{"role": "operator", "tenant": absent{}}), payload(change{"tenant": "a/b"}),
		payload(change{"tenant": []string{"acme"}}), payload(change{"role": "Admin"}),
		payload(change{"sub": "é\u202e"}), payload(change{"aud": []string{"x", audience}}),
		payload(change{"exp": 1}), payload(change{"exp": raw("1e300")}),
		payload(change{"nbf": at(30e9), "iat": at(31e9)}), payload(change{"iss": nil}),
		`{"role":"admin",` + good[1:], `{"r\u006fle":"admin",` + good[1:],
		" " + good + "\n", good + good, "null", "[]", "{}", "",
		`{"x":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "," + good[1:],
	}
}

func seedHeaders(alg, id string) []string {
	base := change{"alg": alg, "kid": id}
	all := []string{"null", text(base) + text(base), `{"alg":"none",` + text(base)[1:]}
	for _, changes := range []change{
		{"typ": "at+jwt"}, {"typ": "logout+jwt"}, {"crit": []string{}}, {"kid": 1}, {"kid": absent{}},
		{"kid": "../../dev/null"}, {"alg": "none"},
		{"alg": "RS256"}, {"alg": "HS256"}, {"jku": "http://127.0.0.1:1/"},
	} {
		all = append(all, text(with(base, changes)))
	}
	return all
}
