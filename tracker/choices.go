package tracker

import (
	"maps"
	"slices"
	"strconv"
)

// Options and states are changed one at a time, by the methods below. A change that is not valid has no
// effect and returns all errors, with paths relative to the input of the change. The methods do not modify
// lists and maps that a field or project shares with another one.

// choice is an option or a state.
type choice interface {
	Option | State
	// choice returns the id and the name.
	choice() (OptionID, string)
}

func (o Option) choice() (OptionID, string) { return o.ID, o.Name }
func (s State) choice() (OptionID, string)  { return s.ID, s.Name }

// Rebuild is a change of options or states that a job has not applied to all issues yet (see
// Definition.Current).
type Rebuild struct {
	// Moving reports whether the index may hold outdated positions of the choices.
	Moving bool
	// Merged maps each choice that was removed to its replacement, or to "" for none.
	Merged map[OptionID]OptionID
	// Former has the names of the choices that were removed.
	Former map[OptionID]string
	// Merges counts the changes that merged choices. A cursor is valid only between two of them.
	Merges int64
}

// Ended returns what is left when the job has ended.
func (r Rebuild) Ended() Rebuild { return Rebuild{Merges: r.Merges} }

// Rebuilding reports whether parts of the index may be outdated because a job has not finished.
func (r Rebuild) Rebuilding() bool { return r.Moving || len(r.Merged) > 0 }

// nameOf returns the name of a choice in one of the lists, or of a former one.
func nameOf[T choice](id OptionID, former map[OptionID]string, lists ...[]T) (string, bool) {
	for _, all := range lists {
		if rank := rankOf(all, id); rank >= 0 {
			_, name := all[rank].choice()
			return name, true
		}
	}
	name, ok := former[id]
	return name, ok
}

// rankOf returns the position of the choice with an id, or -1.
func rankOf[T choice](all []T, id OptionID) int {
	return slices.IndexFunc(all, func(c T) bool {
		is, _ := c.choice()
		return is == id
	})
}

// kind is a kind of choices, for error messages.
type kind struct {
	a, one, all string // "an option", "option", "options"
	of          string // what has them
	in          string // the member of an input that names what has them
}

// kind returns the words for the options of the field.
func (f *Field) kind() kind {
	return kind{a: "an option", one: "option", all: "options", of: "the field " + strconv.Quote(f.Name),
		in: "fieldId"}
}

var stateKind = kind{a: "a state", one: "state", all: "states", of: "the project", in: "projectId"}

// addChoices returns a list with new choices at its end. at returns the path of a new choice.
func addChoices[T choice](all, added []T, limit int, k kind, at func(i int) string) ([]T, error) {
	var wrong []error
	if n := len(all) + len(added); n > limit {
		wrong = append(wrong, Bad(k.in, "%s has %d %s and would have %d; the limit is %d", k.of, len(all),
			k.all, n, limit))
	}
	names, given := make(map[string]string, len(all)), make(map[string]string, len(added))
	ids := make(map[OptionID]bool, len(all)+len(added))
	for _, c := range all {
		id, name := c.choice()
		names[NameKey(name)], ids[id] = name, true
	}
	for i, c := range added[:min(len(added), limit)] {
		id, name := c.choice()
		err := checkChoice(names, name, k)
		if err == nil { // an invalid name may be so long that comparing it takes long
			folded := NameKey(name)
			if other, twice := given[folded]; twice {
				err = Bad("name", "the same as %q, or different only in case", other)
			}
			given[folded] = name
		}
		if err == nil && ids[id] {
			err = &Error{Code: Conflict, Message: k.of + " has " + k.a + " with the id " +
				strconv.Quote(string(id)) + " already"}
		}
		ids[id] = true
		wrong = append(wrong, At(at(i), err))
	}
	if err := Join(wrong...); err != nil {
		return nil, err
	}
	return slices.Concat(all, added), nil
}

