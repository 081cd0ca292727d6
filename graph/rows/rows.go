// Package rows writes the rows of grids. They are most of what the server writes: 100 rows of 8 cells are a
// thousand objects, and the generated executor resolves each of them with about twenty allocations. This
// package compiles the selection once per page, into one function per column that appends JSON. Writing a row
// then calls these functions in order. The only way in is [Write].
//
// Law: the response is the same, byte for byte, as that of the generated executor. If the selection contains
// anything that is not compiled (a project within a row, @defer, arguments in unusual forms) or if a row
// fails, the executor writes the whole list. A test of package graph compares the two.
package rows

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// Answer is the response that the rows become part of.
type Answer interface {
	// Active reports whether the response is still being made.
	Active(ctx context.Context) bool
	// Room returns how many more bytes the response may have.
	Room() int
	// Count counts a row of some bytes, as the last one of a list that has n bytes so far.
	Count(ctx context.Context, row, n int)
	// MaxErrors returns how many errors the response shows.
	MaxErrors() int
}

// Result is what became of a list.
type Result int

const (
	// Written means that the JSON is that of the list.
	Written Result = iota
	// Unsupported means that the selection is not compiled, or that what it needs could not be read.
	Unsupported
	// Failed means that a row has failed. The executor fails in the same way, and reports the error at its
	// path.
	Failed
	// Ended means that the response is not written any more.
	Ended
)

// Write returns the JSON of a list of rows, which is the value of the field of ctx. It adds the errors of
// cells to the response.
func Write(ctx context.Context, list List, answer Answer) ([]byte, Result) {
	first := list.issue(0)
	c := &compiler{ctx: ctx, op: graphql.GetOperationContext(ctx), definition: first.Definition,
		answer: answer, room: answer.Room()}
	write := list.compile(c, graphql.GetFieldContext(ctx).Field)
	if write == nil || !c.readPeople(list) {
		return nil, Unsupported
	}
	b := []byte{'['}
	for i := range list.len() {
		if !answer.Active(ctx) {
			return nil, Ended
		}
		before := len(b)
		if i == 1 {
			b = slices.Grow(b, min(c.room, list.len()*(len(b)+len(b)/8))) // rows have similar sizes
		}
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = write(b, row{list.issue(i), list.edge(i), i}); errors.Is(err, errAnswerFull) {
			answer.Count(ctx, 0, c.room+1)
			return nil, Ended
		} else if err != nil {
			return nil, Failed
		}
		answer.Count(ctx, len(b)-before, len(b))
	}
	if !answer.Active(ctx) {
		return nil, Ended
	}
	for _, report := range c.problems {
		report()
	}
	return append(b, ']'), Written
}

// Of returns a list of issues, or of edges with issues, that is not empty. ok is false for anything else.
func Of(resolved any) (list List, ok bool) {
	switch all := resolved.(type) {
	case []*model.Issue:
		list = nodeRows(all)
	case []*model.IssueEdge:
		list = edgeRows(all)
	default:
		return nil, false
	}
	return list, list.len() > 0
}

// row is the input of a cellWriter.
type row struct {
	issue *model.Issue
	edge  *model.IssueEdge // nil in a list of nodes
	index int
}

// cellWriter appends the JSON of one part of a row.
type cellWriter func(b []byte, r row) ([]byte, error)

// List is a list of nodes or edges.
type List interface {
	len() int
	issue(i int) *model.Issue
	edge(i int) *model.IssueEdge
	compile(c *compiler, f graphql.CollectedField) cellWriter
}

type nodeRows []*model.Issue

func (n nodeRows) len() int                  { return len(n) }
func (n nodeRows) issue(i int) *model.Issue  { return n[i] }
func (n nodeRows) edge(int) *model.IssueEdge { return nil }
func (n nodeRows) compile(c *compiler, f graphql.CollectedField) cellWriter {
	if slices.ContainsFunc(n, func(i *model.Issue) bool { return i.Definition != c.definition }) {
		return nil // rows of several projects
	}
	return c.issue(f)
}

type edgeRows []*model.IssueEdge

