package auth

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"issuegrid/tracker"
)

const (
	minSecret     = 32 // bytes, because RFC 7518 (3.2) wants a key of HS256 to be as long as its hash
	maxSecret     = 4 << 10
	defaultLeeway = 30 * time.Second
	maxLeeway     = 60 * time.Second
)

// Settings say which tokens count. Exactly one of Secret, SecretFile and JWKS must be set; it pins the algorithms.
type Settings struct {
	Issuer   string // the claim iss of every token, compared character by character; required
	Audience string // what the claim aud of every token is, or has among others; required

	// Secret verifies HS256, and nothing else: 32 bytes to 4 KiB that only the issuer and this server know.
	Secret []byte
	// SecretFile has the secret. One line break at its end does not count. It is read at the start.
	SecretFile string
	// JWKS is where a JWK set is: a URL (https, or http on loopback), or the path of a file. Its keys verify RS256, ES256 and EdDSA, and nothing else.
	JWKS string

	TenantClaim string // the claim with the tenant's id; default "tenant"
	UserClaim   string // the claim with the user's name; default "sub"
	RoleClaim   string // the claim with the role; default "role"

	// Leeway is by how much clocks may differ, for exp, nbf and iat; default 30 s, at most 60 s.
	Leeway time.Duration
	// Refresh is how often the JWK set is read again, and so how long a key is trusted that the issuer has withdrawn; default 15 min, 1 s to 24 h.
	Refresh time.Duration
	// RefreshUnknown is the least time between two readings because of a key id that is not known; default 1 min, 1 s to 1 h.
	RefreshUnknown time.Duration
	// Timeout is how long one reading of the JWK set may take; default 5 s, 10 ms to 60 s.
	Timeout time.Duration
	// Read is told of every reading of the JWK set, of the first one too, and why it failed if it did; nil for nobody.
	Read func(error)
	// Now is the clock; default time.Now.
	Now func() time.Time
}

// Check refuses what New would refuse before it reads a file or asks anybody, with the same errors.
func (s Settings) Check() error {
	_, err := s.complete()
	return err
}

// complete returns the settings with their defaults, checked.
func (s Settings) complete() (Settings, error) {
	for _, text := range []struct{ path, is string }{{"Issuer", s.Issuer}, {"Audience", s.Audience}, {"TenantClaim", s.TenantClaim}, {"UserClaim", s.UserClaim}, {"RoleClaim", s.RoleClaim}} {
		if strings.TrimSpace(text.is) != text.is {
			return s, tracker.Bad(text.path, "%q begins or ends with a blank, and no token would match it", text.is)
		}
	}
	if s.Issuer == "" {
		return s, tracker.Bad("Issuer", "no issuer is set; give the one that stands in the claim iss of your tokens")
	}
	if s.Audience == "" {
		return s, tracker.Bad("Audience", "no audience is set; give the one for which your tokens are issued, which stands in their claim aud")
	}
	for _, name := range []struct {
		value *string
		usual string
	}{{&s.TenantClaim, "tenant"}, {&s.UserClaim, "sub"}, {&s.RoleClaim, "role"}} {
		if *name.value == "" {
			*name.value = name.usual
		}
	}
	if s.TenantClaim == s.UserClaim || s.TenantClaim == s.RoleClaim || s.UserClaim == s.RoleClaim {
		return s, tracker.Bad("TenantClaim, UserClaim, RoleClaim", "two of them name the same claim; the tenant, the user and the role need one each")
	}
	for _, d := range []struct {
		path              string
		value             *time.Duration
		usual, least, top time.Duration
	}{
		{"Leeway", &s.Leeway, defaultLeeway, 0, maxLeeway},
		{"Refresh", &s.Refresh, 15 * time.Minute, time.Second, 24 * time.Hour},
		{"RefreshUnknown", &s.RefreshUnknown, time.Minute, time.Second, time.Hour},
		{"Timeout", &s.Timeout, 5 * time.Second, 10 * time.Millisecond, time.Minute},
	} {
		if *d.value == 0 {
			*d.value = d.usual
		}
		if *d.value < d.least || *d.value > d.top {
			return s, tracker.Bad(d.path, "%s is out of range: %s to %s", *d.value, d.least, d.top)
		}
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	if err := s.oneKey(); err != nil || s.JWKS == "" {
		return s, err
	}
	_, err := sourceOf(s.JWKS)
	return s, err
}

// OthersRead tells whether the secret's file can be read by every user of the machine, where files have such rights.
func (s Settings) OthersRead() bool {
	info, err := os.Stat(s.SecretFile)
	return s.SecretFile != "" && err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o004 != 0
}

// oneKey checks that there is one key, and only one: with two, a token could choose.
func (s Settings) oneKey() error {
	set := 0
	for _, is := range []bool{len(s.Secret) > 0, s.SecretFile != "", s.JWKS != ""} {
		if is {
			set++
		}
	}
	if set != 1 {
		return tracker.Bad("Secret, SecretFile, JWKS", "%d of them are set; exactly one must be, so that it is certain which tokens count", set)
	}
	return nil
}

// secret returns the secret; nil if there is none because keys come from a JWK set.
func (s Settings) secret() ([]byte, error) {
	path, secret := "Secret", slices.Clone(s.Secret)
	if s.SecretFile != "" {
		path = "SecretFile"
		raw, err := readFile(s.SecretFile, maxSecret+2)
		if err != nil {
			return nil, tracker.Bad(path, "the secret can't be read: %s", err)
		}
		secret = raw
		if line, ok := bytes.CutSuffix(raw, []byte("\n")); ok {
			secret = bytes.TrimSuffix(line, []byte("\r"))
		}
	}
	switch {
	case s.JWKS != "":
		return nil, nil
	case len(secret) < minSecret || len(secret) > maxSecret:
		return nil, tracker.Bad(path, "the secret has %d bytes; it needs %d to %d, such as 32 random bytes in base64", len(secret), minSecret, maxSecret)
	case bytes.Contains(secret, []byte("-----BEGIN ")) || json.Unmarshal(secret, &map[string]any{}) == nil:
		// A public key as a secret would let everyone sign.
		return nil, tracker.Bad(path, "this is a key in PEM or JSON form and no secret; public keys are given as a JWK set")
	}
	return secret, nil
}
