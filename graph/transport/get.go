package transport

import (
	"errors"
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/guard"
	"issuegrid/tracker"
)

// getQuery implements GraphQL over HTTP GET, for queries only. Its parameters are the members of a POST body;
// variables and extensions are JSON. In all else it behaves as postJSON.
type getQuery struct{ *transport }

// Supports accepts GET requests.
func (getQuery) Supports(r *http.Request) bool { return r.Method == http.MethodGet }

// Do executes the query of the URL.
func (t getQuery) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	params := &graphql.RawParams{ReadTime: graphql.TraceTiming{Start: graphql.Now()}}
	if err := decodeURL(r.URL, t.options.Limits, params); err != nil {
		refuseAs(w, r, http.StatusBadRequest, err)
		return
	}
	t.execute(w, r, exec, params)
}

// decodeURL decodes the request. Its errors are sent to the client and repeat nothing of the URL.
func decodeURL(u *url.URL, l guard.Limits, params *graphql.RawParams) error {
	values, err := url.ParseQuery(u.RawQuery)
	if text, _ := url.QueryUnescape(u.RawQuery); err != nil || !utf8.ValidString(text) {
		return tracker.Bad("", "the query string of the URL is not well formed")
	}
	for _, name := range guard.Members {
		if len(values[name]) > 1 {
			return tracker.Bad("", "the URL has the parameter `%s` more than once: send it once", name)
		}
	}
	params.Query, params.OperationName = values.Get("query"), values.Get("operationName")
	for name, into := range map[string]*map[string]any{"variables": &params.Variables,
		"extensions": &params.Extensions} {
		given := values.Get(name)
		if given == "" {
			continue
		}
		err := decodeWhole(l.Parameter(name, given), into)
		if e, ours := errors.AsType[*tracker.Error](err); ours {
			return e
		}
		if err != nil {
			return tracker.Bad("", "the parameter `%s` of the URL is not a JSON object", name)
		}
	}
	if params.Query == "" && params.Extensions[guard.PersistedKey] == nil {
		return tracker.Bad("", "the URL has no parameter `query`")
	}
	return nil
}
