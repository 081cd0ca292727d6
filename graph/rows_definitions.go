package graph

import (
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// Definitions are the same in every row, so their JSON is encoded once.

// field encodes the definition of a field.
func (c *rowCompiler) field(f graphql.CollectedField, field *tracker.Field) cellWriter {
	view := model.CustomField{Field: field, Definition: c.definition}
	write := c.object(f, "CustomField", []string{"Node"}, func(f graphql.CollectedField) cellWriter {
		switch f.Name {
		case "id":
			return constant(appendString(nil, view.ID()))
		case "name":
			return constant(appendString(nil, view.Name()))
		case "description":
			return constant(appendString(nil, view.Description()))
		case "type":
			return constant(appendString(nil, string(view.Type())))
		case "required":
			return constant(strconv.AppendBool(nil, view.Required()))
		case "sortable":
			return constant(strconv.AppendBool(nil, view.Sortable()))
		case "filterable":
			return constant(strconv.AppendBool(nil, view.Filterable()))
		case "position":
			return constant(strconv.AppendInt(nil, int64(view.Position()), 10))
		case "options":
			return c.options(f, view.Options())
		case "archived":
			return constant(strconv.AppendBool(nil, view.Archived()))
		case "rebuilding":
			return constant(strconv.AppendBool(nil, view.Rebuilding()))
		}
		return nil
	})
	if write == nil {
		return nil
	}
	b, _ := write(nil, row{})
	return constant(b)
}

func (c *rowCompiler) options(f graphql.CollectedField, all []*model.Option) cellWriter {
	answer := &session(c.ctx).answer
	list := []byte{'['}
	for i, o := range all {
		if i > 0 {
			list = append(list, ',')
		}
		b := c.option(f, o)
		if b == nil {
			return nil
		}
		list = append(list, b...)
		if answer.countRow(c.ctx, len(b), len(list)); len(list) > c.maxBytes || !answer.active(c.ctx) {
			return nil // the executor reaches the same limit
		}
	}
	return constant(append(list, ']'))
}

// option encodes an option of a field. It returns nil if the selection is not compiled.
func (c *rowCompiler) option(f graphql.CollectedField, o *model.Option) []byte {
	write := c.object(f, "Option", nil, func(f graphql.CollectedField) cellWriter {
		switch f.Name {
		case "id":
			return constant(appendString(nil, o.ID()))
		case "name":
			return constant(appendString(nil, o.Name()))
		case "color":
			return constant(appendNullable(nil, o.Color()))
		}
		return nil
	})
	if write == nil {
		return nil
	}
	b, _ := write(nil, row{})
	return b
}
