//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"issuegrid/tracker"
)

// issuer signs tokens for a server.
type issuer struct {
	t      *testing.T
	secret []byte
	file   string
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{t: t, secret: []byte(strings.Repeat("0123456789", 4)), file: filepath.Join(t.TempDir(), "secret")}
	if err := os.WriteFile(i.file, i.secret, 0o600); err != nil {
		t.Fatal(err)
	}
	return i
}

// flags let a server take the tokens.
func (i *issuer) flags() []string {
	return []string{"--auth-secret-file", i.file, "--auth-issuer", "https://id.test/", "--auth-audience", "grid"}
}

// token is one for an hour, with other claims besides.
func (i *issuer) token(role, tenant string) string {
	i.t.Helper()
	claims := jwt.MapClaims{"iss": "https://id.test/", "aud": "grid", "sub": "Ada of " + tenant, "role": role, "exp": time.Now().Add(time.Hour).Unix()}
	if tenant != "" {
		claims["tenant"] = tenant
	}
	signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(i.secret)
	if err != nil {
		i.t.Fatal(err)
	}
	return signed
}

// signed is a token with claims beside, or in place of, those of a reader of acme; nil removes one. Header are parameters of its header.
func (i *issuer) signed(change jwt.MapClaims, header map[string]any) string {
	i.t.Helper()
	claims := jwt.MapClaims{"iss": "https://id.test/", "aud": "grid", "sub": "Ada", "role": "reader", "tenant": "acme", "exp": time.Now().Add(time.Hour).Unix()}
	maps.Copy(claims, change)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, claims)
	maps.Copy(token.Header, header)
	signed, err := token.SignedString(i.secret)
	if err != nil {
		i.t.Fatal(err)
	}
	return signed
}

// as sends a query with a token.
func as(t *testing.T, url, token, query string) (status int, header http.Header, answer string) {
	t.Helper()
	response, text, err := exchange(t.Context(), http.DefaultClient, url, token, query, nil)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(text)
}

