package importer

import (
	"slices"

	"issuegrid/tracker"
)

// fieldType is what an import adds to a type of field.
type fieldType struct {
	name tracker.FieldType
	// convert makes the converter of a column's cells.
	convert func(c *Column) (converter, error)
	// members are the members of a column in a mapping that not every type has.
	members []string
	// holds reports whether all cells of a column are such values; nil for a type that is never inferred.
	holds func(c *columnProfile) bool
}

// fieldTypes are in the order in which inference tries them, the narrowest first.
var fieldTypes = []fieldType{
	{tracker.TypeBoolean, convertBooleans, []string{"true", "false"}, (*columnProfile).boolean},
	{tracker.TypeInteger, convertIntegers, []string{"decimal"}, func(c *columnProfile) bool {
		return c.integer || c.numbers.Is(tracker.TypeInteger, c.filled)
	}},
	{tracker.TypeNumber, convertNumbers, []string{"decimal"}, func(c *columnProfile) bool {
		return c.number && c.numbers.Alike() || c.numbers.Is(tracker.TypeNumber, c.filled)
	}},
	{tracker.TypeDate, convertTimes, []string{"formats"}, func(c *columnProfile) bool {
		return c.times.Is(tracker.TypeDate, c.filled)
	}},
	{tracker.TypeDateTime, convertTimes, []string{"formats", "zone"}, func(c *columnProfile) bool {
		return c.times.Is(tracker.TypeDateTime, c.filled)
	}},
	{tracker.TypeTags, convertTags, []string{"separator"}, func(c *columnProfile) bool { return c.tags }},
	{tracker.TypeSelect, convertOption, []string{"options", "order", "ignoreCase"}, (*columnProfile).repeats},
	{tracker.TypeLongText, convertTexts, nil, (*columnProfile).long},
	{tracker.TypeText, convertTexts, nil, func(*columnProfile) bool { return true }},
	{tracker.TypeMultiSelect, convertOptions, []string{"options", "order", "ignoreCase", "separator"}, nil},
	{tracker.TypeUser, convertTexts, nil, nil},
}

// typeOf is what an import knows of a type; nil if nothing.
func typeOf(t tracker.FieldType) *fieldType {
	for i := range fieldTypes {
		if fieldTypes[i].name == t {
			return &fieldTypes[i]
		}
	}
	return nil
}

// takes reports whether the columns of a type have a member.
func takes(t tracker.FieldType, member string) bool {
	known := typeOf(t)
	return known != nil && slices.Contains(known.members, member)
}

// newConverter makes the converter of a custom field. The column must have been checked.
func newConverter(c *Column) (converter, error) { return typeOf(c.Type).convert(c) }

// fieldType is the narrowest type that holds all cells.
func (c *columnProfile) fieldType() tracker.FieldType {
	for _, t := range fieldTypes {
		if c.filled > 0 && t.holds != nil && t.holds(c) {
			return t.name
		}
	}
	return tracker.TypeText
}

// repeats reports whether the cells have few values, which can be options. Numbers and dates of which it is
// not clear which they are cannot.
func (c *columnProfile) repeats() bool {
	for name := range c.distinct {
		if tracker.CheckNewName("", tracker.CleanName(name)) != nil {
			return false
		}
	}
	n, casesDiffer := c.options()
	return n > 0 && !casesDiffer && int64(n*minRepeat) <= c.filled && c.open() == nil
}

// long reports whether the cells are texts of several lines, or longer than a document holds.
func (c *columnProfile) long() bool { return c.newline || c.longest > tracker.MaxInlineText }

// textType is the type that holds any cells like those of the column.
func (c *columnProfile) textType() tracker.FieldType {
	if c.long() {
		return tracker.TypeLongText
	}
	return tracker.TypeText
}

// convertTextOf makes a converter of a function that reads the text of a cell.
func convertTextOf(c *Column, read func(string) (tracker.Value, *fault)) converter {
	return convertCells(c, func(c cell) (tracker.Value, *fault) { return read(c.text) })
}

// convertCells makes a converter of a function that reads a cell.
func convertCells(c *Column, read func(cell) (tracker.Value, *fault)) converter {
	field := &tracker.Field{Name: c.Name, Type: c.Type}
	return func(c cell) (fieldValue, *fault) {
		v, f := read(c)
		if f == nil {
			f = checked(field, v)
		}
		return fieldValue{value: v}, f
	}
}

func convertTexts(c *Column) (converter, error) {
	return convertTextOf(c, func(s string) (tracker.Value, *fault) { return tracker.Text(s), nil }), nil
}

func convertIntegers(c *Column) (converter, error) {
	return convertCells(c, integerReader(c.Decimal)), nil
}

func convertNumbers(c *Column) (converter, error) {
	return convertCells(c, numberReader(c.Decimal)), nil
}

func convertTimes(c *Column) (converter, error) {
	forms, err := newTimeForms(c)
	if err != nil {
		return nil, err
	}
	return convertTextOf(c, forms.reader(c.Type)), nil
}

func convertBooleans(c *Column) (converter, error) {
	words, err := newWords(c)
	if err != nil {
		return nil, err
	}
	return convertTextOf(c, words.read), nil
}

func convertOption(c *Column) (converter, error) {
	fixed := newNames(c)
	return func(cell cell) (fieldValue, *fault) {
		names, f := fixed.take([]string{cell.text})
		return fieldValue{names: names}, f
	}, nil
}

func convertOptions(c *Column) (converter, error) {
	fixed := newNames(c)
	return func(cell cell) (fieldValue, *fault) {
		members, f := cell.members(c)
		if f != nil {
			return fieldValue{}, f
		}
		whole := ""
		if cell.list == nil && len(members) > 1 {
			whole = tracker.CleanName(cell.text)
		}
		names, f := fixed.take(membersOf(members, whole, fixed.has))
		return fieldValue{names: names, whole: whole}, f
	}, nil
}

func convertTags(c *Column) (converter, error) {
	field := &tracker.Field{Name: c.Name, Type: c.Type}
	return func(cell cell) (fieldValue, *fault) {
		members, f := cell.members(c)
		if f != nil {
			return fieldValue{}, f
		}
		v := tracker.Set(members)
		return fieldValue{value: v}, checked(field, v)
	}, nil
}
