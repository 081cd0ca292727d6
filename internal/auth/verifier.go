package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"

	"issuegrid/tracker"
)

// maxToken is the maximum length of a token in bytes. Many proxies accept header lines of at most 8 KiB, so
// longer tokens rarely arrive, and the limit bounds the work that an unauthenticated client can cause. Tokens
// with the three claims have about 500 bytes.
const maxToken = 8 << 10

// Verifier turns tokens into principals. It is safe for concurrent use.
type Verifier struct {
	tenantClaim, userClaim, roleClaim string

	algorithms []string // accepted signature algorithms (A1)
	parser     *jwt.Parser
	keyOf      func(context.Context) jwt.Keyfunc
}

// New returns a verifier. A JWK set is read once before New returns, and then in the background until ctx
// ends. Errors are *tracker.Error with a message for the operator: BadInput for invalid settings, Unavailable
// if the JWK set cannot be read or has no usable key. Path is the name of the setting, or of several.
func New(ctx context.Context, s Settings) (*Verifier, error) {
	s, err := s.complete()
	if err != nil {
		return nil, err
	}
	secret, err := s.secret()
	if err != nil {
		return nil, err
	}
	v := &Verifier{tenantClaim: s.TenantClaim, userClaim: s.UserClaim, roleClaim: s.RoleClaim}
	if secret != nil {
		v.algorithms = []string{jwt.SigningMethodHS256.Alg()}
		v.keyOf = func(context.Context) jwt.Keyfunc {
			return func(*jwt.Token) (any, error) { return secret, nil }
		}
	} else {
		v.algorithms = []string{jwt.SigningMethodRS256.Alg(), jwt.SigningMethodES256.Alg(),
			jwt.SigningMethodEdDSA.Alg()}
		if v.keyOf, err = keysOf(ctx, s); err != nil {
			return nil, err
		}
	}
	v.parser = jwt.NewParser(jwt.WithValidMethods(v.algorithms), jwt.WithStrictDecoding(),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(),
		jwt.WithIssuer(s.Issuer), jwt.WithAudience(s.Audience), jwt.WithLeeway(s.Leeway),
		jwt.WithTimeFunc(s.Now))
	return v, nil
}

// keysOf returns a function that finds a token's key in the JWK set. A token needs no key id if the set has
// only one key.
func keysOf(ctx context.Context, s Settings) (func(context.Context) jwt.Keyfunc, error) {
	set, err := newKeys(ctx, s)
	if err != nil {
		return nil, err
	}
	byID, err := keyfunc.New(keyfunc.Options{Storage: set})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) jwt.Keyfunc {
		return func(t *jwt.Token) (any, error) {
			if _, named := t.Header["kid"]; named {
				return byID.KeyfuncCtx(ctx)(t)
			}
			if key, ok := set.only(ctx); ok {
				return key.Key(), nil
			}
			return nil, refuse("the token names no key (kid), and there are several keys")
		}
	}, nil
}

// Verify returns the principal of a token. Every error is a *tracker.Error with the code Unauthenticated, and
// its message contains no part of the token (A3).
func (v *Verifier) Verify(ctx context.Context, token string) (tracker.Principal, error) {
	if err := v.checkForm(token); err != nil {
		return tracker.Principal{}, err
	}
	var c claims
	if _, err := v.parser.ParseWithClaims(token, &c, v.keyOf(ctx)); err != nil {
		return tracker.Principal{}, refusal(err)
	}
	return v.principal(c)
}

// refuse returns the error for a rejected token. The format may name settings, but no part of a token (A3).
func refuse(format string, args ...any) *tracker.Error {
	return &tracker.Error{Code: tracker.Unauthenticated, Message: fmt.Sprintf(format, args...)}
}

// refusal translates errors of the parser, whose messages contain parts of the token (A3). The parser
// verifies the signature before it checks claims, so only the holder of a genuine token learns what is wrong
// with its claims.
func refusal(err error) error {
	if e, ok := errors.AsType[*tracker.Error](err); ok {
		return e
	}
	for _, known := range []struct {
		is      error
		message string
	}{
		{jwt.ErrTokenMalformed, "the token can't be parsed"},
		{jwt.ErrTokenUnverifiable, "the token is signed with an unknown key"},
		{jwt.ErrTokenSignatureInvalid, "the token's signature is not valid"},
		{jwt.ErrTokenRequiredClaimMissing, "the token lacks one of the claims exp, iss and aud"},
		{jwt.ErrTokenExpired, "the token has expired"},
		{jwt.ErrTokenNotValidYet, "the token is not valid yet"},
		{jwt.ErrTokenUsedBeforeIssued, "the token was issued in the future"},
		{jwt.ErrTokenInvalidIssuer, "the token has another issuer"},
		{jwt.ErrTokenInvalidAudience, "the token is for another audience"},
	} {
		if errors.Is(err, known.is) {
			return refuse("%s", known.message)
		}
	}
	return refuse("one of the token's claims exp, nbf, iat, iss and aud is of the wrong type")
}

// notAllowed returns the error for a token with another algorithm.
func (v *Verifier) notAllowed() error {
	return refuse("the token must be signed with %s", strings.Join(v.algorithms, " or "))
}

func (v *Verifier) allows(algorithm any) bool {
	name, ok := algorithm.(string)
	return ok && slices.Contains(v.algorithms, name)
}
