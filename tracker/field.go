package tracker

// Field defines a custom field of a project.
type Field struct {
	ID          FieldID
	Name        string
	Description string
	Type        FieldType
	// Required tells that a new issue must have a value, and that an update must not remove it.
	Required bool
	// Position orders the fields of a project, ascending, ties by id.
	Position int64
	// Options of a SELECT or MULTI_SELECT, in the order in which a grid sorts them.
	Options []Option
	// Archived tells that the field is not shown any more, and gets no new values.
	Archived bool

	// What follows is there while a job is about the field.

	// Next is what a job makes of the field if all values can be converted, or if Removes says that the
	// others are removed; CheckWrite keeps new ones from getting in its way.
	Next    *Form
	Removes bool

	// The rest is there while a job brings the issues up to a change of the field (Definition.Current).

	// Moving tells that the index may have the options in other places.
	Moving bool
	// Merged are options that the field had, each with the one that is in its place, or "" for none.
	Merged map[OptionID]OptionID
	// From is what the field was before its type was changed. Gen counts these changes; documents and the
	// index say of which a value is.
	From *Form
	Gen  int64
}

// Form is a type with its options.
type Form struct {
	Type    FieldType
	Options []Option
}

// options returns the options of a form that there may not be.
func (f *Form) options() []Option {
	if f == nil {
		return nil
	}
	return f.Options
}

// Rebuilding tells that not all of the index is what the field says, because a job has not come to it yet.
func (f *Field) Rebuilding() bool { return f.Moving || len(f.Merged) > 0 || f.From != nil }

// Option is one choice of a select field.
type Option struct {
	ID   OptionID
	Name string
	// Color is a CSS color such as #1f883d, or empty.
	Color string
}

// Option returns the option with this id.
func (f *Field) Option(id OptionID) (Option, bool) {
	if i, ok := f.OptionRank(id); ok {
		return f.Options[i], true
	}
	return Option{}, false
}

// OptionRank is the place of an option in the field's order, from 0; false for an option that the field has
// not.
func (f *Field) OptionRank(id OptionID) (int, bool) {
	for i := range f.Options {
		if f.Options[i].ID == id {
			return i, true
		}
	}
	return 0, false
}
