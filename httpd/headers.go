package httpd

import "net/http"

// apiHeaders are on every answer; the playground has a Content-Security-Policy of its own.
var apiHeaders = map[string]string{
	"X-Content-Type-Options": "nosniff",
	"Cache-Control":          "no-store", // answers are some tenant's, and as fresh as the table
	"Referrer-Policy":        "no-referrer",
	// For what pages of other origins embed by <img>, <script> and the like. What they fetch is not concerned: there CORS decides.
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Content-Security-Policy":      "default-src 'none'; frame-ancestors 'none'",
}

// secured sets the headers that tell browsers what an answer may not be used for. Strict-Transport-Security is left to what ends TLS before
// this server, which alone knows whether all of its name is reached by TLS.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range apiHeaders {
			w.Header().Set(name, value)
		}
		next.ServeHTTP(w, r)
	})
}
