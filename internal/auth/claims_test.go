package auth_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"issuegrid/tracker"
)

// at returns the time at distance d from now, as a claim has it.
func at(d time.Duration) int64 { return now.Add(d).Unix() }

// raw is JSON that is used unchanged.
func raw(s string) json.RawMessage { return json.RawMessage(s) }

// TestRegisteredClaims signs all tokens with the right key; only the claims differ.
func TestRegisteredClaims(t *testing.T) {
	t.Parallel()
	v := bySecret(t)
	for _, test := range []struct {
		name   string
		claims change
		want   string // empty if accepted
	}{
		{"as issued", nil, ""},
		{"all the times", change{"exp": at(time.Minute), "nbf": at(-time.Minute), "iat": at(-time.Minute)},
			""},
		{"fractions of a second", change{"exp": float64(at(time.Minute)) + 0.5}, ""},
		{"expired within the leeway", change{"exp": at(-29 * time.Second)}, ""},
		{"expired by the leeway", change{"exp": at(-30 * time.Second)}, msgExpired},
		{"expired in 1970", change{"exp": 1}, msgExpired},
		{"no exp", change{"exp": absent{}}, msgLacks},
		{"exp 0", change{"exp": 0}, msgLacks},
		{"exp null", change{"exp": nil}, msgExp},
		{"exp a string", change{"exp": "2100000000"}, msgExp},
		{"exp negative", change{"exp": -1}, msgExp},
		{"exp in milliseconds", change{"exp": at(time.Hour) * 1000}, msgExp},
		{"exp beyond an integer", change{"exp": raw("1e300")}, msgExp},
		{"exp at the end of 9999", change{"exp": 253402300799}, ""},
		{"exp past the end of 9999", change{"exp": 253402300800}, msgExp},
		{"exp beyond a float", change{"exp": raw("1e400")}, msgUnreadable},
		{"nbf within the leeway", change{"nbf": at(30 * time.Second)}, ""},
		{"nbf beyond the leeway", change{"nbf": at(31 * time.Second)}, msgNotYet},
		{"nbf beyond an integer", change{"nbf": raw("1e300")}, msgNbf},
		{"nbf a string", change{"nbf": canary}, msgNbf},
		{"iat within the leeway", change{"iat": at(30 * time.Second)}, ""},
		{"iat beyond the leeway", change{"iat": at(31 * time.Second)}, msgFuture},
		{"iat beyond an integer", change{"iat": raw("1e300")}, msgIat},
		{"iat null", change{"iat": nil}, msgIat},
		{"another issuer", change{"iss": "https://" + canary + ".example.com/"}, msgIssuer},
		{"issuer without its slash", change{"iss": "https://id.example.com"}, msgIssuer},
		{"no issuer", change{"iss": absent{}}, msgLacks},
		{"issuer empty", change{"iss": ""}, msgLacks},
		{"issuer null", change{"iss": nil}, msgWrongType},
		{"issuer an array", change{"iss": []string{issuer}}, msgWrongType},
		{"another audience", change{"aud": canary}, msgAudience},
		{"our audience among others", change{"aud": []string{"other", audience}}, ""},
		{"other audiences", change{"aud": []string{"other", canary}}, msgAudience},
		{"no audience", change{"aud": absent{}}, msgLacks},
		{"audience empty", change{"aud": ""}, msgLacks},
		{"no audiences", change{"aud": []string{}}, msgLacks},
		{"audience null", change{"aud": nil}, msgLacks},
		{"audience a number", change{"aud": 1}, msgLacks},
		{"audience an object", change{"aud": map[string]string{audience: audience}}, msgLacks},
		{"audiences with a number", change{"aud": []any{audience, 1}}, msgWrongType},
		{"audiences in an array", change{"aud": []any{[]string{audience}}}, msgWrongType},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkToken(t, v, issuerSecret.issue(nil, test.claims), test.want)
		})
	}
}

