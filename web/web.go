// Package web serves the embedded browser client: the grid and the playground. `make web` builds dist from
// src. dist is committed, so that go run needs no other tool; CI checks that it matches the sources.
//
// The package serves files only. It does not depend on the API or the store. Start here: [Open].
package web

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed all:dist
var dist embed.FS

// The content security policies of the two pages: all content comes from this server.
const (
	gridPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src " +
		"'self'; " + framing
	// Monaco, the editor of the playground, also needs: workers and an icon font, which are files of this
	// server; style elements and attributes, which it creates for colors, positions and lines; and images as
	// data: URLs in its styles, such as the waves that underline an error.
	playgroundPolicy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' " +
		"'unsafe-inline'; img-src 'self' data:; " +
		"font-src 'self'; connect-src 'self'; " + framing
	framing = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// The paths of the files. Assets is the folder of the files that the pages load; their names contain a hash
// of their content. Favicon is the icon of both pages. Licenses lists the licenses of all bundled packages.
// Operations is a manifest of the grid's operations, for servers that accept only listed operations.
const (
	Assets     = "/assets/"
	Favicon    = "/favicon.svg"
	Licenses   = "/licenses.txt"
	Operations = "/operations.json"
)

// Pages are the handlers of the two pages and of all other files.
type Pages struct{ Grid, Playground, Files http.Handler }

// Open reads the embedded files.
func Open() Pages {
	return Pages{
		Grid:       page("index.html", gridPolicy),
		Playground: page("playground.html", playgroundPolicy),
		Files:      files(),
	}
}

// file is an embedded file, ready to be sent.
type file struct {
	name, kind, tag string
	text            []byte
	compressed      func() []byte // gzip; nil for kinds of files that are not compressed
}

func read(name string) (*file, error) {
	text, err := fs.ReadFile(dist, path.Join("dist", name))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	f := &file{name: name, text: text, tag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`,
		kind: kind(name)}
	if compressible(f.kind) {
		f.compressed = sync.OnceValue(func() []byte { return compress(text) })
	}
	return f, nil
}

// kind returns the media type for the name of a file. It does not use package mime, whose types depend on the
// machine.
func kind(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".ttf":
		return "font/ttf"
	case ".woff2":
		return "font/woff2"
	case ".json":
		return "application/json"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

func compressible(kind string) bool {
	kind, _, _ = mime.ParseMediaType(kind)
	return strings.HasPrefix(kind, "text/") || kind == "image/svg+xml" || kind == "font/ttf" ||
		kind == "application/json"
}

// page serves a page. Browsers revalidate it each time.
func page(name, policy string) http.Handler {
	f, err := read(name)
	if err != nil {
		panic(fmt.Sprintf("%s is not embedded: %v", name, err)) // tests open both pages
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Cache-Control", "no-cache")
		f.send(w, r)
	})
}

// files serves the other embedded files by their exact paths. Folders have no listing.
func files() http.Handler {
	known := map[string]*file{}
	err := fs.WalkDir(dist, "dist", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) == ".html" {
			return err
		}
		f, err := read(strings.TrimPrefix(p, "dist/"))
		if err == nil {
			known["/"+f.name] = f
		}
		return err
	})
	if err != nil {
		panic(err) // reading embedded files cannot fail
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := known[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-cache")
		if strings.HasPrefix(r.URL.Path, Assets) {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		f.send(w, r)
	})
}
