package check

import (
	"fmt"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// viewsSeen is what was read of a list of views.
type viewsSeen struct {
	head  layout.Item
	views map[tracker.ViewID]bool
}

// addView adds a view, or the head of a list if id is empty.
func (p *projectPartition) addView(list layout.Views, id tracker.ViewID, m layout.Item) {
	if p.lists == nil {
		p.lists = map[layout.Views]*viewsSeen{}
	}
	seen := p.lists[list]
	if seen == nil {
		seen = &viewsSeen{views: map[tracker.ViewID]bool{}}
		p.lists[list] = seen
	}
	if id == "" {
		seen.head = m
		p.damage = append(p.damage, damaged(m, differences(m, list.EncodeHead(layout.DecodeHead(m))))...)
		return
	}
	seen.views[id] = true
	v, err := list.Decode(m)
	if err != nil {
		p.damage = append(p.damage, Finding{Kind: KindItem, Key: layout.KeyOf(m), Detail: err.Error()})
		return
	}
	found := damaged(m, differences(m, list.Encode(v)))
	if !list.Of(v.Owner) && len(found) == 0 {
		found = damaged(m, []string{"owner"})
	}
	if err := v.Check(v); err != nil && len(found) == 0 {
		found = append(found, Finding{Kind: KindItem, Key: layout.KeyOf(m), Detail: err.Error()})
	}
	p.damage = append(p.damage, found...)
}

// checkViews checks that the head of each list of views has their number, and that the default is one of
// them.
func (p *projectPartition) checkViews() (out []Finding) {
	for list, seen := range p.lists {
		head := layout.DecodeHead(seen.head)
		add := func(format string, args ...any) {
			out = append(out, Finding{Kind: KindItem, Key: list.Head(), Detail: fmt.Sprintf(format, args...)})
		}
		if head.N != len(seen.views) {
			add("the list has %d views, and its head says %d", len(seen.views), head.N)
		}
		if head.Default != "" && !seen.views[head.Default] {
			add("the default view does not exist")
		}
		if head.Default != "" && !list.Shared() {
			add("a private view is the default")
		}
	}
	return out
}
