package auth_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// TestForms checks strings that are not tokens or have an invalid form. Those with a signature are signed
// with the right key.
func TestForms(t *testing.T) {
	t.Parallel()
	v := bySecret(t)
	good := issuerSecret.issue(nil, nil)
	parts := strings.Split(good, ".")
	for _, test := range []struct{ name, token, want string }{
		{"nothing", "", msgForm},
		{"dots", "..", msgHeader},
		{"two parts", parts[0] + "." + parts[1], msgForm},
		{"four parts", good + ".", msgForm},
		{"an encrypted token", encode([]byte(`{"alg":"RSA-OAEP","enc":"A256GCM"}`)) + ".a.b.c.d", msgForm},
		{"a token in JSON", `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` +
			parts[2] + `"}`, msgForm},
		{"a line break after it", good + "\n", msgForm},
		{"a space after it", good + " ", msgForm},
		{"a line break in the signature", parts[0] + "." + parts[1] + "." + parts[2][:9] + "\r\n" +
			parts[2][9:], msgForm},
		{"padding", good + "=", msgForm},
		{"the other base64", strings.Repeat("+/", 8) + "." + parts[1] + "." + parts[2], msgForm},
		{"a NUL", good + "\x00", msgForm},
		{"not UTF-8", good + "\xff", msgForm},
		{"unused bits", lastBit(good), msgUnreadable},
		{"a header that is not base64", "a" + "." + parts[1] + "." + parts[2], msgHeader},
		{"a header that is not JSON", issuerSecret.token("alg: HS256", payload(nil)), msgHeader},
		{"a header that is an array", issuerSecret.token(`[{"alg":"HS256"}]`, payload(nil)), msgHeader},
		{"a header that is null", issuerSecret.token("null", payload(nil)), msgHeader},
		{"a header and more", issuerSecret.token(`{"alg":"HS256"}{"alg":"none"}`, payload(nil)), msgHeader},
		{"a header with alg twice", issuerSecret.token(`{"alg":"none","alg":"HS256"}`, payload(nil)),
			msgHeader},
		{"a header with kid twice", issuerSecret.token(`{"alg":"HS256","kid":"`+canary+`","kid":"b"}`,
			payload(nil)), msgHeader},
		{"a header cut off", issuerSecret.token(`{"alg":"HS256"`, payload(nil)), msgHeader},
		{"alg in another case", issuerSecret.token(`{"ALG":"HS256"}`, payload(nil)), msgHS},
	} {
		t.Run(test.name, func(t *testing.T) { checkRejected(t, v, test.token, test.want) })
	}
}

// lastBit sets an unused bit of the last character: the string differs, but decodes to the same bytes unless
// the decoder is strict.
func lastBit(token string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := len(token) - 1
	return token[:last] + string(alphabet[strings.IndexByte(alphabet, token[last])|1])
}

// TestSize checks tokens at the maximum length and above it.
func TestSize(t *testing.T) {
	t.Parallel()
	v := bySecret(t)
	sized := func(size int) string {
		for filling := size / 2; filling < size; filling++ {
			for _, typ := range []any{absent{}, "JWT", "at+jwt"} {
				if token := issuerSecret.issue(change{"typ": typ},
					change{"x": strings.Repeat("x", filling)}); len(token) == size {
					return token
				}
			}
		}
		t.Fatalf("no token has %d bytes", size)
		return ""
	}
	checkAccepted(t, v, sized(8192), ann)
	checkRejected(t, v, sized(8193), msgLong)
	checkRejected(t, v, strings.Repeat("a.", 10<<20), msgLong)
}

