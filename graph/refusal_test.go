package graph_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/tracker"
)

// refusal is an operation that must be refused, with the expected error.
type refusal struct {
	name      string
	query     string
	variables map[string]any
	code      tracker.Code
	argument  string   // extensions.argument; empty if there is none, and for any that namesObject matches
	says      []string // strings that the message must contain
}

// namesObject matches the arguments that name an object, which an error that there is none is about.
var namesObject = regexp.MustCompile(`^(.*\.)?(id|key|name|num|\w+Id)$|^(ids|fieldIds)\[\d+\]$`)

// refuses sends operations, each of which must have one error and write nothing.
func (s *server) refuses(t *testing.T, refusals []refusal) {
	t.Helper()
	for _, r := range refusals {
		t.Run(r.name, func(t *testing.T) {
			s.wire.Reset()
			a := s.ask(t, r.query, r.variables)
			refusals := a.refusals()
			if len(refusals) != 1 {
				t.Fatalf("%d errors, want 1: %+v\n%.500s", len(refusals), refusals, r.query)
			}
			e := refusals[0]
			argument, _ := e.Extensions["argument"].(string)
			if r.code == tracker.NotFound && r.argument == "" && namesObject.MatchString(argument) {
				argument = ""
			}
			if diff := cmp.Diff([]string{string(r.code), r.argument},
				[]string{fmt.Sprint(e.Extensions["code"]), argument}); diff != "" {
				t.Errorf("code and argument (-want +got):\n%s%s", diff, e.Message)
			}
			for _, says := range r.says {
				if !strings.Contains(e.Message, says) {
					t.Errorf("the message %q does not name %q", e.Message, says)
				}
			}
			if calls := s.wire.Calls(); calls["TransactWriteItems"]+calls["BatchWriteItem"]+calls["PutItem"]+
				calls["DeleteItem"] > 0 && r.code == tracker.BadInput {
				t.Errorf("a refused operation wrote: %v", calls)
			}
		})
	}
}