// TestOwnClaims checks the tenant, the user and the role.
func TestOwnClaims(t *testing.T) {
	t.Parallel()
	v := bySecret(t)
	long, longTenant := strings.Repeat("é", 200), strings.Repeat("a", 32)
	for _, test := range []struct {
		name         string
		claims       change
		tenant, user string
		role         tracker.Role
	}{
		{"a reader", change{"role": "reader"}, "acme", "ann", tracker.Reader},
		{"an admin", change{"role": "admin"}, "acme", "ann", tracker.Admin},
		{"an operator", change{"role": "operator", "tenant": absent{}}, "", "ann", tracker.Operator},
		{"an operator of a tenant", change{"role": "operator"}, "acme", "ann", tracker.Operator},
		{"a long tenant", change{"tenant": longTenant}, longTenant, "ann", tracker.Editor},
		{"a user of 200 characters", change{"sub": long}, "acme", long, tracker.Editor},
		{"a user with spaces", change{"sub": "auth0|Ann O'Hara"}, "acme", "auth0|Ann O'Hara", tracker.Editor},
		{"additional claims in another case", change{"Tenant": "rival", "ROLE": "operator"}, "acme", "ann",
			tracker.Editor},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkAccepted(t, v, issuerSecret.issue(nil, test.claims), tracker.Principal{
				Tenant: tracker.TenantID(test.tenant), User: test.user, Role: test.role})
		})
	}
	for _, test := range []struct {
		claim  string
		values []any
		want   string
	}{
		{"tenant", []any{absent{}, nil, "", " ", 7, true, []string{"acme"}, []string{},
			map[string]string{"id": "acme"}, "a/b", "a.b", "a-b", "-", "a~0", "~",
			"acme ", " acme", "acme\n", "acme\x00", "Acme", "ACME", "äcme",
			"\u0430cme", "acme,rival", "*", "T/acme", "../rival", strings.Repeat("a", 33),
			canary + "/"}, msgTenant},
		{"role", []any{absent{}, nil, "", "none", "owner", "tenant admin", "Editor", "EDITOR", "editor ",
			" editor", "editor,admin", "reader editor",
			2, true, []string{"editor"}, []string{"editor", "admin"}, []string{},
			map[string]bool{"editor": true}, canary}, msgRole},
		{"sub", []any{absent{}, nil, "", " ", "\u00a0", 7, []string{"ann"}, strings.Repeat("é", 201),
			"a\x00b", "ann\n",
			"a\tb", "a\x7fb", "a\u0085b", "a\u202eb", "a\u200bb",
			"a\u2028b", "a\u200db", "\u3164", "a\u115fb", "\u2800", "a\ufdd0b", "a\ue000b", "a\ufffdb",
			raw(`"a` + "\xff" + `b"`), raw(`"a\ud800b"`), canary + "\n"}, msgUser},
	} {
		for _, value := range test.values {
			t.Run(test.claim, func(t *testing.T) {
				token := issuerSecret.token(`{"alg":"HS256"}`, payloadWith(test.claim, value))
				checkRejected(t, v, token, test.want)
			})
		}
	}
	for _, tenant := range []any{nil, "", "a/b", 7, []string{"acme"}} {
		t.Run("an operator's invalid tenant", func(t *testing.T) {
			checkRejected(t, v, issuerSecret.issue(nil, change{"role": "operator", "tenant": tenant}),
				msgTenant)
		})
	}
	for _, role := range []string{"reader", "editor", "admin"} {
		t.Run("no tenant for "+role, func(t *testing.T) {
			checkRejected(t, v, issuerSecret.issue(nil, change{"role": role, "tenant": absent{}}), msgTenant)
		})
	}
}

// payloadWith returns a payload with one claim, whose value may be JSON that no encoder writes.
func payloadWith(claim string, value any) string {
	as, odd := value.(json.RawMessage)
	if !odd {
		return payload(change{claim: value})
	}
	rest := payload(change{claim: absent{}})
	return `{"` + claim + `":` + string(as) + "," + rest[1:]
}

// TestClaimNames checks other names of claims, including a URI, and that the default names then have no
// meaning.
func TestClaimNames(t *testing.T) {
	t.Parallel()
	s := settings()
	s.Secret = issuerSecret.secret.([]byte)
	s.TenantClaim, s.UserClaim, s.RoleClaim = "https://example.com/claims/tenant", "email", "grid.role"
	v := newVerifier(t, s)
	usual := change{"tenant": "rival", "sub": "eve", "role": "operator"}
	checkAccepted(t, v, issuerSecret.issue(nil,
		with(usual, change{"https://example.com/claims/tenant": "acme", "email": "ann@example.com",
			"grid.role": "reader"})),
		tracker.Principal{Tenant: "acme", User: "ann@example.com", Role: tracker.Reader})
	checkRejected(t, v, issuerSecret.issue(nil, with(usual, change{"grid": change{"role": "admin"}})),
		"the token's claim grid.role is not one of reader, editor, admin and operator")
	checkRejected(t, v, issuerSecret.issue(nil,
		with(usual, change{"email": "ann@example.com", "grid.role": "reader"})),
		"the token's claim https://example.com/claims/tenant is not the id of a tenant, 1 to 32 characters "+
			"of a-z and 0-9")
}

// TestPayloads checks payloads with a valid signature that are ambiguous or invalid.
func TestPayloads(t *testing.T) {
	t.Parallel()
	v := bySecret(t)
	good := payload(nil)
	for _, test := range []struct{ name, payload, want string }{
		{"tenant twice", `{"tenant":"rival",` + good[1:], msgPayload},
		{"tenant twice, once escaped", `{"t\u0065nant":"rival",` + good[1:], msgPayload},
		{"role twice", good[:len(good)-1] + `,"role":"operator"}`, msgPayload},
		{"an unused claim twice", good[:len(good)-1] + `,"x":1,"x":2}`, msgPayload},
		{"twice in a nested object", good[:len(good)-1] + `,"x":{"tenant":"b","tenant":"c"}}`, ""},
		{"an array", "[" + good + "]", msgPayload},
		{"a string", `"` + canary + `"`, msgPayload},
		{"null", "null", msgLacks},
		{"an empty object", "{}", msgLacks},
		{"nothing", "", msgUnreadable},
		{"two objects", good + good, msgUnreadable},
		{"cut off", good[:len(good)-1], msgUnreadable},
		{"a comment", good + "//", msgUnreadable},
		{"a byte order mark", "\ufeff" + good, msgUnreadable},
		{"surrounding spaces", " \n" + good + "\n ", ""},
		{"compressed", "\x78\x9c\xab\x56", msgUnreadable},
		{"very deep", `{"x":` + strings.Repeat("[", 5000), msgUnreadable},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkToken(t, v, issuerSecret.token(`{"alg":"HS256"}`, test.payload), test.want)
		})
	}
}
