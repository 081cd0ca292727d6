package web_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/test/harness"
	"issuegrid/web"
)

// ask sends a request with headers in the form "Name: value".
func ask(t *testing.T, h http.Handler, method, path string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), w.Body.Bytes()
}

// site serves everything that the package has, at the paths of the server.
func site() *http.ServeMux {
	pages, mux := web.Open(), http.NewServeMux()
	mux.Handle("GET /{$}", pages.Grid)
	mux.Handle("GET /playground", pages.Playground)
	mux.Handle("GET /", pages.Files)
	return mux
}

// files returns the paths of all files in dist except the pages.
func files(t *testing.T) (paths []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("dist"), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(p) != ".html" {
			paths = append(paths, "/"+p)
		}
		return err
	})
	if err != nil || len(paths) < 5 {
		t.Fatalf("files %q, %v", paths, err)
	}
	return paths
}

// TestEverything requests the pages and every other file in the ways that browsers and caches do.
func TestEverything(t *testing.T) {
	t.Parallel()
	mux := site()
	for _, p := range append(files(t), "/", "/playground") {
		t.Run(p, func(t *testing.T) {
			t.Parallel()
			plain, text := ask(t, mux, "GET", p)
			zipped, compressed := ask(t, mux, "GET", p, "Accept-Encoding: br, gzip;q=0.8")
			cache := "no-cache"
			if strings.HasPrefix(p, web.Assets) {
				cache = "public, max-age=31536000, immutable"
			}
			tags := map[string]bool{}
			for how, r := range map[string]*http.Response{"plain": plain, "compressed": zipped} {
				body := map[string][]byte{"plain": text, "compressed": compressed}[how]
				if r.StatusCode != http.StatusOK || len(body) == 0 {
					t.Fatalf("%s: %s, %d bytes", how, r.Status, len(body))
				}
				tag := r.Header.Get("ETag")
				want := http.Header{"Cache-Control": {cache}, "Content-Length": {fmt.Sprint(len(body))},
					"Etag": {tag}, "Content-Type": {kinds[path.Ext(p)]},
					"Vary": {"Accept-Encoding"}}
				if policy := policies[p]; policy != "" {
					want["Content-Security-Policy"] = []string{policy}
				}
				if how == "compressed" {
					want["Content-Encoding"] = []string{"gzip"}
				}
				if diff := cmp.Diff(want, r.Header); diff != "" {
					t.Errorf("%s (-want +got):\n%s", how, diff)
				}
				encoding := "Accept-Encoding: " + r.Header.Get("Content-Encoding")
				if head, none := ask(t, mux, "HEAD", p, encoding); head.StatusCode != http.StatusOK ||
					len(none) > 0 || !cmp.Equal(head.Header, r.Header) {
					t.Errorf("%s, HEAD: %s, %d bytes, %s", how, head.Status, len(none),
						cmp.Diff(r.Header, head.Header))
				}
				if same, none := ask(t, mux, "GET", p, encoding,
					"If-None-Match: "+tag); same.StatusCode != http.StatusNotModified || len(none) >
					0 || same.Header.Get("ETag") != tag {
					t.Errorf("%s, If-None-Match: %s, %d bytes, %v", how, same.Status, len(none), same.Header)
				}
				if whole, all := ask(t, mux, "GET", p, encoding, "Range: bytes=3-6",
					"If-Range: "+tag); whole.StatusCode != http.StatusOK || !bytes.Equal(all,
					body) || !cmp.Equal(whole.Header, r.Header) {
					t.Errorf("%s, Range: %s, %d bytes, %s", how, whole.Status, len(all),
						cmp.Diff(r.Header, whole.Header))
				}
				if other, none := ask(t, mux, "GET", p, encoding,
					`If-Match: "another"`); other.StatusCode != http.StatusPreconditionFailed || len(none) >
					0 || other.Header.Get("Content-Length") != "" {
					t.Errorf("%s, If-Match: %s, %d bytes, %v", how, other.Status, len(none), other.Header)
				}
				tags[tag] = true
			}
			if len(tags) != 2 {
				t.Errorf("tags %v, want one for each encoding", tags)
			}
			if harness.Unzip(t, string(compressed)) != string(text) {
				t.Error("the compressed content differs from the file")
			}
		})
	}
}

