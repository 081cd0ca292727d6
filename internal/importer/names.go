package importer

import (
	"fmt"
	"slices"
	"strings"

	"issuegrid/internal/fold"
	"issuegrid/tracker"
)

// folded returns the form in which a project compares the names of its fields, options and states.
func folded(name string) string { return tracker.NameKey(name) }

// membersOf returns the members of a cell, which is whole if it has a separator: it is one member if it is
// the name of an option as a whole, and some of its parts are not.
func membersOf(names []string, whole string, isOption func(string) bool) []string {
	isOther := func(name string) bool { return !isOption(name) }
	if whole != "" && isOption(whole) && slices.ContainsFunc(names, isOther) {
		return []string{whole}
	}
	return names
}

// names checks the names of options or states in a cell, against those of the mapping if it has any.
type names struct {
	fixed      map[string]string // by the canonical name
	folded     map[string]string // by the folded name
	ignoreCase bool
	more       bool // there can be others
	kind       nameKind
}

func newNames(c *Column) *names {
	n := &names{ignoreCase: c.IgnoreCase, more: c.NewOptions, kind: nameKind{UnknownName, "option"}}
	if c.To == ToState {
		n.kind = nameKind{UnknownState, "state"}
	}
	all := slices.Concat(c.Options, c.Open, c.Closed)
	if len(all) == 0 {
		return n
	}
	n.fixed, n.folded = map[string]string{}, map[string]string{}
	for _, name := range all {
		n.fixed[tracker.Canonical(name)], n.folded[folded(name)] = name, name
	}
	return n
}

// has reports whether the mapping lists a name.
func (n *names) has(name string) bool {
	_, ok := n.fixed[tracker.Canonical(name)]
	return ok
}

// take returns the names, without white space at their ends, as the options of the mapping have them. A
// repeated name in a cell is a fault, because a set holds it only once.
func (n *names) take(in []string) ([]string, *fault) {
	seen := map[string]string{} // by the folded name
	for i, name := range in {
		name = tracker.CleanName(name)
		in[i] = name
		if err := tracker.CheckNewName("", name); err != nil {
			return nil, &fault{reason: BadName, detail: shown(name) + " can't be a name: " + err.Error()}
		}
		if n.fixed != nil {
			same, ok := n.fixed[tracker.Canonical(name)]
			if !ok {
				same, ok = n.folded[folded(name)]
				if ok && !n.ignoreCase {
					return nil, caseDiffers(name, same)
				}
			}
			if !ok && !n.more {
				return nil, &fault{reason: n.kind.unknown, detail: shown(name) + " is not one of the " +
					n.kind.what + "s in the mapping"}
			}
			if ok {
				in[i] = same
			}
		}
		if len(in) == 1 {
			break
		}
		key := folded(in[i])
		if other, ok := seen[key]; ok && tracker.Canonical(other) == tracker.Canonical(in[i]) {
			return nil, &fault{reason: BadValue, detail: shown(name) + " is given twice"}
		} else if ok {
			return nil, caseDiffers(name, other)
		}
		seen[key] = in[i]
	}
	return in, nil
}

func caseDiffers(name, same string) *fault {
	return &fault{reason: CaseDiffers, detail: shown(name) + " differs from " + shown(same) +
		" only in case; use one spelling, or set \"ignoreCase\" in the mapping"}
}

// collected are the names of options or states that a project has or gets: its own, those of the mapping, and
// those that the rows use, in order of appearance. Of new names that differ only in case it keeps the first:
// a project cannot have both.
type collected struct {
	kind       nameKind
	names      []string
	exact      map[string]bool   // by the canonical name
	folded     map[string]string // by the folded name
	ignoreCase bool
	// had is the number of names that the project has already; they come first. own are their canonical
	// names, by the folded name.
	had int
	own map[string]string
	// closed reports whether the rows can use only these names.
	closed bool
	// overflow reports that there were more than most names; the others were not kept.
	most     int
	overflow bool
	meter    *meter
}

// nameKind is what names are of: options of a field, or states.
type nameKind struct {
	unknown Reason // of an unknown name
	what    string // such as: an option of the field "Kind"
}

func newCollected(kind nameKind, most int, ignoreCase bool, m *meter) *collected {
	m.grow(nameMemory + len(kind.what))
	return &collected{kind: kind, exact: map[string]bool{}, folded: map[string]string{}, most: most,
		own: map[string]string{}, ignoreCase: ignoreCase, meter: m}
}

// grow counts the memory of a name, its folded form and their places in maps.
func (c *collected) grow(name string) { c.meter.grow(nameMemory + 3*len(name)) }

// has adds a name that the project has.
func (c *collected) has(name string) {
	c.had++
	c.grow(name)
	c.exact[tracker.Canonical(name)], c.own[folded(name)] = true, tracker.Canonical(name)
	if _, ok := c.folded[folded(name)]; !ok {
		c.folded[folded(name)] = name
	}
	c.names = append(c.names, name)
}

// isOption reports whether a name is one that the project has.
func (c *collected) isOption(name string) bool {
	own, ok := c.own[folded(name)]
	return ok && (c.ignoreCase || own == tracker.Canonical(name))
}

// refuse returns the fault of a name that a row cannot use, because it differs from another one only in case,
// or because it is new.
func (c *collected) refuse(name string) *fault {
	if c.exact[tracker.Canonical(name)] {
		return nil
	}
	same, ok := c.folded[folded(name)]
	switch {
	case ok && !c.ignoreCase:
		return caseDiffers(name, same)
	case !ok && c.closed:
		return c.kind.missing(name)
	}
	return nil
}

// missing is the fault of an unknown name.
func (k nameKind) missing(name string) *fault {
	return &fault{reason: k.unknown, detail: fmt.Sprintf(
		"%s is not %s, and the import does not add new ones", shown(name), k.what)}
}

func (c *collected) add(name string) {
	key := folded(name)
	if _, ok := c.folded[key]; ok {
		return
	}
	if len(c.names) >= c.most {
		c.overflow = true
		return
	}
	c.grow(name)
	c.folded[key], c.exact[tracker.Canonical(name)] = name, true
	c.names = append(c.names, name)
}

// added returns the names that the project does not have, in the order of the column.
func (c *collected) added(o Order) []string {
	out := slices.Clone(c.names[c.had:])
	if o == Sorted {
		slices.SortStableFunc(out, func(a, b string) int {
			if by := strings.Compare(fold.String(a), fold.String(b)); by != 0 {
				return by
			}
			return strings.Compare(a, b)
		})
	}
	return out
}
