package httpd

import (
	"net/http"

	"issuegrid/web"
)

// Pages say which pages are served in addition to the API.
type Pages struct{ Grid, Playground bool }

// route registers the pages and the files that they load. Without the grid, "/" redirects to the playground.
func (p Pages) route(mux *http.ServeMux) {
	if !p.Grid && !p.Playground {
		return
	}
	pages := web.Open()
	for _, path := range []string{web.Assets + "{name}", web.Favicon, web.Licenses, web.Operations} {
		mux.Handle("GET "+path, pages.Files)
	}
	if p.Playground {
		mux.Handle("GET /playground", pages.Playground)
	}
	if p.Grid {
		mux.Handle("GET /{$}", pages.Grid)
	} else {
		mux.Handle("GET /{$}", http.RedirectHandler("/playground", http.StatusFound))
	}
}
