package cli

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"issuegrid/auth"
	"issuegrid/tracker"
)

// authFlags say whose tokens the server takes. Without a key it asks nobody, and listens on loopback only.
type authFlags struct {
	SecretFile     string        `help:"File with the secret of the tokens (HS256), 32 bytes or more." placeholder:"FILE"`
	JWKS           string        `name:"jwks" help:"URL (https) or file of the JWK set that verifies the tokens (RS256, ES256, EdDSA). Without a secret or a JWK set nobody has to sign in, and the server listens on loopback only." placeholder:"URL"`
	Issuer         string        `help:"The claim iss of every token." placeholder:"URL"`
	Audience       string        `help:"What the claim aud of every token must have." placeholder:"NAME"`
	TenantClaim    string        `help:"The claim with the tenant's id, ${default} if not set." default:"tenant" placeholder:"NAME"`
	UserClaim      string        `help:"The claim with the user's name, ${default} if not set." default:"sub" placeholder:"NAME"`
	RoleClaim      string        `help:"The claim with the role: reader, editor, admin or operator; ${default} if not set." default:"role" placeholder:"NAME"`
	Leeway         time.Duration `help:"By how much clocks may differ, at most 1m; ${default} if not set." default:"30s" placeholder:"TIME"`
	Refresh        time.Duration `help:"How often the JWK set is read again, 1s to 24h; ${default} if not set." default:"15m" placeholder:"TIME"`
	RefreshUnknown time.Duration `help:"The least time between two readings of it because of an unknown key, 1s to 1h; ${default} if not set." default:"1m" placeholder:"TIME"`
	Timeout        time.Duration `help:"How long one reading of it may take, 10ms to 1m; ${default} if not set." default:"5s" placeholder:"TIME"`
}

// authNames are the flags of auth's settings.
var authNames = strings.NewReplacer("SecretFile", "--auth-secret-file", "Secret", "--auth-secret-file", "JWKS", "--auth-jwks", "Issuer", "--auth-issuer", "Audience", "--auth-audience",
	"TenantClaim", "--auth-tenant-claim", "UserClaim", "--auth-user-claim", "RoleClaim", "--auth-role-claim", "Leeway", "--auth-leeway", "RefreshUnknown", "--auth-refresh-unknown",
	"Refresh", "--auth-refresh", "Timeout", "--auth-timeout")

// asks tells that tokens are needed.
func (f *authFlags) asks() bool { return f.SecretFile != "" || f.JWKS != "" }

// check refuses half a sign-in, and an address that others reach without one.
func (f *authFlags) check(k *kong.Context, addr string) error {
	if f.asks() {
		return f.checkKeys()
	}
	for _, flag := range k.Flags() {
		if strings.HasPrefix(flag.Name, "auth-") && originOf(k, flag.Name) != byDefault {
			return tracker.Bad(given(k, flag.Name), "this is about tokens, and there is no key for them: set --auth-jwks or --auth-secret-file, or leave it out")
		}
	}
	if !onlyHere(addr) {
		return tracker.Bad("--addr", "others can reach %s, and nobody would have to sign in: set --auth-jwks or --auth-secret-file, or listen on 127.0.0.1", addr)
	}
	return nil
}

// checkKeys refuses settings under which no token could be verified.
func (f *authFlags) checkKeys() error {
	if f.SecretFile != "" && f.JWKS != "" {
		return tracker.Bad("--auth-secret-file, --auth-jwks", "both are set; exactly one must be, so that it is certain which tokens count")
	}
	for flag, d := range map[string]time.Duration{"leeway": f.Leeway, "refresh": f.Refresh, "refresh-unknown": f.RefreshUnknown, "timeout": f.Timeout} {
		if d == 0 { // which would be the default to package auth
			return tracker.Bad("--auth-"+flag, "0s is none; leave it out for the default")
		}
	}
	return named(f.settings().Check())
}

// onlyHere tells that only this machine reaches an address.
func onlyHere(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return true // which can't be listened on, and net.Listen says why
	}
	return loopbackHost(host)
}

// verifier is what tells who asks; nil where nobody is asked. It reads the keys, and tells read of it, which may be nil.
func (f *authFlags) verifier(ctx context.Context, read func(error)) (*auth.Verifier, error) {
	if !f.asks() {
		return nil, nil
	}
	settings := f.settings()
	settings.Read = read
	v, err := auth.New(ctx, settings)
	if err != nil {
		return nil, named(err)
	}
	return v, nil
}

// warn tells of a secret that is none.
func (f *authFlags) warn(c *console) {
	if f.settings().OthersRead() {
		c.warn("Every user of this machine can read the secret in %s, and who has it can make tokens: chmod 600 keeps them out.", f.SecretFile)
	}
}

func (f *authFlags) settings() auth.Settings {
	return auth.Settings{Issuer: f.Issuer, Audience: f.Audience, SecretFile: f.SecretFile, JWKS: f.JWKS, TenantClaim: f.TenantClaim,
		UserClaim: f.UserClaim, RoleClaim: f.RoleClaim, Leeway: f.Leeway, Refresh: f.Refresh, RefreshUnknown: f.RefreshUnknown, Timeout: f.Timeout}
}

// named is an error of auth with the names of the flags in place of those of its settings.
func named(err error) error {
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok {
		return err
	}
	of := *e
	of.Path = authNames.Replace(e.Path)
	return &of
}
