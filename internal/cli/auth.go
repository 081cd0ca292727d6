package cli

import (
	"context"
	"net"
	"strings"

	"github.com/alecthomas/kong"

	"issuegrid/internal/auth"
	"issuegrid/tracker"
)

// authFlags configure authentication. Without a key, the server does not authenticate clients, and listens on
// loopback only.
type authFlags struct{ auth.Settings }

// enabled reports whether requests need a token.
func (f *authFlags) enabled() bool { return f.SecretFile != "" || f.JWKS != "" }

// check rejects incomplete authentication settings, and a public address without authentication.
func (f *authFlags) check(k *kong.Context, addr string) error {
	if f.enabled() {
		return f.checkKeys()
	}
	for _, flag := range k.Flags() {
		if strings.HasPrefix(flag.Name, "auth-") && originOf(k, flag.Name) != byDefault {
			return tracker.Bad(sourceName(k, flag.Name),
				"tokens need a key: set --auth-jwks or --auth-secret-file, or leave this out")
		}
	}
	if !loopbackOnly(addr) {
		return tracker.Bad("--addr", "%s can be reached from other machines, and no sign-in would be "+
			"required: set --auth-jwks or --auth-secret-file, or listen on 127.0.0.1", addr)
	}
	return nil
}

// checkKeys rejects settings with which no token could be verified.
func (f *authFlags) checkKeys() error {
	if f.SecretFile != "" && f.JWKS != "" {
		return tracker.Bad("--auth-secret-file, --auth-jwks",
			"both are set; set exactly one, so that it is clear which tokens are valid")
	}
	return flagged("auth-", f.Settings.Check())
}

// loopbackOnly reports whether only this machine can reach addr.
func loopbackOnly(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return true // net.Listen reports the error
	}
	return loopbackHost(host)
}

// verifier reads the keys and returns the verifier of tokens, or nil if authentication is disabled. It calls
// read, if not nil, with the result of each read of the keys.
func (f *authFlags) verifier(ctx context.Context, read func(error)) (*auth.Verifier, error) {
	if !f.enabled() {
		return nil, nil
	}
	settings := f.Settings
	settings.Read = read
	v, err := auth.New(ctx, settings)
	if err != nil {
		return nil, flagged("auth-", err)
	}
	return v, nil
}

// warn warns if other users of the machine can read the secret.
func (f *authFlags) warn(c *console) {
	if f.OthersRead() {
		c.warn("Every user of this machine can read the secret in %s and create tokens with it; chmod "+
			"600 prevents this.", f.SecretFile)
	}
}
