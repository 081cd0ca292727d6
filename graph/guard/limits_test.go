package guard_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/graph/guard"
	"issuegrid/tracker"
)

func TestLimitsCheck(t *testing.T) {
	if err := guard.DefaultLimits().Check(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	fields := reflect.TypeFor[guard.Limits]()
	for i := range fields.NumField() {
		l := guard.DefaultLimits()
		reflect.ValueOf(&l).Elem().Field(i).SetInt(-1)
		err := l.Check()
		name := fields.Field(i).Name
		if e, ok := err.(*tracker.Error); !ok || e.Code != tracker.BadInput || e.Path != name || !strings.Contains(e.Message, "-1") {
			t.Errorf("%s of -1: %v", name, err)
		}
	}
	l := guard.DefaultLimits()
	if l.Body = guard.MaxBody; l.Check() != nil {
		t.Error(l.Check())
	}
	if l.Body++; tracker.CodeOf(l.Check()) != tracker.BadInput {
		t.Error("a body beyond the most is allowed")
	}
	defer func() {
		if recover() == nil {
			t.Error("a handler with limits that are out of range")
		}
	}()
	guard.New(nil, nil, guard.Options{Limits: guard.Limits{Body: 1}})
}

// TestLimitsAreDocumented compares the table in docs/limits.md with the defaults.
func TestLimitsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented, want []string
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) == 5 && strings.HasPrefix(cells[1], " `") {
			documented = append(documented, strings.Trim(cells[1], " `")+" "+strings.ReplaceAll(strings.TrimSpace(cells[2]), ",", ""))
		}
	}
	defaults := reflect.ValueOf(guard.DefaultLimits())
	for i := range defaults.NumField() {
		want = append(want, fmt.Sprint(defaults.Type().Field(i).Name, " ", defaults.Field(i).Int()))
	}
	if diff := cmp.Diff(documented, want); diff != "" {
		t.Errorf("docs/limits.md and the defaults (-first +second):\n%s", diff)
	}
}
