package guard

import (
	"maps"
	"slices"

	"issuegrid/tracker"
)

// The library validates a fragment again for each operation and fragment that reaches it, and finds variables
// and fragments by linear search. The length of a query therefore says little about its cost. The sizes here
// count a fragment as often as the library reads it.

const (
	// stepsPerToken is the limit on the steps of validating a query, per token allowed.
	stepsPerToken = 4
	// lookupsPerStep is the number of variables or fragments that the library compares in the time of one
	// step.
	lookupsPerStep = 25
)

// reach is the size of a part including the fragments that it spreads, directly or indirectly.
type reach struct {
	begun, done bool
	fragments   []bool // by index in parts: whether it is reached
	selections  int    // counts a fragment once for each spread
	depth       int
}

// check checks a query's sizes against the limits, and rejects fragment cycles.
func (o *outline) check(l Limits) error {
	for _, c := range []struct {
		has, limit      int
		is, name, lower string
	}{
		{o.operations, l.Operations, "operations in the query", "Operations", "send the one that is to run"},
		{len(o.parts) - o.operations, l.Fragments, "fragments in the query", "Fragments",
			"send those that the operation spreads, or merge some"},
		{o.variables, l.Variables, "variables that the query defines", "Variables",
			"put several values into one list"},
		{o.aliases, l.Aliases, "aliases in the query", "Aliases", "select fewer columns at once"},
		{o.directives, l.Directives, "directives in the query", "Directives",
			"leave out what is not wanted instead of skipping it"},
		{o.nesting, l.Nesting, "nested lists and objects", "Nesting", "make the input less deep"},
	} {
		if c.has > c.limit {
			return LimitError(c.is, c.has, c.name, c.limit, c.lower)
		}
	}
	all, err := o.reaches()
	if err != nil {
		return err
	}
	depth, selections, steps := 0, 0, 0
	for i, p := range o.parts {
		depth = max(depth, all[i].depth)
		if !p.fragment {
			selections = atMost(selections + all[i].selections)
		}
		steps += o.steps(p)
		for f, reached := range all[i].fragments {
			if reached {
				steps += o.steps(o.parts[f])
			}
		}
	}
	switch limit := stepsPerToken * l.Tokens; {
	case depth > l.Depth:
		return LimitError("nested selection sets", depth, "Depth", l.Depth,
			"request deeper objects in another query, by their ids")
	case selections > l.Selections:
		return LimitError("fields that the query selects, its fragments wherever they are spread", selections,
			"Selections", l.Selections,
			"select fewer columns, or spread fewer fragments")
	case steps > limit:
		return LimitError("steps to check the query", steps, "4 x Tokens", limit,
			"let fewer operations and fragments share a fragment, define fewer variables, or send deep "+
				"inputs in variables")
	}
	return nil
}

// steps returns the number of steps for validating a part once.
func (o *outline) steps(p *queryPart) int {
	return p.tokens + p.uses*o.variables/lookupsPerStep + p.spreads*len(o.fragments)/lookupsPerStep
}

// reaches computes the reach of every part.
func (o *outline) reaches() ([]*reach, error) {
	all := make([]*reach, len(o.parts))
	for i := range all {
		all[i] = &reach{fragments: make([]bool, len(o.parts))}
	}
	for i := range all {
		if err := o.follow(i, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (o *outline) follow(i int, all []*reach) error {
	r, p := all[i], o.parts[i]
	if r.done {
		return nil
	}
	if r.begun {
		return tracker.Bad("", "the fragment %s spreads itself, directly or indirectly", Shorten(p.name))
	}
	r.begun, r.selections, r.depth = true, p.selections, p.depth
	for _, name := range slices.Sorted(maps.Keys(p.inside)) {
		s := p.inside[name]
		f, ok := o.fragments[name]
		if !ok {
			continue // the library rejects unknown fragments
		}
		if err := o.follow(f, all); err != nil {
			return err
		}
		r.fragments[f] = true
		for other, reached := range all[f].fragments {
			r.fragments[other] = r.fragments[other] || reached
		}
		r.selections = atMost(r.selections + atMost(s.count*all[f].selections))
		r.depth = max(r.depth, s.depth+all[f].depth)
	}
	r.done = true
	return nil
}

// atMost caps n, so that sums of products do not overflow. No limit exceeds the cap.
func atMost(n int) int { return min(n, 1<<31) }
