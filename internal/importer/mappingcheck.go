package importer

import (
	"slices"
	"strings"

	"issuegrid/internal/importer/forms"
	"issuegrid/tracker"
)

// maxFormats is the maximum number of formats of a column, because each is tried for each cell.
const maxFormats = 20

// targets lists all targets, in the order of the documentation.
var targets = []Target{ToProjectKey, ToProjectName, ToRowKey, ToNum, ToName, ToState, ToCreated, ToUpdated,
	ToDescription, ToField, ToSkip}

// Check validates the mapping without a file, and sets the defaults of omitted members. Errors are BadInput
// with a path inside the mapping.
func (m *Mapping) Check() error {
	if m.Encoding != "" {
		var err error
		if m.Encoding, err = m.Encoding.check(); err != nil {
			return err
		}
	}
	switch {
	case m.Format != "" && m.Format != CSV && m.Format != JSONLines:
		return tracker.Bad("format", "unknown format %q; there are %s and %s", m.Format, CSV, JSONLines)
	case m.Delimiter != "" && (len(m.Delimiter) > 1 || !isDelimiter(m.Delimiter[0])):
		return tracker.Bad("delimiter",
			"the delimiter is one ASCII character, and neither a quote nor a line end; got %q", m.Delimiter)
	case m.Header != nil && *m.Header < 0:
		return tracker.Bad("header", "the line of the header is 1 or more, or 0 if there is none; got %d",
			*m.Header)
	case m.Rest != "" && m.Rest != restSkip:
		return tracker.Bad("rest", "the only value is %q; got %q", restSkip, m.Rest)
	case m.RowKey != "" && m.RowKey != contentKey:
		return tracker.Bad("rowKey", "the only value is %q; got %q", contentKey, m.RowKey)
	case m.Shards != 0 && tracker.CheckShards("shards", m.Shards) != nil:
		return tracker.CheckShards("shards", m.Shards)
	case m.Columns == nil && (m.RowKey != "" || m.Rest != ""):
		return tracker.Bad("columns", "a mapping with a rowKey or rest has columns; without these, columns "+
			"are inferred")
	case m.Columns == nil:
		return nil
	case len(m.Columns) == 0:
		return tracker.Bad("columns", "the mapping names no columns")
	}
	becomes := map[[2]string]*Column{}
	for i := range m.Columns {
		c := &m.Columns[i]
		if err := c.check(); err != nil {
			return tracker.At(place(i), err)
		}
		if c.To == ToSkip {
			continue
		}
		target := [2]string{string(c.To), folded(c.Name)} // only fields have names
		if other, ok := becomes[target]; ok && !c.joins(other) {
			what := string(c.To)
			if c.To == ToField {
				what = other.Name
			}
			return tracker.Bad(place(i), "the column %q already becomes %q", other.Column, what)
		}
		becomes[target] = c
	}
	return m.checkTargets()
}

// checkTargets checks that the mapping has a column for everything that every issue needs.
func (m *Mapping) checkTargets() error {
	if m.first(ToName) == nil {
		return tracker.Bad("columns", "no column becomes the name of the issues, which is required "+
			"(\"to\": %q)", ToName)
	}
	if m.first(ToProjectName) != nil && m.first(ToProjectKey) == nil {
		return tracker.Bad("columns", "a column becomes the project's name, but none its key: set "+
			"\"to\": %q for one", ToProjectKey)
	}
	keyed := m.first(ToRowKey) != nil
	if keyed && m.RowKey != "" {
		return tracker.Bad("rowKey", "a column is already the row key")
	}
	if !keyed && m.RowKey == "" && m.first(ToNum) == nil {
		return tracker.Bad("columns", "no column identifies the rows, so that a repeated import would "+
			"add them again: set \"to\": %q or %q for one column, or \"rowKey\": %q for the mapping, "+
			"which treats rows with equal cells as the same row", ToRowKey, ToNum, contentKey)
	}
	return nil
}

// joins reports whether a column has members of the same field as another one.
func (c *Column) joins(other *Column) bool {
	return c.To == ToField && c.Type == other.Type && takes(c.Type, "separator")
}

