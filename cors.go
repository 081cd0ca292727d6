package main

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/rs/cors"

	"issuegrid/tracker"
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

// parseOrigins checks origins and writes them as browsers do: in lower case, without the port that the scheme implies.
func parseOrigins(origins []string) ([]string, error) {
	var parsed []string
	for _, origin := range origins {
		if origin == "*" {
			parsed = append(parsed, origin)
			continue
		}
		u, err := url.Parse(strings.ToLower(origin))
		if err != nil || u.Scheme == "" || u.Hostname() == "" || u.User != nil || strings.Contains(u.Host, "*") ||
			!strings.HasSuffix(strings.ToLower(origin), "://"+u.Host) {
			return nil, tracker.Bad("--cors-origin", "%s is no origin such as https://app.example.com, without a path and without patterns, nor * for all", origin)
		}
		if port := u.Port(); u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
			u.Host = strings.TrimSuffix(u.Host, ":"+port)
		}
		parsed = append(parsed, u.Scheme+"://"+u.Host)
	}
	return parsed, nil
}
