//go:build unix

package process

import (
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"issuegrid/test/harness"
)

// deployment is how a template or manifest runs the server.
type deployment struct {
	args []string
	env  map[string]string
	// port and metrics are the ports that it declares; metrics is "" if it declares none.
	port, metrics string
	ready, alive  string        // paths
	noticed       time.Duration // how long its health checks take to notice that a server is not ready
	grace         time.Duration // from the signal to the kill
	memory        int           // of a container, in bytes
}

// into decodes a document of YAML. A field of the document that v does not have is ignored.
func into(t *testing.T, document string, v any) {
	t.Helper()
	text, err := yaml.YAMLToJSON([]byte(document))
	if err != nil {
		t.Fatal(yaml.FormatError(err, false, true))
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
}

// check starts the program as the deployment does, on an engine and a JWK set of the test instead of AWS and
// the identity provider, and compares ports, paths and times with the settings.
func (d deployment) check(t *testing.T) {
	t.Helper()
	for variable, port := range map[string]string{"ISSUEGRID_ADDR": d.port,
		"ISSUEGRID_METRICS_ADDR": d.metrics} {
		if _, got, err := net.SplitHostPort(d.env[variable]); d.env[variable] != "" && err != nil ||
			got != port {
			t.Errorf("%s is %q, but the declared port is %q (%v)", variable, d.env[variable], port, err)
		}
	}
	duration := func(variable string) time.Duration {
		took, err := time.ParseDuration(d.env[variable])
		if err != nil {
			t.Errorf("%s: %v", variable, err)
		}
		return took
	}
	drain := duration("ISSUEGRID_DRAIN_DELAY")
	if drain < d.noticed+3*time.Second {
		t.Errorf("the drain delay is %s, but the health checks take %s to notice", drain, d.noticed)
	}
	if least := drain + duration("ISSUEGRID_TIMEOUT") + 5*time.Second; d.grace < least {
		t.Errorf("the server has %s to stop, but may need %s", d.grace, least)
	}
	if d.memory < 512<<20 {
		t.Errorf("%d bytes of memory; docs/production.md requires 512 MiB", d.memory)
	}

	env, engine := maps.Clone(d.env), harness.StartEngine(t)
	keys, _ := keySet(t)
	env["ISSUEGRID_ENDPOINT"], env["ISSUEGRID_AUTH_JWKS"] = engine.URL(), keys
	env["ISSUEGRID_ADDR"] = "127.0.0.1:0"
	if d.metrics != "" {
		env["ISSUEGRID_METRICS_ADDR"] = "127.0.0.1:0"
	}
	var variables []string
	for name, value := range env {
		variables = append(variables, name+"="+value)
	}
	harness.Start(t, []string{"table", "create", "--endpoint", engine.URL(), "--table",
		env["ISSUEGRID_TABLE"]}).Wants(0)
	p := harness.Start(t, d.args, harness.Env(variables...))
	url := p.Serving()
	if strings.Contains(p.Stderr.String(), "belongs to no flag") {
		t.Errorf("a variable is not a setting: %s", &p.Stderr)
	}
	for _, path := range []string{d.ready, d.alive} {
		if status, _, _ := (asked{method: http.MethodGet, path: path}).send(t, url); status != http.StatusOK {
			t.Errorf("%s returns %d", path, status)
		}
	}
	if d.metrics != "" {
		harness.Scrape(t, p.Noted("Metrics on "))
	}
}

// listedActions returns the actions that docs/dynamodb.md lists for `serve`, of the table and of its index.
// graph's TestRights compares that list with the requests of the server.
func listedActions(t *testing.T) (table, index []string) {
	t.Helper()
	page, err := os.ReadFile("docs/dynamodb.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `serve`.*\\|(.*)\\|(.*)\\|$").FindStringSubmatch(string(page))
	if row == nil {
		t.Fatal("docs/dynamodb.md lists no actions of serve")
	}
	action := regexp.MustCompile(`dynamodb:[A-Za-z]+`)
	table, index = action.FindAllString(row[1], -1), action.FindAllString(row[2], -1)
	slices.Sort(table)
	slices.Sort(index)
	return table, index
}

// TestDeployLinks checks that docs/production.md links to every file of deploy/ that runs the server or its
// table.
func TestDeployLinks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("docs/production.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range entries(t, "deploy") {
		if name != "tenant-policy.json" && !strings.Contains(string(text), "(../deploy/"+name+")") {
			t.Errorf("docs/production.md does not link to deploy/%s", name)
		}
	}
}
