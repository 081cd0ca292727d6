package tracker

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Check reports an error unless v can be a value of the field: it has the right kind, is within the limits,
// and names existing options. The zero Value (no value) is valid unless the field is required. Errors are
// BadInput without a path.
func (f *Field) Check(v Value) error {
	if v.Kind == KindNone {
		if f.Required {
			return Bad("", "the field %q is required and must have a value", f.Name).MayBeOutdated()
		}
		return nil
	}
	if !f.Type.Fits(v) {
		return Bad("", "the field %q takes values of type %s", f.Name, f.Type)
	}
	if check := f.Type.rule().check; check != nil {
		return check(f, v)
	}
	return nil
}

func (f *Field) checkOption(id string) error {
	if _, ok := f.Option(OptionID(id)); !ok {
		return Bad("", "the field %q has no option with the id %q", f.Name, id)
	}
	return nil
}

// checkSet checks the members of a set: at most limit members, no duplicates, and each accepted by check. The
// paths of errors are the indexes of the members.
func checkSet(f *Field, items []string, limit int, check func(string) error) error {
	if len(items) > limit {
		return Bad("", "%d members for %q; the limit is %d", len(items), f.Name, limit)
	}
	seen := make(map[string]bool, len(items))
	var wrong []error
	for i, item := range items {
		err := check(item)
		if seen[item] {
			err = Bad("", "%q is given twice for %q", item, f.Name)
		}
		seen[item] = true
		wrong = append(wrong, At("["+strconv.Itoa(i)+"]", err))
	}
	return Join(wrong...)
}

// checkChars checks that a string is valid UTF-8 of 1 to limit characters. It rejects a string that is far
// too long without reading it.
func checkChars(what, s string, limit int) error {
	if len(s) > utf8.UTFMax*limit {
		return Bad("", "%s has %d bytes; the limit is %d characters", what, len(s), limit)
	}
	switch n := utf8.RuneCountInString(s); {
	case n == 0:
		return Bad("", "%s must not be empty", what)
	case n > limit:
		return Bad("", "%s has %d characters; the limit is %d", what, n, limit)
	case !utf8.ValidString(s):
		return Bad("", "%s is not valid UTF-8", what)
	}
	return nil
}

// CheckName checks the stored name of a tenant, project, field, option or state: 1 to MaxName characters, not
// only white space. For a new name, use CheckNewName.
func CheckName(path, name string) error {
	if strings.TrimSpace(name) == "" {
		return Bad(path, "a name must not be empty")
	}
	return At(path, checkChars("the name", name, MaxName))
}

// CleanName returns a name without white space at its ends, as it is stored.
func CleanName(name string) string { return strings.TrimSpace(name) }

// CheckIssueName checks the name of a new or renamed issue: 1 to MaxIssueName characters that follow the law
// of names.
func CheckIssueName(path, name string) error {
	if strings.TrimSpace(name) == "" {
		return Bad(path, "an issue's name must not be empty")
	}
	if err := checkChars("the name", name, MaxIssueName); err != nil {
		return At(path, err)
	}
	return CheckVisible(path, "the name", name)
}

// CheckProjectKey checks a project's key: 1 to MaxProjectKey characters from A-Z, 0-9 and _, beginning with a
// letter.
func CheckProjectKey(path, key string) error {
	ok := key != "" && len(key) <= MaxProjectKey && key[0] >= 'A' && key[0] <= 'Z'
	for i := range len(key[:min(len(key), MaxProjectKey)]) {
		c := key[i]
		ok = ok && (c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_')
	}
	if !ok {
		return Bad(path, "a project's key is 1 to %d characters from A-Z, 0-9 and _, starting with a "+
			"letter; got %q", MaxProjectKey, shortened(key))
	}
	return nil
}
