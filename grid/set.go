package grid

// set is a set of issues that match conditions.
type set struct {
	ids  map[string]struct{} // ids within the project
	keys []key               // in the order of the numbers, which are the sort strings
	// undecided reports whether some keys have the beginning of a text that does not decide the condition.
	undecided bool
}

// and returns the intersection of two sets.
func (s *set) and(other *set) *set {
	out := &set{ids: map[string]struct{}{}}
	for _, k := range s.keys {
		if _, ok := other.ids[k.id.Issue]; ok {
			out.ids[k.id.Issue] = struct{}{}
			out.keys = append(out.keys, k)
		}
	}
	return out
}
