package tracker

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Current returns the issue as the definition has it now, which is the same one unless a job has not come to it yet: values of a field whose type was
// changed are converted, and options that were merged are replaced. Those that can't be are left out.
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

// Convert makes a value of one form a value of a field, as docs/fields.md says. long is the text of a long one. The error says why it can't be.
func Convert(from *Form, to *Field, v Value, long string) (Value, error) {
	if v.Kind == KindNone {
		return v, nil
	}
	if v.Kind == KindLong && (to.Type == TypeText || to.Type == TypeLongText) {
		return v, nil
	}
	old := &Field{Name: to.Name, Type: from.Type, Options: from.Options}
	var out Value
	switch {
	case from.Type.HasOptions() && to.Type.HasOptions() && len(to.Options) > 0 && sameOptions(from.Options, to.Options):
		switch set := v.Set(); {
		case from.Type == to.Type:
			out = v
		case to.Type == TypeMultiSelect:
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

// CheckWrite checks a value that an issue is to get, as Check does, and its users and tags by the law of names. While a job looks whether all values can
// be converted, one that can't be is refused.
func (f *Field) CheckWrite(v Value) error {
	if err := f.Check(v); err != nil {
		return err
	}
	if err := f.CheckNames(v); err != nil || f.Next == nil || f.Removes {
		return err
	}
	to := f.As(*f.Next)
	if _, err := Convert(to.From, &to, v, ""); err != nil {
		return Bad("", "a job is changing the type of the field %q to %s, and the value can't become one: %s", f.Name, f.Next.Type, AllOf(err)[0].Message)
	}
	return nil
}

// CheckNames checks the users and tags of a value that is given by the law of names.
func (f *Field) CheckNames(v Value) error {
	switch f.Type {
	case TypeUser:
		return CheckVisible("", f.Name, v.text)
	case TypeTags:
		for _, tag := range v.Set() {
			if err := CheckVisible("", "a tag", tag); err != nil {
				return err
			}
		}
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

// parts are a value as texts: the members of a set, or the one text.
func (f *Field) parts(v Value, long string) []string {
	switch f.Type {
	case TypeMultiSelect:
		out := make([]string, len(v.Set()))
		for i, id := range v.Set() {
			out[i] = f.optionName(id)
		}
		return out
	case TypeTags:
		return v.Set()
	case TypeSelect:
		return []string{f.optionName(v.text)}
	case TypeNumber:
		return []string{Float(v.Float()).text}
	}
	if v.Kind == KindLong {
		return []string{long}
	}
	return []string{v.text}
}

func (f *Field) optionName(id string) string {
	if o, ok := f.Option(OptionID(id)); ok {
		return o.Name
	}
	return id
}

// parseAs makes a value of texts.
func parseAs(to *Field, parts []string) (Value, error) {
	text := strings.Join(parts, ", ")
	trimmed := strings.TrimSpace(text)
	switch to.Type {
	case TypeText, TypeLongText:
		return Text(text), nil
	case TypeUser:
		return Text(trimmed), nil
	case TypeInteger:
		if i, err := strconv.ParseInt(trimmed, 10, 64); err == nil {
			return Int(i), nil
		}
		if d, ok := parseDecimal(trimmed); ok {
			if i, ok := d.int(); ok && i >= -maxExact && i <= maxExact {
				return Int(i), nil
			}
		}
		return Value{}, Bad("", "%q is not an integer", shortened(text))
	case TypeNumber:
		x, err := ParseNumber(trimmed)
		if err != nil {
			return Value{}, err
		}
		return Float(x), nil
	case TypeDate:
		if date, err := ParseDate(trimmed); err == nil {
			return Text(date), nil
		}
		if at, err := ParseDateTime(trimmed); err == nil {
			return Text(at[:len("2006-01-02")]), nil
		}
		return Value{}, Bad("", "%q is not a date", shortened(text))
	case TypeDateTime:
		if date, err := ParseDate(trimmed); err == nil {
			trimmed = date + "T00:00:00Z"
		}
		at, err := ParseDateTime(trimmed)
		if err != nil {
			return Value{}, Bad("", "%q is not a datetime", shortened(text))
		}
		return Text(at), nil
	case TypeBoolean:
		switch strings.ToLower(trimmed) {
		case "true", "yes", "1":
			return Bool(true), nil
		case "false", "no", "0":
			return Bool(false), nil
		}
		return Value{}, Bad("", "%q is neither true nor false", shortened(text))
	case TypeSelect:
		id, err := to.optionNamed(trimmed)
		return Text(id), err
	case TypeMultiSelect:
		var ids []string
		for _, part := range parts {
			id, err := to.optionNamed(strings.TrimSpace(part))
			if err != nil {
				return Value{}, err
			}
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		return Set(ids), nil
	case TypeTags:
		var tags []string
		for _, part := range parts {
			if part = strings.TrimSpace(part); part != "" && !slices.Contains(tags, part) {
				tags = append(tags, part)
			}
		}
		return Set(tags), nil
	}
	return Value{}, Bad("", "there are no values of type %s", to.Type)
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
