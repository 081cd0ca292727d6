//go:build unix

package process

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/test/harness"
)

// anyMessage matches the messages that the program logs, of those that begin with a letter. One that is
// composed at run time is matched up to its first verb.
const anyMessage = `\.(?:Debug|Info|Warn|Error|note)(?:Context)?\((?:ctx, )?\s*"([A-Za-z][^"%]*)`

// logMessages returns the messages in the program that a pattern matches.
func logMessages(t *testing.T, pattern string) (all []string) {
	t.Helper()
	logs := regexp.MustCompile(pattern)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		for _, message := range logs.FindAllSubmatch(text, -1) {
			all = append(all, string(message[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return append(all, "request") // LogAttrs of internal/telemetry/observe.go
}

// runbook returns the sections of docs/runbook.md by heading, and the headings in order.
func runbook(t *testing.T) (sections map[string]string, order []string) {
	t.Helper()
	text, err := os.ReadFile("docs/runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	sections = map[string]string{}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		sections[name] = body
		order = append(order, name)
	}
	return sections, order
}

// TestRunbook checks that every alert and every alarm links to its section of docs/runbook.md, that every
// section belongs to one, and that it says what the alert means, what to check and what to do, in this order.
func TestRunbook(t *testing.T) {
	t.Parallel()
	link := func(name string) string { return "docs/runbook.md#" + strings.ToLower(name) }
	needed := map[string]bool{}
	for _, rule := range alertRules(t) {
		needed[rule.Alert] = true
		if got := rule.Annotations["runbook_url"]; got != link(rule.Alert) {
			t.Errorf("%s has the runbook_url %q, want %q", rule.Alert, got, link(rule.Alert))
		}
	}
	for name, description := range alarms(t) {
		needed[name] = true
		if !strings.HasSuffix(description, " See "+link(name)) {
			t.Errorf("the alarm %s has no link to its section: %s", name, description)
		}
	}
	sections, order := runbook(t)
	slices.Sort(order)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(needed)), order); diff != "" {
		t.Errorf("sections of docs/runbook.md (-alerts +sections):\n%s", diff)
	}
	shape := regexp.MustCompile(
		`(?s)^\n\*\*Meaning\.\*\* .+\n\n\*\*Check\.\*\*\n\n1\. .+\n\n\*\*Do\.\*\*\n\n1\. .+$`)
	for name, body := range sections {
		if !shape.MatchString(body) {
			t.Errorf("%s does not have its three parts in order", name)
		}
	}
}

// TestRunbookNames checks that the metrics, settings, log messages and fields of the log that
// docs/runbook.md names exist.
func TestRunbookNames(t *testing.T) {
	t.Parallel()
	p, _ := keysServer(t, "--metrics-addr", "127.0.0.1:0")
	p.Serving()
	series := harness.Scrape(t, p.Noted("Metrics on "))
	metrics := map[string]bool{}
	for s := range series {
		name, _, _ := strings.Cut(s, "{")
		metrics[name] = true
		if histogram, ok := strings.CutSuffix(name, "_bucket"); ok {
			metrics[histogram] = true
		}
	}
	read := func(name string) string {
		text, err := os.ReadFile("docs/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	text, settings := read("runbook"), read("production")+read("limits")
	fields := read("observability")
	messages := logMessages(t, anyMessage)
	checked := map[string]int{}
	each := func(kind, pattern string, exists func(string) bool) {
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			if checked[kind]++; !exists(found[1]) {
				t.Errorf("there is no %s %q", kind, found[1])
			}
		}
	}
	each("metric", `\b((?:issuegrid|go|process)_[a-z_]+[a-z])`, func(name string) bool { return metrics[name] })
	each("setting", "`--([a-z-]+)`", func(name string) bool {
		return strings.Contains(settings, "`--"+name+"=") || strings.Contains(settings, "`--"+name+"`")
	})
	each("log message", `\.msg == "([^"]+)"`, func(message string) bool {
		return slices.Contains(messages, strings.ReplaceAll(message, `'\''`, "'"))
	})
	each("beginning of a log message", `\.msg \| startswith\("([^"]+)"\)`, func(message string) bool {
		return slices.ContainsFunc(messages, func(m string) bool { return strings.HasPrefix(m, message) })
	})
	for _, line := range regexp.MustCompile(`log \| jq [^'\n]*'((?:[^'\n]|'\\'')*)'`).
		FindAllStringSubmatch(text, -1) {
		program := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(line[1], "")
		for _, field := range regexp.MustCompile(`\.([a-z_]+)`).FindAllStringSubmatch(program, -1) {
			if checked["field"]++; !strings.Contains(fields, "`"+field[1]+"`") {
				t.Errorf("the log has no field %q: %s", field[1], line[1])
			}
		}
	}
	for kind, least := range map[string]int{"metric": 40, "setting": 10, "log message": 10, "field": 40,
		"beginning of a log message": 2} {
		if checked[kind] < least {
			t.Errorf("%d of kind %s were found, want at least %d", checked[kind], kind, least)
		}
	}
}
