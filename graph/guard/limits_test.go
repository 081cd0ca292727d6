package guard_test

import (
	"fmt"
	"reflect"
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
	fields := reflect.TypeFor[guard.Limits]()
	for i := range fields.NumField() {
		l := guard.DefaultLimits()
		reflect.ValueOf(&l).Elem().Field(i).SetInt(-1)
		err := l.Check()
		name := fields.Field(i).Name
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

// TestLimitsAreDefined checks that each field has one definition, in the order of the fields.
func TestLimitsAreDefined(t *testing.T) {
	var defined, fields []string
	for _, d := range guard.LimitDefinitions() {
		defined = append(defined, fmt.Sprintf("%s %T", d.Name, d.Default))
	}
	for f := range reflect.TypeFor[guard.Limits]().Fields() {
		fields = append(fields, fmt.Sprint(f.Name, " ", f.Type))
	}
	if diff := cmp.Diff(fields, defined); diff != "" {
		t.Errorf("fields and definitions (-fields +definitions):\n%s", diff)
	}
}
