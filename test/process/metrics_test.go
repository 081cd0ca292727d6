//go:build unix

package process

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/test/harness"
	"issuegrid/test/tier"
)

// since returns the increases of the server's own series, without durations and histogram buckets.
func since(before, after map[string]float64) map[string]float64 {
	changed := map[string]float64{}
	for name, value := range after {
		product, times := strings.HasPrefix(name, "issuegrid_"),
			strings.Contains(name, "seconds_sum") || strings.Contains(name, "_bucket{")
		if d := value - before[name]; product && !times && d != 0 {
			changed[name] = d
		}
	}
	return changed
}

// costs is the part of a response at extensions.cost.
type costs struct {
	Calls    map[string]int
	RCU, WCU float64
}

// TestMetrics compares the metrics of the server with the contents of its responses.
func TestMetrics(t *testing.T) {
	tier.Verify(t, "definitions that expire during the test are read by calls that no response reports")
	t.Parallel()
	p, url, header, _ := signedInServer(t, "--metrics-addr", "127.0.0.1:0", "--concurrency", "8")
	metrics := p.Noted("Metrics on ")
	asks := with(header, "X-Show-Cost", "1")
	sum := costs{Calls: map[string]int{}}
	ask := func(query string, variables map[string]any) string {
		_, _, body := asked{http.MethodPost, "/graphql", operation(t, query, "", variables), asks}.send(t,
			url)
		var answer struct{ Extensions struct{ Cost costs } }
		if err := json.Unmarshal(body, &answer); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		for name, n := range answer.Extensions.Cost.Calls {
			sum.Calls[name] += n
		}
		sum.RCU, sum.WCU = sum.RCU+answer.Extensions.Cost.RCU, sum.WCU+answer.Extensions.Cost.WCU
		return string(body)
	}
	harness.Eventually(t, "the first request is counted", func() bool {
		return harness.Scrape(t, metrics)[`issuegrid_request_duration_seconds_count{type="mutation"}`] == 1
	})
	before := harness.Scrape(t, metrics)

	project := idIn(t,
		ask(
			`mutation {createProject(input: {tenantId: "VGFjbWU", key: "K", name: "P", states: [{name: "New", open: true}]}) {project {id}}}`,
			nil))
	for range 3 {
		ask(`mutation($p: ID!) {createIssue(input: {projectId: $p, issue: {name: "An issue"}}) {issue {id}}}`,
			map[string]any{"p": project})
	}
	for range 5 {
		if body := ask(`query($p: ID!) {project(id: $p) {issues(first: 10) {nodes {num name}}}}`,
			map[string]any{"p": project}); strings.Count(body, "An issue") != 3 {
			t.Fatal(body)
		}
	}
	if body := ask(`{tenant(id: "VGFjbWU") {projects {nodes {key}}}}`, nil); !strings.Contains(body, `"K"`) {
		t.Fatal(body)
	}
	ask(`{project(id: "nothing") {id}}`, nil)
	ask(`{a: tenant(id: "VG5vbmU") {name} b: tenant(id: "VG5vbmUy") {name}}`, nil)
	for range 2 {
		ask(`{nothing}`, nil)
	}
	asked{http.MethodPost, "/graphql", "no JSON", header}.send(t, url)
	asked{http.MethodPost, "/graphql", "{}", nil}.send(t, url)
	asked{http.MethodGet, "/livez", "", nil}.send(t, url)
	asked{http.MethodOptions, "/graphql", "",
		map[string]string{"Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST"}}.send(t,
		url)

	want := map[string]float64{
		`issuegrid_request_duration_seconds_count{type="query"}`:         8,
		`issuegrid_request_duration_seconds_count{type="mutation"}`:      4,
		`issuegrid_request_duration_seconds_count{type="none"}`:          4,
		`issuegrid_errors_total{code="NOT_FOUND"}`:                       2,
		`issuegrid_errors_total{code="BAD_USER_INPUT"}`:                  3,
		`issuegrid_errors_total{code="UNAUTHENTICATED"}`:                 1,
		`issuegrid_loader_batch_keys_count{loader="issue_head"}`:         5,
		`issuegrid_loader_batch_keys_sum{loader="issue_head"}`:           15,
		`issuegrid_loader_batch_keys_count{loader="project"}`:            1,
		`issuegrid_loader_batch_keys_count{loader="tenant"}`:             3,
		`issuegrid_loader_batch_keys_sum{loader="tenant"}`:               3,
		`issuegrid_loader_batch_keys_sum{loader="project"}`:              1,
		`issuegrid_dynamodb_consumed_capacity_units_total{kind="read"}`:  sum.RCU,
		`issuegrid_dynamodb_consumed_capacity_units_total{kind="write"}`: sum.WCU,
		`issuegrid_dynamodb_batch_fill_ratio_count{operation="BatchGetItem"}`: float64(
			sum.Calls["BatchGetItem"]),
		`issuegrid_dynamodb_batch_fill_ratio_count{operation="TransactWriteItems"}`: float64(
			sum.Calls["TransactWriteItems"]),
	}
	for name, n := range sum.Calls {
		want[`issuegrid_dynamodb_call_duration_seconds_count{operation="`+name+`"}`] = float64(n)
	}
	var got map[string]float64
	harness.Eventually(t, "all requests are counted", func() bool {
		got = since(before, harness.Scrape(t, metrics))
		return got[`issuegrid_request_duration_seconds_count{type="none"}`] == 4
	})
	// Their sums are fractions, which another test checks.
	for _, name := range []string{"BatchGetItem", "TransactWriteItems"} {
		delete(got, `issuegrid_dynamodb_batch_fill_ratio_sum{operation="`+name+`"}`)
	}
	if sum.Calls["BatchGetItem"] == 0 || sum.RCU == 0 || sum.WCU == 0 {
		t.Errorf("no request was counted: %+v", sum)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changed series (-want +got):\n%s", diff)
	}
	for name, want := range map[string]float64{"issuegrid_requests_in_flight": 0,
		"issuegrid_requests_shed_total": 0, "issuegrid_queue_places": 8, "issuegrid_queue_running": 0,
		"issuegrid_queue_room": 4, "issuegrid_queue_waiting": 0} {
		if n, ok := harness.Scrape(t, metrics)[name]; !ok || n != want {
			t.Errorf("%s %v, want %v", name, n, want)
		}
	}
}

