//go:build unix

package process

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"issuegrid/test/harness"
)

// alertRule is an alert of deploy/alerts.yaml.
type alertRule struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func alertRules(t *testing.T) []alertRule {
	t.Helper()
	text, err := os.ReadFile("deploy/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Name  string
			Rules []alertRule
		}
	}
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if len(file.Groups) != 1 || len(file.Groups[0].Rules) < 10 {
		t.Fatalf("%+v", file)
	}
	return file.Groups[0].Rules
}

var (
	selector  = regexp.MustCompile(`([a-z_]+)(?:\{([a-z_]+)(=~?)"([^"]*)"\})?`)
	functions = []string{"sum", "rate", "increase", "absent", "avg_over_time", "histogram_quantile", "by",
		"and", "time", "offset", "le", "kind", "operation", "m", "h", "w"}
)

// TestAlerts checks that the metrics and labels in the alerts' expressions exist in a scrape of the server.
// It does not use Prometheus's parser, which has hundreds of dependencies, but checks that brackets are
// balanced.
func TestAlerts(t *testing.T) {
	t.Parallel()
	p, _ := keysServer(t, "--metrics-addr", "127.0.0.1:0")
	p.Serving()
	series := harness.Scrape(t, p.Noted("Metrics on "))
	has := func(name, label, value string) bool {
		for s := range series {
			if rest, ok := strings.CutPrefix(s, name); ok &&
				(label == "" && (rest == "" || rest[0] == '{') ||
					strings.Contains(rest, label+`="`+value+`"`)) {
				return true
			}
		}
		return false
	}
	known := map[string]bool{}
	for _, rule := range alertRules(t) {
		if known[rule.Alert] || !regexp.MustCompile(`^Issuegrid[A-Z][A-Za-z]+$`).MatchString(rule.Alert) {
			t.Errorf("invalid alert name %q", rule.Alert)
		}
		known[rule.Alert] = true
		if s := rule.Labels["severity"]; s != "page" && s != "ticket" || len(rule.Labels) != 1 ||
			rule.Annotations["summary"] == "" {
			t.Errorf("%s: %v, %v", rule.Alert, rule.Labels, rule.Annotations)
		}
		if _, err := time.ParseDuration(rule.For); rule.For != "" && err != nil {
			t.Errorf("%s: %v", rule.Alert, err)
		}
		for _, pair := range []string{"()", "[]", "{}"} {
			if strings.Count(rule.Expr, pair[:1]) != strings.Count(rule.Expr, pair[1:]) {
				t.Errorf("%s: %s", rule.Alert, rule.Expr)
			}
		}
		metrics := 0
		for _, found := range selector.FindAllStringSubmatch(rule.Expr, -1) {
			name, label, values := found[1], found[2], strings.Split(found[4], "|")
			switch {
			case slices.Contains(functions, name):
				continue
			case name == "up", label == "job": // added by Prometheus
				metrics++
				if values[0] != "issuegrid" || name != "up" && !has(name, "", "") {
					t.Errorf("%s: the server has no %s", rule.Alert, found[0])
				}
				continue
			}
			metrics++
			for _, value := range values {
				if !has(name, label, value) {
					t.Errorf("%s: the server has no %s", rule.Alert, found[0])
				}
			}
		}
		if metrics == 0 {
			t.Errorf("%s uses no metric: %s", rule.Alert, rule.Expr)
		}
	}
}

// TestAlertsDocs checks that docs/observability.md lists the alerts of the file in order and that
// production.md links to it.
func TestAlertsDocs(t *testing.T) {
	t.Parallel()
	var want, got []string
	for _, rule := range alertRules(t) {
		want = append(want, rule.Alert+" "+rule.Labels["severity"])
	}
	for _, page := range []string{"observability", "production"} {
		text, err := os.ReadFile("docs/" + page + ".md")
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range regexp.MustCompile(
			"(?m)^\\| `(Issuegrid[A-Za-z]+)` \\| ([a-z]+) \\|").FindAllStringSubmatch(string(text), -1) {
			got = append(got, row[1]+" "+row[2])
		}
		if page == "production" && !strings.Contains(string(text), "(observability.md#alerts)") {
			t.Error("docs/production.md does not link to the alerts")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("alerts (-deploy/alerts.yaml +docs/observability.md):\n%s", diff)
	}
}