func (c *Column) check() error {
	if c.Column == "" {
		return tracker.Bad("column", "the name of a column is missing")
	}
	if c.To == "" && c.Type != "" {
		c.To = ToField
	}
	if !slices.Contains(targets, c.To) {
		return tracker.Bad("to", "unknown target %q of the column %q; there are %s", c.To, c.Column,
			list(targets))
	}
	if c.To == ToField {
		if c.Name == "" {
			c.Name = c.Column
		}
		if err := tracker.CheckNewName("name", c.Name); err != nil {
			return err
		}
		if !slices.Contains(tracker.FieldTypes, c.Type) {
			return tracker.Bad("type", "unknown type %q of the column %q; there are %s", c.Type, c.Column,
				list(tracker.FieldTypes))
		}
	}
	if err := c.checkMembers(); err != nil {
		return err
	}
	if c.Order != "" && c.Order != Appearance && c.Order != Sorted {
		return tracker.Bad("order", "unknown order %q; there are %s and %s", c.Order, Appearance, Sorted)
	}
	if c.Decimal != "" && !slices.Contains(forms.Decimals, c.Decimal) {
		return tracker.Bad("decimal", "the decimal separator is %s; got %q", `"." or ","`, c.Decimal)
	}
	if n := len(c.Formats); n > maxFormats {
		return tracker.Bad("formats", "%d formats; the limit is %d", n, maxFormats)
	}
	if _, err := newTimeForms(c); err != nil {
		return err
	}
	if _, err := newWords(c); err != nil {
		return err
	}
	if n := len(c.Options); n > tracker.MaxOptions {
		return tracker.Bad("options", "%d options; the limit is %d", n, tracker.MaxOptions)
	}
	if err := checkDistinct("options", c.Options); err != nil {
		return err
	}
	states := c.states()
	if n := len(states); n > tracker.MaxStates {
		return tracker.Bad("closed", "%d states; the limit is %d", n, tracker.MaxStates)
	}
	return checkDistinct("open and closed", states)
}

// checkMembers rejects members that do not apply to the target and type.
func (c *Column) checkMembers() error {
	t := c.Type
	isField, isTime := c.To == ToField, c.To == ToCreated || c.To == ToUpdated
	for _, member := range []struct {
		name    string
		set, ok bool
		where   string
	}{
		{"name", c.Name != "", isField, "a custom field"},
		{"type", t != "", isField, "a custom field"},
		{"options", c.Options != nil, takes(t, "options"), "SELECT and MULTI_SELECT"},
		{"order", c.Order != "", takes(t, "order") && c.Options == nil,
			"SELECT and MULTI_SELECT without options"},
		{"ignoreCase", c.IgnoreCase, takes(t, "ignoreCase") || c.To == ToState,
			"SELECT, MULTI_SELECT and the state"},
		{"newOptions", c.NewOptions, takes(t, "ignoreCase") || c.To == ToState,
			"SELECT, MULTI_SELECT and the state"},
		{"separator", c.Separator != "", takes(t, "separator"), "MULTI_SELECT and TAGS"},
		{"quotes", c.Quotes, c.Separator != "" && c.Separator == strings.TrimSpace(c.Separator) &&
			!strings.Contains(c.Separator, `"`),
			"columns with a separator that neither contains a quote nor begins or ends with a space"},
		{"decimal", c.Decimal != "", takes(t, "decimal"), "INTEGER and NUMBER"},
		{"formats", c.Formats != nil, isTime || takes(t, "formats"), "dates and datetimes"},
		{"zone", c.Zone != "", isTime || takes(t, "zone"), "datetimes"},
		{"true", c.True != nil, takes(t, "true"), "BOOLEAN"},
		{"false", c.False != nil, takes(t, "false"), "BOOLEAN"},
		{"open", c.Open != nil, c.To == ToState, "the state"},
		{"closed", c.Closed != nil, c.To == ToState, "the state"},
	} {
		if member.set && !member.ok {
			return tracker.Bad(member.name, "the column %q cannot have this: it applies to %s", c.Column,
				member.where)
		}
	}
	return nil
}

// checkDistinct checks that the names of options or states are valid, and that no two are equal or differ
// only in case.
func checkDistinct(path string, names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		if err := tracker.CheckNewName(path, name); err != nil {
			return err
		}
		if seen[folded(name)] {
			return tracker.Bad(path, "%q is given twice", name)
		}
		seen[folded(name)] = true
	}
	return nil
}

func list[T ~string](names []T) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return strings.Join(out, ", ")
}