// TestHeaders changes the header and signs with the right key.
func TestHeaders(t *testing.T) {
	t.Parallel()
	v := bySecret(t)
	for _, test := range []struct {
		name   string
		header change
		want   string
	}{
		{"critical parameters", change{"crit": []string{"b64"}, "b64": true}, msgCritical},
		{"no critical parameters", change{"crit": []string{}}, msgCritical},
		{"critical null", change{"crit": nil}, msgCritical},
		{"a critical parameter that is known", change{"crit": []string{"alg"}}, msgCritical},
		{"a logout token", change{"typ": "logout+jwt"}, msgType},
		{"another type", change{"typ": canary}, msgType},
		{"a type that is a number", change{"typ": 1}, msgType},
		{"a key id that is a number", change{"kid": 1}, msgKeyID},
		{"a key id that is null", change{"kid": nil}, msgKeyID},
		{"a key id that is an array", change{"kid": []string{"rsa"}}, msgKeyID},
		{"a key id that is empty", change{"kid": ""}, msgKeyID},
		{"a key id of 257 bytes", change{"kid": strings.Repeat("k", 257)}, msgKeyID},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkRejected(t, v, issuerSecret.issue(test.header, nil), test.want)
		})
	}
}

// TestKeyIDs checks unknown key ids in a set of several keys.
func TestKeyIDs(t *testing.T) {
	t.Parallel()
	v := bySet(t, issuerSet())
	ids := []string{"RSA", "rsa ", " rsa", "rsa\x00", "rsa\n", "../../../../../../dev/null", "/dev/null",
		"/etc/passwd", "file:///dev/null",
		"http://" + canary, "' OR '1'='1",
		"x' UNION SELECT 'key'; --", "$(id)", "`id`", "%00", "rsa%00", "{{7*7}}", "0", "*", "ec,rsa", canary,
		strings.Repeat("k", 256)}
	for _, id := range ids {
		for _, k := range append(slices.Collect(maps.Values(issuerKeys())), key{"RS256", nil, []byte(nil)},
			key{"RS256", nil, make([]byte, 32)}) {
			checkRejected(t, v, k.issue(change{"kid": id}, nil), msgUnknownKey)
		}
	}
	for _, k := range issuerKeys() {
		checkRejected(t, v, k.issue(nil, nil), msgNoKeyID)
	}
}

// TestKeysInHeaders sends an attacker's keys, and URLs of them, in headers. They are ignored and not fetched
// (A1).
func TestKeysInHeaders(t *testing.T) {
	t.Parallel()
	attacker := rsaKey(2048)
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Write(jwks(jwk(attacker.public, "rsa", nil), jwk(attacker.public, "evil", nil)))
	}))
	t.Cleanup(server.Close)
	several, one, secret := bySet(t, issuerSet()),
		bySet(t, jwks(jwk(issuerKeys()["rsa"].public, "rsa", nil))), bySecret(t)
	for _, brought := range []change{
		{"jku": server.URL}, {"x5u": server.URL}, {"jwk": jwk(attacker.public, "evil", nil)},
		{"jwk": jwk(attacker.public, "rsa", nil), "jku": server.URL + "/.well-known/jwks.json"},
		{"x5c": []string{"MIIB"}}, {"x5t": "AAAA"}, {"x5t#S256": "AAAA"},
		{"jku": []string{server.URL}, "x5u": 1},
	} {
		checkRejected(t, several, attacker.issue(with(brought, change{"kid": "rsa"}), nil), msgSignature)
		checkRejected(t, several, attacker.issue(with(brought, change{"kid": "evil"}), nil), msgUnknownKey)
		checkRejected(t, several, attacker.issue(with(brought, change{"kid": server.URL}), nil),
			msgUnknownKey)
		checkRejected(t, several, attacker.issue(brought, nil), msgNoKeyID)
		checkRejected(t, one, attacker.issue(brought, nil), msgSignature)
		checkRejected(t, secret, attacker.issue(brought, nil), msgHS)
		// With a valid signature, these parameters are ignored.
		checkAccepted(t, several, issuerKeys()["rsa"].issue(with(brought, change{"kid": "rsa"}), nil), ann)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the attacker's server received %d requests", n)
	}
}
