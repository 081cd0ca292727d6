package view

import (
	"fmt"
	"reflect"
	"slices"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// rewriter copies a filter with other references, and without those that have none and what is left empty by
// that.
type rewriter struct {
	definition *tracker.Definition
	choices    Choices
	types      Types
	// The following functions may be nil. found is called with what the filter refers to and its name.
	// missing and misfit are called with the path of what is left out: a reference to something that does
	// not exist, and a comparison that does not fit its field.
	found   func(what thing, name string)
	missing func(path string, what thing)
	misfit  func(path string, f *tracker.Field)
}

// Choices finds states and options by what a filter has, and returns their ids within their project or field.
type Choices interface {
	State(given string, byName bool) (tracker.OptionID, bool)
	Option(f *tracker.Field, given string, byName bool) (tracker.OptionID, bool)
}

const customField = "custom field"

// Types returns the member of CustomFieldFilter for a type of fields.
type Types func(tracker.FieldType) string

// thing is a field, a state or an option.
type thing struct {
	kind string
	id   string         // of the API
	of   *tracker.Field // that has an option
}

func (r *rewriter) see(what thing, name string) {
	if r.found != nil {
		r.found(what, name)
	}
}

func (r *rewriter) miss(path string, what thing) {
	if r.missing != nil {
		r.missing(path, what)
	}
}

// issue rewrites a filter. path ends before the name of a member.
func (r *rewriter) issue(path string, in *model.IssueFilter) *model.IssueFilter {
	out := *in
	out.And = eachOf(r, path+"and", in.And, r.nested)
	out.Or = eachOf(r, path+"or", in.Or, r.nested)
	if in.Not != nil {
		out.Not = r.issue(path+"not.", in.Not)
	}
	if in.State != nil {
		out.State = r.compared(path+"state", in.State, func(path, given string, byName bool) (string, bool) {
			p := &r.definition.Project
			id, ok := r.choices.State(given, byName)
			if !ok {
				r.miss(path, thing{kind: "state", id: given})
				return "", false
			}
			now := model.StateID(p.Tenant, p.ID, id)
			s, _ := p.State(id)
			r.see(thing{kind: "state", id: now}, s.Name)
			return now, true
		})
	}
	out.Fields = eachOf(r, path+"fields", in.Fields, r.field)
	if isEmpty(&out) && !isEmpty(in) {
		return nil
	}
	return &out
}

func (r *rewriter) nested(path string, in *model.IssueFilter) *model.IssueFilter {
	return r.issue(path+".", in)
}

func isEmpty(f *model.IssueFilter) bool { return reflect.ValueOf(f).Elem().IsZero() }

// eachOf rewrites the members of a list. It returns nil if none is left; a list that was empty is kept.
func eachOf[T any](r *rewriter, path string, list []*T, rewrite func(path string, in *T) *T) []*T {
	if len(list) == 0 {
		return list
	}
	var out []*T
	for i, in := range list {
		if kept := rewrite(fmt.Sprintf("%s[%d]", path, i), in); kept != nil {
			out = append(out, kept)
		}
	}
	return out
}

func (r *rewriter) field(path string, in *model.CustomFieldFilter) *model.CustomFieldFilter {
	f, err := model.FieldOf(r.definition, in.FieldID)
	if err != nil {
		r.miss(path, thing{kind: customField, id: in.FieldID})
		return nil
	}
	r.see(thing{kind: customField, id: in.FieldID}, f.Name)
	fits := true
	eachMember(reflect.ValueOf(in).Elem(), func(name string, _ reflect.Value) {
		fits = fits && (name == "fieldId" || name == "isNull" || name == r.types(f.Type))
	})
	if !fits {
		if r.misfit != nil {
			r.misfit(path, f)
		}
		return nil
	}
	option := func(path, given string, byName bool) (string, bool) {
		p := &r.definition.Project
		id, ok := r.choices.Option(f, given, byName)
		if !ok {
			r.miss(path, thing{"option", given, f})
			return "", false
		}
		now := model.OptionID(p.Tenant, p.ID, f.ID, id)
		o, _ := f.Option(id)
		r.see(thing{"option", now, f}, o.Name)
		return now, true
	}
	out := *in
	if in.Option != nil {
		if out.Option = r.compared(path+".option", in.Option, option); out.Option == nil {
			return nil
		}
	}
	if in.Options != nil {
		if out.Options = r.set(path+".options", in.Options, option); out.Options == nil {
			return nil
		}
	}
	return &out
}

// replace returns the id that a filter has instead of the name or id that was given, and whether it has any.
type replace func(path, given string, byName bool) (string, bool)

func (r *rewriter) compared(path string, in *model.OptionFilter, by replace) *model.OptionFilter {
	out := model.OptionFilter{IsNull: in.IsNull,
		EqID:     one(path+".eq", in.Eq, in.EqID, by),
		NeqID:    one(path+".neq", in.Neq, in.NeqID, by),
		InIds:    many(path+".in", in.In, in.InIds, by),
		NotInIds: many(path+".notIn", in.NotIn, in.NotInIds, by)}
	if reflect.ValueOf(out).IsZero() {
		return nil
	}
	return &out
}

func (r *rewriter) set(path string, in *model.OptionSetFilter, by replace) *model.OptionSetFilter {
	out := model.OptionSetFilter{IsNull: in.IsNull,
		HasAnyIds:  many(path+".hasAny", in.HasAny, in.HasAnyIds, by),
		HasAllIds:  many(path+".hasAll", in.HasAll, in.HasAllIds, by),
		HasNoneIds: many(path+".hasNone", in.HasNone, in.HasNoneIds, by)}
	if reflect.ValueOf(out).IsZero() {
		return nil
	}
	return &out
}

// one returns the id for a name or an id, at most one of which is given. path is that of the name.
func one(path string, name, id *string, by replace) *string {
	byName := name != nil
	if !byName {
		if name = id; id == nil {
			return nil
		}
		path += "Id"
	}
	out, ok := by(path, *name, byName)
	if !ok {
		return nil
	}
	return &out
}

// many is like one, for a list. Members that have been merged into the same one occur once. A list that was
// empty is kept.
func many(path string, names, ids []string, by replace) []string {
	in, byName := names, names != nil
	if !byName {
		in, path = ids, path+"Ids"
	}
	if len(in) == 0 {
		return in
	}
	var out []string
	for i, given := range in {
		if now, ok := by(fmt.Sprintf("%s[%d]", path, i), given, byName); ok && !slices.Contains(out, now) {
			out = append(out, now)
		}
	}
	return out
}
