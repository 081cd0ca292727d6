package auth_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"issuegrid/internal/auth"
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
		name    string
		headers []string
		want    string // empty if accepted
	}{
		{"a token", []string{"Bearer " + good}, ""},
		{"bearer in lower case", []string{"bearer " + good}, ""},
		{"bearer in upper case", []string{"BEARER " + good}, ""},
		{"two spaces", []string{"Bearer  " + good}, ""},
		{"no header", nil, msgRequired},
		{"an empty header", []string{""}, msgRequired},
		{"a header of one space", []string{" "}, msgRequired},
		{"another scheme", []string{"Basic YW5uOnNlY3JldA=="}, msgRequired},
		{"the token alone", []string{good}, msgRequired},
		{"a longer scheme", []string{"BearerX " + good}, msgRequired},
		{"bearer after a space", []string{" Bearer " + good}, msgRequired},
		{"a tab", []string{"Bearer\t" + good}, msgRequired},
		{"no token", []string{"Bearer"}, msgForm},
		{"a blank token", []string{"Bearer "}, msgForm},
		{"two tokens", []string{"Bearer " + good + " " + good}, msgForm},
		{"two tokens with a comma", []string{"Bearer " + good + ", Bearer " + good}, msgForm},
		{"a space after the token", []string{"Bearer " + good + " "}, msgForm},
		{"a quoted token", []string{`Bearer "` + good + `"`}, msgForm},
		{"an injected line", []string{"Bearer " + canary + "\r\nX: y"}, msgForm},
		{"a huge token", []string{"Bearer " + strings.Repeat(good, 40)}, msgLong},
		{"two headers, the same", []string{"Bearer " + good, "Bearer " + good}, msgSeveral},
		{"two headers, a good one first", []string{"Bearer " + good, "Bearer " + canary}, msgSeveral},
		{"two headers, a good one last", []string{"", "Bearer " + good}, msgSeveral},
		{"a token that has expired", []string{"Bearer " + issuerSecret.issue(nil, change{"exp": 1})},
			msgExpired},
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
			challenge := invalid(test.want)
			if test.want == msgRequired {
				challenge = plain
			}
			if got := auth.Challenge(err); got != challenge {
				t.Errorf("got  %s\nwant %s", got, challenge)
			}
		})
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
