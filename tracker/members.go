package tracker

import (
	"slices"
	"strconv"
)

// MemberChange adds members to the value of a MULTI_SELECT or TAGS field and removes others, whatever members
// the value has when the change is made.
type MemberChange struct {
	Add, Remove []string
	// Path is the path of errors about the result.
	Path string
}

// Apply returns the value after the change. It returns BadInput if the field does not allow this value. Tags
// are compared by their NameKey.
func (m MemberChange) Apply(f *Field, v Value) (Value, error) {
	same := func(a string) func(string) bool {
		if f.Type.HasOptions() {
			return func(b string) bool { return a == b }
		}
		key := NameKey(a)
		return func(b string) bool { return NameKey(b) == key }
	}
	members := slices.Clone(v.Set())
	for _, gone := range m.Remove {
		members = slices.DeleteFunc(members, same(gone))
	}
	for _, added := range m.Add {
		if !slices.ContainsFunc(members, same(added)) {
			members = append(members, added)
		}
	}
	changed := Set(members)
	return changed, At(m.Path, f.Check(changed))
}

// Clean returns a new value in the form in which it is stored: users and tags have no white space at their
// ends. The name of a user to which the value refers is kept as it is.
func (f *Field) Clean(v Value) Value {
	switch {
	case f.Type.rule().named == nil:
		return v
	case v.Kind == KindSet:
		tags := make([]string, len(v.Set()))
		for i, tag := range v.Set() {
			tags[i] = CleanName(tag)
		}
		return Set(tags)
	case v.Kind == KindText && v.User() == "":
		return Text(CleanName(v.Text()))
	}
	return v
}

// CheckDistinct reports an error if two tags of a value that a user enters differ only in case.
// Imports may have such tags, because their author cannot be asked. The paths of errors are the indexes of
// the tags.
func (f *Field) CheckDistinct(v Value) error {
	if f.Type != TypeTags {
		return nil
	}
	var wrong []error
	first := make(map[string]string, len(v.Set()))
	for i, tag := range v.Set() {
		key := NameKey(tag)
		if other, twice := first[key]; twice && other != tag {
			wrong = append(wrong,
				Bad("["+strconv.Itoa(i)+"]", "the tags %q and %q differ only in case", other, tag))
		} else if !twice {
			first[key] = tag
		}
	}
	return Join(wrong...)
}

// OptionNamed returns the option of the field with this name: the same name, or else one with its NameKey.
func (f *Field) OptionNamed(name string) (Option, bool) {
	i := slices.IndexFunc(f.Options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		key := NameKey(name)
		i = slices.IndexFunc(f.Options, func(o Option) bool { return NameKey(o.Name) == key })
	}
	if i < 0 {
		return Option{}, false
	}
	return f.Options[i], true
}
