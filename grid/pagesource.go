package grid

import (
	"context"
	"strings"
	"sync"

	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// pageSource has the source of one page, and the work done for it so far.
type pageSource struct {
	source  Source
	request *Request
	work    *work
	node    *Node

	mu sync.Mutex
	// known has the documents that plans have fetched, by their ids within the project; nil for one that is
	// gone.
	known map[string]*tracker.Issue
}

func newPageSource(ctx context.Context, source Source, r *Request) *pageSource {
	return &pageSource{source: source, request: r, work: newWork(r.Budget, account.From(ctx)),
		node: newNode(KindPage, "")}
}

// describeWay describes a way in words, without its order.
func describeWay(w columns.Way) string {
	open := "open"
	if w.Closed {
		open = "closed"
	}
	return open + " issues whose " + string(w.Role) + " is the " + filter.DescribeParticipant(w.Participant)
}

// rangeLabel describes a range in words.
func (x *pageSource) rangeLabel(l *indexRange) string {
	if !x.request.Explain {
		return ""
	}
	d := x.request.Definition
	name := func(what string) string {
		if !l.filtered() {
			return what
		}
		var has []string
		for _, c := range l.with {
			has = append(has, "with "+filter.Name(d, c))
		}
		for _, c := range l.without {
			has = append(has, "without "+filter.Name(d, c))
		}
		return what + " " + strings.Join(has, ", ")
	}
	if l.way != (columns.Way{}) {
		return describeWay(l.way)
	}
	if l.member != "" {
		return filter.Describe(d, filter.Has{Column: l.column, Member: l.member})
	}
	in := filter.In{Column: l.column, Values: filter.Values{Ranges: []filter.Range{l.values}}}
	if l.empties {
		in.Values = filter.Values{None: true}
	}
	return name(filter.Describe(d, in))
}
