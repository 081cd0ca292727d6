package httpd

import (
	"net/http"
	"net/url"

	"github.com/rs/cors"
)

// exposed are the headers of an answer that pages of other origins may read beside the few that they always may: when to ask again, why not
// now, and by which name to ask about it.
var exposed = []string{"Retry-After", "WWW-Authenticate", "X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"}

// allowOrigins lets the pages of the given origins use the API; without any, those that a developer serves on this machine. Cookies and other
// credentials of a browser are never taken, so headers carry no rights of their own and any may be sent: clients add headers for tracing, and
// a preflight that fails for one of them is hard to explain.
func allowOrigins(origins []string) *cors.Cors {
	options := cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodPost},
		AllowedHeaders: []string{"*"},
		ExposedHeaders: exposed,
		MaxAge:         600,
	}
	if len(origins) == 0 {
		options.AllowOriginFunc = localOrigin
	}
	return cors.New(options)
}

// localOrigin tells whether an origin is a page of this machine, on any port. It parses, because the wildcards of rs/cors compare beginnings
// and ends: http://localhost:* would take http://localhost:1.evil.example.
func localOrigin(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || origin != u.Scheme+"://"+u.Host {
		return false
	}
	host := u.Hostname()
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}
