package auth_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MicahParks/jwkset"

	"issuegrid/internal/auth"
	"issuegrid/tracker"
)

// now is the default time of the tests.
var now = time.Date(2026, time.May, 4, 12, 0, 0, 0, time.UTC)

const (
	issuer   = "https://id.example.com/"
	audience = "issuegrid"
	// canary is part of tokens and must not appear in errors or logs.
	canary = "canary7f3a"
)

// logged is the log of all tests.
var logged logBuffer

type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *logBuffer) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *logBuffer) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewJSONHandler(&logged, nil)))
	code := m.Run()
	if strings.Contains(logged.String(), canary) {
		fmt.Println("FAIL: the log contains part of a token:\n" + logged.String())
		code = 1
	}
	os.Exit(code)
}

// key is a signing key.
type key struct {
	alg    string
	public any // as published in a JWK set
	secret any
}

func (k key) sign(text string) []byte {
	hash := sha256.Sum256([]byte(text))
	switch secret := k.secret.(type) {
	case []byte:
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	case *rsa.PrivateKey:
		return must(rsa.SignPKCS1v15(nil, secret, crypto.SHA256, hash[:]))
	case *ecdsa.PrivateKey:
		r, s, err := ecdsa.Sign(rand.Reader, secret, hash[:])
		if err != nil {
			panic(err)
		}
		size := (secret.Curve.Params().BitSize + 7) / 8
		return append(r.FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size))...)
	case ed25519.PrivateKey:
		return ed25519.Sign(secret, []byte(text))
	}
	panic("no such key")
}

// token signs a header and a payload without changes to them.
func (k key) token(header, payload string) string {
	text := encode([]byte(header)) + "." + encode([]byte(payload))
	return text + "." + encode(k.sign(text))
}

// issue signs the usual header and claims with changes.
func (k key) issue(header, claims change) string {
	return k.token(text(with(change{"alg": k.alg, "typ": "JWT"}, header)), payload(claims))
}

func rsaKey(bits int) key {
	private := must(rsa.GenerateKey(rand.Reader, bits))
	return key{"RS256", &private.PublicKey, private}
}

func ecKey(curve elliptic.Curve) key {
	private := must(ecdsa.GenerateKey(curve, rand.Reader))
	return key{"ES256", &private.PublicKey, private}
}

func edKey() key {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	return key{"EdDSA", public, private}
}

func hmacKey(secret []byte) key { return key{"HS256", nil, secret} }

// issuerKeys are the keys of the issuer by id; issuerSecret is the secret of an issuer that uses one instead.
var (
	issuerSecret = hmacKey([]byte("not so secret, but has 32 bytes."))
	issuerKeys   = sync.OnceValue(func() map[string]key {
		return map[string]key{"rsa": rsaKey(2048), "ec": ecKey(elliptic.P256()), "ed": edKey()}
	})
)

// absent removes a member from an object.
type absent struct{}

// change maps members of an object to new values.
type change map[string]any

func with(base, changes change) change {
	all := maps.Clone(base)
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == absent{} })
	return all
}

// payload returns the payload of a valid token with changes.
func payload(changes change) string {
	return text(with(change{"iss": issuer, "aud": audience, "exp": now.Add(time.Hour).Unix(),
		"tenant": "acme", "sub": "ann", "role": "editor"}, changes))
}

var ann = tracker.Principal{Tenant: "acme", User: "ann", Role: tracker.Editor}

func text(v any) string { return string(must(json.Marshal(v))) }

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// jwk returns the JWK of a key with changes. It names no algorithm, so only the type of the key determines
// the algorithm.
func jwk(public any, id string, changes change) change {
	m := must(jwkset.NewJWKFromKey(public,
		jwkset.JWKOptions{Metadata: jwkset.JWKMetadataOptions{KID: id},
			Marshal: jwkset.JWKMarshalOptions{Private: true}}))
	var members change
	if err := json.Unmarshal(must(json.Marshal(m.Marshal())), &members); err != nil {
		panic(err)
	}
	return with(with(members, change{"alg": absent{}}), changes)
}

func jwks(keys ...change) []byte { return must(json.Marshal(map[string]any{"keys": keys})) }

// issuerSet returns the JWK set of the issuer.
func issuerSet() []byte {
	var all []change
	for id, k := range issuerKeys() {
		all = append(all, jwk(k.public, id, nil))
	}
	return jwks(all...)
}

func file(t testing.TB, content []byte) string {
	t.Helper()
	name := t.TempDir() + "/file"
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func settings() auth.Settings {
	return auth.Settings{Issuer: issuer, Audience: audience, Now: func() time.Time { return now }}
}

func newVerifier(t testing.TB, s auth.Settings) *auth.Verifier {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	v, err := auth.New(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// bySecret returns a verifier for HS256, and bySet one for the other algorithms.
func bySecret(t testing.TB) *auth.Verifier {
	s := settings()
	s.Secret = issuerSecret.secret.([]byte)
	return newVerifier(t, s)
}

func bySet(t testing.TB, set []byte) *auth.Verifier {
	s := settings()
	s.JWKS = file(t, set)
	return newVerifier(t, s)
}
