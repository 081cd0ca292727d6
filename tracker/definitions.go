package tracker

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Check checks a project before it is written. Errors are BadInput, with a path relative to the project's
// input.
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

// FoldName returns a form of name that is equal for names that differ only in case. Keys in the table contain
// it.
func FoldName(name string) string {
	if isASCII(name) {
		return strings.ToLower(name) // the same result, at a fraction of the cost
	}
	return cases.Fold().String(norm.NFC.String(name))
}

// lookalike returns a form of name that is equal for names that differ only in case or in compatibility
// variants such as full width, ligatures and superscripts. It is unique among the names of one list.
func lookalike(name string) string {
	if isASCII(name) {
		return strings.ToLower(name)
	}
	return cases.Fold().String(norm.NFKC.String(name))
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// checkNames checks the names of options or states: each is valid, and no two have the same lookalike.
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

// CheckField checks the definition of a field before it is written to the project. Errors are BadInput, or
// Conflict if another field has the name, with a path relative to the field's input.
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

// checkBytes rejects a field that would make the definition of the project too large to read for each
// request. It accepts a field that does not grow, whatever the size of the others.
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

// KeepStates checks that changed begins with the existing states in their order. States can be renamed,
// opened, closed and appended. They cannot be moved or removed, because the index stores their positions.
func KeepStates(old, changed []State) error {
	for i, s := range old {
		if i >= len(changed) || changed[i].ID != s.ID {
			return Bad("states", "existing states must come first, in their current order, followed by new "+
				"ones")
		}
	}
	return nil
}

// KeepOptions checks that changed contains all existing options, and reports whether the position of any of
// them changes.
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