var kinds = map[string]string{"": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".ttf": "font/ttf",
	".json": "application/json", ".txt": "text/plain; charset=utf-8"}

var policies = map[string]string{
	"/": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	"/playground": "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' " +
		"'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}

var loads = regexp.MustCompile(`(?:src|href)="([^"]*)"`)

// TestPages checks that the files that the pages load exist on this server, and that the pages comply with
// their policies.
func TestPages(t *testing.T) {
	t.Parallel()
	mux := site()
	for page := range policies {
		_, text := ask(t, mux, "GET", page)
		scripts := 0
		for _, found := range loads.FindAllStringSubmatch(string(text), -1) {
			r, _ := ask(t, mux, "GET", found[1])
			if r.StatusCode != http.StatusOK || !strings.HasPrefix(found[1], "/") ||
				strings.HasPrefix(found[1], "//") {
				t.Errorf("%s: %s: %s", page, found[1], r.Status)
			}
			if strings.HasPrefix(r.Header.Get("Content-Type"), "text/javascript") {
				scripts++
			}
		}
		if scripts == 0 {
			t.Errorf("%s loads no script:\n%s", page, text)
		}
		if tag := inline.Find(text); tag != nil {
			t.Errorf("%s has %s, which its policy forbids", page, tag)
		}
	}
}

// inline matches what a policy without 'unsafe-inline' forbids, and a base element.
var inline = regexp.MustCompile(`<style|<base|<script>|<[^>]* (style|on\w+)=|javascript:`)

// TestNothingElse checks that folders, the file names of the pages, and paths out of dist are not found.
func TestNothingElse(t *testing.T) {
	t.Parallel()
	files := web.Open().Files
	for _, p := range []string{"/", web.Assets, strings.TrimSuffix(web.Assets, "/"),
		web.Assets + "of-another-version.js", "/index.html", "/playground.html", "/dist/favicon.svg",
		"/assets/../favicon.svg",
		"/../web.go", "/assets//" + path.Base(web.Favicon), "/favicon.svg/"} {
		r, text := ask(t, files, "GET", p)
		if r.StatusCode != http.StatusNotFound || r.Header.Get("ETag") != "" ||
			strings.Contains(r.Header.Get("Cache-Control"), "immutable") ||
			!strings.HasPrefix(string(text), "404") {
			t.Errorf("%s: %s %v %.50s", p, r.Status, r.Header, text)
		}
	}
}

func TestAcceptEncoding(t *testing.T) {
	t.Parallel()
	files := web.Open().Files
	for accept, want := range map[string]bool{
		"gzip": true, "GZIP": true, "gzip, deflate, br, zstd": true, "br;q=1, gzip;q=0.5": true,
		"gzip;q=x": true, "*": true, "*;q=0.1": true, "gzip; q=0.001": true,
		"": false, "br": false, "identity": false, "gzip;q=0": false, "gzip; q=0.0": false, "*;q=0": false,
		"*, gzip;q=0": false, "x-gzip2": false,
	} {
		r, _ := ask(t, files, "GET", web.Licenses, "Accept-Encoding: "+accept)
		if got := r.Header.Get("Content-Encoding") == "gzip"; got != want {
			t.Errorf("%q: compressed %t, want %t", accept, got, want)
		}
	}
}

// TestLicenses checks that bundled packages are listed with their licenses.
func TestLicenses(t *testing.T) {
	t.Parallel()
	_, text := ask(t, web.Open().Files, "GET", web.Licenses)
	for _, name := range []string{"react", "graphql", "graphiql", "monaco-editor", "@graphiql/react"} {
		if !regexp.MustCompile(`(?m)^` + name + ` \d+\.\d+\.\d+\S* \(MIT\)$`).Match(text) {
			t.Errorf("%s is not listed", name)
		}
	}
	if n := bytes.Count(text, []byte("Permission is hereby granted")); n < 50 {
		t.Errorf("%d licenses are quoted in full, want at least 50", n)
	}
}
