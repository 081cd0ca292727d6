package auth_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"issuegrid/auth"
	"issuegrid/tracker"
)

const plain = `Bearer realm="issuegrid"`

func invalid(why string) string {
	return plain + `, error="invalid_token", error_description="` + why + `"`
}

// TestFromHeader checks requests by their Authorization headers.
func TestFromHeader(t *testing.T) {
	t.Parallel()
	v := bySecret(t)
	good := issuerSecret.issue(nil, nil)
	for _, test := range []struct {
		name      string
		headers   []string
		want      string // empty if accepted
		challenge string
	}{
		{"a token", []string{"Bearer " + good}, "", ""},
		{"bearer in lower case", []string{"bearer " + good}, "", ""},
		{"bearer in upper case", []string{"BEARER " + good}, "", ""},
		{"two spaces", []string{"Bearer  " + good}, "", ""},
		{"no header", nil, msgRequired, plain},
		{"an empty header", []string{""}, msgRequired, plain},
		{"a header of one space", []string{" "}, msgRequired, plain},
		{"another scheme", []string{"Basic YW5uOnNlY3JldA=="}, msgRequired, plain},
		{"the token alone", []string{good}, msgRequired, plain},
		{"a longer scheme", []string{"BearerX " + good}, msgRequired, plain},
		{"bearer after a space", []string{" Bearer " + good}, msgRequired, plain},
		{"a tab", []string{"Bearer\t" + good}, msgRequired, plain},
		{"no token", []string{"Bearer"}, msgForm, invalid(msgForm)},
		{"a blank token", []string{"Bearer "}, msgForm, invalid(msgForm)},
		{"two tokens", []string{"Bearer " + good + " " + good}, msgForm, invalid(msgForm)},
		{"two tokens with a comma", []string{"Bearer " + good + ", Bearer " + good}, msgForm,
			invalid(msgForm)},
		{"a space after the token", []string{"Bearer " + good + " "}, msgForm, invalid(msgForm)},
		{"a quoted token", []string{`Bearer "` + good + `"`}, msgForm, invalid(msgForm)},
		{"an injected line", []string{"Bearer " + canary + "\r\nX: y"}, msgForm, invalid(msgForm)},
		{"a huge token", []string{"Bearer " + strings.Repeat(good, 40)}, msgLong, invalid(msgLong)},
		{"two headers, the same", []string{"Bearer " + good, "Bearer " + good}, msgSeveral,
			invalid(msgSeveral)},
		{"two headers, a good one first", []string{"Bearer " + good, "Bearer " + canary}, msgSeveral,
			invalid(msgSeveral)},
		{"two headers, a good one last", []string{"", "Bearer " + good}, msgSeveral, invalid(msgSeveral)},
		{"a token that has expired", []string{"Bearer " + issuerSecret.issue(nil, change{"exp": 1})},
			msgExpired, invalid(msgExpired)},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/graphql?access_token="+good+"&token="+good,
				strings.NewReader("access_token="+good))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header["Authorization"] = test.headers
			r.Header.Set("X-Authorization", "Bearer "+good)
			r.Header.Set("Proxy-Authorization", "Bearer "+good)
			r.AddCookie(&http.Cookie{Name: "Authorization", Value: good})
			got, err := v.FromHeader(r)
			if test.want == "" {
				if err != nil || got != ann {
					t.Errorf("got %+v, %v", got, err)
				}
				return
			}
			if e, _ := err.(*tracker.Error); got != (tracker.Principal{}) || e == nil ||
				e.Code != tracker.Unauthenticated || e.Message != test.want {
				t.Errorf("got %+v, %#v", got, err)
			}
			if got := auth.Challenge(err); got != test.challenge {
				t.Errorf("got  %s\nwant %s", got, test.challenge)
			}
		})
	}
}

// TestOverHTTP checks headers after net/http has parsed them, which removes surrounding spaces.
func TestOverHTTP(t *testing.T) {
	t.Parallel()
	v := bySecret(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := v.FromHeader(r)
		if err != nil {
			w.Header().Set("WWW-Authenticate", auth.Challenge(err))
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if p != ann {
			w.WriteHeader(http.StatusTeapot)
		}
	}))
	t.Cleanup(server.Close)
	for header, want := range map[string]int{
		"bearer " + issuerSecret.issue(nil, nil) + " \t": http.StatusOK,
		"Bearer ": http.StatusUnauthorized,
		"Bearer " + issuerSecret.issue(nil, change{"iss": "x"}): http.StatusUnauthorized,
	} {
		r := must(http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil))
		r.Header.Set("Authorization", header)
		response, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want ||
			(want == http.StatusUnauthorized) != strings.HasPrefix(response.Header.Get("WWW-Authenticate"),
				plain+", error=") {
			t.Errorf("%q: %d, %q", header, response.StatusCode, response.Header)
		}
	}
}

// TestChallenge checks other errors, and characters that a header cannot contain.
func TestChallenge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want string
	}{
		{nil, plain},
		{errors.New(canary), plain},
		{&tracker.Error{Code: tracker.Forbidden, Message: canary}, plain},
		{tracker.Internal(canary, nil), plain},
		{&tracker.Error{Code: tracker.Unauthenticated, Message: "the claim \"a\\b\"\r\nX: é\x7f~ is missing"},
			invalid("the claim ?a?b???X: ??~ is missing")},
	} {
		if got := auth.Challenge(test.err); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
