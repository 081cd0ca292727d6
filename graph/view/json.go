package view

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// encode returns a filter as JSON in the form of a variable of the type IssueFilter. It is empty for a filter
// without members.
func encode(f *model.IssueFilter) (string, error) {
	if f == nil || reflect.ValueOf(f).Elem().IsZero() {
		return "", nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(inputValue(reflect.ValueOf(f))); err != nil {
		return "", tracker.Internal("a filter has no JSON", err)
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// decode returns the filter in a text of encode, or an error.
func decode(text string) (*model.IssueFilter, error) {
	f := &model.IssueFilter{}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(f); err != nil {
		return nil, err
	}
	return f, nil
}

// inputValue returns the value of an input as the JSON of a variable has it: without members that are not
// given, and with empty lists.
func inputValue(v reflect.Value) any {
	if i, ok := v.Interface().(model.Int64); ok {
		return strconv.FormatInt(int64(i), 10)
	}
	switch v.Kind() {
	case reflect.Pointer:
		return inputValue(v.Elem())
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = inputValue(v.Index(i))
		}
		return out
	case reflect.Struct:
		out := map[string]any{}
		eachMember(v, func(name string, member reflect.Value) { out[name] = inputValue(member) })
		return out
	}
	return v.Interface()
}

// eachMember calls each with the given members of an input object.
func eachMember(v reflect.Value, each func(name string, member reflect.Value)) {
	for i := range v.NumField() {
		f, member := v.Type().Field(i), v.Field(i)
		nillable := member.Kind() == reflect.Pointer || member.Kind() == reflect.Slice
		switch {
		case f.Anonymous:
			eachMember(member, each)
		case !nillable || !member.IsNil():
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = strings.ToLower(f.Name[:1]) + f.Name[1:]
			}
			each(name, member)
		}
	}
}
