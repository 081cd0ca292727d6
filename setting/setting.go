// Package setting says what a setting is: its name, default, range and description, each written once. Flags,
// environment variables, checks, help and the tables in docs/ are made from these definitions.
//
// Start here: Definition. A package with settings has them as the fields of a struct, and a function that
// returns their definitions; package cli has those of the command line.
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

// MaxCount is the most of what can be counted where there is no other bound.
const MaxCount = math.MaxInt32

// Definition is everything about a setting but its use.
type Definition struct {
	// Name is that of the field that has the value; in package cli that of the flag, without the hyphens
	// before it.
	Name string
	// Placeholder stands for the value in help. Numbers and times need none.
	Placeholder string
	// Default is what the field has if the setting is not set. Nil is the zero value.
	Default any
	// Min and Max are the range of a number or a time, both included. Without Max there is none.
	Min, Max any
	// Zero says what 0 is, where the range does not include it and it is allowed all the same: "no limit".
	Zero string
	// Unset says what applies if the setting is not set, where Default does not say it. A number may then be
	// 0, which counts as not set.
	Unset string
	// OneOf are the texts that the setting can be; without any it can be every text.
	OneOf []string
	// Rare is set if hardly anybody needs the setting: `issuegrid settings` and docs/ have it, --help does
	// not.
	Rare bool
	// Help says what the setting is, in sentences that end in full stops.
	Help string
}

// Summary is Help with the range and the default.
func (d Definition) Summary() string {
	usual := d.Usual()
	switch limits := d.Range(); {
	case limits != "" && usual != "":
		return d.Help + " " + limits + "; if not set, " + usual + "."
	case usual != "":
		return d.Help + " If not set, " + usual + "."
	}
	return d.Help
}

// Range is the range for people, such as "1s to 5m"; "" if there is none.
func (d Definition) Range() string {
	if d.Max == nil {
		return ""
	}
	text := Text(d.Min) + " to " + Text(d.Max)
	if d.Zero != "" {
		text += ", 0 is " + d.Zero
	}
	return text
}

// Usual is what applies if the setting is not set, for people; "" for nothing, or if Help says it.
func (d Definition) Usual() string {
	switch {
	case d.Default == nil, d.Unset != "":
		return d.Unset
	case d.Default == true:
		return "on"
	}
	return Text(d.Default)
}

// Check returns a BadInput error if the setting can't have a value.
func (d Definition) Check(value any) error {
	if text, ok := value.(string); ok && d.OneOf != nil && !slices.Contains(d.OneOf, text) {
		return tracker.Bad(d.Name, "%q is none of %s", text, strings.Join(d.OneOf, ", "))
	}
	if d.Max == nil {
		return nil
	}
	n := number(value)
	if n >= number(d.Min) && n <= number(d.Max) || n == 0 && (d.Zero != "" || d.Unset != "") {
		return nil
	}
	return tracker.Bad(d.Name, "%s is out of range: %s", Text(value), d.Range())
}

// Text is a value for people, as it can be given.
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

// number is a number or a time, for comparisons; both are far below the 2^53 up to which that is exact.
func number(value any) float64 {
	v := reflect.ValueOf(value)
	if v.CanInt() {
		return float64(v.Int())
	}
	return v.Float()
}

// Complete sets the fields of a struct that are zero, and are defined, to their defaults.
func Complete(s any, all []Definition) {
	for _, d := range all {
		if field := field(s, d); d.Default != nil && field.IsZero() {
			field.Set(reflect.ValueOf(d.Default).Convert(field.Type()))
		}
	}
}

// Check returns a BadInput error about the first field of a struct that has a value which it can't have.
func Check(s any, all []Definition) error {
	for _, d := range all {
		if err := d.Check(field(s, d).Interface()); err != nil {
			return err
		}
	}
	return nil
}

// field is what a definition of a struct's setting is about.
func field(s any, d Definition) reflect.Value {
	f := reflect.ValueOf(s).Elem().FieldByName(d.Name)
	if !f.IsValid() {
		panic(fmt.Sprintf("%T has no field %s", s, d.Name))
	}
	return f
}
