package graph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// filtered is the definition of a project with a field of every type, whose ID is the type's name in lower
// case.
var filtered = func() *tracker.Definition {
	p := tracker.Project{ID: "p", Tenant: "t", Key: "P",
		States: []tracker.State{{ID: "new", Name: "new"}, {ID: "open", Name: "open"},
			{ID: "done", Name: "done"}}}
	var fields []*tracker.Field
	for _, kind := range tracker.FieldTypes {
		f := &tracker.Field{ID: idOf(kind), Name: string(kind), Type: kind, Required: true}
		if kind.HasOptions() {
			f.Options = []tracker.Option{{ID: "o1", Name: "1"}, {ID: "o2", Name: "2"}, {ID: "o3", Name: "3"}}
		}
		fields = append(fields, f)
	}
	return tracker.NewDefinition(p, fields)
}()

func idOf(kind tracker.FieldType) tracker.FieldID {
	return tracker.FieldID(strings.ReplaceAll(strings.ToLower(string(kind)), "_", ""))
}

// stateOf and optionOf return the opaque IDs of a state and of an option of the field of a type.
func stateOf(s tracker.OptionID) string { return model.StateID("t", "p", s) }

func optionOf(kind tracker.FieldType, o tracker.OptionID) string {
	return model.OptionID("t", "p", idOf(kind), o)
}

// onField returns a filter on the field of a type.
func onField(kind tracker.FieldType, f model.CustomFieldFilter) *model.IssueFilter {
	f.FieldID = model.FieldNodeID("t", "p", idOf(kind))
	return &model.IssueFilter{Fields: []*model.CustomFieldFilter{&f}}
}

// onFields returns the JSON of a filter on the field of a type, with members such as `"tags":{"hasAny":[]}`,
// each in a separate filter.
func onFields(kind tracker.FieldType, members ...string) string {
	for i := range members {
		members[i] = fmt.Sprintf(`{"fieldId":%q,%s}`, model.FieldNodeID("t", "p", idOf(kind)), members[i])
	}
	return `{"fields":[` + strings.Join(members, ",") + `]}`
}

// parse is the JSON of a filter, and the expected condition.
type parse struct {
	in   string
	want filter.Condition
}

// parses compares the conditions of filters.
func parses(t *testing.T, now time.Time, cases ...parse) {
	t.Helper()
	for _, c := range cases {
		got, err := graph.ParseFilterAt(filtered, decode[*model.IssueFilter](t, []byte(c.in)), now)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
		} else if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.in, diff)
		}
	}
}
