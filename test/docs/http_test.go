//go:build unix

package docs

import (
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/test/harness"
)

// TestHTTPDocs runs the curl examples of docs/http.md in order. It compares the status, the body and the
// shown headers of each response with the page. Then it compares a page with its compressed form.
func TestHTTPDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	commands, answers := blocks(string(text), "sh"), blocks(string(text), "http")
	if len(commands) != 14 || len(answers) != len(commands) {
		t.Fatalf("the page has %d commands and %d responses", len(commands), len(answers))
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("curl, which the examples of docs/http.md use, is not on PATH; install it")
	}
	p := harness.Start(t, harness.ServeArgs(harness.SampleData(t)))
	server := p.Serving()
	for i, command := range commands {
		cmd := exec.CommandContext(t.Context(), "sh", "-c",
			strings.ReplaceAll(command, "http://127.0.0.1:8080", server))
		cmd.Dir = t.TempDir()
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		want, got := strings.TrimSuffix(answers[i], "\n"), strings.TrimSuffix(string(out), "\n")
		if diff := cmp.Diff(want, shownOf(want, got)); diff != "" {
			t.Errorf("%s(-page +got):\n%s", command, diff)
		}
	}
	const page = `{ project(id: "UDVmMjEvYzBkZQ") { issues(first: 100) { nodes { id num name values { field { name } display } } } } }`
	address := server + "/graphql?query=" + url.QueryEscape(page)
	_, plain := harness.Do(t, "GET", address, "Accept-Encoding: identity")
	r, zipped := harness.Do(t, "GET", address, "Accept-Encoding: gzip")
	if r.Header.Get("Content-Encoding") != "gzip" || harness.Unzip(t, zipped) != plain ||
		len(plain) < 10*2<<10 || len(zipped) > len(plain)/3 {
		t.Errorf("a page of %d bytes became %d, %v", len(plain), len(zipped), r.Header)
	}
}

// shownOf returns a response with only those headers that the page shows, in the page's order.
func shownOf(page, answer string) string {
	if !strings.HasPrefix(page, "HTTP/") {
		return answer
	}
	head, body, _ := strings.Cut(answer, "\r\n\r\n")
	lines := strings.Split(head, "\r\n")
	pageHead, _, _ := strings.Cut(page, "\n\n")
	shown := lines[:1:1]
	for _, header := range strings.Split(pageHead, "\n")[1:] {
		name, _, _ := strings.Cut(header, ": ")
		for _, line := range lines[1:] {
			if strings.HasPrefix(line, name+": ") {
				shown = append(shown, line)
			}
		}
	}
	return strings.TrimSuffix(strings.Join(shown, "\n")+"\n\n"+body, "\n\n")
}
