package httpd

import (
	"mime"
	"net/http"
	"strings"

	"github.com/rs/cors"

	"issuegrid/tracker"
)

// preflighted are headers that a browser sends for a page of another origin only after a preflight has allowed it. Clients know the ones that do
// nothing else from Apollo's server and the draft of the specification; Authorization does so by the way, and Content-Type: application/json too.
var preflighted = []string{"Authorization", "X-Requested-With", "GraphQL-Require-Preflight", "Apollo-Require-Preflight", "X-Apollo-Operation-Name"}

// refuseForeign refuses with 403 what a page makes a browser send whose origin is neither the server's own nor an allowed one.
//
// Browsers hide answers from such pages by CORS, but they send what needs no preflight all the same. A change can't be made that way: it takes a
// POST with a JSON body, which does. Nor can rights be borrowed, as nothing here reads cookies. What remains is where the browser stands: it
// reaches a server behind a firewall or on its own machine, and a page could have it run dear queries there by <img> or a form, and time the
// answers. So GET is not as harmless as net/http's CrossOriginProtection takes it to be, and is judged as if it were a POST:
//
//   - Sec-Fetch-Site, which pages can't alter, must be same-origin, or none for a URL that somebody has typed; or Origin must be allowed.
//   - Without it, Origin, if there is one, must be allowed or name the server itself.
//   - Without both it may be a browser that sends neither: one from before 2023, or any browser to a server that is neither this machine nor
//     has TLS. Pages can't alter that it calls itself Mozilla, so who does must send one of the headers above. Other programs need none: one
//     that sends requests for strangers could send any header.
//
// What it does not stop is a page that has had its own name resolve to the server's address; see refuseStrangers.
func refuseForeign(allowed *cors.Cors, next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Origin") != "" && allowed.OriginAllowed(r):
		case protection.Check(&http.Request{Method: http.MethodPost, Header: r.Header, Host: r.Host}) != nil:
			refuse(w, http.StatusForbidden, tracker.Forbidden, "a page of another origin sends this; the server's setting --cors-origin must name its origin")
			return
		case r.Method == http.MethodGet && silentBrowser(r):
			refuse(w, http.StatusForbidden, tracker.Forbidden, "the browser does not say which page sends this; send it with one of the headers "+
				strings.Join(preflighted, ", ")+", or by POST")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// silentBrowser tells whether a browser sends the request, and nothing in it shows that the page may.
func silentBrowser(r *http.Request) bool {
	if !strings.HasPrefix(r.UserAgent(), "Mozilla/") || r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != "" {
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
