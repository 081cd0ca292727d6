package auth

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"issuegrid/internal/setting"
	"issuegrid/tracker"
)

const (
	minSecret = 32 // bytes; RFC 7518 (3.2) requires an HS256 key to be as long as its hash
	maxSecret = 4 << 10
)

// Settings determine which tokens are accepted; Definitions describes those that a command line can set.
// Exactly one of Secret, SecretFile and JWKS must be set; it determines the algorithms. Issuer and Audience
// are required. The tags keep a command line from making flags of the settings that only code can set.
type Settings struct {
	// Secret verifies HS256 only. It has 32 bytes to 4 KiB that only the issuer and this server know.
	Secret           []byte `kong:"-"`
	SecretFile, JWKS string

	Issuer, Audience                  string
	TenantClaim, UserClaim, RoleClaim string

	Leeway, Refresh, RefreshUnknown, Timeout time.Duration

	// Read, if not nil, is called with the result of each read of the JWK set, including the first.
	Read func(error) `kong:"-"`
	// Now is the clock; default time.Now.
	Now func() time.Time `kong:"-"`
}

// Definitions returns the definitions of the Settings that a command line can set. A zero value means the
// default.
func Definitions() []setting.Definition {
	return []setting.Definition{
		{Name: "SecretFile", Placeholder: "FILE",
			Help: "File with the secret that signs the tokens (HS256), 32 bytes to 4 KiB. A single " +
				"trailing line break is ignored. The file is read once, at startup."},
		{Name: "JWKS", Placeholder: "URL",
			Help: "URL (https, or http on loopback) or file of the JWK set that verifies the tokens " +
				"(RS256, ES256, EdDSA). Without a secret or a JWK set, no sign-in is required, and " +
				"the server listens on loopback only."},
		{Name: "Issuer", Placeholder: "URL",
			Help: "The claim iss that every token must have. It is compared exactly, including a " +
				"trailing slash. Required with a secret or a JWK set."},
		{Name: "Audience", Placeholder: "NAME",
			Help: "The audience that the claim aud of every token must contain. Required with a " +
				"secret or a JWK set."},
		{Name: "TenantClaim", Placeholder: "NAME", Default: "tenant", Rare: true,
			Help: "The claim with the tenant's id. The name of a claim may be a URI; it is a name, " +
				"not a path."},
		{Name: "UserClaim", Placeholder: "NAME", Default: "sub", Rare: true,
			Help: "The claim with the user's name."},
		{Name: "RoleClaim", Placeholder: "NAME", Default: "role", Rare: true,
			Help: "The claim with the role: reader, editor, admin or operator."},
		{Name: "Leeway", Default: 30 * time.Second, Min: time.Nanosecond, Max: time.Minute, Rare: true,
			Help: "The allowed difference between clocks when exp, nbf and iat are checked."},
		{Name: "Refresh", Default: 15 * time.Minute, Min: time.Second, Max: 24 * time.Hour, Rare: true,
			Help: "How often the JWK set is read again. A key that the issuer withdraws is trusted " +
				"until the next read that succeeds."},
		{Name: "RefreshUnknown", Default: time.Minute, Min: time.Second, Max: time.Hour, Rare: true,
			Help: "The minimum time between two reads of the JWK set that unknown key ids cause."},
		{Name: "Timeout", Default: 5 * time.Second, Min: 10 * time.Millisecond, Max: time.Minute, Rare: true,
			Help: "The timeout of a read of the JWK set."},
	}
}

// Check returns the errors that New would return before it reads a file or sends a request.
func (s Settings) Check() error {
	_, err := s.complete()
	return err
}

// complete returns the settings with defaults, after checking them.
func (s Settings) complete() (Settings, error) {
	for _, text := range []struct{ path, is string }{{"Issuer", s.Issuer}, {"Audience", s.Audience},
		{"TenantClaim", s.TenantClaim}, {"UserClaim", s.UserClaim}, {"RoleClaim", s.RoleClaim}} {
		if strings.TrimSpace(text.is) != text.is {
			return s, tracker.Bad(text.path, "%q begins or ends with a blank, and no token would match it",
				text.is)
		}
	}
	if s.Issuer == "" {
		return s, tracker.Bad("Issuer",
			"no issuer is set; give the one in the claim iss of your tokens")
	}
	if s.Audience == "" {
		return s, tracker.Bad("Audience",
			"no audience is set; give the one in the claim aud of your tokens")
	}
	setting.Complete(&s, Definitions())
	if s.TenantClaim == s.UserClaim || s.TenantClaim == s.RoleClaim || s.UserClaim == s.RoleClaim {
		return s, tracker.Bad("TenantClaim, UserClaim, RoleClaim",
			"two of them name the same claim; the tenant, the user and the role need one each")
	}
	if err := setting.Check(&s, Definitions()); err != nil {
		return s, err
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

// OthersRead reports whether the secret's file is readable by every user of the machine. It is always false
// on Windows.
func (s Settings) OthersRead() bool {
	info, err := os.Stat(s.SecretFile)
	return s.SecretFile != "" && err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o004 != 0
}

// oneKey checks that exactly one source of keys is set. With two, a token could choose.
func (s Settings) oneKey() error {
	set := 0
	for _, is := range []bool{len(s.Secret) > 0, s.SecretFile != "", s.JWKS != ""} {
		if is {
			set++
		}
	}
	if set != 1 {
		return tracker.Bad("Secret, SecretFile, JWKS",
			"%d of them are set; exactly one must be, so that it is certain which tokens count", set)
	}
	return nil
}

// secret returns the secret, or nil if the keys come from a JWK set.
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
		return nil, tracker.Bad(path, "the secret has %d bytes; it needs %d to %d, such as 32 random bytes "+
			"in base64", len(secret), minSecret, maxSecret)
	case bytes.Contains(secret, []byte("-----BEGIN ")) || json.Unmarshal(secret, &map[string]any{}) == nil:
		// With a public key as the secret, everyone could sign tokens.
		return nil, tracker.Bad(path, "this is a key in PEM or JSON form and no secret; public keys are "+
			"given as a JWK set")
	}
	return secret, nil
}
