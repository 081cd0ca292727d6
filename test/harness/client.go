package harness

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Get returns the status and the body of a page.
func Get(t testing.TB, url string) (int, string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// Post sends a GraphQL query and returns the status and the decoded response.
func Post(t testing.TB, url, query string) (int, map[string]any) {
	t.Helper()
	status, _, text := As(t, url, "", query)
	var answer map[string]any
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	return status, answer
}

// Ask sends a GraphQL query and returns the data of the response. It fails the test on errors.
func Ask[T any](t testing.TB, url, query string) T {
	t.Helper()
	status, answer := Post(t, url, query)
	if status != http.StatusOK || answer["errors"] != nil {
		t.Fatalf("%s: status %d, %v", query, status, answer)
	}
	var data T
	text, err := json.Marshal(answer["data"])
	if err == nil {
		err = json.Unmarshal(text, &data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Do sends a request with headers, each as "Name: value", and returns the response and its body. It does not
// follow redirects.
func Do(t testing.TB, method, url string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	r.Host = r.Header.Get("Host") // falls back to the host of the URL
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

// As sends a query with a token and returns the response. If token is "", it sends none.
func As(t testing.TB, url, token, query string) (status int, header http.Header, answer string) {
	t.Helper()
	response, text, err := Exchange(t.Context(), http.DefaultClient, url, token, query, nil)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(text)
}

// Exchange sends an operation and returns the response and its body. If token is "", it sends none. The
// response is nil if there was none.
func Exchange(ctx context.Context, client *http.Client, url, token, query string,
	variables map[string]any) (response *http.Response, text []byte, err error) {
	operation := map[string]any{"query": query}
	if variables != nil {
		operation["variables"] = variables
	}
	body, err := json.Marshal(operation)
	if err != nil {
		return nil, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/graphql", bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if response, err = client.Do(r); err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	return response, text, err
}

// Unzip decompresses gzip data.
func Unzip(t testing.TB, text string) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

// WantPage checks the status and the body of a page.
func WantPage(t testing.TB, url string, status int, text string) {
	t.Helper()
	if s, got := Get(t, url); s != status || got != text {
		t.Errorf("%s: %d %q, want %d %q", url, s, got, status, text)
	}
}

// WantTenants checks the names of all tenants.
func WantTenants(t testing.TB, url string, names ...string) {
	t.Helper()
	data := Ask[struct {
		Tenants struct{ Nodes []struct{ Name string } }
	}](t, url, `{tenants {nodes {name}}}`)
	var got []string
	for _, n := range data.Tenants.Nodes {
		got = append(got, n.Name)
	}
	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("tenants (-want +got):\n%s", diff)
	}
}
