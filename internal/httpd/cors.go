package httpd

import (
	"net/http"
	"net/url"

	"github.com/rs/cors"
)

// exposed are the response headers that pages of other origins may read in addition to the standard ones:
// when to retry, why a request was rejected, and the request id.
var exposed = []string{"Retry-After", "WWW-Authenticate", "X-Request-Id", "RateLimit-Limit",
	"RateLimit-Remaining", "RateLimit-Reset"}

// allowOrigins allows pages of the given origins to use the API, or by default pages of this machine, for
// developers. Credentials of a browser, such as cookies, are never used, so headers carry no implicit rights,
// and pages may send any: clients add headers for tracing, and a preflight request that fails because of one
// is hard to debug.
func allowOrigins(origins []string) *cors.Cors {
	options := cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete},
		AllowedHeaders: []string{"*"},
		ExposedHeaders: exposed,
		MaxAge:         600,
	}
	if len(origins) == 0 {
		options.AllowOriginFunc = localOrigin
	}
	return cors.New(options)
}

// localOrigin reports whether an origin is on this machine, with any port. It parses the origin, because
// wildcards of rs/cors compare only prefix and suffix: http://localhost:* would match
// http://localhost:1.evil.example.
func localOrigin(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || origin != u.Scheme+"://"+u.Host {
		return false
	}
	host := u.Hostname()
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}
