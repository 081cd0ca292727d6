// Package web is the embedded browser client: the grid and the playground, as npm run build has made them of
// src into dist, which is committed so that go run needs nothing else; `make web` makes it again, and CI
// proves that it is what the sources build.
//
// It serves files and knows neither the API nor the store. Begin with Handler.
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

// The policies of the two pages: everything comes from this server, and nothing else is asked.
const (
	gridPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src " +
		"'self'; " + framing
	// Monaco, the editor of the playground, needs more, and nothing but this: workers, which are files of
	// this server; a font of icons, likewise; style elements and attributes that it writes as text, for
	// colors, positions and lines; and images in its styles, such as the waves below an error, as data: URLs.
	playgroundPolicy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' " +
		"'unsafe-inline'; img-src 'self' data:; " +
		"font-src 'self'; connect-src 'self'; " + framing
	framing = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// The paths of the files: Assets is that below which those lie that pages load, whose names have a hash of
// what is in them; Favicon is the icon of both pages, Licenses are those of everything that is bundled, and
// Operations are those of the grid, as a manifest for servers that run none but those of a list.
const (
	Assets     = "/assets/"
	Favicon    = "/favicon.svg"
	Licenses   = "/licenses.txt"
	Operations = "/operations.json"
)

// Pages are the two pages, and Files all that lies beside them.
type Pages struct{ Grid, Playground, Files http.Handler }

// Open reads what is embedded.
func Open() Pages {
	return Pages{
		Grid:       page("index.html", gridPolicy),
		Playground: page("playground.html", playgroundPolicy),
		Files:      files(),
	}
}

// file is a file as it is sent.
type file struct {
	name, kind, tag string
	text            []byte
	compressed      func() []byte // by gzip; nil where that saves nothing
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

// kind is the media type of a file by its name. It does not ask the machine, whose types may be any.
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

// page serves a page, which browsers ask for again each time.
func page(name, policy string) http.Handler {
	f, err := read(name)
	if err != nil {
		panic(fmt.Sprintf("%s is not embedded: %v", name, err)) // a test opens both
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Cache-Control", "no-cache")
		f.send(w, r)
	})
}

// files serves what the pages load, by exact paths: there are no folders, and no other files than those that
// are embedded.
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
		panic(err) // it is embedded
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
