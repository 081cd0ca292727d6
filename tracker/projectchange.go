package tracker

import (
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// ProjectChange is an entry in the history of a project: one change of its definition. It is immutable.
type ProjectChange struct {
	// Version is the version of the project after the change.
	Version int64
	At      time.Time
	// By is what made the change.
	By Actor
	// Parts are the parts of the definition that were changed. Omitted is the number of those left out,
	// because an entry has a limited size.
	Parts   []PartChange
	Omitted int
}

// PartKind is a kind of parts of a definition.
type PartKind string

// The kinds of parts.
const (
	PartProject PartKind = "PROJECT"
	PartState   PartKind = "STATE"
	PartField   PartKind = "FIELD"
	PartOption  PartKind = "OPTION"
)

// PartKinds lists the kinds of parts.
var PartKinds = []PartKind{PartProject, PartState, PartField, PartOption}

// PartChangeKind is what a change did to a part of a definition.
type PartChangeKind string

// The kinds of changes of parts. PartDeleted and PartRestored of a project are those of the trash.
const (
	PartCreated  PartChangeKind = "CREATED"
	PartUpdated  PartChangeKind = "UPDATED"
	PartMoved    PartChangeKind = "MOVED"
	PartMerged   PartChangeKind = "MERGED"
	PartDeleted  PartChangeKind = "DELETED"
	PartRestored PartChangeKind = "RESTORED"
)

// PartChangeKinds lists the kinds of changes of parts.
var PartChangeKinds = []PartChangeKind{PartCreated, PartUpdated, PartMoved, PartMerged, PartDeleted,
	PartRestored}

// PartChange is the change of one part of a definition.
type PartChange struct {
	Change PartChangeKind
	Part   PartKind
	// ID is the id of a state or an option, and Field that of a field, or of the field of an option.
	ID    OptionID
	Field FieldID
	// Name is the name after the change, or the last one of a part that was removed. FieldName is that of the
	// field of an option.
	Name, FieldName string
	Properties      []PropertyChange
}

// Property is a property of a part of a definition.
type Property string

// The properties. PropertyPlace is the place of a state or an option in its list, from 1. PropertyInto is the
// name of the state or the option that replaces a merged one. PropertyLinkedName is a name in values, before,
// and the user to whom it was linked.
const (
	PropertyKey         Property = "KEY"
	PropertyName        Property = "NAME"
	PropertyDescription Property = "DESCRIPTION"
	PropertyType        Property = "TYPE"
	PropertyRequired    Property = "REQUIRED"
	PropertyArchived    Property = "ARCHIVED"
	PropertyPosition    Property = "POSITION"
	PropertyOpen        Property = "OPEN"
	PropertyColor       Property = "COLOR"
	PropertyPlace       Property = "PLACE"
	PropertyInto        Property = "INTO"
	PropertyLinkedName  Property = "LINKED_NAME"
)

// Properties lists the properties.
var Properties = []Property{PropertyKey, PropertyName, PropertyDescription, PropertyType, PropertyRequired,
	PropertyArchived, PropertyPosition, PropertyOpen, PropertyColor, PropertyPlace, PropertyInto,
	PropertyLinkedName}

// PropertyChange is a property before and after a change, as text for display; "" for none.
type PropertyChange struct {
	Property      Property
	Before, After string
}

const (
	// MaxPartChanges is the maximum number of parts in an entry of the history of a project.
	MaxPartChanges = 100
	// MaxPartChangeBytes is the maximum total size of their strings in bytes.
	MaxPartChangeBytes = 200_000
	// maxPropertyText is the maximum length in characters of a property in the history. No name is longer.
	maxPropertyText = MaxName
)

// SetParts sets Parts and Omitted.
func (c *ProjectChange) SetParts(all []PartChange) {
	n, bytes := 0, 0
	for n < len(all) && n < MaxPartChanges {
		if bytes += all[n].bytes(); bytes > MaxPartChangeBytes {
			break
		}
		n++
	}
	c.Parts, c.Omitted = all[:n], len(all)-n
}

func (c *PartChange) bytes() int {
	n := len(c.ID) + len(c.Field) + len(c.Name) + len(c.FieldName)
	for _, p := range c.Properties {
		n += len(p.Property) + len(p.Before) + len(p.After)
	}
	return n
}

// ChangesOf returns the differences between two versions of a project, without its fields. old is nil for a
// new project.
func (p *Project) ChangesOf(old *Project) []PartChange {
	change := PartChange{Change: PartUpdated, Part: PartProject, Name: p.Name}
	if old == nil {
		old, change.Change = &Project{}, PartCreated
	}
	change.add(PropertyKey, old.Key, p.Key)
	change.add(PropertyName, old.Name, p.Name)
	var all []PartChange
	if len(change.Properties) > 0 {
		all = append(all, change)
	}
	return append(all, choiceChanges(PartChange{Part: PartState}, old.States, p.States, p.Merged,
		func(c *PartChange, old, new State) {
			c.add(PropertyName, old.Name, new.Name)
			c.add(PropertyOpen, truth(old.Open, old.ID != ""), truth(new.Open, true))
			c.add(PropertyColor, old.Color, new.Color)
		})...)
}

// ChangesOf returns the differences between two versions of a field. old is nil for a new field.
func (f *Field) ChangesOf(old *Field) []PartChange {
	change := PartChange{Change: PartUpdated, Part: PartField, Field: f.ID, Name: f.Name}
	known := old != nil
	if !known {
		old, change.Change = &Field{}, PartCreated
	}
	change.add(PropertyName, old.Name, f.Name)
	change.add(PropertyDescription, old.Description, f.Description)
	change.add(PropertyType, string(old.Type), string(f.Type))
	change.add(PropertyRequired, truth(old.Required, known), truth(f.Required, true))
	change.add(PropertyArchived, truth(old.Archived, known), truth(f.Archived, true))
	change.add(PropertyPosition, number(old.Position), number(f.Position))
	var all []PartChange
	if len(change.Properties) > 0 {
		all = append(all, change)
	}
	if len(old.Links) == 0 {
		for _, link := range f.Links {
			all = append(all, PartChange{Change: PartUpdated, Part: PartField, Field: f.ID, Name: f.Name,
				Properties: []PropertyChange{{PropertyLinkedName, link.Name, cut(link.UserName)}}})
		}
	}
	return append(all, choiceChanges(PartChange{Part: PartOption, Field: f.ID, FieldName: f.Name},
		old.Options, f.Options, f.Merged, func(c *PartChange, old, new Option) {
			c.add(PropertyName, old.Name, new.Name)
			c.add(PropertyColor, old.Color, new.Color)
		})...)
}

// Deletion returns the change that deletes the field.
func (f *Field) Deletion() []PartChange {
	change := PartChange{Change: PartDeleted, Part: PartField, Field: f.ID, Name: f.Name}
	change.add(PropertyType, string(f.Type), "")
	return []PartChange{change}
}

// choiceChanges returns the differences between two lists of states or options. merged maps those that were
// merged to their replacements. of has what all changes have in common, and compare adds the changed
// properties of a choice; the old choice is the zero value for a new one.
func choiceChanges[T choice](of PartChange, old, changed []T, merged map[OptionID]OptionID,
	compare func(c *PartChange, old, new T)) (all []PartChange) {
	add := func(kind PartChangeKind, id OptionID, name string, fill func(*PartChange)) {
		c := of
		c.Change, c.ID, c.Name = kind, id, name
		if fill(&c); len(c.Properties) > 0 || kind == PartDeleted {
			all = append(all, c)
		}
	}
	before, after := ranks(old), ranks(changed)
	for _, c := range changed {
		id, name := c.choice()
		var was T
		kind := PartCreated
		if rank, ok := before[id]; ok {
			kind, was = PartUpdated, old[rank]
		}
		add(kind, id, name, func(change *PartChange) { compare(change, was, c) })
	}
	for _, id := range moved(old, changed, before, after) {
		_, name := changed[after[id]].choice()
		add(PartMoved, id, name, func(c *PartChange) {
			c.add(PropertyPlace, number(int64(before[id]+1)), number(int64(after[id]+1)))
		})
	}
	for _, c := range old {
		id, name := c.choice()
		if _, kept := after[id]; kept {
			continue
		}
		into, ok := after[merged[id]]
		if !ok {
			add(PartDeleted, id, name, func(*PartChange) {})
			continue
		}
		_, replacement := changed[into].choice()
		add(PartMerged, id, name, func(c *PartChange) { c.add(PropertyInto, "", replacement) })
	}
	return all
}

// ranks returns the places of choices in their list by their ids.
func ranks[T choice](all []T) map[OptionID]int {
	out := make(map[OptionID]int, len(all))
	for i, c := range all {
		id, _ := c.choice()
		out[id] = i
	}
	return out
}

// moved returns the choices that were moved: one, if moving it explains the new order of those that are in
// both lists, and otherwise all between the first and the last place that differ.
func moved[T choice](old, changed []T, before, after map[OptionID]int) []OptionID {
	was, now := common(old, after), common(changed, before)
	for len(was) > 0 && was[0] == now[0] {
		was, now = was[1:], now[1:]
	}
	for n := len(was) - 1; n >= 0 && was[n] == now[n]; n-- {
		was, now = was[:n], now[:n]
	}
	switch n := len(was); {
	case n == 0:
		return nil
	case slices.Equal(was[1:], now[:n-1]): // the first one was moved back
		return was[:1]
	case slices.Equal(was[:n-1], now[1:]): // the last one was moved forward
		return now[:1]
	}
	return now
}

// common returns the ids of choices that another list has, too.
func common[T choice](all []T, other map[OptionID]int) (ids []OptionID) {
	for _, c := range all {
		id, _ := c.choice()
		if _, ok := other[id]; ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// add adds a property if it differs. Long values are cut.
func (c *PartChange) add(p Property, before, after string) {
	if before != after {
		c.Properties = append(c.Properties, PropertyChange{p, cut(before), cut(after)})
	}
}

// cut returns a text of at most maxPropertyText characters. A longer one ends in an ellipsis.
func cut(s string) string {
	if utf8.RuneCountInString(s) <= maxPropertyText {
		return s
	}
	return string([]rune(s)[:maxPropertyText-1]) + "…"
}

// truth returns a Boolean property, or "" for that of a part that did not exist.
func truth(b, known bool) string {
	if !known {
		return ""
	}
	return strconv.FormatBool(b)
}

// number returns a number, or "" for 0.
func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
