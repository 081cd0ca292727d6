package tracker

// Field defines a custom field of a project.
type Field struct {
	ID          FieldID
	Name        string
	Description string
	Type        FieldType
	// Column is the name of the column of which an import made the field.
	Column string
	// Required reports whether a new issue must have a value, which an update cannot remove.
	Required bool
	// Position orders the fields of a project, ascending. Ties are ordered by id.
	Position int64
	// Options of a SELECT or MULTI_SELECT, in the order in which a grid sorts them.
	Options []Option
	// Archived reports whether the field is hidden and accepts no new values.
	Archived bool

	// Empties is the method by which the rows without a value are found, for a type that is Indexed.
	Empties Empties

	// Next is the form that a job, which is checking the values, gives to the field. If Removes is set, the
	// job removes the values that it cannot convert. Otherwise it changes the field only if it can convert
	// all values, and CheckWrite rejects new values that it could not convert.
	Next    *Form
	Removes bool

	// Rebuild is that of the options.
	Rebuild
	// Links are the names that a job replaces with users.
	Links []UserLink
	// From is the form of the field before its type changed, while a job converts the values (see
	// Definition.Current). Gen counts these changes; documents and the index store the generation of each
	// value.
	From *Form
	Gen  int64
	// Changes counts the other changes of the field.
	Changes int64
}

// Version counts the changes of the field, from 1.
func (f *Field) Version() int64 { return f.Changes + f.Gen + 1 }

// Form is a field type with its options.
type Form struct {
	Type    FieldType
	Options []Option
	// FromValues reports whether the job that gives the form to a field creates the missing options from the
	// values.
	FromValues bool
	// Zone is the name of the time zone of the days when times become dates, or dates times. "" is UTC.
	Zone string
}

// options returns the options of the form, or nil if f is nil.
func (f *Form) options() []Option {
	if f == nil {
		return nil
	}
	return f.Options
}

// Rebuilding reports whether parts of the index may be outdated because a job has not finished.
func (f *Field) Rebuilding() bool { return f.Rebuild.Rebuilding() || f.From != nil }

// Option is a choice of a select field.
type Option struct {
	ID   OptionID
	Name string
	// Color is a CSS color such as #1f883d, or empty.
	Color string
}

// Option returns the option with this id, and whether the field has it.
func (f *Field) Option(id OptionID) (Option, bool) {
	if i, ok := f.OptionRank(id); ok {
		return f.Options[i], true
	}
	return Option{}, false
}

// OptionRank returns the position of an option in the field's order, counted from 0, and whether the field
// has the option.
func (f *Field) OptionRank(id OptionID) (int, bool) {
	for i := range f.Options {
		if f.Options[i].ID == id {
			return i, true
		}
	}
	return 0, false
}
