package tracker

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// FieldType is the type of a custom field. This file alone defines the types and their rules. Other packages
// that add properties to types, such as an order, have tables of their own (see CONTRIBUTING.md).
type FieldType string

// The field types.
const (
	TypeText        FieldType = "TEXT"
	TypeLongText    FieldType = "LONG_TEXT"
	TypeInteger     FieldType = "INTEGER"
	TypeNumber      FieldType = "NUMBER"
	TypeDate        FieldType = "DATE"
	TypeDateTime    FieldType = "DATETIME"
	TypeBoolean     FieldType = "BOOLEAN"
	TypeSelect      FieldType = "SELECT"
	TypeMultiSelect FieldType = "MULTI_SELECT"
	TypeTags        FieldType = "TAGS"
	TypeUser        FieldType = "USER"
)

// FieldTypes lists all field types.
var FieldTypes = []FieldType{TypeText, TypeLongText, TypeInteger, TypeNumber, TypeDate, TypeDateTime,
	TypeBoolean,
	TypeSelect, TypeMultiSelect, TypeTags, TypeUser}

// typeRule holds the rules for the values of a type.
type typeRule struct {
	kind     Kind // the kind of values in input
	long     bool // values of more than MaxInlineText bytes are held outside the document
	sortable bool
	indexed  bool
	options  bool

	// check returns the error in a value of the right kind. Nil means that every such value is valid.
	check func(f *Field, v Value) error
	// named applies the law of names to the names in a value. Nil means that values contain no names.
	named func(f *Field, v Value) error
	// parse makes a value from strings. text is the strings, joined with commas.
	parse func(f *Field, text string, parts []string) (Value, error)
	// parts returns a value as strings, one for each member of a set. Nil means that the stored string is
	// used.
	parts func(f *Field, v Value) []string
}

// rule returns the rule of a type. It is a switch for speed, because a page calls it for each value.
func (t FieldType) rule() *typeRule {
	switch t {
	case TypeText:
		return &textRule
	case TypeLongText:
		return &longTextRule
	case TypeInteger:
		return &integerRule
	case TypeNumber:
		return &numberRule
	case TypeDate:
		return &dateRule
	case TypeDateTime:
		return &dateTimeRule
	case TypeBoolean:
		return &booleanRule
	case TypeSelect:
		return &selectRule
	case TypeMultiSelect:
		return &multiSelectRule
	case TypeTags:
		return &tagsRule
	case TypeUser:
		return &userRule
	}
	return &unknownRule
}

var (
	textRule = typeRule{kind: KindText, long: true, sortable: true, indexed: true, check: checkText,
		parse: parseText}
	longTextRule = typeRule{kind: KindText, long: true, check: checkText, parse: parseText}
	integerRule  = typeRule{kind: KindNum, sortable: true, indexed: true, check: checkInteger,
		parse: parseInteger}
	numberRule = typeRule{kind: KindNum, sortable: true, indexed: true,
		check: checkNumber, parse: parseNumber, parts: numberParts}
	dateRule     = typeRule{kind: KindText, sortable: true, indexed: true, check: checkDate, parse: parseDate}
	dateTimeRule = typeRule{kind: KindText, sortable: true, indexed: true, check: checkDateTime,
		parse: parseDateTime}
	booleanRule = typeRule{kind: KindBool, sortable: true, indexed: true, parse: parseBoolean}
	selectRule  = typeRule{kind: KindText, sortable: true, indexed: true, options: true,
		check: checkSelect, parse: parseSelect, parts: selectParts}
	multiSelectRule = typeRule{kind: KindSet, indexed: true, options: true,
		check: checkMultiSelect, parse: parseMultiSelect, parts: multiSelectParts}
	tagsRule = typeRule{kind: KindSet, indexed: true, check: checkTags, named: tagsNamed, parse: parseTags,
		parts: tagsParts}
	userRule = typeRule{kind: KindText, sortable: true, indexed: true, check: checkUser, named: userNamed,
		parse: parseUser}

	// unknownRule is for types that a later version of the product has stored.
	unknownRule = typeRule{kind: KindText, sortable: true, indexed: true, parse: parseUnknown}
)

