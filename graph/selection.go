package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// selected is what a client selected of a grid, as far as it decides what to read. It is a look ahead that saves calls; what it misses is
// read by the field that needs it.
type selected struct {
	rows                  bool // rows at all, and not only the count
	hasNext, hasPrevious  bool
	long                  []tracker.Column // whose texts are needed
	op                    *graphql.OperationContext
	definition            *tracker.Definition
	description, allLongs bool
	fields                map[tracker.FieldID]bool
}

// selectionOf looks at the fields selected below the connection that is being resolved.
func selectionOf(ctx context.Context, d *tracker.Definition) *selected {
	s := &selected{op: graphql.GetOperationContext(ctx), definition: d, fields: map[tracker.FieldID]bool{}}
	for _, f := range s.below(graphql.GetFieldContext(ctx).Field, "IssueConnection") {
		switch f.Name {
		case "edges":
			s.rows = true
			for _, e := range s.below(f, "IssueEdge") {
				if e.Name == "node" {
					s.issue(e)
				}
			}
		case "nodes":
			s.rows = true
			s.issue(f)
		case "pageInfo":
			s.rows = true
			for _, p := range s.below(f, "PageInfo") {
				s.hasNext = s.hasNext || p.Name == "hasNextPage"
				s.hasPrevious = s.hasPrevious || p.Name == "hasPreviousPage"
			}
		}
	}
	s.long = s.columns()
	return s
}

func (s *selected) below(f graphql.CollectedField, satisfies ...string) []graphql.CollectedField {
	return graphql.CollectFields(s.op, f.Selections, satisfies)
}

func (s *selected) issue(f graphql.CollectedField) {
	for _, f := range s.below(f, "Issue", "Node") {
		switch f.Name {
		case "description":
			s.description = true
		case "value":
			if s.text(f) {
				s.field(f.ArgumentMap(s.op.Variables)["field"])
			}
		case "values":
			if !s.text(f) {
				continue
			}
			ids, ok := f.ArgumentMap(s.op.Variables)["fields"].([]any)
			if !ok {
				s.allLongs = true
			}
			for _, id := range ids {
				s.field(id)
			}
		}
	}
}

// text tells whether the text of a value is selected.
func (s *selected) text(f graphql.CollectedField) bool {
	for _, v := range s.below(f, "CustomValue", "TextValue", "LongTextValue") {
		if v.Name == "display" || v.Name == "text" {
			return true
		}
	}
	return false
}

func (s *selected) field(id any) {
	if id, ok := id.(string); ok {
		if f, err := model.FieldOf(s.definition, id); err == nil {
			s.fields[f.ID] = true
		}
	}
}

// columns are the columns whose long texts are needed.
func (s *selected) columns() []tracker.Column {
	var out []tracker.Column
	if s.description {
		out = append(out, tracker.ColumnDescription)
	}
	for _, f := range s.definition.Fields {
		if (s.allLongs || s.fields[f.ID]) && (f.Type == tracker.TypeText || f.Type == tracker.TypeLongText) {
			out = append(out, f.ID.Column())
		}
	}
	return out
}
