//go:build unix

package process

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/test/harness"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// sampleProject is a project of the sample data.
type sampleProject struct {
	ID, Key string
	Fields  []struct{ ID, Name, Type string }
	Issues  struct{ TotalCount int }
}

func sampleProjects(t *testing.T, url string) map[string]sampleProject {
	t.Helper()
	data := harness.Ask[struct {
		Tenants struct {
			Nodes []struct {
				Projects struct{ Nodes []sampleProject }
			}
		}
	}](t, url, `{tenants {nodes {projects {nodes {id key fields {id name type} issues(first: 1) {totalCount}}}}}}`)
	if n := len(data.Tenants.Nodes); n != 3 {
		t.Errorf("%d tenants, want 3", n)
	}
	projects := map[string]sampleProject{}
	for _, tenant := range data.Tenants.Nodes {
		for _, p := range tenant.Projects.Nodes {
			projects[p.Key] = p
		}
	}
	return projects
}

// nums queries a grid and returns the numbers of its rows.
func nums(t *testing.T, url, project, order string) (nums []int) {
	t.Helper()
	data := harness.Ask[struct {
		Project struct {
			Issues struct{ Nodes []struct{ Num int } }
		}
	}](t, url, fmt.Sprintf(`{project(id: %q) {issues(first: 10, orderBy: [{%s}]) {nodes {num}}}}`, project,
		order))
	for _, n := range data.Project.Issues.Nodes {
		nums = append(nums, n.Num)
	}
	return nums
}

// TestFirstStarts checks the first starts in a new directory: one that is interrupted while it loads the
// sample, one that completes it, and one that finds it complete.
func TestFirstStarts(t *testing.T) {
	tier.Verify(t, "the second server must start while the first one loads the sample")
	t.Parallel()
	data := filepath.Join(t.TempDir(), "new", "data")

	p := harness.Start(t, harness.ServeArgs(data))
	url := p.URL()
	p.Has(&p.Stderr, "Loading sample data: 105 of 2005\n")
	engine := harness.EngineURL(t, data)
	harness.WantPage(t, url+"/livez", http.StatusOK, "ok\n")
	harness.WantPage(t, url+"/readyz", http.StatusServiceUnavailable, "starting\n")
	wantUnavailable(t, url, "starting")
	p.Signal(syscall.SIGINT)
	p.Wants(0)
	if got := p.Stdout.String(); got != "" {
		t.Errorf("the interrupted server wrote %q to stdout", got)
	}
	if strings.Contains(p.Stderr.String(), "2005 of 2005") {
		t.Error("the sample was loaded before the signal; the test is void")
	}
	harness.EngineGone(t, engine)
	if diff := cmp.Diff([]string{"dynoxide.db"}, entries(t, data)); diff != "" {
		t.Errorf("the data directory after an interrupted start (-want +got):\n%s", diff)
	}

	p = harness.Start(t, harness.ServeArgs(data))
	url = p.Serving()
	p.Has(&p.Stderr, "Loading sample data: 2005 of 2005\n")
	want := fmt.Sprintf("Grid          %[1]s/\nGraphQL API   %[1]s/graphql\nPlayground    "+
		"%[1]s/playground\nHealth check  %[1]s/livez and %[1]s/readyz\nCtrl-C stops the server.\n", url)
	if diff := cmp.Diff(want, p.Stdout.String()); diff != "" {
		t.Errorf("stdout (-want +got):\n%s", diff)
	}
	harness.WantPage(t, url+"/readyz", http.StatusOK, "ok\n")
	checkSample(t, url)
	created := harness.Ask[struct {
		CreateIssue struct{ Issue struct{ Num int } }
	}](t, url, fmt.Sprintf(
		`mutation {createIssue(input: {project: %q, issue: {name: "In between"}}) {issue {num}}}`,
		sampleProjects(t, url)["TDN"].ID))
	if n := created.CreateIssue.Issue.Num; n != 3 {
		t.Errorf("the new issue has number %d, want 3", n)
	}
	engine = harness.EngineURL(t, data)
	p.Signal(syscall.SIGTERM)
	p.Wants(0)
	harness.EngineGone(t, engine)
	if diff := cmp.Diff([]string{"dynoxide.db"}, entries(t, data)); diff != "" {
		t.Errorf("the data directory after a stop (-want +got):\n%s", diff)
	}

	p = harness.Start(t, harness.ServeArgs(data))
	url = p.Serving()
	if strings.Contains(p.Stderr.String(), "sample") {
		t.Error("the sample was loaded again")
	}
	if got := nums(t, url, sampleProjects(t, url)["TDN"].ID,
		"column: {builtin: NAME}, direction: ASC"); !slices.Equal(got, []int{2, 3, 1}) {
		t.Errorf("issues by name %v, want 2 3 1, including the one of the previous start", got)
	}
	p.Signal(syscall.SIGTERM)
	p.Wants(0)
}