// Valid reports whether t is one of FieldTypes.
func (t FieldType) Valid() bool { return t.rule() != &unknownRule }

// Kind returns the kind of values in input. If LongTexts is true, a stored value may also be a KindLong.
func (t FieldType) Kind() Kind { return t.rule().kind }

// LongTexts reports whether values of more than MaxInlineText bytes are held outside the document.
func (t FieldType) LongTexts() bool { return t.rule().long }

// Sortable reports whether a grid can be sorted by a field of this type: it has one value, of bounded size.
func (t FieldType) Sortable() bool { return t.rule().sortable }

// Indexed reports whether values of this type have entries in the index. A set has an entry for each member.
func (t FieldType) Indexed() bool { return t.rule().indexed }

// HasOptions reports whether the values of this type are options.
func (t FieldType) HasOptions() bool { return t.rule().options }

// Fits reports whether a stored value has a kind of this type.
func (t FieldType) Fits(v Value) bool {
	rule := t.rule()
	return v.Kind == rule.kind || v.Kind == KindLong && rule.long
}

// Display returns a value in readable form, with the names of options, and with commas between the members of
// a set. It returns "" for a long text.
func (f *Field) Display(v Value) string {
	if f.Type.rule().parts == nil {
		return v.text
	}
	return strings.Join(f.parts(v, ""), ", ")
}

// parts returns a value as strings: the members of a set, or one string. long is the text that a KindLong
// refers to.
func (f *Field) parts(v Value, long string) []string {
	if v.Kind == KindLong {
		return []string{long}
	}
	if parts := f.Type.rule().parts; parts != nil {
		return parts(f, v)
	}
	return []string{v.text}
}

// parseAs makes a value of the field to from strings.
func parseAs(to *Field, parts []string) (Value, error) {
	return to.Type.rule().parse(to, strings.Join(parts, ", "), parts)
}

func parseUnknown(f *Field, _ string, _ []string) (Value, error) {
	return Value{}, Bad("", "there are no values of type %s", f.Type)
}

// TEXT and LONG_TEXT.

func checkText(f *Field, v Value) error {
	if v.Kind == KindLong {
		return nil
	}
	if len(v.text) > MaxText {
		return Bad("", "the text for %q has %d bytes; the limit is %d", f.Name, len(v.text), MaxText)
	}
	if !utf8.ValidString(v.text) {
		return Bad("", "the text for %q is not valid UTF-8", f.Name)
	}
	return nil
}

func parseText(_ *Field, text string, _ []string) (Value, error) { return Text(text), nil }

// INTEGER and NUMBER.

func checkInteger(_ *Field, v Value) error {
	if Int(v.Int()).text != v.text {
		return Bad("", "%s is not a 64-bit integer", v.text)
	}
	return nil
}

func parseInteger(_ *Field, text string, _ []string) (Value, error) {
	trimmed := strings.TrimSpace(text)
	if i, err := strconv.ParseInt(trimmed, 10, 64); err == nil {
		return Int(i), nil
	}
	if d, ok := parseDecimal(trimmed); ok {
		if i, ok := d.int(); ok && i >= -maxExact && i <= maxExact {
			return Int(i), nil
		}
	}
	return Value{}, Bad("", "%q is not an integer", shortened(text))
}

func checkNumber(_ *Field, v Value) error {
	if x := math.Abs(v.Float()); x != 0 && !(x >= MinNumber && x <= MaxNumber) {
		return Bad("", "%s is out of range: the magnitude of a number is 0, or from %g to %g", v.text,
			MinNumber, MaxNumber)
	}
	return nil
}

func parseNumber(_ *Field, text string, _ []string) (Value, error) {
	x, err := ParseNumber(strings.TrimSpace(text))
	if err != nil {
		return Value{}, err
	}
	return Float(x), nil
}

func numberParts(_ *Field, v Value) []string { return []string{Float(v.Float()).text} }

// DATE and DATETIME.

func checkDate(_ *Field, v Value) error {
	if d, err := ParseDate(v.text); err != nil || d != v.text {
		return Bad("", "%q is not a date such as 2026-01-31, in the years 0001 to 9999", v.text)
	}
	return nil
}

