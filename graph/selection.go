package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// selected describes the selection below a grid, to decide what to read. It only saves calls: data that it
// misses is read by the field that needs it.
type selected struct {
	rows                  bool // anything but the count
	hasNext, hasPrevious  bool
	explain               bool
	values                bool             // a member of issues that is not a built-in column
	long                  []tracker.Column // whose long texts are selected
	op                    *graphql.OperationContext
	definition            *tracker.Definition
	description, allLongs bool
	fields                map[tracker.FieldID]bool
}

func newSelected(ctx context.Context, d *tracker.Definition) *selected {
	return &selected{op: graphql.GetOperationContext(ctx), definition: d, fields: map[tracker.FieldID]bool{}}
}

// selectionOf inspects the fields below the connection that is being resolved.
func selectionOf(ctx context.Context, d *tracker.Definition) *selected {
	s := newSelected(ctx, d)
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
		case "explain":
			s.rows, s.explain = true, true
		case "incomplete":
			s.rows = true
		}
	}
	s.long = s.columns()
	return s
}

// prefetchTexts starts reading the selected long texts of the issues among nodes, so that they share their
// calls. nodes is the result of the field that is being resolved. It does nothing for edges of grids:
// readGrid prefetches their texts.
func prefetchTexts(ctx context.Context, nodes ...model.Node) {
	field := graphql.GetFieldContext(ctx)
	if field.Object == "IssueEdge" {
		return
	}
	texts := map[model.Reads][]tracker.LongRef{}
	for _, n := range nodes {
		if i, ok := n.(*model.Issue); ok && i != nil && hasLong(i.Issue) {
			s := newSelected(ctx, i.Definition)
			s.issue(field.Field)
			if refs := appendLong(texts[i.Loaders], i.Issue, s.columns()); len(refs) > 0 {
				texts[i.Loaders] = refs
			}
		}
	}
	for tenant, refs := range texts {
		tenant.Prefetch(ctx, refs)
	}
}

// hasLong reports whether an issue has a long text, which is stored outside its document.
func hasLong(i *tracker.Issue) bool {
	if i.Description.Kind == tracker.KindLong {
		return true
	}
	for _, v := range i.Values {
		if v.Kind == tracker.KindLong {
			return true
		}
	}
	return false
}

func (s *selected) below(f graphql.CollectedField, satisfies ...string) []graphql.CollectedField {
	return graphql.CollectFields(s.op, f.Selections, satisfies)
}

func (s *selected) issue(f graphql.CollectedField) {
	for _, f := range s.below(f, "Issue", "Node") {
		switch f.Name {
		case "id", "num", "name", "state", "createdAt", "updatedAt", "createdBy", "updatedBy", "version",
			"__typename":
		case "description":
			s.description = true
		default:
			s.values = true
		}
		switch f.Name {
		case "value":
			if s.text(f) {
				s.field(f.ArgumentMap(s.op.Variables)["field"])
			}
		case "values":
			if !s.text(f) {
				continue
			}
			ids := f.ArgumentMap(s.op.Variables)["fields"]
			s.allLongs = s.allLongs || ids == nil
			for _, id := range graphql.CoerceList(ids) {
				s.field(id)
			}
		}
	}
}

// text reports whether the string of a value is selected.
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

// columns returns the columns whose long texts are selected.
func (s *selected) columns() []tracker.Column {
	var out []tracker.Column
	if s.description {
		out = append(out, tracker.ColumnDescription)
	}
	for _, f := range s.definition.Fields {
		if (s.allLongs || s.fields[f.ID]) && f.Type.LongTexts() {
			out = append(out, f.ID.Column())
		}
	}
	return out
}