// checkSample compares the sample with its description: the grids of the worked example, and a project of
// 2,000 issues with fields of every type.
func checkSample(t *testing.T, url string) {
	t.Helper()
	projects := sampleProjects(t, url)
	counts := map[string]int{}
	for key, p := range projects {
		counts[key] = p.Issues.TotalCount
	}
	if diff := cmp.Diff(map[string]int{"FRB": 3, "TDN": 2, "FLEET": 2000}, counts); diff != "" {
		t.Errorf("issues of the projects (-want +got):\n%s", diff)
	}
	bridge, fields, types := projects["FRB"], map[string]string{}, map[string]bool{}
	for _, f := range bridge.Fields {
		fields[f.Name] = f.ID
	}
	for _, f := range projects["FLEET"].Fields {
		types[f.Type] = true
	}
	if len(types) != 11 {
		t.Errorf("the generated project has fields of the types %v, want 11", types)
	}
	for _, test := range []struct {
		order string
		want  []int
	}{
		{fmt.Sprintf("column: {field: %q}, direction: ASC", fields["Start"]), []int{1, 2, 3}},
		{fmt.Sprintf("column: {field: %q}, direction: DESC, nulls: LAST", fields["Start"]), []int{2, 1, 3}},
		{fmt.Sprintf("column: {field: %q}, direction: ASC, nulls: FIRST", fields["Sign Off"]),
			[]int{1, 2, 3}},
		{"column: {builtin: NAME}, direction: ASC", []int{2, 3, 1}},
	} {
		if got := nums(t, url, bridge.ID, test.order); !slices.Equal(got, test.want) {
			t.Errorf("grid by %s: %v, want %v", test.order, got, test.want)
		}
	}
}

// wantUnavailable checks that GraphQL requests fail with a well-formed error.
func wantUnavailable(t *testing.T, url, word string) {
	t.Helper()
	status, answer := harness.Post(t, url, "{tenants {totalCount}}")
	text, _ := json.Marshal(answer)
	var got struct {
		Data   any
		Errors []struct {
			Message    string
			Extensions struct{ Code tracker.Code }
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if status != http.StatusServiceUnavailable || got.Data != nil || len(got.Errors) != 1 ||
		got.Errors[0].Extensions.Code != tracker.Unavailable ||
		!strings.Contains(got.Errors[0].Message, word) {
		t.Errorf("status %d, %s", status, text)
	}
}

// TestNoSample sets flags by environment variables, where an empty variable counts as unset. It also checks
// that a table with data of a user gets no sample.
func TestNoSample(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := harness.Start(t, []string{},
		harness.Env("ISSUEGRID_ADDR=127.0.0.1:0", "ISSUEGRID_DATA="+data, "ISSUEGRID_SAMPLE=false",
			"ISSUEGRID_TABLE=", "ISSUEGRID_ENGINE="))
	createTenant(t, p.Serving(), "Mine")
	p.Signal(syscall.SIGTERM)
	p.Wants(0)

	p = harness.Start(t, harness.ServeArgs(data))
	harness.WantTenants(t, p.Serving(), "Mine")
}

func createTenant(t *testing.T, url, name string) {
	t.Helper()
	harness.Ask[any](t, url, fmt.Sprintf(`mutation {createTenant(input: {name: %q}) {tenant {id}}}`, name))
}

// TestServerKilled kills the server with SIGKILL. The engine ends too, and the next start finds the data.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := harness.Start(t, harness.ServeArgs(data, "--no-sample"))
	createTenant(t, p.Serving(), "Acknowledged")
	engine := harness.EngineURL(t, data)
	if len(harness.EnginePIDs(t, engine)) == 0 {
		t.Fatal("the server has no engine")
	}
	p.Signal(syscall.SIGKILL)
	p.Wants(-1)
	harness.EngineGone(t, engine)
	p = harness.Start(t, harness.ServeArgs(data, "--no-sample"))
	harness.WantTenants(t, p.Serving(), "Acknowledged")
}

func TestEngineKilled(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := harness.Start(t, harness.ServeArgs(data, "--no-sample"))
	p.Serving()
	pids := harness.EnginePIDs(t, harness.EngineURL(t, data))
	if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.Wants(harness.ExitFailed)
	said := p.Stderr.String()
	if !regexp.MustCompile(`\nissuegrid: the embedded engine .*signal 9.*start the server again.*`+
		regexp.QuoteMeta(data)+`\n$`).MatchString(said) || strings.Count(said, "\n") != 4 {
		t.Errorf("stderr %q", said)
	}
}

func TestEngineKilledWhileLoading(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := harness.Start(t, harness.ServeArgs(data))
	p.Has(&p.Stderr, "Loading sample data")
	if err := syscall.Kill(harness.EnginePIDs(t, harness.EngineURL(t, data))[0],
		syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.Fails("the embedded engine", "signal 9", "start the server again", data)
}

func TestAddressTaken(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	data := filepath.Join(t.TempDir(), "data")
	p := harness.Start(t, []string{"--addr", l.Addr().String(), "--data", data})
	p.Fails(l.Addr().String(), "is in use: stop the program", "--addr")
	if entries(t, data) != nil || strings.Count(p.Stderr.String(), "\n") != 1 {
		t.Error("the server wrote files or output before it listened")
	}
}

func TestDataDirectoryLocked(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	first := harness.Start(t, harness.ServeArgs(data, "--no-sample"))
	url := first.Serving()
	harness.Start(t, harness.ServeArgs(data)).Fails("another server", data, "--data")
	harness.WantTenants(t, url)
}
