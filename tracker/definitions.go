package tracker

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"issuegrid/internal/fold"
)

// Check checks a project that replaces old; old is nil for a new project. It reports all that is wrong.
// Errors are BadInput, with paths relative to the project's input. Names that do not change may be
// lookalikes, as they were before names were compared. New names must also follow the law of names; see
// CheckNewName.
func (p *Project) Check(old *Project) error {
	if old == nil {
		old = &Project{States: []State{{Open: true}}}
	}
	wrong := []error{CheckProjectKey("key", p.Key), CheckName("name", p.Name),
		CheckShards("shards", p.ShardCount())}
	if n := len(p.States); n == 0 || n > MaxStates {
		return Join(append(wrong, Bad("states", "a project has 1 to %d states; got %d", MaxStates, n))...)
	}
	names := make([]renamed, len(p.States))
	for i, s := range p.States {
		before, _ := old.State(s.ID)
		names[i] = renamed{before.Name, s.Name}
	}
	wrong = append(wrong, checkNames("states", names), checkOpen("states", old.States, p.States))
	return Join(wrong...)
}

// CheckShards checks a number of shards.
func CheckShards(path string, n int) error {
	if n < 1 || n > MaxShards {
		return Bad(path, "a project has 1 to %d shards; got %d", MaxShards, n)
	}
	return nil
}

// checkOpen checks that a project keeps an open state.
func checkOpen(path string, old, changed []State) error {
	isOpen := func(s State) bool { return s.Open }
	if slices.ContainsFunc(old, isOpen) && !slices.ContainsFunc(changed, isOpen) {
		return Bad(path, "a project has at least one open state, in which new issues start")
	}
	return nil
}

// Canonical returns a form of name that is equal for names that are written with the same characters: without
// white space at its ends, and in the form NFC.
func Canonical(name string) string { return norm.NFC.String(CleanName(name)) }

// NameKey returns a form of name that is equal for names that are the same: those whose Canonical differs
// only in case. It is unique among the names of the options, states, fields or views of one list, and a name
// that is looked up finds the one with its key. Accents, spaces and compatibility variants make other words:
// Maße are not Masse, and m² are not m2. Keys in the table contain it.
//
// Case is that of Unicode's simple case folding, in which ß is not ss. Letters are folded without their
// accents, which are kept, so that case makes no difference where only the lower case letter exists in a
// composed form.
func NameKey(name string) string {
	name = CleanName(name)
	if isASCII(name) {
		return strings.ToLower(name)
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if r == iotaSubscript { // an accent, although Unicode folds it to a letter
			return r
		}
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			if other != iotaSubscript {
				least = min(least, other)
			}
		}
		return unicode.ToLower(least)
	}, norm.NFD.String(name)))
}

const iotaSubscript = '\u0345'

// Lookalike returns a form of name that is equal for names that are easily mistaken for each other: those
// that differ only in spaces, or in what folding ignores, such as case, accents and full width. It is unique
// among the names of tenants, and of teams, by which people decide whom they trust.
func Lookalike(name string) string {
	spaceless := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, name)
	if folded := fold.String(spaceless); strings.TrimSpace(folded) != "" {
		return folded
	}
	return norm.NFKC.String(spaceless) // such as a single accent
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// renamed is a name before and after a change; before is "" for a new name.
type renamed struct{ before, after string }

// checkNames checks the names of options or states: each is valid, and no new name has the NameKey of another
// name.
func checkNames(path string, names []renamed) error {
	seen := make(map[string]renamed, len(names))
	var wrong []error
	for i, name := range names {
		at := path + "[" + strconv.Itoa(i) + "].name"
		if err := CheckName(at, name.after); err != nil {
			wrong = append(wrong, err)
			continue
		}
		folded := NameKey(name.after)
		other, twice := seen[folded]
		switch {
		case !twice:
			seen[folded] = name
		case name.before == name.after && other.before == other.after: // two stored names
		case name.after == other.after:
			wrong = append(wrong, Bad(at, "the name %q is given twice", name.after))
		default:
			wrong = append(wrong, Bad(at, "the names %q and %q differ only in case",
				other.after, name.after))
		}
	}
	return Join(wrong...)
}

// reserved are the names of built-in columns, which a change in the history of an issue has without a field.
var reserved = []string{"name", "state", "description"}

// CheckField checks the definition of a field before it is written to the project. It reports all that is
// wrong. Errors are BadInput, or Conflict if another field has the name, with a path relative to the field's
// input. Names are checked as in Project.Check.
func (d *Definition) CheckField(f *Field) error {
	old := d.Field(f.ID)
	if old == nil {
		old = &Field{}
	}
	wrong := []error{CheckName("name", f.Name)}
	if n := utf8.RuneCountInString(f.Description); n > MaxDescription {
		wrong = append(wrong,
			Bad("description", "the description has %d characters; the limit is %d", n, MaxDescription))
	}
	wrong = append(wrong, f.checkOptions(old))
	if wrong[0] == nil && f.Name != old.Name { // an invalid name may be so long that folding it takes long
		name := NameKey(f.Name)
		if slices.Contains(reserved, name) {
			wrong = append(wrong, Bad("name", "the name %q is that of a built-in column", f.Name))
		}
		if other := d.FieldWithKey(name); other != nil && other.ID != f.ID {
			wrong = append(wrong, &Error{Code: Conflict, Path: "name",
				Message: "the project has a field named " +
					strconv.Quote(other.Name) + " already"})
		}
	}
	if d.Field(f.ID) == nil && len(d.Fields) >= MaxFields {
		wrong = append(wrong, Bad("", "the project has %d fields already, which is the limit", MaxFields))
	}
	if err := Join(wrong...); err != nil {
		return err
	}
	return d.checkBytes(f)
}

// FieldNamed returns the field whose name has the NameKey of name, or nil.
func (d *Definition) FieldNamed(name string) *Field { return d.FieldWithKey(NameKey(name)) }

// FieldWithKey returns the field whose name has a NameKey, or nil.
func (d *Definition) FieldWithKey(key string) *Field {
	if len(d.Fields) == 0 {
		return nil
	}
	if i := slices.Index(d.names(), key); i >= 0 {
		return d.Fields[i]
	}
	return nil
}

// checkOptions checks the type of a field and its options.
func (f *Field) checkOptions(old *Field) error {
	switch n := len(f.Options); {
	case !f.Type.Valid():
		return Bad("type", "unknown field type %q", f.Type)
	case !f.Type.HasOptions() && n > 0:
		return Bad("options", "a field of type %s has no options", f.Type)
	case n > MaxOptions:
		return Bad("options", "%d options; the limit is %d", n, MaxOptions)
	}
	names := make([]renamed, len(f.Options))
	for i, o := range f.Options {
		before, _ := old.Option(o.ID)
		names[i] = renamed{before.Name, o.Name}
	}
	return checkNames("options", names)
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