func (e edgeRows) len() int                    { return len(e) }
func (e edgeRows) issue(i int) *model.Issue    { return e[i].Node }
func (e edgeRows) edge(i int) *model.IssueEdge { return e[i] }
func (e edgeRows) compile(c *compiler, f graphql.CollectedField) cellWriter {
	return c.object(f, "IssueEdge", nil, func(f graphql.CollectedField) cellWriter {
		switch f.Name {
		case "cursor":
			return func(b []byte, r row) ([]byte, error) {
				cursor, err := r.edge.Cursor()
				return appendString(b, cursor), err
			}
		case "node":
			c.node = f.Alias
			return c.issue(f)
		}
		return nil
	})
}

// compiler compiles the selection below a list of rows of one project. Its methods return nil for a
// selection that they do not support.
type compiler struct {
	ctx        context.Context
	op         *graphql.OperationContext
	definition *tracker.Definition
	answer     Answer
	room       int      // bytes of all rows
	node       string   // alias of the issue of an edge; empty in a list of nodes
	problems   []func() // report errors of cells after the whole list is written

	// roles are those of the participants that the rows show, with their maximum number in each row. people
	// are these participants of all rows.
	roles  map[tracker.ParticipantRole]int
	people map[tracker.Participant]model.Participant
}

// errAnswerFull means that a row does not fit in the remaining bytes of the response.
var errAnswerFull = errors.New("the answer has no room for the row")

// object compiles an object of the type typeName, which implements interfaces. member compiles each selected
// field.
func (c *compiler) object(f graphql.CollectedField, typeName string, interfaces []string,
	member func(graphql.CollectedField) cellWriter) cellWriter {
	type part struct {
		alias, key string // key includes the punctuation around it
		write      cellWriter
	}
	var parts []part
	before := `"`
	for _, m := range graphql.CollectFields(c.op, f.Selections, append(interfaces, typeName)) {
		if slices.ContainsFunc(parts, func(p part) bool { return p.alias == m.Alias }) {
			continue // selected on another type; like the executor, it is written once
		}
		write := member(m)
		if m.Name == "__typename" {
			write = constant(appendString(nil, typeName))
		}
		if write == nil || m.IsDeferred() {
			return nil
		}
		parts = append(parts, part{m.Alias, before + m.Alias + `":`, write})
		before = `,"`
	}
	return func(b []byte, r row) (_ []byte, err error) {
		b = append(b, '{')
		for i := range parts {
			b = append(b, parts[i].key...)
			if b, err = parts[i].write(b, r); err != nil {
				return nil, err
			}
			if len(b) > c.room {
				return nil, errAnswerFull
			}
		}
		return append(b, '}'), nil
	}
}

// shared returns the JSON of an object that is the same in every row. member returns that of a selected
// field. The result is nil if the selection is not compiled, or if the object does not fit.
func (c *compiler) shared(f graphql.CollectedField, typeName string, interfaces []string,
	member func(graphql.CollectedField) []byte) []byte {
	write := c.object(f, typeName, interfaces, func(f graphql.CollectedField) cellWriter {
		if json := member(f); json != nil {
			return constant(json)
		}
		return nil
	})
	if write == nil {
		return nil
	}
	json, _ := write(nil, row{})
	return json
}

func (c *compiler) issue(f graphql.CollectedField) cellWriter {
	return c.object(f, "Issue", []string{"Node"}, func(f graphql.CollectedField) cellWriter {
		switch f.Name {
		case "id":
			return stringMember((*model.Issue).ID)
		case "num":
			return intMember(func(i *model.Issue) int64 { return int64(i.Num()) })
		case "name":
			return stringMember((*model.Issue).Name)
		case "createdAt":
			return stringMember(func(i *model.Issue) string { return string(i.CreatedAt()) })
		case "updatedAt":
			return stringMember(func(i *model.Issue) string { return string(i.UpdatedAt()) })
		case "createdByName":
			return nullableMember((*model.Issue).CreatedByName)
		case "updatedByName":
			return nullableMember((*model.Issue).UpdatedByName)
		case "version":
			return intMember(func(i *model.Issue) int64 { return int64(i.Version()) })
		case "assigneeCount":
			return intMember(func(i *model.Issue) int64 { return int64(i.AssigneeCount()) })
		case "watcherCount":
			return intMember(func(i *model.Issue) int64 { return int64(i.WatcherCount()) })
		case "assignees":
			return c.participants(f, tracker.RoleAssignee)
		case "watchers":
			return c.participants(f, tracker.RoleWatcher)
		case "author":
			return c.user(f, tracker.RoleAuthor)
		case "lastEditor":
			return c.user(f, tracker.RoleEditor)
		case "description":
			return c.description
		case "state":
			return c.state(f)
		case "value":
			return c.value(f)
		case "values":
			return c.values(f)
		}
		return nil
	})
}

