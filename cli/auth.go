package cli

import (
	"context"
	"net"
	"strings"

	"github.com/alecthomas/kong"

	"issuegrid/auth"
	"issuegrid/tracker"
)

// authFlags say whose tokens the server takes. Without a key it asks nobody, and listens on loopback only.
type authFlags struct{ auth.Settings }

// asks tells that tokens are needed.
func (f *authFlags) asks() bool { return f.SecretFile != "" || f.JWKS != "" }

// check refuses half a sign-in, and an address that others reach without one.
func (f *authFlags) check(k *kong.Context, addr string) error {
	if f.asks() {
		return f.checkKeys()
	}
	for _, flag := range k.Flags() {
		if strings.HasPrefix(flag.Name, "auth-") && originOf(k, flag.Name) != byDefault {
			return tracker.Bad(given(k, flag.Name),
				"this is about tokens, and there is no key for them: set --auth-jwks or "+
					"--auth-secret-file, or leave it out")
		}
	}
	if !onlyHere(addr) {
		return tracker.Bad("--addr", "others can reach %s, and nobody would have to sign in: set "+
			"--auth-jwks or --auth-secret-file, or listen on 127.0.0.1", addr)
	}
	return nil
}

// checkKeys refuses settings under which no token could be verified.
func (f *authFlags) checkKeys() error {
	if f.SecretFile != "" && f.JWKS != "" {
		return tracker.Bad("--auth-secret-file, --auth-jwks",
			"both are set; exactly one must be, so that it is certain which tokens count")
	}
	return flagged("auth-", f.Settings.Check())
}

// onlyHere tells that only this machine reaches an address.
func onlyHere(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return true // which can't be listened on, and net.Listen says why
	}
	return loopbackHost(host)
}

// verifier is what tells who asks; nil where nobody is asked. It reads the keys, and tells read of it, which
// may be nil.
func (f *authFlags) verifier(ctx context.Context, read func(error)) (*auth.Verifier, error) {
	if !f.asks() {
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

// warn tells of a secret that is none.
func (f *authFlags) warn(c *console) {
	if f.OthersRead() {
		c.warn("Every user of this machine can read the secret in %s, and who has it can make tokens: "+
			"chmod 600 keeps them out.", f.SecretFile)
	}
}
