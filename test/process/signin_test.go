//go:build unix

package process

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"issuegrid/test/harness"
	"issuegrid/tracker"
)

// TestSignIn starts a server that other machines can reach. Requests without a valid token get no data; the
// others get the data of their tenant.
func TestSignIn(t *testing.T) {
	t.Parallel()
	i := harness.NewIssuer(t)
	p := harness.Start(t, append(harness.ServeArgs(t.TempDir(), "--no-sample"), i.Flags()...))
	url := p.Serving()
	if strings.Contains(p.Stderr.String(), "Development mode") {
		t.Errorf("stderr %s", &p.Stderr)
	}
	for name, token := range map[string]string{"no token": "", "not a token": "hunter2",
		"another secret": (&harness.Issuer{T: t, Secret: bytes.Repeat([]byte("x"), 40)}).Token("operator",
			"")} {
		status, header, answer := harness.As(t, url, token, `{ viewer { user: userName } }`)
		if status != http.StatusUnauthorized ||
			!strings.HasPrefix(header.Get("WWW-Authenticate"), "Bearer") ||
			!strings.Contains(answer, string(tracker.Unauthenticated)) ||
			strings.Contains(answer, "hunter2") {
			t.Errorf("%s: status %d, %v, %s", name, status, header, answer)
		}
	}
	operator := i.Token("operator", "")
	for _, claim := range []string{"acme", "rival"} {
		if status, _, answer := harness.As(t, url, operator,
			fmt.Sprintf(
				`mutation { createTenant(input: {name: "Tenant %s", claim: %q}) { tenant { claim } } }`,
				claim, claim)); status != http.StatusOK ||
			!strings.Contains(answer, `"claim":"`+claim+`"`) {
			t.Fatalf("status %d, %s", status, answer)
		}
	}
	for name, c := range map[string]struct{ token, query, says string }{
		"an admin's tenant": {i.Token("admin", "acme"),
			`{ viewer { user: userName role canAdminister tenant { name } } }`,
			`{"data":{"viewer":{"user":"Ada of acme","role":"ADMIN","canAdminister":true,"tenant":{"name":"Tenant acme"}}}}`},
		"a reader does not write": {i.Token("reader", "acme"),
			`mutation { createProject(input: {tenantId: "x", key: "A", name: "A"}) { project { id } } }`,
			string(tracker.Forbidden)},
		"an admin does not list tenants": {i.Token("admin", "acme"), `{ tenants { nodes { name } } }`,
			string(tracker.Forbidden)},
		"another tenant": {i.Token("admin", "acme"), `{ tenant(id: "VHJpdmFs") { name } }`,
			string(tracker.NotFound)},
		"any tenant for an operator": {operator, `{ tenant(id: "VHJpdmFs") { name } }`,
			`{"data":{"tenant":{"name":"Tenant rival"}}}`},
		"a claim that is taken": {operator,
			`mutation { createTenant(input: {name: "x", claim: "acme"}) { tenant { id } } }`,
			string(tracker.Conflict)},
	} {
		if _, _, answer := harness.As(t, url, c.token, c.query); !strings.Contains(answer, c.says) {
			t.Errorf("%s: %s", name, answer)
		}
	}
	audit(t, url+"/graphql", "Authorization: Bearer "+i.Token("reader", "acme"))
}

// TestSecretOfAll checks that the server warns about a secret file that every user can read, and still uses
// it: in a container this may be intended.
func TestSecretOfAll(t *testing.T) {
	t.Parallel()
	for mode, warned := range map[os.FileMode]bool{0o600: false, 0o640: false, 0o644: true} {
		i := harness.NewIssuer(t)
		if err := os.Chmod(i.File, mode); err != nil {
			t.Fatal(err)
		}
		p := harness.Start(t, append(harness.ServeArgs(t.TempDir(), "--no-sample"), i.Flags()...))
		p.Serving()
		if got := strings.Contains(p.Stderr.String(),
			`"level":"WARN","msg":"Every user of this machine can read the secret in `); got != warned {
			t.Errorf("mode %o: warned %t", mode, got)
		}
	}
}