// zone returns the time zone in which times become dates and dates become times.
func (f *Field) zone() *time.Location {
	if f.From == nil {
		return time.UTC
	}
	return zone(f.From.Zone)
}

func parseDate(f *Field, text string, _ []string) (Value, error) {
	trimmed := strings.TrimSpace(text)
	if date, err := ParseDate(trimmed); err == nil {
		return Text(date), nil
	}
	if at, err := time.Parse(time.RFC3339Nano, trimmed); err == nil {
		return Text(at.In(f.zone()).Format(time.DateOnly)), nil
	}
	return Value{}, Bad("", "%q is not a date", shortened(text))
}

func checkDateTime(_ *Field, v Value) error {
	if d, err := ParseDateTime(v.text); err != nil || d != v.text {
		return Bad("", "%q is not a datetime such as 2026-01-31T09:30:00Z, in the years 0001 to 9999",
			v.text)
	}
	return nil
}

func parseDateTime(f *Field, text string, _ []string) (Value, error) {
	trimmed := strings.TrimSpace(text)
	if date, err := ParseDate(trimmed); err == nil {
		midnight, _ := time.Parse(time.DateOnly, date)
		trimmed = InZone(midnight, f.zone()).UTC().Format(time.RFC3339)
	}
	at, err := ParseDateTime(trimmed)
	if err != nil {
		return Value{}, Bad("", "%q is not a datetime", shortened(text))
	}
	return Text(at), nil
}

// BOOLEAN.

func parseBoolean(_ *Field, text string, _ []string) (Value, error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "yes", "1":
		return Bool(true), nil
	case "false", "no", "0":
		return Bool(false), nil
	}
	return Value{}, Bad("", "%q is neither true nor false", shortened(text))
}

// SELECT and MULTI_SELECT.

func checkSelect(f *Field, v Value) error { return f.checkOption(v.text) }

func parseSelect(f *Field, text string, _ []string) (Value, error) {
	id, err := f.optionNamed(strings.TrimSpace(text))
	return Text(id), err
}

func selectParts(f *Field, v Value) []string { return []string{f.optionName(v.text)} }

func checkMultiSelect(f *Field, v Value) error {
	return checkSet(f, v.Set(), MaxOptions, f.checkOption)
}

func parseMultiSelect(f *Field, _ string, parts []string) (Value, error) {
	var ids []string
	for _, part := range parts {
		id, err := f.optionNamed(strings.TrimSpace(part))
		if err != nil {
			return Value{}, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return Set(ids), nil
}

func multiSelectParts(f *Field, v Value) []string {
	out := make([]string, len(v.Set()))
	for i, id := range v.Set() {
		out[i] = f.optionName(id)
	}
	return out
}

// TAGS.

func checkTags(f *Field, v Value) error {
	return checkSet(f, v.Set(), MaxTags, func(tag string) error { return checkChars(f.Name, tag, MaxTag) })
}

func tagsNamed(_ *Field, v Value) error {
	var wrong []error
	for i, tag := range v.Set() {
		wrong = append(wrong, At("["+strconv.Itoa(i)+"]", CheckVisible("", "a tag", tag)))
	}
	return Join(wrong...)
}

func parseTags(_ *Field, _ string, parts []string) (Value, error) {
	var tags []string
	for _, part := range parts {
		if part = CleanName(part); part != "" && !slices.Contains(tags, part) {
			tags = append(tags, part)
		}
	}
	return Set(tags), nil
}

func tagsParts(_ *Field, v Value) []string { return v.Set() }

// USER.

func checkUser(f *Field, v Value) error {
	if v.User() != "" {
		return nil // the name was checked when the user was named
	}
	return checkChars(f.Name, v.text, MaxUser)
}

func userNamed(f *Field, v Value) error {
	if v.User() != "" {
		return nil
	}
	return CheckVisible("", f.Name, v.text)
}

func parseUser(_ *Field, text string, _ []string) (Value, error) {
	return Text(CleanName(text)), nil
}
