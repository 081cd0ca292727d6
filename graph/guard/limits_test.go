package guard_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/graph/guard"
	"issuegrid/tracker"
)

func TestLimitsCheck(t *testing.T) {
	if err := guard.DefaultLimits().Check(); err != nil {
		t.Errorf("Check of the default limits: %v", err)
	}
	for _, name := range limitNames() {
		l := guard.DefaultLimits()
		reflect.ValueOf(&l).Elem().FieldByName(name).SetInt(-1)
		err := l.Check()
		if e, ok := err.(*tracker.Error); !ok || e.Code != tracker.BadInput || e.Path != name ||
			!strings.Contains(e.Message, "-1") {
			t.Errorf("%s of -1: %v", name, err)
		}
	}
	l := guard.DefaultLimits()
	if l.Body = guard.MaxBody; l.Check() != nil {
		t.Error(l.Check())
	}
	if l.Body++; tracker.CodeOf(l.Check()) != tracker.BadInput {
		t.Error("Check allows a body larger than the maximum")
	}
	defer func() {
		if recover() == nil {
			t.Error("New did not panic for limits that are out of range")
		}
	}()
	guard.New(nil, nil, nil, guard.Options{Limits: guard.Limits{Body: 1}})
}

// limitNames returns the names of all limits, sorted.
func limitNames() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[guard.Limits]()) {
		if !f.Anonymous {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names
}

// TestLimitsAreDefined checks that each limit has one definition, which says whether it is fixed.
func TestLimitsAreDefined(t *testing.T) {
	var defined []string
	for _, d := range guard.LimitDefinitions() {
		defined = append(defined, d.Name)
		if _, fixed := reflect.TypeFor[guard.Fixed]().FieldByName(d.Name); fixed != d.Fixed {
			t.Errorf("%s: fixed %t, the definition says %t", d.Name, fixed, d.Fixed)
		}
	}
	slices.Sort(defined)
	if diff := cmp.Diff(limitNames(), defined); diff != "" {
		t.Errorf("limits and definitions (-limits +definitions):\n%s", diff)
	}
}
