package auth_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"issuegrid/internal/auth"
	"issuegrid/tracker"
)

// TestSettings changes valid settings and checks the errors of New and Check.
func TestSettings(t *testing.T) {
	t.Parallel()
	secret := issuerSecret.secret.([]byte)
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY",
		Bytes: must(x509.MarshalPKIXPublicKey(issuerKeys()["rsa"].public))})
	const (
		noIssuer   = "no issuer is set; give the one in the claim iss of your tokens"
		noAudience = "no audience is set; give the one in the claim aud of your tokens"
		keys       = "Secret, SecretFile, JWKS"
		keysSet    = " of them are set; exactly one must be, so that it is certain which tokens count"
		need       = " bytes; it needs 32 to 4096, such as 32 random bytes in base64"
		noSecret   = "this is a key in PEM or JSON form and no secret; public keys are given as a JWK set"
		noSource   = "this is neither a URL that begins with https:// (http:// on this machine's loopback " +
			"only), nor the path of a file"
		blank     = " begins or ends with a blank, and no token would match it"
		sameClaim = "two of them name the same claim; the tenant, the user and the role need one each"
	)
	type of = auth.Settings
	fromFile := func(content []byte) func(*of) {
		return func(s *of) { s.Secret, s.SecretFile = nil, file(t, content) }
	}
	from := func(location string) func(*of) {
		return func(s *of) { s.Secret, s.JWKS = nil, location }
	}
	for _, test := range []struct {
		name       string
		change     func(*of)
		path, want string // both empty if accepted
	}{
		{"good", func(*of) {}, "", ""},
		{"no issuer", func(s *of) { s.Issuer = "" }, "Issuer", noIssuer},
		{"no audience", func(s *of) { s.Audience = "" }, "Audience", noAudience},
		{"an issuer of blanks", func(s *of) { s.Issuer = "  " }, "Issuer", `"  "` + blank},
		{"an issuer with a line break", func(s *of) { s.Issuer += "\n" }, "Issuer",
			`"https://id.example.com/\n"` + blank},
		{"a claim with a blank", func(s *of) { s.RoleClaim = " role" }, "RoleClaim", `" role"` + blank},
		{"no key", func(s *of) { s.Secret = nil }, keys, "0" + keysSet},
		{"a secret and a set", func(s *of) { s.JWKS = file(t, issuerSet()) }, keys, "2" + keysSet},
		{"two secrets", func(s *of) { s.SecretFile = file(t, secret) }, keys, "2" + keysSet},
		{"a short secret", func(s *of) { s.Secret = secret[:31] }, "Secret", "the secret has 31" + need},
		{"a long secret", func(s *of) { s.Secret = make([]byte, 4097) }, "Secret",
			"the secret has 4097" + need},
		{"a public key as the secret", func(s *of) { s.Secret = public }, "Secret", noSecret},
		{"a public key in a file", fromFile(public), "SecretFile", noSecret},
		{"a JWK set in a file", fromFile(issuerSet()), "SecretFile", noSecret},
		{"a file", fromFile(secret), "", ""},
		{"a file with a line break", fromFile(append(bytes.Clone(secret), '\n')), "", ""},
		{"a file with a line break of Windows", fromFile(append(bytes.Clone(secret), '\r', '\n')), "", ""},
		{"a file that is too short without its line break", fromFile(append(bytes.Clone(secret[:31]), '\n')),
			"SecretFile", "the secret has 31" + need},
		{"a file too long", fromFile(make([]byte, 1<<20)), "SecretFile",
			"the secret can't be read: it is longer than 4098 bytes"},
		{"no file", func(s *of) { s.Secret, s.SecretFile = nil, "/no/such" }, "SecretFile",
			"the secret can't be read: open /no/such: no such file or directory"},
		{"a set by http", from("http://id.example.com/jwks"), "JWKS", noSource},
		{"a set on a host that only looks like loopback", from("http://127.0.0.1.example.com/jwks"), "JWKS",
			noSource},
		{"a set by a file's URL", from("file:///etc/passwd"), "JWKS", noSource},
		{"a set by ftp", from("ftp://localhost/jwks"), "JWKS", noSource},
		{"a set without a host", from("https:///jwks"), "JWKS", noSource},
		{"a set at an invalid URL", from("https://[::1/jwks"), "JWKS", noSource},
		{"a set with a password", from("https://ann:secret@id.example.com/jwks"), "JWKS",
			"a JWK set is public; its URL may have no user and no password"},
		{"leeway of 60 s", func(s *of) { s.Leeway = time.Minute }, "", ""},
		{"leeway of 61 s", func(s *of) { s.Leeway = 61 * time.Second },
			"Leeway", "1m1s is out of range: 1ns to 1m"},
		{"leeway below 0", func(s *of) { s.Leeway = -1 }, "Leeway", "-1ns is out of range: 1ns to 1m"},
		{"refresh too often", func(s *of) { s.Refresh = time.Millisecond },
			"Refresh", "1ms is out of range: 1s to 24h"},
		{"refresh too rarely", func(s *of) { s.Refresh = 25 * time.Hour },
			"Refresh", "25h is out of range: 1s to 24h"},
		{"too many reads for unknown keys", func(s *of) { s.RefreshUnknown = 1 },
			"RefreshUnknown", "1ns is out of range: 1s to 1h"},
		{"a timeout too short", func(s *of) { s.Timeout = 1 }, "Timeout", "1ns is out of range: 10ms to 1m"},
		{"one claim for two settings", func(s *of) { s.RoleClaim = "sub" },
			"TenantClaim, UserClaim, RoleClaim", sameClaim},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := settings()
			s.Secret = secret
			test.change(&s)
			v, err := auth.New(t.Context(), s)
			if checked := s.Check(); checked != nil && (err == nil || checked.Error() != err.Error()) {
				t.Errorf("Check: %v; New: %v", checked, err)
			}
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				checkAccepted(t, v, issuerSecret.issue(nil, nil), ann)
				return
			}
			e, _ := err.(*tracker.Error)
			if v != nil || e == nil || e.Code != tracker.BadInput || e.Path != test.path ||
				e.Error() != test.want {
				t.Errorf("got %#v\nwant %s: %s", err, test.path, test.want)
			}
			if e != nil && strings.Contains(e.Message, string(secret[:16])) {
				t.Errorf("%q contains the secret", e.Message)
			}
		})
	}
}