// idIn returns the first ID in a response.
func idIn(t *testing.T, answer string) string {
	t.Helper()
	_, rest, ok := strings.Cut(answer, `"id":"`)
	if !ok {
		t.Fatal(answer)
	}
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// TestSeriesAreBounded sends values that a client can choose and checks that they add no series (O2) and
// appear in none.
func TestSeriesAreBounded(t *testing.T) {
	t.Parallel()
	p, url, _, i := signedInServer(t, "--metrics-addr", "127.0.0.1:0")
	metrics := p.Noted("Metrics on ")
	names := func() []string {
		series := harness.Scrape(t, metrics)
		maps.DeleteFunc(series, func(name string, _ float64) bool {
			return !strings.HasPrefix(name, "issuegrid_")
		})
		return slices.Sorted(maps.Keys(series))
	}
	before := names()
	const requests = 40
	for n := range requests {
		name := fmt.Sprintf("Strange%d", n)
		header := map[string]string{"Authorization": "Bearer " +
			i.Token("reader", fmt.Sprintf("strange%d", n)), "X-Request-Id": name, "User-Agent": name}
		asked{http.MethodPost, "/graphql",
			operation(t, `query `+name+` {viewer {userName tenant {name}} x: nothing`+name[7:]+`}`, "", nil),
			header}.send(t, url)
		asked{http.MethodPost, "/graphql",
			operation(t, `query `+name+` {viewer {userName tenant {name}}}`, name, nil), header}.send(t, url)
		asked{"STRANGE" + strconv.Itoa(n), "/graphql", "", header}.send(t, url)
		asked{http.MethodGet, "/strange" + strconv.Itoa(n), "", header}.send(t, url)
	}
	harness.Eventually(t, "all requests are counted", func() bool {
		got := harness.Scrape(t, metrics)
		return got[`issuegrid_request_duration_seconds_count{type="none"}`] == 2*requests &&
			got[`issuegrid_request_duration_seconds_count{type="query"}`] == requests
	})
	if diff := cmp.Diff(before, names()); diff != "" {
		t.Errorf("series (-before +after):\n%s", diff)
	}
	if text := strings.ToLower(strings.Join(names(), " ")); strings.Contains(text, "strange") ||
		strings.Contains(text, "acme") {
		t.Errorf("a series contains a value from a client: %s", text)
	}
}

// keySet serves a JWK set. fail makes the reads of the set fail from then on.
func keySet(t *testing.T) (url string, fail func()) {
	t.Helper()
	public, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	var failing atomic.Bool
	publisher := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if failing.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, `{"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "1", "x": %q}]}`,
			base64.RawURLEncoding.EncodeToString(public))
	}))
	t.Cleanup(publisher.Close)
	return publisher.URL, func() { failing.Store(true) }
}

