package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql/playground"

	"issuegrid/dynamo"
	"issuegrid/graph"
	"issuegrid/session"
)

const (
	// readyTime is how long the table may take to answer the health check.
	readyTime = 2 * time.Second
	// maxHeader is the most bytes of a request's headers, its URL included: a query sent by GET is in the URL.
	maxHeader = 64 << 10
)

// newServer is an HTTP server whose every wait is bounded, so that clients that stall can't pile up.
func newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute, // for the largest request, 8 MiB, at 1.1 Mbit/s
		// From the end of a request's headers to the end of its answer. It is long because an answer of 500 issues with long texts is large;
		// who takes nothing of it for so long has gone.
		WriteTimeout:   5 * time.Minute,
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: maxHeader,
	}
}

// newRoutes is everything that the server answers, CORS outermost, so that pages can read refusals too. Ready is asked while the gate is open.
func newRoutes(g *gate, origins []string, ready func(context.Context) error) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/graphql", g)
	mux.Handle("GET /playground", playgroundPage())
	mux.Handle("GET /{$}", http.RedirectHandler("/playground", http.StatusFound))
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, r *http.Request) { health(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if p := g.current(); p != serving {
			health(w, http.StatusServiceUnavailable, p.String())
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), readyTime)
		defer cancel()
		if ready(ctx) != nil {
			health(w, http.StatusServiceUnavailable, "the table does not answer")
			return
		}
		health(w, http.StatusOK, "ok")
	})
	return allowOrigins(origins).Handler(mux)
}

func health(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintln(w, text)
}

// newAPI is GraphQL over the table, with a work budget for a page.
func newAPI(db *dynamo.DB, pageBudget int) http.Handler {
	return graph.NewHandler(session.On(db, principal, pageBudget))
}

// firstQuery is what the playground shows to who has not written a query yet.
const firstQuery = `# Every project with its fields, and the five issues that were changed last.
# Ctrl-Enter runs it, Ctrl-Space completes, the book on the left explains the schema,
# and "extensions.cost" below the answer says what it cost in DynamoDB.
query FirstLook {
  tenants {
    nodes {
      name
      projects {
        nodes {
          id
          key
          name
          fields { id name type }
          issues(first: 5, orderBy: [{column: {builtin: UPDATED_AT}, direction: DESC}]) {
            nodes {
              num
              name
              state { name }
              values { field { name } display }
            }
          }
        }
      }
    }
  }
}
`

// playgroundPage serves GraphiQL as gqlgen has it, with a first query and the header that asks for the cost. The page loads GraphiQL from a CDN.
func playgroundPage() http.Handler {
	gqlgen := playground.Handler("issuegrid", "/graphql", playground.WithStoragePrefix("issuegrid:"),
		playground.WithGraphiqlUiHeaders(map[string]string{graph.CostHeader: "1"}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := pageWriter{header: w.Header()}
		gqlgen(&page, r)
		// gqlgen has no option for the first query, so it goes in beside a setting of GraphiQL that is always there.
		query, _ := json.Marshal(firstQuery)
		const setting = "inputValueDeprecation: true"
		w.Write(bytes.Replace(page.Bytes(), []byte(setting), fmt.Appendf(nil, "defaultQuery: %s, %s", query, setting), 1))
	})
}

// pageWriter keeps a page instead of sending it.
type pageWriter struct {
	bytes.Buffer
	header http.Header
}

func (p *pageWriter) Header() http.Header { return p.header }
func (p *pageWriter) WriteHeader(int)     {}