// changeChoice returns a list in which a choice has replaced the one with the same id.
func changeChoice[T choice](all []T, changed T, k kind) ([]T, error) {
	id, name := changed.choice()
	rank := rankOf(all, id)
	if rank < 0 {
		return nil, Missing(k.one)
	}
	if _, before := all[rank].choice(); name != before {
		names := make(map[string]string, len(all))
		for i, c := range all {
			if _, other := c.choice(); i != rank {
				names[NameKey(other)] = other
			}
		}
		if err := checkChoice(names, name, k); err != nil {
			return nil, err
		}
	}
	all = slices.Clone(all)
	all[rank] = changed
	return all, nil
}

// checkChoice checks a new name. names are those of the other choices, by their NameKey.
func checkChoice(names map[string]string, name string, k kind) error {
	if err := CheckNewName("name", name); err != nil {
		return err
	}
	if other, taken := names[NameKey(name)]; taken {
		return &Error{Code: Conflict, Path: "name",
			Message: k.of + " has the " + k.one + " " + strconv.Quote(other) + " already"}
	}
	return nil
}

// moveChoice returns a list in which a choice is just before another one, or at the end if before is "".
func moveChoice[T choice](all []T, id, before OptionID, k kind) ([]T, error) {
	from := rankOf(all, id)
	if from < 0 {
		return nil, Missing(k.one)
	}
	if id == before {
		return nil, Bad("before", "%s can't be before itself; give the one that will follow it, or move "+
			"it to the end", k.a)
	}
	moved := slices.Delete(slices.Clone(all), from, from+1)
	to := len(moved)
	if before != "" {
		if to = rankOf(moved, before); to < 0 {
			return nil, Bad("before", "%s has no %s with the id %q", k.of, k.one, before)
		}
	}
	return slices.Insert(moved, to, all[from]), nil
}

// mergeChoices returns a list without the choices in from, and r with these added.
func mergeChoices[T choice](all []T, r Rebuild, from []OptionID, into OptionID) ([]T, Rebuild) {
	merged, former := map[OptionID]OptionID{}, map[OptionID]string{}
	maps.Copy(merged, r.Merged)
	maps.Copy(former, r.Former)
	for _, id := range from {
		merged[id] = into
		_, former[id] = all[rankOf(all, id)].choice()
		for was, now := range merged { // choices merged into it earlier
			if now == id {
				merged[was] = into
			}
		}
	}
	r.Merged, r.Former = merged, former
	return slices.DeleteFunc(slices.Clone(all), func(c T) bool {
		id, _ := c.choice()
		_, gone := merged[id]
		return gone
	}), r
}

// checkMerge checks that choices can be merged. into is "" for none.
func checkMerge[T choice](all []T, from []OptionID, into OptionID, limit int, k kind) error {
	var wrong []error
	if n := len(from); n == 0 || n > limit {
		wrong = append(wrong, Bad("from", "%d %s; one call can merge 1 to %d", n, k.all, limit))
	}
	for i, id := range from[:min(len(from), limit)] {
		at := "from[" + strconv.Itoa(i) + "]"
		if rankOf(all, id) < 0 {
			wrong = append(wrong, Bad(at, "%s has no %s with the id %q", k.of, k.one, id))
		} else if id == into {
			wrong = append(wrong, Bad(at, "%s can't be merged into itself", k.a))
		}
	}
	if into != "" && rankOf(all, into) < 0 {
		wrong = append(wrong, Bad("into", "%s has no %s with the id %q", k.of, k.one, into))
	}
	return Join(wrong...)
}

// keptChoices checks that each choice of a list is in the changed list, once, or was merged, and reports
// whether the position of any of them changes.
func keptChoices[T choice](old, changed []T, merged map[OptionID]OptionID, k kind) (moved bool, err error) {
	var wrong []error
	ranks := make(map[OptionID]int, len(changed))
	for i, c := range changed {
		id, _ := c.choice()
		if _, twice := ranks[id]; twice {
			wrong = append(wrong, Bad(k.all, "two %s have the id %q", k.all, id))
		}
		ranks[id] = i
	}
	for i, c := range old {
		id, name := c.choice()
		rank, ok := ranks[id]
		if _, gone := merged[id]; !ok && !gone {
			wrong = append(wrong, Bad(k.all, "the %s %q is missing; it can be removed only by merging it",
				k.one, name))
		}
		moved = moved || ok && rank != i
	}
	return moved, Join(wrong...)
}

