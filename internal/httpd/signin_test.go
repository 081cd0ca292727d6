package httpd

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/dynamo/people"
	"issuegrid/internal/account"
	"issuegrid/internal/auth"
	"issuegrid/internal/session"
	"issuegrid/test/harness"
	"issuegrid/tracker"
)

// TestDeactivated makes requests of a deactivated user to all paths, with all methods. None reaches the API.
func TestDeactivated(t *testing.T) {
	db, wire := dynamotest.Open(t)
	if err := db.CreateTenant(t.Context(), tracker.Tenant{ID: "acme", Name: "ACME"}); err != nil {
		t.Fatal(err)
	}
	verifier, i := newVerifier(t)
	accounts := session.NewAccounts(db, 1, func(tracker.Principal, account.Cost) {})
	var reached atomic.Int32
	g := newGate()
	g.open(signedIn(verifier, accounts.SignIn, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		p, _ := auth.From(r.Context())
		w.Write([]byte(p.UserID))
	})))
	url := listening(t, newRoutes(g, nil, nil, nil, Pages{Grid: true}, db.Ready))
	token := "Authorization: Bearer " + i.Token("admin", "acme")
	do := func(method, path string) (*http.Response, string) {
		t.Helper()
		return harness.Do(t, method, url+path, token, "Sec-Fetch-Site: same-origin")
	}
	_, id := do("POST", APIPath)
	tenant, err := db.Tenant("acme")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := people.Of(tenant).UpdateUser(t.Context(), tracker.UserID(id), nil,
		func(u *tracker.User) error {
			u.Deactivated = time.Now()
			return nil
		}); err != nil {
		t.Fatal(err)
	}
	reached.Store(0)
	refused := 0
	for _, path := range append([]string{APIPath, ImportsPath + "/some"}, OtherPaths...) {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			r, text := do(method, path)
			if r.StatusCode != http.StatusForbidden {
				continue
			}
			if !hasError(r, text, http.StatusForbidden, tracker.Forbidden) {
				t.Errorf("%s %s: %s", method, path, text)
			}
			refused++
		}
	}
	if want := 5 * 5; reached.Load() != 0 || refused != want { // five paths of the API
		t.Errorf("%d requests reached the API, %d were refused, want %d", reached.Load(), refused, want)
	}

	wire.Intercept(dynamotest.Refuse("BatchGetItem", "ValidationException"))
	if r, _ := do("POST", APIPath); r.StatusCode != http.StatusServiceUnavailable ||
		r.Header.Get("Retry-After") == "" || reached.Load() != 0 {
		t.Errorf("without the database: %s", r.Status)
	}
}
