package transport

import (
	"net/http"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/tracker"
)

// methods is the header Allow of what is served.
const methods = "GET, POST, OPTIONS"

// otherRequests refuses what no transport takes, and tells by OPTIONS what they take. A browser's preflight is none of its business: it
// ends before this package.
type otherRequests struct{}

// Supports takes everything; it must be the last transport.
func (otherRequests) Supports(*http.Request) bool { return true }

// Do refuses it.
func (otherRequests) Do(w http.ResponseWriter, r *http.Request, _ graphql.GraphExecutor) {
	switch r.Method {
	case http.MethodPost:
		refuseAs(w, r, http.StatusUnsupportedMediaType, tracker.Bad("", "the body of a request must be JSON in UTF-8, not compressed, with the header "+
			"`Content-Type: %s`", mediaJSON))
	case http.MethodOptions:
		w.Header().Set("Allow", methods)
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", methods)
		refuseAs(w, r, http.StatusMethodNotAllowed, tracker.Bad("", "GraphQL is served by GET and POST"))
	}
}