// keysServer starts a server that reads a JWK set. fail makes the reads of the set fail from then on.
func keysServer(t *testing.T, flags ...string) (p *harness.Process, fail func()) {
	t.Helper()
	keys, fail := keySet(t)
	args := append(harness.ServeArgs(t.TempDir(), "--no-sample"), "--auth-jwks", keys,
		"--auth-issuer", "https://id.test/", "--auth-audience", "grid", "--auth-refresh", "1s")
	return harness.Start(t, append(args, flags...)), fail
}

// TestKeyMetrics checks that the metrics show failing reads of the JWK set.
func TestKeyMetrics(t *testing.T) {
	t.Parallel()
	const failures, last = "issuegrid_jwks_refresh_failures_total",
		"issuegrid_jwks_last_refresh_timestamp_seconds"
	p, fail := keysServer(t, "--metrics-addr", "127.0.0.1:0")
	p.Serving()
	metrics := p.Noted("Metrics on ")
	first := harness.Scrape(t, metrics)
	if n, ok := first[failures]; n != 0 || !ok ||
		time.Since(time.Unix(int64(first[last]), 0)) > harness.Patience {
		t.Errorf("after the start: %v failures, last read at %v", n, first[last])
	}
	fail()
	harness.Eventually(t, "a reading fails", func() bool { return harness.Scrape(t, metrics)[failures] > 0 })
	before := harness.Scrape(t, metrics)
	harness.Eventually(t, "another one fails", func() bool {
		return harness.Scrape(t, metrics)[failures] > before[failures]
	})
	if got := harness.Scrape(t, metrics)[last]; got != before[last] {
		t.Errorf("last read at %v, want %v as before the failure", got, before[last])
	}
}

// TestMetricsDocs compares the table of metrics in the docs with the server's metrics.
func TestMetricsDocs(t *testing.T) {
	t.Parallel()
	p, _ := keysServer(t, "--metrics-addr", "127.0.0.1:0")
	p.Serving()
	_, text := harness.Get(t, p.Noted("Metrics on "))
	if _, other := harness.Get(t, strings.TrimSuffix(p.Noted("Metrics on "), "metrics")); strings.Contains(
		other, "issuegrid_") {
		t.Error("metrics are served at another page too")
	}
	docs, err := os.ReadFile("docs/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	help, labels := map[string]string{}, map[string][]string{}
	var want []string
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if rest, ok := strings.CutPrefix(l, "# HELP issuegrid_"); ok {
			name, said, _ := strings.Cut(rest, " ")
			help[name] = said
			continue
		}
		name, rest, _ := strings.Cut(strings.TrimPrefix(l, "issuegrid_"), "{")
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, suffix)
		}
		if name == "build_info" {
			rest = `version="the build's"}`
		}
		if label, rest, ok := strings.Cut(rest, `="`); ok && strings.HasPrefix(l, "issuegrid_") &&
			label != "le" {
			value, _, _ := strings.Cut(rest, `"`)
			if !slices.Contains(labels[name], value) {
				labels[name] = append(labels[name], value)
			}
			labels[name+" is"] = []string{label}
		}
	}
	for l := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(l), "# TYPE issuegrid_")
		if !ok {
			continue
		}
		name, kind, _ := strings.Cut(rest, " ")
		of := "none"
		if l := labels[name+" is"]; l != nil {
			of = "`" + l[0] + "`: " + strings.Join(labels[name], ", ")
		}
		want = append(want, fmt.Sprintf("| `issuegrid_%s` | %s | %s | %s |", name, kind, of, help[name]))
	}
	var got []string
	for l := range strings.Lines(string(docs)) {
		if strings.HasPrefix(l, "| `issuegrid_") {
			got = append(got, strings.TrimSpace(l))
		}
	}
	for _, name := range regexp.MustCompile(`issuegrid_[a-z_]+`).FindAllString(string(docs),
		-1) { // includes series in alerts
		if !strings.Contains(text, "\n"+name+"{") && !strings.Contains(text, "\n"+name+" ") &&
			help[strings.TrimPrefix(name, "issuegrid_")] == "" {
			t.Errorf("docs/observability.md has %s, which is not a metric", name)
		}
	}
	if diff := cmp.Diff(got, want); diff != "" || len(want) < 10 {
		t.Errorf("the table in docs/observability.md differs (-docs +server):\n%s\n%s", diff,
			strings.Join(want, "\n"))
	}
}
