package importer

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"issuegrid/tracker"
)

// fieldValue is a cell converted to a value of its field. Options are names, because their ids depend on the
// project.
type fieldValue struct {
	value tracker.Value
	names []string
	// whole is the cell of the names, if it has a separator: it can be one of the names of a project.
	whole string
}

// namesIn returns the names of a cell in a project with some options.
func (v *fieldValue) namesIn(options *collected) []string {
	return membersOf(v.names, v.whole, options.isOption)
}

// with returns a value with the members of another cell of the same field.
func (v fieldValue) with(more fieldValue, c *Column) (fieldValue, *fault) {
	switch {
	case len(v.names) > 0:
		names := slices.Clone(v.names)
		for _, name := range more.names {
			same := func(n string) bool { return tracker.Canonical(n) == tracker.Canonical(name) }
			if !slices.ContainsFunc(names, same) {
				names = append(names, name)
			}
		}
		return fieldValue{names: names}, nil
	case v.value.Kind == tracker.KindSet:
		tags := slices.Clone(v.value.Set())
		for _, tag := range more.value.Set() {
			if !slices.Contains(tags, tag) {
				tags = append(tags, tag)
			}
		}
		all := tracker.Set(tags)
		return fieldValue{value: all}, checked(&tracker.Field{Name: c.Name, Type: c.Type}, all)
	}
	return more, nil
}

// converter converts a cell that is not empty to a value. The result depends only on the cell and the
// mapping.
type converter func(cell) (fieldValue, *fault)

// checked returns a fault if the rules of the product reject a value. A value that is too long has a reason
// of its own.
func checked(f *tracker.Field, v tracker.Value) *fault {
	if v.Kind == tracker.KindNone {
		return nil
	}
	if err := f.CheckWrite(v); err != nil {
		return &fault{reason: BadValue, detail: err.Error()}
	}
	return nil
}

// sound checks what applies to every cell: it is valid UTF-8, and not longer than the longest value.
func sound(c cell) *fault {
	if c.bytes > len(c.text) || len(c.text) > tracker.MaxText {
		return &fault{reason: TooLong,
			detail: fmt.Sprintf("the cell has %d bytes; the limit is %d", c.bytes, tracker.MaxText)}
	}
	if !utf8.ValidString(c.text) {
		return &fault{reason: NotUTF8, detail: "the cell is not valid UTF-8; set the encoding of the file"}
	}
	return nil
}

// members splits a cell at the column's separator. It omits empty members and does not trim the others,
// unless they may be in quotes. It returns a fault if there are more than any value has.
func (c cell) members(column *Column) ([]string, *fault) {
	all, count := slices.Clone(c.list), c.count
	if c.list == nil {
		split, separator := strings.SplitSeq, column.Separator
		switch {
		case separator == "":
			split = func(text, _ string) iter.Seq[string] { return slices.Values([]string{text}) }
		case column.Quotes:
			split = quotedMembers
		}
		for member := range split(c.text, separator) {
			if member == "" {
				continue
			}
			if count++; count <= maxMembers {
				all = append(all, member)
			}
		}
	}
	if count > maxMembers {
		return nil, &fault{reason: BadValue,
			detail: fmt.Sprintf("the cell has %d members; the limit is %d", count, maxMembers)}
	}
	return all, nil
}

// quotedMembers splits a text at a separator outside quotes, and removes the spaces around members. A quote
// that is not closed before the separator or the end of the text is an ordinary character.
func quotedMembers(text, separator string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for more := true; more; {
			text = strings.TrimLeftFunc(text, unicode.IsSpace)
			member, rest, ok := inQuotes(text)
			if ok && (rest == "" || strings.HasPrefix(rest, separator)) {
				text, more = strings.CutPrefix(rest, separator)
			} else {
				member, text, more = strings.Cut(text, separator)
				member = strings.TrimSpace(member)
			}
			if !yield(member) {
				return
			}
		}
	}
}

// inQuotes returns the text in the quotes that a text begins with, in which two quotes stand for one, and
// what follows them and spaces.
func inQuotes(text string) (inside, rest string, ok bool) {
	text, ok = strings.CutPrefix(text, `"`)
	if !ok {
		return "", "", false
	}
	var b strings.Builder
	for {
		part, after, closed := strings.Cut(text, `"`)
		b.WriteString(part)
		switch {
		case !closed:
			return "", "", false
		case !strings.HasPrefix(after, `"`):
			return b.String(), strings.TrimLeftFunc(after, unicode.IsSpace), true
		}
		b.WriteByte('"')
		text = after[1:]
	}
}

func (f *timeForms) reader(t tracker.FieldType) func(string) (tracker.Value, *fault) {
	return func(s string) (tracker.Value, *fault) {
		at, ok := f.parse(s)
		switch {
		case t == tracker.TypeDate && ok && at.Hour()+at.Minute()+at.Second()+at.Nanosecond() == 0:
			return tracker.Text(at.Format("2006-01-02")), nil
		case t == tracker.TypeDate && ok:
			return tracker.Value{}, &fault{reason: NotDate, detail: shown(s) +
				" has a time, which a DATE does not keep; set the type to DATETIME"}
		case t == tracker.TypeDate:
			return tracker.Value{}, notDate(s)
		case !ok:
			return tracker.Value{}, notDateTime(s)
		}
		return tracker.Text(tracker.FormatDateTime(at)), nil
	}
}