// TestSecretIsCopied checks that the caller may change its slice after New.
func TestSecretIsCopied(t *testing.T) {
	t.Parallel()
	s := settings()
	s.Secret = bytes.Clone(issuerSecret.secret.([]byte))
	v := newVerifier(t, s)
	clear(s.Secret)
	checkAccepted(t, v, issuerSecret.issue(nil, nil), ann)
}

// TestLeeway checks values other than the default.
func TestLeeway(t *testing.T) {
	t.Parallel()
	s := settings()
	s.Secret, s.Leeway = issuerSecret.secret.([]byte), time.Nanosecond
	v := newVerifier(t, s)
	checkRejected(t, v, issuerSecret.issue(nil, change{"exp": at(-time.Second)}), msgExpired)
	checkRejected(t, v, issuerSecret.issue(nil, change{"nbf": at(time.Second)}), msgNotYet)
	s.Leeway = time.Minute
	v = newVerifier(t, s)
	checkAccepted(t, v, issuerSecret.issue(nil, change{"exp": at(-59 * time.Second), "nbf": at(time.Minute)}),
		ann)
	checkRejected(t, v, issuerSecret.issue(nil, change{"exp": at(-time.Minute)}), msgExpired)
}

// TestLoopback checks that plain HTTP is allowed for every name of the loopback address.
func TestLoopback(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, issuerSet())
	s := settings()
	s.JWKS = strings.Replace(p.URL, "127.0.0.1", "localhost", 1)
	checkAccepted(t, newVerifier(t, s), issuerKeys()["ed"].issue(change{"kid": "ed"}, nil), ann)
	s.JWKS = strings.Replace(p.URL, "http:", "HTTP:", 1)
	checkAccepted(t, newVerifier(t, s), issuerKeys()["ed"].issue(change{"kid": "ed"}, nil), ann)
	p.checkRequests(t, 2)
}
