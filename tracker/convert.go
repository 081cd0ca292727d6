package tracker

import (
	"maps"
	"slices"
	"strings"
)

// Current returns the issue as the definition has it now, which is the same one unless a job has not come to
// it yet: values of a field whose type was changed are converted, and options that were merged are replaced.
// Those that can't be are left out.
func (d *Definition) Current(i *Issue) *Issue {
	if i == nil || !d.rebuilding {
		return i
	}
	out := i
	for _, f := range d.Fields {
		v, ok := i.Values[f.ID]
		if !ok || !f.outdated(i, v) {
			continue
		}
		if out == i {
			copied := *i
			out = &copied
			out.Values, out.Gens = maps.Clone(i.Values), maps.Clone(i.Gens)
			if out.Gens == nil {
				out.Gens = map[FieldID]int64{}
			}
		}
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

// Rebuilding tells that a job is bringing the issues up to a change of some field.
func (d *Definition) Rebuilding() bool { return d.rebuilding }

// outdated tells whether a stored value is not what the field says.
func (f *Field) outdated(i *Issue, v Value) bool {
	return f.From != nil && i.Gens[f.ID] != f.Gen || len(f.Merged) > 0 && !v.Equal(f.merged(v))
}

// merged replaces options that were merged.
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

// Convert makes a value of one form a value of a field, as docs/fields.md says. long is the text of a long
// one. The error says why it can't be.
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
		if out, err = parseAs(to, old.parts(v, long)); err != nil {
			return Value{}, err
		}
	}
	return out, to.Check(out)
}

// CheckWrite checks a value that an issue is to get, as Check does, and its users and tags by the law of
// names. While a job looks whether all values can be converted, one that can't be is refused.
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
			f.Name, f.Next.Type, AllOf(err)[0].Message)
	}
	return nil
}

// CheckNames checks the users and tags of a value that is given by the law of names.
func (f *Field) CheckNames(v Value) error {
	if named := f.Type.rule().named; named != nil {
		return named(f, v)
	}
	return nil
}

// As is a field in another form, of the next generation. Without options given, it keeps those that it has.
func (f *Field) As(to Form) Field {
	changed := *f
	changed.Type = to.Type
	if changed.Options = to.Options; to.Type.HasOptions() && len(to.Options) == 0 {
		changed.Options = f.Options
	}
	changed.From, changed.Gen = &Form{Type: f.Type, Options: f.Options}, f.Gen+1
	changed.Next, changed.Removes = nil, false
	return changed
}

// sameOptions tells that to has all options of from.
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

// optionNamed finds an option by its name, upper or lower case.
func (f *Field) optionNamed(name string) (string, error) {
	for _, o := range f.Options {
		if strings.EqualFold(o.Name, name) {
			return string(o.ID), nil
		}
	}
	return "", Bad("", "the field has no option %q", shortened(name))
}

// shortened is a text for a message.
func shortened(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "..."
	}
	return s
}
