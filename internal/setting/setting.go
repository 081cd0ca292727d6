// Package setting defines settings: the name, default, range and description of each, written once. Flags,
// environment variables, checks, help and the tables in docs/ are generated from these definitions.
//
// Start here: Definition. A package with settings has a struct with a field for each and a function that
// returns their definitions. Package cli defines those of the command line.
package setting

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"issuegrid/tracker"
)

// MaxCount is the maximum of counts that have no other limit.
const MaxCount = math.MaxInt32

// Definition describes a setting.
type Definition struct {
	// Name is the name of the field that holds the value or, in package cli, of the flag without its hyphens.
	Name string
	// Placeholder represents the value in help. Numbers and durations need none.
	Placeholder string
	// Default is the value of the field if the setting is not set. Nil means the zero value.
	Default any
	// Min and Max are the inclusive range of a number or a duration. If Max is nil, there is no range.
	Min, Max any
	// ZeroMeans is the meaning of 0, such as "no limit", if 0 is allowed although it is out of range.
	ZeroMeans string
	// UnsetMeans describes what applies if the setting is not set and Default does not say it. A number may
	// then be 0, which means not set.
	UnsetMeans string
	// OneOf lists the allowed strings; if empty, any string is allowed.
	OneOf []string
	// Rare is true for a setting that few users need: --help omits it, but `issuegrid settings` and docs/
	// include it.
	Rare bool
	// Fixed is true for a limit that is not a setting; docs/ lists it.
	Fixed bool
	// Help describes the setting, in sentences that end in full stops.
	Help string
}

// Summary returns Help with the range and the default.
func (d Definition) Summary() string {
	usual := d.DefaultText()
	switch limits := d.Range(); {
	case limits != "" && usual != "":
		return d.Help + " " + limits + "; if not set, " + usual + "."
	case usual != "":
		return d.Help + " If not set, " + usual + "."
	}
	return d.Help
}

// Range formats the range for people, such as "1s to 5m". It returns "" if there is none.
func (d Definition) Range() string {
	if d.Max == nil {
		return ""
	}
	text := Text(d.Min) + " to " + Text(d.Max)
	if d.ZeroMeans != "" {
		text += ", 0 is " + d.ZeroMeans
	}
	return text
}

// DefaultText formats for people what applies if the setting is not set. It returns "" if nothing does or if
// Help says it.
func (d Definition) DefaultText() string {
	switch {
	case d.Default == nil, d.UnsetMeans != "":
		return d.UnsetMeans
	case d.Default == true:
		return "on"
	}
	return Text(d.Default)
}

// Check returns a BadInput error if value is not allowed.
func (d Definition) Check(value any) error {
	if text, ok := value.(string); ok && d.OneOf != nil && !slices.Contains(d.OneOf, text) {
		return tracker.Bad(d.Name, "%q is none of %s", text, strings.Join(d.OneOf, ", "))
	}
	if d.Max == nil {
		return nil
	}
	n := number(value)
	if n >= number(d.Min) && n <= number(d.Max) || n == 0 && (d.ZeroMeans != "" || d.UnsetMeans != "") {
		return nil
	}
	return tracker.Bad(d.Name, "%s is out of range: %s", Text(value), d.Range())
}

// Exceeded returns the BadInput error for a value that exceeds the limit of the given name. lower says how to
// need less of it.
func Exceeded(is string, value int, name string, limit int, lower string) *tracker.Error {
	return tracker.Bad("", "%s: %d; the limit (%s) is %d: %s", is, value, name, limit, lower)
}

// Text formats a value for people, in a form that the setting accepts.
func Text(value any) string {
	switch v := value.(type) {
	case time.Duration:
		text := v.String()
		if short, ok := strings.CutSuffix(text, "m0s"); ok {
			text = short + "m"
		}
		if short, ok := strings.CutSuffix(text, "h0m"); ok {
			text = short + "h"
		}
		return text
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []string:
		return strings.Join(v, ",")
	}
	return fmt.Sprint(value)
}

// number converts a number or a duration for comparisons. Both are far below 2^53, so the result is exact.
func number(value any) float64 {
	v := reflect.ValueOf(value)
	if v.CanInt() {
		return float64(v.Int())
	}
	return v.Float()
}

// Complete sets the zero fields of a struct to the defaults of their definitions.
func Complete(s any, all []Definition) {
	for _, d := range all {
		if field := field(s, d); d.Default != nil && field.IsZero() {
			field.Set(reflect.ValueOf(d.Default).Convert(field.Type()))
		}
	}
}

// Check returns a BadInput error for the first field of a struct whose value is not allowed.
func Check(s any, all []Definition) error {
	for _, d := range all {
		if err := d.Check(field(s, d).Interface()); err != nil {
			return err
		}
	}
	return nil
}

// field returns the field of a struct that a definition describes.
func field(s any, d Definition) reflect.Value {
	f := reflect.ValueOf(s).Elem().FieldByName(d.Name)
	if !f.IsValid() {
		panic(fmt.Sprintf("%T has no field %s", s, d.Name))
	}
	return f
}