func (c *compiler) value(f graphql.CollectedField) cellWriter {
	id, ok := f.ArgumentMap(c.op.Variables)["fieldId"].(string)
	if !ok {
		return nil
	}
	field, err := model.FieldOf(c.definition, id)
	if err != nil {
		return c.missingField(f, tracker.MissingAt("fieldId", err))
	}
	return c.cell(f, field, true)
}

// missingField writes the cells of a field that does not exist. They fail in every row: each is null, with
// one error per cell, up to one more than the response shows.
func (c *compiler) missingField(f graphql.CollectedField, err error) cellWriter {
	shown, node := 0, c.node
	return func(b []byte, r row) ([]byte, error) {
		if shown <= c.answer.MaxErrors() {
			shown++
			ctx := graphql.WithPathContext(c.ctx, graphql.NewPathWithIndex(r.index))
			if node != "" {
				ctx = graphql.WithPathContext(ctx, graphql.NewPathWithField(node))
			}
			ctx = graphql.WithPathContext(ctx, graphql.NewPathWithField(f.Alias))
			at := &gqlerror.Error{Err: err, Message: err.Error(), Path: graphql.GetPath(ctx),
				Locations: []gqlerror.Location{{Line: f.Position.Line, Column: f.Position.Column}}}
			c.problems = append(c.problems, func() { graphql.AddError(ctx, at) })
		}
		return append(b, "null"...), nil
	}
}

func (c *compiler) values(f graphql.CollectedField) cellWriter {
	fields, sparse := c.definition.Fields, true
	if given, present := f.ArgumentMap(c.op.Variables)["fieldIds"]; present && given != nil {
		ids := graphql.CoerceList(given)
		if len(ids) > tracker.MaxFields {
			return nil
		}
		fields, sparse = make([]*tracker.Field, len(ids)), false
		for i := range ids {
			id, ok := ids[i].(string)
			if !ok {
				return nil
			}
			var err error
			if fields[i], err = model.FieldOf(c.definition, id); err != nil {
				return nil
			}
		}
	}
	cells := make([]cellWriter, len(fields))
	for i, field := range fields {
		if cells[i] = c.cell(f, field, !sparse); cells[i] == nil {
			return nil
		}
	}
	return func(b []byte, r row) (_ []byte, err error) {
		b = append(b, '[')
		empty := len(b)
		for _, write := range cells {
			comma := len(b)
			if comma > empty {
				b = append(b, ',')
			}
			start := len(b)
			if b, err = write(b, r); err != nil {
				return nil, err
			}
			if len(b) == start { // no value, nothing written
				b = b[:comma]
			}
		}
		return append(b, ']'), nil
	}
}

// cell compiles the value of a field. For a row without a value it writes null if null is true, and nothing
// otherwise.
func (c *compiler) cell(f graphql.CollectedField, field *tracker.Field, null bool) cellWriter {
	kind, names := valueTypes[field.Type], model.ValueTypes[field.Type]
	object := c.object(f, names.Object, []string{"CustomValue"}, func(f graphql.CollectedField) cellWriter {
		switch f.Name {
		case "field":
			return c.field(f, field)
		case "display":
			if kind.stored {
				return storedText(c.ctx, field)
			}
			return display(field)
		case names.Selected:
			return kind.write(c, f, field)
		case "user":
			return c.user(f, tracker.FieldRole(field.ID))
		case "bytes":
			return func(b []byte, r row) ([]byte, error) {
				v := r.issue.View(field).(*model.LongTextValue)
				return strconv.AppendInt(b, int64(v.Bytes()), 10), nil
			}
		case "excerpt":
			return func(b []byte, r row) ([]byte, error) {
				return appendNullable(b, r.issue.View(field).(*model.LongTextValue).Excerpt()), nil
			}
		}
		return nil
	})
	if object == nil {
		return nil
	}
	return func(b []byte, r row) ([]byte, error) {
		if r.issue.Issue.Values[field.ID].Kind != tracker.KindNone {
			return object(b, r)
		}
		if null {
			b = append(b, "null"...)
		}
		return b, nil
	}
}

func constant(json []byte) cellWriter {
	return func(b []byte, _ row) ([]byte, error) { return append(b, json...), nil }
}
