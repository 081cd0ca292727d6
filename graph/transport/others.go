package transport

import (
	"net/http"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/tracker"
)

// methods is the Allow header.
const methods = "GET, POST, OPTIONS"

// otherRequests rejects requests that no other transport supports, and responds to OPTIONS. CORS preflight
// requests do not reach this package.
type otherRequests struct{}

// Supports accepts all requests; otherRequests must be the last transport.
func (otherRequests) Supports(*http.Request) bool { return true }

// Do sends the response.
func (otherRequests) Do(w http.ResponseWriter, r *http.Request, _ graphql.GraphExecutor) {
	switch r.Method {
	case http.MethodPost:
		refuseAs(w, r, http.StatusUnsupportedMediaType,
			tracker.Bad("", "the body of a request must be JSON in UTF-8, not compressed, with the header "+
				"`Content-Type: %s`", mediaJSON))
	case http.MethodOptions:
		w.Header().Set("Allow", methods)
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", methods)
		refuseAs(w, r, http.StatusMethodNotAllowed, tracker.Bad("", "GraphQL is served by GET and POST"))
	}
}
