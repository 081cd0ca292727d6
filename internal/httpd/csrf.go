package httpd

import (
	"mime"
	"net/http"
	"strings"

	"github.com/rs/cors"

	"issuegrid/internal/refusal"
	"issuegrid/tracker"
)

// preflighted are headers that a browser sends for a page of another origin only after a preflight request.
// Clients know the ones made for this purpose from Apollo's server and the draft of the specification;
// Authorization has the same effect, and so has Content-Type: application/json.
var preflighted = []string{"Authorization", "X-Requested-With", "GraphQL-Require-Preflight",
	"Apollo-Require-Preflight", "X-Apollo-Operation-Name"}

// refuseCrossOrigin rejects, with status 403, requests that a page makes a browser send if its origin is
// neither the server's own nor an allowed one.
//
// CORS hides responses from such pages, but browsers still send requests that need no preflight. Such a
// request cannot change data, which takes a POST with a JSON body and so a preflight. It carries no rights of
// the user either, because the server reads no cookies. But the browser may reach a server behind a firewall
// or on its own machine, where a page could start expensive queries through <img> or a form, and time the
// responses. So GET is not as harmless as net/http's CrossOriginProtection assumes, and is checked like POST:
//
//   - Sec-Fetch-Site, which pages cannot change, must be same-origin, or none for a URL that the user typed;
//     or Origin must be allowed.
//   - Without Sec-Fetch-Site, Origin must be absent, allowed, or the server's own.
//   - Without both, the client may be a browser that sends neither: one from before 2023, or any browser if
//     the server is neither on this machine nor uses TLS. Pages cannot change the User-Agent, so a request
//     of "Mozilla" must have one of the headers above. Other programs need none, because a program that
//     sends requests for an attacker could send any header.
//
// This does not stop a page whose own host name resolves to the server's address; see refuseRemote.
func refuseCrossOrigin(allowed *cors.Cors, next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Origin") != "" && allowed.OriginAllowed(r):
		case protection.Check(&http.Request{Method: http.MethodPost, Header: r.Header, Host: r.Host}) != nil:
			refusal.WriteError(w, &tracker.Error{Code: tracker.Forbidden, Message: "the request comes " +
				"from a page of another origin; --cors-origin of the server must name that origin"})
			return
		case (r.Method == http.MethodGet || r.Method == http.MethodHead) && silentBrowser(r):
			refusal.WriteError(w, &tracker.Error{Code: tracker.Forbidden, Message: "the browser does not " +
				"say which page sent this; send the request with one of the headers " +
				strings.Join(preflighted, ", ") + ", or use POST"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// silentBrowser reports whether a request is from a browser and has no header that shows where it comes from.
func silentBrowser(r *http.Request) bool {
	if !strings.HasPrefix(r.UserAgent(), "Mozilla/") || r.Header.Get("Sec-Fetch-Site") != "" ||
		r.Header.Get("Origin") != "" {
		return false
	}
	for _, name := range preflighted {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return media != "application/json"
}
