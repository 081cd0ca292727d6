package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"issuegrid/tracker"
)

// maxSet is the maximum size of a JWK set in bytes. Those of large providers have about 20 KiB, including
// certificates.
const maxSet = 256 << 10

// source reads a JWK set.
type source func(context.Context) ([]byte, error)

// sourceOf returns a source for the setting JWKS, which is a URL or the path of a file.
func sourceOf(location string) (source, error) {
	if !strings.Contains(location, "://") {
		return func(context.Context) ([]byte, error) { return readFile(location, maxSet) }, nil
	}
	u, err := url.Parse(location)
	if err != nil || u.Hostname() == "" || u.Scheme != "https" &&
		(u.Scheme != "http" || !loopback(u.Hostname())) {
		return nil, tracker.Bad("JWKS",
			"this is neither a URL that begins with https:// (http:// on this machine's loopback only), "+
				"nor the path of a file")
	}
	if u.User != nil {
		return nil, tracker.Bad("JWKS", "a JWK set is public; its URL may have no user and no password")
	}
	client := newClient()
	return func(ctx context.Context) ([]byte, error) { return fetch(ctx, client, u.String()) }, nil
}

func loopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// newClient returns a client that follows no redirects, which could lead to another scheme or into the
// server's network.
func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true // the next request is minutes away
	transport.MaxResponseHeaderBytes = 64 << 10
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

func fetch(ctx context.Context, client *http.Client, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/jwk-set+json, application/json")
	response, err := client.Do(request)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the URL, which the caller's message names
		}
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 && response.StatusCode < 400 {
		return nil, fmt.Errorf("it redirects (status %d), and redirects are not followed; set the final URL",
			response.StatusCode)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the response has status %d", response.StatusCode)
	}
	return readAll(response.Body, maxSet)
}

func readFile(name string, limit int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, limit)
}

// readAll reads at most limit bytes; more is an error.
func readAll(r io.Reader, limit int) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(raw) > limit {
		err = fmt.Errorf("it is longer than %d bytes", limit)
	}
	return raw, err
}
