package httpd

import "net/http"

// apiHeaders are set on every response. The pages replace the Content-Security-Policy.
var apiHeaders = map[string]string{
	"X-Content-Type-Options": "nosniff",
	"Cache-Control":          "no-store", // responses belong to a tenant and are valid only now
	"Referrer-Policy":        "no-referrer",
	// These concern content that pages of other origins embed with <img>, <script> and similar elements.
	// Fetches are subject to CORS instead.
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Content-Security-Policy":      "default-src 'none'; frame-ancestors 'none'",
}

// secured sets the headers that restrict what browsers do with a response. Strict-Transport-Security is left
// to the proxy that terminates TLS, because only its operator knows whether all of the host uses TLS.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range apiHeaders {
			w.Header().Set(name, value)
		}
		next.ServeHTTP(w, r)
	})
}
