package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"

	"github.com/99designs/gqlgen/graphql/playground"

	"issuegrid/graph"
)

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
