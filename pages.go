package main

import (
	"net/http"

	"issuegrid/web"
)

// route serves the pages that are wanted, and what they load. Without the grid, "/" leads to the playground.
func (f pageFlags) route(mux *http.ServeMux) {
	if !f.Grid && !f.Playground {
		return
	}
	pages := web.Open()
	for _, path := range []string{web.Assets + "{name}", web.Favicon, web.Licenses, web.Operations} {
		mux.Handle("GET "+path, pages.Files)
	}
	if f.Playground {
		mux.Handle("GET /playground", pages.Playground)
	}
	if f.Grid {
		mux.Handle("GET /{$}", pages.Grid)
	} else {
		mux.Handle("GET /{$}", http.RedirectHandler("/playground", http.StatusFound))
	}
}
