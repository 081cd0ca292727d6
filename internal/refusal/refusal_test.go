package refusal_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/internal/refusal"
	"issuegrid/tracker"
)

// TestRefusal checks the status, the headers and the body of refused requests.
func TestRefusal(t *testing.T) {
	const jsonType, graphqlType = "application/json; charset=utf-8", "application/graphql-response+json"
	list := func(code tracker.Code) gqlerror.List {
		return refusal.List(&tracker.Error{Code: code, Message: "no"})
	}
	for name, c := range map[string]struct {
		write        func(w http.ResponseWriter)
		status       int
		media, retry string
		body         string
	}{
		"by its code": {func(w http.ResponseWriter) { refusal.Write(w, list(tracker.Conflict), 0) }, 409,
			jsonType, "", `{"errors":[{"message":"no","extensions":{"code":"CONFLICT"}}]}`},
		"a moment": {func(w http.ResponseWriter) {
			refusal.WriteError(w, &tracker.Error{Code: tracker.Unavailable, Message: "busy",
				RetryAfter: time.Millisecond})
		}, 503, jsonType, "1", `{"errors":[{"message":"busy","extensions":{"code":"UNAVAILABLE"}}]}`},
		"the first of two, and a part of a second": {func(w http.ResponseWriter) {
			refusal.Write(w, append(list(tracker.RateLimited), list(tracker.BadInput)...),
				1001*time.Millisecond)
		}, 429, jsonType, "2", `{"errors":[{"message":"no","extensions":{"code":"RATE_LIMITED"}},` +
			`{"message":"no","extensions":{"code":"BAD_USER_INPUT"}}]}`},
		"another status and media type": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", graphqlType)
			refusal.WriteStatus(w, http.StatusNotAcceptable, list(tracker.BadInput), 0)
		}, 406, graphqlType, "", `{"errors":[{"message":"no","extensions":{"code":"BAD_USER_INPUT"}}]}`},
		"without a code": {func(w http.ResponseWriter) {
			refusal.Write(w, gqlerror.List{{Message: "no"}}, 0)
		}, 500, jsonType, "", `{"errors":[{"message":"no"}]}`},
		"not JSON": {func(w http.ResponseWriter) {
			refusal.Write(w, gqlerror.List{{Extensions: map[string]any{"code": func() {}}}}, 0)
		}, 500, jsonType, "", `{"errors":[{"message":"internal error"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			c.write(w)
			media, retry := w.Header().Get("Content-Type"), w.Header().Get("Retry-After")
			if w.Code != c.status || media != c.media || retry != c.retry || w.Body.String() != c.body {
				t.Errorf("%d, %q, retry after %q: %s", w.Code, media, retry, w.Body)
			}
		})
	}
}
