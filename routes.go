package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"time"

	"github.com/99designs/gqlgen/graphql/playground"

	"issuegrid/dynamo"
	"issuegrid/graph"
	"issuegrid/loaders"
	"issuegrid/tracker"
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

// newRoutes is everything that the server answers to a host that it goes by (nil are all hosts). CORS is before everything that may refuse, so that
// pages can read why. Ready is asked while the gate is open.
func newRoutes(g *gate, origins []string, hosts func(string) bool, ready func(context.Context) error) http.Handler {
	allowed := allowOrigins(origins)
	mux := http.NewServeMux()
	mux.Handle("/graphql", refuseForeign(allowed, g))
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
	return secured(allowed.Handler(refuseStrangeHosts(hosts, compressed(mux))))
}

func health(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintln(w, text)
}

// newAPI is GraphQL over the table, with a work budget for a page. Every request has its own loaders and its own meter.
func newAPI(db *dynamo.DB, pageBudget int) http.Handler {
	return graph.NewHandler(func(ctx context.Context) *graph.Session {
		meter := dynamo.NewMeter()
		metered := db.Metered(meter)
		return &graph.Session{
			Loaders:    loaders.New(ctx, metered),
			Writes:     writes{metered},
			Cost:       func() graph.Cost { return graph.Cost(meter.Cost()) },
			PageBudget: pageBudget,
		}
	})
}

// writes is the table as graph writes to it.
type writes struct{ *dynamo.DB }

func (w writes) Tenant(id tracker.TenantID, once *tracker.Once) (graph.TenantWrites, error) {
	t, err := w.DB.Tenant(id)
	if err != nil || once == nil {
		return t, err
	}
	return t.Once(*once), nil
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
	page := pageWriter{header: http.Header{}}
	playground.Handler("issuegrid", "/graphql", playground.WithStoragePrefix("issuegrid:"),
		playground.WithGraphiqlUiHeaders(map[string]string{graph.CostHeader: "1"}))(&page, &http.Request{})
	// gqlgen has no option for the first query, so it goes in beside a setting of GraphiQL that is always there.
	query, _ := json.Marshal(firstQuery)
	const setting = "inputValueDeprecation: true"
	text := bytes.Replace(page.Bytes(), []byte(setting), fmt.Appendf(nil, "defaultQuery: %s, %s", query, setting), 1)
	policy := pagePolicy(text)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", page.header.Get("Content-Type"))
		w.Header().Set("Content-Security-Policy", policy)
		w.Write(text)
	})
}

var (
	scriptTag = regexp.MustCompile(`(?s)<script([^>]*)>(.*?)</script>`)
	styleTag  = regexp.MustCompile(`(?s)<link([^>]*)>`)
	sourceOf  = regexp.MustCompile(`(?:src|href)="([^"]*)"`)
)

// pagePolicy is the Content-Security-Policy under which a page may run and load what its text names, and ask this server; GraphiQL needs styles and
// fonts of its own beside that.
func pagePolicy(page []byte) string {
	scripts, styles := "", ""
	for _, tag := range scriptTag.FindAllSubmatch(page, -1) {
		if source := sourceOf.FindSubmatch(tag[1]); source != nil {
			scripts += " " + html.UnescapeString(string(source[1]))
		} else {
			sum := sha256.Sum256(tag[2])
			scripts += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		}
	}
	for _, tag := range styleTag.FindAllSubmatch(page, -1) {
		if source := sourceOf.FindSubmatch(tag[1]); source != nil {
			styles += " " + html.UnescapeString(string(source[1]))
		}
	}
	return "default-src 'none'; script-src" + scripts + "; style-src 'unsafe-inline'" + styles + "; font-src data:; img-src data:; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// pageWriter keeps a page instead of sending it.
type pageWriter struct {
	bytes.Buffer
	header http.Header
}

func (p *pageWriter) Header() http.Header { return p.header }
func (p *pageWriter) WriteHeader(int)     {}
