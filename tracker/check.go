package tracker

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// Check tells whether v can be a value of the field: the right kind, within the limits, of options that exist. The zero Value (no
// value) passes unless the field is required. Errors are BadInput without a path.
func (f *Field) Check(v Value) error {
	if v.Kind == KindNone {
		if f.Required {
			return Bad("", "the field %q is required and must have a value", f.Name)
		}
		return nil
	}
	if want := f.Type.kind(); v.Kind != want && (v.Kind != KindLong || want != KindText) {
		return Bad("", "the field %q takes values of type %s", f.Name, f.Type)
	}
	switch f.Type {
	case TypeText, TypeLongText:
		return checkText(f.Name, v)
	case TypeInteger, TypeNumber:
		return f.checkNumber(v)
	case TypeDate:
		if d, err := ParseDate(v.text); err != nil || d != v.text {
			return Bad("", "%q is not a date of the form 2006-01-02, of the years 0001 to 9999", v.text)
		}
	case TypeDateTime:
		if d, err := ParseDateTime(v.text); err != nil || d != v.text {
			return Bad("", "%q is not a datetime of the form 2006-01-02T15:04:05Z, of the years 0001 to 9999", v.text)
		}
	case TypeUser:
		return checkChars(f.Name, v.text, MaxUser)
	case TypeSelect:
		return f.checkOption(v.text)
	case TypeMultiSelect, TypeTags:
		return f.checkSet(v.Set())
	}
	return nil
}

// kind is how values of the type are given; texts may be long as well.
func (t FieldType) kind() Kind {
	switch t {
	case TypeInteger, TypeNumber:
		return KindNum
	case TypeBoolean:
		return KindBool
	case TypeMultiSelect, TypeTags:
		return KindSet
	}
	return KindText
}

// Fits tells whether a stored value can be one of the type.
func (t FieldType) Fits(v Value) bool {
	return v.Kind == t.kind() || v.Kind == KindLong && (t == TypeText || t == TypeLongText)
}

func checkText(name string, v Value) error {
	if v.Kind == KindLong {
		return nil
	}
	if len(v.text) > MaxText {
		return Bad("", "the text for %q has %d bytes; the limit is %d", name, len(v.text), MaxText)
	}
	if !utf8.ValidString(v.text) {
		return Bad("", "the text for %q is not valid UTF-8", name)
	}
	return nil
}

func (f *Field) checkNumber(v Value) error {
	if f.Type == TypeInteger {
		if Int(v.Int()).text != v.text {
			return Bad("", "%s is not an integer of 64 bits", v.text)
		}
		return nil
	}
	if x := math.Abs(v.Float()); x != 0 && !(x >= MinNumber && x <= MaxNumber) {
		return Bad("", "%s is out of range: the magnitude of a number is 0, or from %g to %g", v.text, MinNumber, MaxNumber)
	}
	return nil
}

func (f *Field) checkOption(id string) error {
	if _, ok := f.Option(OptionID(id)); !ok {
		return Bad("", "the field %q has no option with the id %q", f.Name, id)
	}
	return nil
}

func (f *Field) checkSet(items []string) error {
	limit, check := MaxOptions, f.checkOption
	if f.Type == TypeTags {
		limit, check = MaxTags, func(tag string) error { return checkChars(f.Name, tag, MaxTag) }
	}
	if len(items) > limit {
		return Bad("", "%d members for %q; the limit is %d", len(items), f.Name, limit)
	}
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		if seen[item] {
			return Bad("", "%q is given twice for %q", item, f.Name)
		}
		seen[item] = true
		if err := check(item); err != nil {
			return err
		}
	}
	return nil
}

// checkChars checks a text of 1 to limit characters. One that is far too long costs nothing to refuse.
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

// CheckName checks the name that a tenant, project, field, option or state has: 1 to MaxName characters, not only blanks. For one that is given, see
// CheckNewName.
func CheckName(path, name string) error {
	if strings.TrimSpace(name) == "" {
		return Bad(path, "a name must not be empty")
	}
	return At(path, checkChars("the name", name, MaxName))
}

// CheckIssueName checks the name that a new or renamed issue is to get: 1 to MaxIssueName characters, and the law of names.
func CheckIssueName(path, name string) error {
	if strings.TrimSpace(name) == "" {
		return Bad(path, "an issue's name must not be empty")
	}
	if err := checkChars("the name", name, MaxIssueName); err != nil {
		return At(path, err)
	}
	return CheckVisible(path, "the name", name)
}

// CheckProjectKey checks a project's key: 1 to MaxProjectKey of A-Z, 0-9 and _, a letter first.
func CheckProjectKey(path, key string) error {
	ok := key != "" && len(key) <= MaxProjectKey && key[0] >= 'A' && key[0] <= 'Z'
	for i := range len(key) {
		c := key[i]
		ok = ok && (c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_')
	}
	if !ok {
		return Bad(path, "a project's key is 1 to %d of A-Z, 0-9 and _, beginning with a letter; got %q", MaxProjectKey, key)
	}
	return nil
}

// dateTimeForm is the canonical form of a datetime: UTC, microseconds only where there are some. Texts of this form are
// what the table and the API hold.
const dateTimeForm = "2006-01-02T15:04:05.999999Z"

// FormatDateTime gives the canonical form of an instant.
func FormatDateTime(t time.Time) string { return t.UTC().Format(dateTimeForm) }

// ParseDateTime reads an RFC 3339 datetime and returns its canonical form, cut to microseconds.
func ParseDateTime(s string) (string, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err == nil {
		t = t.UTC()
	}
	if err != nil || t.Year() < 1 || t.Year() > 9999 {
		return "", Bad("", "%q is not an RFC 3339 datetime of the years 0001 to 9999, such as 2006-01-02T15:04:05Z", s)
	}
	return FormatDateTime(t.Truncate(time.Microsecond)), nil
}

// ParseDate reads a calendar date and returns its canonical form, which is the one that it reads.
func ParseDate(s string) (string, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || t.Year() < 1 {
		return "", Bad("", "%q is not a date of the form 2006-01-02, of the years 0001 to 9999", s)
	}
	return s, nil
}