// AddOption adds an option after the others. The path of an error about the field is "fieldId".
func (f *Field) AddOption(o Option) error {
	return f.addOptions([]Option{o}, f.kind(), func(int) string { return "" })
}

// AddOptions adds options after the others. The paths of errors begin with the indexes of the options, or are
// empty.
func (f *Field) AddOptions(all []Option) error {
	k := f.kind()
	k.in = ""
	return f.addOptions(all, k, func(i int) string { return "[" + strconv.Itoa(i) + "]" })
}

func (f *Field) addOptions(added []Option, k kind, at func(i int) string) error {
	all, err := addChoices(f.Options, added, MaxOptions, k, at)
	if !f.Type.HasOptions() {
		err = Join(Bad(k.in, "a field of type %s has no options", f.Type), err)
	}
	if err == nil {
		f.Options = all
	}
	return err
}

// ChangeOption replaces the option with the same id. It returns NotFound if there is none.
func (f *Field) ChangeOption(o Option) error {
	all, err := changeChoice(f.Options, o, f.kind())
	if err == nil {
		f.Options = all
	}
	return err
}

// MoveOption puts an option just before another one, or at the end if before is "". It returns NotFound if
// the field does not have the option.
func (f *Field) MoveOption(id, before OptionID) error {
	all, err := moveChoice(f.Options, id, before, f.kind())
	if err == nil {
		f.Options = all
	}
	return err
}

// MergeOptions replaces options by another option of the field, or by none if into is "".
func (f *Field) MergeOptions(from []OptionID, into OptionID) error {
	err := checkMerge(f.Options, from, into, MaxOptions, f.kind())
	if into == "" && f.Required {
		err = Join(err, Bad("into", "the field %q is required, so its values can't be removed", f.Name))
	}
	if err == nil {
		f.Options, f.Rebuild = mergeChoices(f.Options, f.Rebuild, from, into)
	}
	return err
}

// KeepOptions checks that a changed field has all options of the old one, except for those that were merged,
// and reports whether the position of any of them changes.
func KeepOptions(old, changed *Field) (moved bool, err error) {
	return keptChoices(old.Options, changed.Options, changed.Merged, changed.kind())
}

// AddState adds a state after the others. The path of an error about the project is "projectId".
func (p *Project) AddState(s State) error {
	all, err := addChoices(p.States, []State{s}, MaxStates, stateKind, func(int) string { return "" })
	if err == nil {
		p.States = all
	}
	return err
}

// ChangeState replaces the state with the same id. It returns NotFound if there is none.
func (p *Project) ChangeState(s State) error {
	all, err := changeChoice(p.States, s, stateKind)
	if rank := rankOf(p.States, s.ID); rank >= 0 {
		changed := slices.Clone(p.States)
		changed[rank] = s
		err = Join(err, checkOpen("open", p.States, changed))
	}
	if err == nil {
		p.States = all
	}
	return err
}

// MoveState puts a state just before another one, or at the end if before is "". It returns NotFound if the
// project does not have the state.
func (p *Project) MoveState(id, before OptionID) error {
	all, err := moveChoice(p.States, id, before, stateKind)
	if err == nil {
		p.States = all
	}
	return err
}

// MergeStates replaces states by another state of the project.
func (p *Project) MergeStates(from []OptionID, into OptionID) error {
	err := checkMerge(p.States, from, into, MaxStates, stateKind)
	if into == "" {
		err = Join(err, Bad("into", "every issue has a state; give the one that replaces the others"))
	}
	if err != nil {
		return err
	}
	states, rebuild := mergeChoices(p.States, p.Rebuild, from, into)
	if err = checkOpen("from", p.States, states); err == nil {
		p.States, p.Rebuild = states, rebuild
	}
	return err
}

// KeepStates is like KeepOptions, for the states of a project. moved also reports whether a state was opened
// or closed, which changes the index entries of participants.
func KeepStates(old, changed *Project) (moved bool, err error) {
	if moved, err = keptChoices(old.States, changed.States, changed.Merged, stateKind); err != nil {
		return false, err
	}
	for _, s := range old.States {
		if now, ok := changed.State(s.ID); ok && now.Open != s.Open {
			moved = true
		}
	}
	return moved, nil
}
