//go:build unix

package httpd

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"issuegrid/internal/telemetry"
	"issuegrid/test/tier"
	"issuegrid/web"
)

// cpu returns the CPU time that this process has used.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// hostile returns headers of about 60 KB, the maximum for a request, that make the server work as much as
// possible.
func hostile() map[string]string {
	repeated := func(text string) string { return strings.Repeat(text, 60_000/len(text)) }
	headers := map[string]string{"nothing": ""}
	for name, values := range map[string][]string{
		"Range": {"bytes=" + repeated("-1,") + "-1", "bytes=" + repeated("0-,") + "0-"},
		"If-None-Match": {repeated(`"a",`), repeated(`W/"a",`), repeated(","), `"` + repeated("a") + `"`,
			repeated(" ")},
		"If-Match": {repeated(`"a",`), repeated(",")},
		"If-Range": {repeated(`"a",`)},
		"Accept-Encoding": {repeated(","), repeated("a,"), repeated("gzip;q=0,"), repeated(";q=1,"),
			repeated("a;q=0.1,") + "gzip", "gzip;q=0." + repeated("0") + "1"},
		"Accept": {repeated("a/b,"), repeated("*/*;q=0.1,"), repeated(","),
			"a/b" + repeated(";a=b")},
		"Content-Type": {"application/json" + repeated(";a=b"), "application/json" + repeated(`;a*0="b"`),
			repeated("/")},
		"Authorization": {"Bearer " + repeated("."), "Bearer " + repeated("a"),
			"Bearer eyJhbGciOiJIUzI1NiJ9." + repeated("e30") + ".e30", "Bearer " + repeated(" "),
			repeated("Bearer ")},
		"Origin": {"http://" + repeated("a."), repeated("http://localhost,"),
			"http://[" + repeated(":")},
		"Host":            {repeated("a."), "[" + repeated(":") + "]", repeated("1."), repeated("%41")},
		"X-Forwarded-For": {repeated("127.0.0.1,"), repeated("::1,"), repeated(","), repeated("a")},
		"Forwarded": {repeated("for=127.0.0.1,"), repeated(`for="[::1]:80";`), repeated(";"),
			repeated(`"`)},
		"Cookie":          {repeated("a=b;"), repeated("a=b; ")},
		"User-Agent":      {"Mozilla/" + repeated("a")},
		"Accept-Language": {repeated("de;q=0.1,")},
		"X-Request-Id":    {repeated("a")},
		"Traceparent":     {repeated("00-")},
		"Tracestate":      {repeated("a=b,")},
		"Baggage":         {repeated("a=b,")},
		"Connection":      {repeated("a,")},
		"Sec-Fetch-Site":  {repeated("a")},
		"Expect":          {repeated("a")},
	} {
		for n, value := range values {
			headers[fmt.Sprintf("%s %d", name, n)] = name + ": " + value + "\r\n"
		}
	}
	headers["preflight"] = "Origin: http://localhost:3000\r\nAccess-Control-Request-Method: " +
		"POST\r\nAccess-Control-Request-Headers: " + repeated("a,") + "\r\n"
	headers["preflight of long names"] = "Origin: http://localhost:3000\r\nAccess-Control-Request-Method: " +
		"POST\r\nAccess-Control-Request-Headers: " + repeated("a") + "\r\n"
	headers["many headers"] = repeated("a:\r\n")
	var different strings.Builder
	for n := range 6000 {
		fmt.Fprintf(&different, "a%x:\r\n", n)
	}
	headers["many different headers"] = different.String()
	return headers
}

// hostilePaths are paths that need no token: every route, the largest file, long paths, and paths that do not
// exist.
func hostilePaths(t *testing.T) []string {
	paths := append(slices.Clone(OtherPaths), APIPath, APIPath+"?query={__typename}", largest(t), "/nowhere",
		web.Assets+"nothing.js", "*")
	for _, text := range []string{"/", "/..", "/a", "%2f", "%00", "?", "/.", "&a=b", "//..//"} {
		paths = append(paths, "/"+strings.Repeat(text, 50_000/len(text)),
			APIPath+"?"+strings.Repeat(text, 50_000/len(text)),
			web.Assets+strings.Repeat(text, 50_000/len(text)))
	}
	return paths
}

// maxAnonymousCPU is the most CPU time of an anonymous request in this test, including the client's side and
// other work of the runtime. The law of type anonymous is a few milliseconds; the factor allows for a busy
// machine.
const maxAnonymousCPU = 50 * time.Millisecond

// TestAnonymousCPU measures the CPU time of anonymous requests: every route and method with every hostile
// header. It is not parallel because it measures the process. An expensive request is repeated, because the
// garbage collector may have run.
func TestAnonymousCPU(t *testing.T) {
	tier.Verify(t, "it asserts CPU time")
	anon := newAnonymous(1, networks("127.0.0.0/8", "::1/128"), nil)
	anon.pages.unshared = noExceptions
	url, _ := serveAnonymous(t, anon, api)
	type cost struct {
		what string
		cpu  time.Duration
	}
	tel, err := telemetry.New(t.Context(), telemetry.Settings{Log: io.Discard, Metrics: true})
	if err != nil {
		t.Fatal(err)
	}
	metrics := listening(t, tel.Metrics())
	var costs []cost
	headers := hostile()
	for _, path := range append(hostilePaths(t), "/metrics") {
		url := url
		if path == "/metrics" {
			url = metrics
		}
		for name, header := range headers {
			methods := []string{"GET"}
			if name == "nothing" || strings.HasPrefix(name, "preflight") {
				methods = []string{"GET", "HEAD", "POST", "OPTIONS", "TRACE", "QUERY"}
			}
			if len(path)+len(header) > maxHeader {
				continue
			}
			for _, method := range methods {
				host := "Host: localhost\r\n"
				if strings.HasPrefix(header, "Host: ") {
					host = ""
				}
				request := fmt.Sprintf("%s %s HTTP/1.1\r\n%s%sConnection: close\r\n\r\n", method, path, host,
					header)
				least := time.Duration(1 << 62)
				for tries := 0; tries < 5 && least > maxAnonymousCPU/5; tries++ {
					least = min(least, costOf(t, url, method, request))
				}
				what := fmt.Sprintf("%s %.40s, %s", method, path, name)
				if costs = append(costs, cost{what, least}); least > maxAnonymousCPU {
					t.Errorf("%s: %s of CPU time", what, least)
				}
			}
		}
	}
	if taken, clients := anon.pages.load(); taken != 0 || clients != 0 {
		t.Errorf("%d slots of %d clients are still taken", taken, clients)
	}
	slices.SortFunc(costs, func(a, b cost) int { return int(b.cpu - a.cpu) })
	for _, c := range costs[:10] {
		t.Logf("%8s %s", c.cpu.Round(10*time.Microsecond), c.what)
	}
	t.Logf("%d requests, median %s", len(costs), costs[len(costs)/2].cpu)
}

// costOf sends a request and reads the response, which is at most as long as the largest file and its
// headers.
func costOf(t *testing.T, url, method, request string) time.Duration {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	runtime.Gosched()
	begun := cpu(t)
	io.WriteString(conn, request)
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%.200q: %v", request, err)
	}
	n, _ := io.Copy(io.Discard, response.Body)
	took := cpu(t) - begun
	if n > 2<<20 {
		t.Errorf("%.100q: %d bytes in the response", request, n)
	}
	return took
}
