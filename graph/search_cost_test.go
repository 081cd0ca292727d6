package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/internal/sample"
)

// alternativesCost checks that a filter of many strings, of which a column must contain one,
// costs what one of them costs, and that of two columns what one string in each costs.
func alternativesCost(t *testing.T, s *server, p *sample.Project) {
	cost := func(conditions ...string) (calls int, rcu float64) {
		s.wire.Reset()
		a := s.data(t, fmt.Sprintf(`{ project(id: %q) { issues(first: 50, where: {or: [%s]}) { nodes { num } } } }`,
			projectID(p), strings.Join(conditions, ",")), nil, new(any))
		for _, sent := range s.wire.Calls() {
			calls += sent
		}
		return calls, a.Extensions.Cost.RCU
	}
	name := func(n int) string { return fmt.Sprintf(`{name: {contains: "zq%d"}}`, n) }
	text := func(n int) string {
		return fmt.Sprintf(`{fields: [{fieldId: %q, text: {contains: "zq%d"}}]}`, fieldID(p, "f01"), n)
	}
	cost(name(0))
	_, one := cost(name(0))
	_, other := cost(text(0))
	calls, two := cost(name(0), text(0))
	if two > one+other+1 { // no document is read, because the keys of both columns decide
		t.Errorf("in two columns: %d calls, %g RCU; alone they take %g and %g", calls, two, one, other)
	}
	for _, n := range []int{2, 3, 5, 20, 50, 100} {
		var names, both []string
		for i := range n {
			names = append(names, name(i))
			if i < 50 {
				both = append(both, name(i), text(i))
			}
		}
		calls, rcu := cost(names...)
		if calls > 8 || rcu > one+1 {
			t.Errorf("%d strings in names: %d calls, %g RCU; one takes %g", n, calls, rcu, one)
		}
		calls, rcu = cost(both...)
		if calls > 16 || rcu > two+1 {
			t.Errorf("%d strings in each of two columns: %d calls, %g RCU; one takes %g", n, calls, rcu, two)
		}
	}
}
