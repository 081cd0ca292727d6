package graph

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/model"
	"issuegrid/graph/rows"
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
	roles                 map[tracker.ParticipantRole]int // of selected participants, with their number
	comments              bool                            // the numbers of comments
}

func newSelected(ctx context.Context, d *tracker.Definition) *selected {
	return &selected{op: graphql.GetOperationContext(ctx), definition: d, fields: map[tracker.FieldID]bool{},
		roles: map[tracker.ParticipantRole]int{}}
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
			s.pageInfo(f)
		case "explain":
			s.rows, s.explain = true, true
		case "incomplete":
			s.rows = true
		}
	}
	s.long = s.columns()
	return s
}

// rowsSelect reports whether a field is selected of the rows, of a type, of the list that is being resolved.
func rowsSelect(ctx context.Context, kind, field string) bool {
	return hasField(rowFields(ctx, kind), field)
}

// hasField reports whether a field is among fields, under any alias.
func hasField(fields []graphql.CollectedField, name string) bool {
	return slices.ContainsFunc(fields, func(f graphql.CollectedField) bool { return f.Name == name })
}

// rowFields returns the fields that are selected of the rows, of a type, of the list that is being resolved.
func rowFields(ctx context.Context, kind string) (all []graphql.CollectedField) {
	s := newSelected(ctx, nil)
	for _, f := range s.below(graphql.GetFieldContext(ctx).Field, kind+"Connection") {
		switch f.Name {
		case "nodes":
			all = append(all, s.below(f, kind, "Node")...)
		case "edges":
			for _, f := range s.below(f, kind+"Edge") {
				if f.Name == "node" {
					all = append(all, s.below(f, kind, "Node")...)
				}
			}
		}
	}
	return all
}

// groupsSelection describes the selection below groups.
type groupsSelection struct {
	*selected
	grids int // of each group
}

// groupsSelectionOf inspects the fields below the groups that are being resolved.
func groupsSelectionOf(ctx context.Context) groupsSelection {
	s := newSelected(ctx, nil)
	out := groupsSelection{selected: s}
	group := func(f graphql.CollectedField) {
		for _, f := range s.below(f, "IssueGroup") {
			if f.Name == "issues" {
				out.grids++
			}
		}
	}
	for _, f := range s.below(graphql.GetFieldContext(ctx).Field, "IssueGroupConnection") {
		switch f.Name {
		case "nodes":
			group(f)
		case "edges":
			for _, e := range s.below(f, "IssueGroupEdge") {
				if e.Name == "node" {
					group(e)
				}
			}
		case "pageInfo":
			s.pageInfo(f)
		}
	}
	return out
}

// prefetchBelow starts reading the selected long texts and participants of the issues among nodes, so that
// they share their calls. nodes is the result of the field that is being resolved. It does nothing for edges
// of grids: readGrid prefetches what they need.
func prefetchBelow(ctx context.Context, nodes ...model.Node) {
	field := graphql.GetFieldContext(ctx)
	if field.Object == "IssueEdge" {
		return
	}
	texts, issues := map[model.Reads][]tracker.LongRef{}, map[model.Reads][]*model.Issue{}
	for _, n := range nodes {
		i, ok := n.(*model.Issue)
		if !ok || i == nil {
			continue
		}
		issues[i.Loaders] = append(issues[i.Loaders], i)
		if hasLong(i.Issue) {
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
	for tenant, all := range issues {
		s := newSelected(ctx, &tracker.Definition{})
		s.issue(field.Field)
		s.prefetchRelated(ctx, tenant, all)
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

// pageInfo notes the selected flags of a page.
func (s *selected) pageInfo(f graphql.CollectedField) {
	for _, p := range s.below(f, "PageInfo") {
		s.hasNext = s.hasNext || p.Name == "hasNextPage"
		s.hasPrevious = s.hasPrevious || p.Name == "hasPreviousPage"
	}
}

func (s *selected) issue(f graphql.CollectedField) {
	for _, f := range s.below(f, "Issue", "Node") {
		switch f.Name {
		case "id", "num", "name", "state", "createdAt", "updatedAt", "createdByName", "updatedByName",
			"version", "assignees", "assigneeCount", "watchers", "watcherCount", "author", "lastEditor",
			"comments", "commentSummary", "commentLanguages", "__typename":
		case "description":
			s.description = true
		default:
			s.values = true
		}
		switch f.Name {
		case "value":
			s.value(f, []any{f.ArgumentMap(s.op.Variables)["fieldId"]})
		case "values":
			if ids := f.ArgumentMap(s.op.Variables)["fieldIds"]; ids != nil {
				s.value(f, graphql.CoerceList(ids))
				continue
			}
			s.allLongs = s.allLongs || s.text(f)
			if s.user(f) {
				for _, field := range s.definition.Fields {
					s.roles[tracker.FieldRole(field.ID)] = 1
				}
			}
		case "assignees":
			s.participants(f, tracker.RoleAssignee)
		case "watchers":
			s.participants(f, tracker.RoleWatcher)
		case "author":
			s.roles[tracker.RoleAuthor] = 1
		case "lastEditor":
			s.roles[tracker.RoleEditor] = 1
		case "commentSummary":
			s.comments = s.comments || f.ArgumentMap(s.op.Variables)["language"] == nil
		}
	}
}

// value notes what is selected of the values of fields with some ids.
func (s *selected) value(f graphql.CollectedField, ids []any) {
	text, user := s.text(f), s.user(f)
	if !text && !user {
		return
	}
	for _, id := range ids {
		id, _ := id.(string)
		field, err := model.FieldOf(s.definition, id)
		if err != nil {
			continue
		}
		if s.fields[field.ID] = s.fields[field.ID] || text; user {
			s.roles[tracker.FieldRole(field.ID)] = 1
		}
	}
}

func (s *selected) participants(f graphql.CollectedField, role tracker.ParticipantRole) {
	if first, ok := rows.FirstParticipants(f, s.op); ok {
		s.roles[role] = max(s.roles[role], first)
	}
}

// prefetchRelated starts to read the users, the teams and the numbers of comments that the selection shows of
// issues of one tenant, so that they share their calls.
func (s *selected) prefetchRelated(ctx context.Context, l model.Reads, issues []*model.Issue) {
	if all := rows.Participants(issues, s.roles); len(all) > 0 {
		l.People().Prefetch(ctx, all)
	}
	if s.comments && len(issues) > 0 {
		ids := make([]tracker.IssueID, len(issues))
		for n, i := range issues {
			ids[n] = i.Issue.ID
		}
		l.Comments().PrefetchCounts(ctx, ids)
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

// user reports whether the user of a value is selected.
func (s *selected) user(f graphql.CollectedField) bool {
	return hasField(s.below(f, "CustomValue", "UserValue"), "user")
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
