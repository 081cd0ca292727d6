package harness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Issuer signs tokens for a server.
type Issuer struct {
	T      testing.TB
	Secret []byte
	File   string
}

// NewIssuer returns an Issuer whose secret is stored in a file.
func NewIssuer(t testing.TB) *Issuer {
	i := &Issuer{T: t, Secret: []byte(strings.Repeat("0123456789", 4)),
		File: filepath.Join(t.TempDir(), "secret")}
	if err := os.WriteFile(i.File, i.Secret, 0o600); err != nil {
		t.Fatal(err)
	}
	return i
}

// Flags returns the flags with which a server accepts the issuer's tokens.
func (i *Issuer) Flags() []string {
	return []string{"--auth-secret-file", i.File, "--auth-issuer", "https://id.test/", "--auth-audience",
		"grid"}
}

// Token returns a token for a user with this role that is valid for an hour. If tenant is "", the token has
// no tenant claim.
func (i *Issuer) Token(role, tenant string) string {
	i.T.Helper()
	claims := jwt.MapClaims{"iss": "https://id.test/", "aud": "grid", "sub": "Ada of " + tenant, "role": role,
		"exp": time.Now().Add(time.Hour).Unix()}
	if tenant != "" {
		claims["tenant"] = tenant
	}
	signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(i.Secret)
	if err != nil {
		i.T.Fatal(err)
	}
	return signed
}
