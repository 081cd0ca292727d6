package dynamo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// grouping opens the fixture's table for the tenant acme, with or without grouped bulk writes. Its requests
// do not pass through f.wire.
func (f *fixture) grouping(group bool) *dynamo.Tenant {
	f.Helper()
	store, _ := f.server(func(s *dynamo.Settings) { s.GroupWrites = group })
	return store
}

// TestPutIssues checks that bulk writes put entries before documents, and that repeating them leaves the same
// items.
//
//test:engine
func TestPutIssues(t *testing.T) {
	for _, group := range []bool{false, true} {
		t.Run(fmt.Sprintf("grouped %t", group), func(t *testing.T) {
			f := setup(t, func(s *dynamo.Settings) { s.GroupWrites = group })
			var issues []tracker.Issue
			for num := int64(1); num <= 30; num++ {
				values := fullValues()
				if num%10 == 0 {
					values["flong"] = tracker.Text(incompressible(1 << 20))
				}
				issues = append(issues, tracker.Issue{ID: tracker.IssueID{Project: project,
					Issue: fmt.Sprintf("i%d", num)}, Num: num, Name: "x", State: "open",
					Description: tracker.Text(strings.Repeat("words ", 100)), Created: day(1),
					Values: values})
			}
			// The first run fails at the first document.
			operation := "BatchWriteItem"
			if group {
				operation = "TransactWriteItems"
			}
			f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
				if r.Operation == operation && strings.Contains(string(r.Body), `"SK":{"S":"acme/project-p1"}`) {
					return dynamotest.Refusal("ValidationException", "internal-detail")
				}
				return send(r)
			})
			wantCode(t, f.store.PutIssues(t.Context(), f.d, issues), tracker.InternalErr)
			docs, entries := f.raw.ordered("acme/project-p1"), f.raw.ordered("acme/xvalue-p1.name")
			if len(docs) > 0 || len(entries) != len(issues) {
				t.Errorf("%d documents were written, want none, and %d of %d entries", len(docs),
					len(entries),
					len(issues))
			}
			f.wire.Intercept(nil)
			for range 2 {
				f.must(f.store.PutIssues(t.Context(), f.d, issues))
				var docs []*document
				for _, i := range issues {
					doc := documentOf(acme, f.read(i.ID), i.Description.Text(), i.Values)
					if verify(t, f.raw, f.d, doc); !doc.created.Equal(day(1)) || !doc.updated.Equal(day(1)) ||
						doc.version != 1 {
						t.Errorf("created %v, updated %v, version %d", doc.created, doc.updated, doc.version)
					}
					docs = append(docs, doc)
				}
				verifyIndex(t, f.raw, f.d, docs, ofAcme)
			}
		})
	}
}

// TestDocumentsThatAreTooLarge checks that a bulk write with an oversized document fails before anything is
// written. The document selects many options in many fields.
//
//test:engine
func TestDocumentsThatAreTooLarge(t *testing.T) {
	f := setup(t)
	var fields []*tracker.Field
	values := map[tracker.FieldID]tracker.Value{}
	all := make([]string, tracker.MaxOptions)
	for n := range all {
		all[n] = fmt.Sprintf("%032d", n)
	}
	for n := range 25 {
		id := tracker.FieldID(fmt.Sprintf("f%d", n))
		fields = append(fields, &tracker.Field{ID: id, Type: tracker.TypeMultiSelect})
		values[id] = tracker.Set(all)
	}
	before := f.raw.items("acme/")
	err := f.store.PutIssues(t.Context(), tracker.NewDefinition(f.d.Project, fields), []tracker.Issue{
		{ID: tracker.IssueID{Project: project, Issue: "small"}, Num: 1, Name: "x", State: "open"},
		{ID: tracker.IssueID{Project: project, Issue: "huge"}, Num: 2, Name: "x", State: "open",
			Values: values}})
	wantCode(t, err, tracker.BadInput, "issue 2", "bytes", "395000")
	if diff := cmp.Diff(before, f.raw.items("acme/")); diff != "" {
		t.Errorf("something was written:\n%s", diff)
	}
}
