package tracker

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Check checks a project before it is written. Errors are BadInput with a path below the project's input.
func (p *Project) Check() error {
	if err := CheckProjectKey("key", p.Key); err != nil {
		return err
	}
	if err := CheckName("name", p.Name); err != nil {
		return err
	}
	if n := len(p.States); n == 0 || n > MaxStates {
		return Bad("states", "a project has 1 to %d states; got %d", MaxStates, n)
	}
	names := make([]string, len(p.States))
	for i, s := range p.States {
		names[i] = s.Name
	}
	return checkNames("states", names)
}

// FoldName is what names that differ by case only have in common. Keys in the table are made of it.
func FoldName(name string) string {
	if isASCII(name) {
		return strings.ToLower(name) // the same, at a fraction of the cost
	}
	return cases.Fold().String(norm.NFC.String(name))
}

// lookalike is what names have in common that differ by case only, or by how their characters are written:
// full width, ligatures, superscripts. No two names of one list have the same.
func lookalike(name string) string {
	if isASCII(name) {
		return strings.ToLower(name)
	}
	return cases.Fold().String(norm.NFKC.String(name))
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// checkNames checks the names of options or states: each valid, no two alike.
func checkNames(path string, names []string) error {
	seen := make(map[string]bool, len(names))
	for i, name := range names {
		at := path + "[" + strconv.Itoa(i) + "].name"
		if err := CheckName(at, name); err != nil {
			return err
		}
		folded := lookalike(name)
		if seen[folded] {
			return Bad(at, "the name %q is given twice", name)
		}
		seen[folded] = true
	}
	return nil
}

// CheckField checks the definition of a field before it is written to a project that has the others. Errors
// are BadInput, or Conflict when the name is taken, with a path below the field's input.
func (d *Definition) CheckField(f *Field) error {
	if err := CheckName("name", f.Name); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(f.Description); n > MaxDescription {
		return Bad("description", "the description has %d characters; the limit is %d", n, MaxDescription)
	}
	if !f.Type.Valid() {
		return Bad("type", "unknown field type %q", f.Type)
	}
	if !f.Type.HasOptions() && len(f.Options) > 0 {
		return Bad("options", "a field of type %s has no options", f.Type)
	}
	if n := len(f.Options); n > MaxOptions {
		return Bad("options", "%d options; the limit is %d", n, MaxOptions)
	}
	names := make([]string, len(f.Options))
	for i, o := range f.Options {
		names[i] = o.Name
	}
	if err := checkNames("options", names); err != nil {
		return err
	}
	name := lookalike(f.Name)
	for i, taken := range d.names() {
		if other := d.Fields[i]; other.ID != f.ID && taken == name {
			return &Error{Code: Conflict, Path: "name", Message: "the project has a field named " +
				strconv.Quote(other.Name) + " already"}
		}
	}
	if d.Field(f.ID) == nil && len(d.Fields) >= MaxFields {
		return Bad("", "the project has %d fields already, which is the limit", MaxFields)
	}
	return d.checkBytes(f)
}

// checkBytes refuses a field with which the definition of the project would be too large to be read for each
// request. A field that does not grow is kept, however large the others are.
func (d *Definition) checkBytes(f *Field) error {
	before, after := int64(0), f.bytes()
	if old := d.Field(f.ID); old != nil {
		before = old.bytes()
	}
	if all := d.Bytes() - before + after; after > before && all > MaxDefinition {
		return Bad("options", "with this the fields and options of the project take %d bytes; the limit is "+
			"%d: use fewer options, or shorter names", all, MaxDefinition)
	}
	return nil
}

// KeepStates checks that changed states begin with those that the project has, in their order: they can be
// renamed, opened and closed, and others added behind them. The index holds their places, and so they cannot
// move or go.
func KeepStates(old, changed []State) error {
	for i, s := range old {
		if i >= len(changed) || changed[i].ID != s.ID {
			return Bad("states", "existing states must come first, in their current order, followed by new "+
				"ones")
		}
	}
	return nil
}

// KeepOptions checks that changed options have all that the field has, in any order, and tells whether those
// are in another order.
func KeepOptions(old, changed []Option) (moved bool, err error) {
	place := make(map[OptionID]int, len(changed))
	for i, o := range changed {
		place[o.ID] = i
	}
	for i, o := range old {
		at, ok := place[o.ID]
		if !ok {
			return false, Bad("options", "the option %q is missing; use mergeCustomFieldOptions to remove "+
				"options", o.Name)
		}
		moved = moved || at != i
	}
	return moved, nil
}
