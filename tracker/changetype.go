package tracker

import (
	"slices"
	"strings"
)

// never has the changes of type for which no value can be converted, by the old type.
var never = map[FieldType][]FieldType{
	TypeInteger:  {TypeDate, TypeDateTime},
	TypeNumber:   {TypeDate, TypeDateTime},
	TypeDate:     {TypeInteger, TypeNumber, TypeBoolean},
	TypeDateTime: {TypeInteger, TypeNumber, TypeBoolean},
	TypeBoolean:  {TypeInteger, TypeNumber, TypeDate, TypeDateTime},
}

// CheckForm returns an error if the field can't be changed to another form, whatever its values are. removes
// reports whether values that cannot be converted are removed.
func (f *Field) CheckForm(to Form, removes bool) error {
	changed := f.As(to)
	switch {
	case to.FromValues && !to.Type.HasOptions():
		return Bad("createOptions", "a field of type %s has no options", to.Type)
	case removes:
		return nil
	case to.Type.HasOptions() && len(changed.Options) == 0 && !to.FromValues:
		return Bad("options", "without options, no value can be converted to %s; give `options`, or "+
			"`createOptions: true` to create them from the values", to.Type)
	case slices.Contains(never[f.Type], to.Type):
		return Bad("type", "no value of type %s can be converted to %s; with `unconvertible: REMOVE`, the "+
			"values are removed", f.Type, to.Type)
	}
	return nil
}

// MaxCreatedBytes is the maximum total length in bytes of the names of the options that a change of type
// creates from values.
const MaxCreatedBytes = 128 << 10

// ErrTooManyOptions is returned by CreateOptions if a value needs more options than a field can have.
var ErrTooManyOptions = Bad("", "the values have too many different names: a field has at most %d options, "+
	"and the names of those created from values at most %d bytes in total", MaxOptions, MaxCreatedBytes)

// CreateOptions adds the options that are missing to convert a value of the form f.From. long is the text of
// v if v is a KindLong. The error states why there can be no such option.
func (f *Field) CreateOptions(v Value, long string) error {
	if v.Kind == KindNone {
		return nil
	}
	old := &Field{Name: f.Name, Type: f.From.Type, Options: f.From.Options}
	names := old.parts(v, long)
	if f.Type.Kind() != KindSet {
		names = []string{strings.Join(names, ", ")}
	}
	for _, name := range names {
		name = strings.TrimSpace(name)
		if _, err := f.optionNamed(name); err == nil {
			continue
		}
		if err := CheckNewName("", name); err != nil {
			return Bad("", "%q can't be the name of an option: %s", shortened(name), AllOf(err)[0].Message)
		}
		bytes := len(name)
		for _, o := range f.Options {
			bytes += len(o.Name)
		}
		if len(f.Options) >= MaxOptions || bytes > MaxCreatedBytes {
			return ErrTooManyOptions
		}
		f.Options = append(f.Options, Option{ID: OptionID(IDFor("option", string(f.ID), name)), Name: name})
	}
	return nil
}
