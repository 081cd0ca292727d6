package tracker

import (
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Current returns the issue according to the current definition. It applies the changes that a running job
// has not applied to the issue yet: it converts values of fields whose type changed, replaces merged options
// and states, and removes values that cannot be converted. It returns i itself if nothing is outdated, and
// never changes i.
func (d *Definition) Current(i *Issue) *Issue {
	if i == nil || !d.rebuilding {
		return i
	}
	out := i
	copyOnce := func() {
		if out == i {
			copied := *i
			out = &copied
			out.Values, out.Gens = maps.Clone(i.Values), maps.Clone(i.Gens)
			if out.Gens == nil {
				out.Gens = map[FieldID]int64{}
			}
		}
	}
	if into, ok := d.Project.Merged[i.State]; ok {
		copyOnce()
		out.State = into
	}
	for _, f := range d.Fields {
		v, ok := i.Values[f.ID]
		if !ok || !f.outdated(i, v) {
			continue
		}
		copyOnce()
		if f.From != nil && i.Gens[f.ID] != f.Gen {
			var err error
			if v, err = Convert(f.From, f, v, ""); err != nil {
				v = Value{}
			}
		}
		if v = f.merged(v); v.Kind == KindNone {
			delete(out.Values, f.ID)
			delete(out.Gens, f.ID)
			continue
		}
		out.Values[f.ID] = v
		if f.Gen > 0 {
			out.Gens[f.ID] = f.Gen
		}
	}
	return out
}

// Rebuilding reports whether a job is applying a change of the states or of a field to the issues.
func (d *Definition) Rebuilding() bool { return d.rebuilding }

// RebuildingColumn reports whether the index entries of a column may be outdated, because a job has not
// finished. d may be nil.
func (d *Definition) RebuildingColumn(c Column) bool {
	switch {
	case d == nil || !d.rebuilding:
		return false
	case c == ColumnState:
		return d.Project.Rebuilding()
	case c.Builtin():
		return false
	}
	f := d.Field(c.Field())
	return f != nil && f.Rebuilding()
}

// outdated reports whether a stored value needs an update to the field's current form.
func (f *Field) outdated(i *Issue, v Value) bool {
	return f.From != nil && i.Gens[f.ID] != f.Gen || len(f.Merged) > 0 && !v.Equal(f.merged(v))
}

// merged returns v with merged options replaced.
func (f *Field) merged(v Value) Value {
	if len(f.Merged) == 0 {
		return v
	}
	switch v.Kind {
	case KindText:
		if into, ok := f.Merged[OptionID(v.text)]; ok {
			return Text(string(into))
		}
	case KindSet:
		var out []string
		for _, id := range v.Set() {
			if into, ok := f.Merged[OptionID(id)]; ok {
				id = string(into)
			}
			if id != "" && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
		return Set(out)
	}
	return v
}

// Convert converts a value of the form from to a value of the field to, as docs/fields.md specifies. long is
// the text of v if v is a KindLong. An error states why the value cannot be converted.
func Convert(from *Form, to *Field, v Value, long string) (Value, error) {
	if v.Kind == KindNone {
		return v, nil
	}
	if v.Kind == KindLong && to.Type.LongTexts() {
		return v, nil
	}
	old := &Field{Name: to.Name, Type: from.Type, Options: from.Options}
	var out Value
	switch {
	case from.Type.HasOptions() && to.Type.HasOptions() && len(to.Options) > 0 &&
		sameOptions(from.Options, to.Options):
		switch set := v.Set(); {
		case from.Type == to.Type:
			out = v
		case to.Type.Kind() == KindSet:
			out = Set([]string{v.text})
		case len(set) == 1:
			out = Text(set[0])
		default:
			return Value{}, Bad("", "%d options can't become one", len(set))
		}
	default:
		var err error
		to := *to
		to.From = from // has the time zone
		if out, err = parseAs(&to, old.parts(v, long)); err != nil {
			return Value{}, err
		}
	}
	return out, to.Check(out)
}

// Converting returns the error that a field is not available while its values are converted. otherwise is
// what to do with another column until then, such as sort.
func (f *Field) Converting(otherwise string) *Error {
	return &Error{Code: Unavailable, Path: "column.fieldId", Outdated: true,
		Message: "the type of the field " + strconv.Quote(f.Name) + " was changed, and a job is converting " +
			"its values; " + otherwise + " by another column until it has ended"}
}

// CheckWrite checks a new value: Check, the law of names for users and tags, and, while a job checks whether
// all values can be converted to another type, that this value can be.
func (f *Field) CheckWrite(v Value) error {
	if err := f.Check(v); err != nil {
		return err
	}
	if err := f.CheckNames(v); err != nil || f.Next == nil || f.Removes {
		return err
	}
	to := f.As(*f.Next)
	if _, err := Convert(to.From, &to, v, ""); err != nil {
		return Bad("", "a job is changing the type of the field %q to %s, and the value can't become one: %s",
			f.Name, f.Next.Type, AllOf(err)[0].Message).MayBeOutdated()
	}
	return nil
}

// CheckNames applies the law of names to the users and tags of a new value.
func (f *Field) CheckNames(v Value) error {
	if named := f.Type.rule().named; named != nil {
		return named(f, v)
	}
	return nil
}

// As returns the field with another form, in the next generation. If to has no options, the field keeps its
// own.
func (f *Field) As(to Form) Field {
	changed := *f
	changed.Type = to.Type
	if changed.Options = to.Options; to.Type.HasOptions() && len(to.Options) == 0 {
		changed.Options = f.Options
	}
	changed.From, changed.Gen = &Form{Type: f.Type, Options: f.Options, Zone: to.Zone}, f.Gen+1
	changed.Next, changed.Removes = nil, false
	return changed
}

// sameOptions reports whether to contains all options of from.
func sameOptions(from, to []Option) bool {
	for _, o := range from {
		if !slices.ContainsFunc(to, func(p Option) bool { return p.ID == o.ID }) {
			return false
		}
	}
	return true
}

func (f *Field) optionName(id string) string {
	if o, ok := f.Option(OptionID(id)); ok {
		return o.Name
	}
	return id
}

// optionNamed returns the id of the option with this name (see OptionNamed).
func (f *Field) optionNamed(name string) (string, error) {
	if o, ok := f.OptionNamed(name); ok {
		return string(o.ID), nil
	}
	return "", Bad("", "the field has no option %q", shortened(name))
}

// shortened returns s, cut to 60 characters, for a message.
func shortened(s string) string {
	const limit = 60
	if len(s) > limit*utf8.UTFMax { // the rest of a long string is not read
		s = s[:limit*utf8.UTFMax+1]
	}
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "..."
	}
	return s
}