// exchange sends an operation, with a token unless it is "", and returns the answer with its text; no response if there was none.
func exchange(ctx context.Context, client *http.Client, url, token, query string, variables map[string]any) (response *http.Response, text []byte, err error) {
	operation := map[string]any{"query": query}
	if variables != nil {
		operation["variables"] = variables
	}
	body, err := json.Marshal(operation)
	if err != nil {
		return nil, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/graphql", bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if response, err = client.Do(r); err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	return response, text, err
}

// TestSignIn is a server that others may reach: whoever has no token that counts gets nothing, and the others what is theirs.
func TestSignIn(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	p := start(t, append(serveArgs(t.TempDir(), "--no-sample"), i.flags()...))
	url := p.serving()
	if strings.Contains(p.stderr.String(), "Development mode") {
		t.Errorf("stderr %s", &p.stderr)
	}
	for name, token := range map[string]string{"no token": "", "not a token": "hunter2", "another secret": (&issuer{t: t, secret: bytes.Repeat([]byte("x"), 40)}).token("operator", "")} {
		status, header, answer := as(t, url, token, `{ viewer { user } }`)
		if status != http.StatusUnauthorized || !strings.HasPrefix(header.Get("WWW-Authenticate"), "Bearer") || !strings.Contains(answer, string(tracker.Unauthenticated)) || strings.Contains(answer, "hunter2") {
			t.Errorf("%s: status %d, %v, %s", name, status, header, answer)
		}
	}
	operator := i.token("operator", "")
	for _, claim := range []string{"acme", "rival"} {
		if status, _, answer := as(t, url, operator, fmt.Sprintf(`mutation { createTenant(input: {name: "Tenant %s", claim: %q}) { tenant { claim } } }`, claim, claim)); status != http.StatusOK ||
			!strings.Contains(answer, `"claim":"`+claim+`"`) {
			t.Fatalf("status %d, %s", status, answer)
		}
	}
	for name, c := range map[string]struct{ token, query, says string }{
		"an admin's own":          {i.token("admin", "acme"), `{ viewer { user role canAdminister tenant { name } } }`, `{"data":{"viewer":{"user":"Ada of acme","role":"ADMIN","canAdminister":true,"tenant":{"name":"Tenant acme"}}}}`},
		"a reader does not write": {i.token("reader", "acme"), `mutation { createProject(input: {tenant: "x", key: "A", name: "A"}) { project { id } } }`, string(tracker.Forbidden)},
		"nor lists tenants":       {i.token("admin", "acme"), `{ tenants { nodes { name } } }`, string(tracker.Forbidden)},
		"another's tenant":        {i.token("admin", "acme"), `{ tenant(id: "VHJpdmFs") { name } }`, string(tracker.NotFound)},
		"an operator's":           {operator, `{ tenant(id: "VHJpdmFs") { name } }`, `{"data":{"tenant":{"name":"Tenant rival"}}}`},
		"taken":                   {operator, `mutation { createTenant(input: {name: "x", claim: "acme"}) { tenant { id } } }`, string(tracker.Conflict)},
		"no claim":                {operator, `mutation { createTenant(input: {name: "x", claim: "a/b"}) { tenant { id } } }`, "input.claim"},
	} {
		if _, _, answer := as(t, url, c.token, c.query); !strings.Contains(answer, c.says) {
			t.Errorf("%s: %s", name, answer)
		}
	}
	audit(t, url+"/graphql", "Authorization: Bearer "+i.token("reader", "acme"))
}

// TestWhoMayListen: beyond this machine only with a key, and a key needs what belongs to it.
func TestWhoMayListen(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	for _, test := range []struct {
		args []string
		code int
		says []string
	}{
		{[]string{"--addr", ":0"}, exitUsage, []string{"--addr", "--auth-jwks", "127.0.0.1"}},
		{[]string{"--addr", "0.0.0.0:0"}, exitUsage, []string{"--addr", "--auth-secret-file"}},
		{[]string{"--auth-issuer", "x"}, exitUsage, []string{"--auth-issuer", "--auth-jwks"}},
		{[]string{"--auth-tenant-claim", "org"}, exitUsage, []string{"--auth-tenant-claim", "no key"}},
		{[]string{"--auth-secret-file", i.file}, exitUsage, []string{"--auth-issuer"}},
		{[]string{"--auth-secret-file", i.file, "--auth-issuer", " "}, exitUsage, []string{"--auth-issuer", "blank"}},
		{[]string{"--auth-secret-file", i.file, "--auth-issuer", "x"}, exitUsage, []string{"--auth-audience"}},
		{append([]string{"--auth-leeway", "90s"}, i.flags()...), exitUsage, []string{"--auth-leeway: 1m30s is out of range"}},
		{append([]string{"--auth-leeway", "0s"}, i.flags()...), exitUsage, []string{"--auth-leeway"}},
		{append([]string{"--auth-refresh", "100ms"}, i.flags()...), exitUsage, []string{"--auth-refresh: 100ms is out of range"}},
		{append([]string{"--auth-jwks", "https://id.test/keys"}, i.flags()...), exitUsage, []string{"--auth-secret-file, --auth-jwks: both are set"}},
		{[]string{"--auth-jwks", "ftp://id.test/keys", "--auth-issuer", "x", "--auth-audience", "y"}, exitUsage, []string{"--auth-jwks", "https://"}},
		{[]string{"--addr", "127.0.0.1:0", "--auth-jwks", "http://127.0.0.1:1/keys", "--auth-issuer", "x", "--auth-audience", "y"}, exitFailed, []string{"--auth-jwks"}},
		{[]string{"--addr", "127.0.0.1:0", "--auth-secret-file", i.file + ".none", "--auth-issuer", "x", "--auth-audience", "y"}, exitFailed, []string{"--auth-secret-file", "can't be read"}},
	} {
		p := start(t, append([]string{"serve"}, test.args...))
		p.wants(test.code)
		p.sentence(test.says...)
		if strings.Contains(p.stderr.String(), "Starting on") {
			t.Errorf("%q: the port was taken before", test.args)
		}
	}
	p := start(t, append([]string{"serve", "--addr", ":0", "--data", t.TempDir(), "--no-sample"}, i.flags()...))
	if url := p.serving(); !strings.HasPrefix(url, "http://localhost:") {
		t.Errorf("listening on all interfaces at %s", url)
	}
}

// TestSecretOfAll: a secret that every user can read is told, and taken, since it may be meant, as in a container.
func TestSecretOfAll(t *testing.T) {
	t.Parallel()
	for mode, told := range map[os.FileMode]bool{0o600: false, 0o640: false, 0o644: true} {
		i := newIssuer(t)
		if err := os.Chmod(i.file, mode); err != nil {
			t.Fatal(err)
		}
		p := start(t, append(serveArgs(t.TempDir(), "--no-sample"), i.flags()...))
		p.serving()
		if got := strings.Contains(p.stderr.String(), `"level":"WARN","msg":"Every user of this machine can read the secret in `); got != told {
			t.Errorf("%o: told %t", mode, got)
		}
	}
}
