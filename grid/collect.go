package grid

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// collect reads all keys of ranges. It returns a nil set if there are more than limit, and the number of keys
// read.
func (x *pageSource) collect(ctx context.Context, ranges []indexRange, limit int, node *Node) (*set, int,
	error) {
	s := &set{ids: map[string]struct{}{}}
	var mu sync.Mutex
	seen := 0
	group, ctx := errgroup.WithContext(ctx)
	for i := range ranges {
		l := &ranges[i]
		group.Go(func() error {
			scan := &scan{index: x.source.Index, work: x.work, node: node.child(KindCollect, x.rangeLabel(l)),
				query: l.query(x.request.project())}
			if _, byNumber := l.prefix(); !byNumber {
				scan.node.note("in the order of its values")
			}
			for end := false; !end; {
				var keys []key
				var err error
				keys, end, err = scan.next(ctx, 0, nil)
				if errors.Is(err, account.ErrMemory) && x.request.Force == 0 {
					mu.Lock()
					seen = max(seen, limit+1) // treat it as too many: another plan needs fewer
					mu.Unlock()
					return nil
				} else if err != nil {
					return err
				}
				x.work.account.Spend(time.Duration(len(keys)*l.contains.Weight()) * account.ValueCPU)
				if err := x.work.account.Check(ctx); err != nil {
					return err
				}
				mu.Lock()
				seen += len(keys)
				over := seen > limit && x.request.Force == 0
				for _, k := range keys {
					if l.contains != nil {
						is, decided := contained(k.ss, l.contains)
						if s.undecided = s.undecided || !decided; !is && decided {
							continue
						}
					}
					n, err := l.num(k.ss)
					if err != nil {
						mu.Unlock()
						return tracker.Internal("the index has a sort string of another column", err)
					}
					if _, twice := s.ids[k.id.Issue]; !twice && !over {
						s.ids[k.id.Issue] = struct{}{}
						s.keys = append(s.keys, key{id: k.id, ss: sortkey.Num(n)})
					}
				}
				mu.Unlock()
				if over {
					return nil
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, seen, err
	}
	if seen > limit && x.request.Force == 0 {
		return nil, seen, nil
	}
	slices.SortFunc(s.keys, func(a, b key) int { return bytes.Compare(a.ss, b.ss) })
	return s, seen, nil
}

// errSortTooLarge is returned if a set is too large to be sorted: its documents exceed the operation's memory
// limit, or take more CPU time than it has.
var errSortTooLarge = errors.New("the set is too much to be sorted")

// sort fetches the documents of the set, and sorts those that are rows of the region.
func (e *execution) sort(ctx context.Context) error {
	x, g := e.source, e.plan.region
	ids := make([]tracker.IssueID, len(e.set.keys))
	for i, k := range e.set.keys {
		ids[i] = k.id
	}
	docs, err := x.documents(ctx, ids, e.node)
	if errors.Is(err, account.ErrMemory) {
		return errSortTooLarge
	}
	if err != nil {
		return err
	}
	own := g.conditions[0].expr
	column := x.request.column().Column
	texts, err := x.longTexts(ctx, docs, own)
	if errors.Is(err, account.ErrMemory) {
		return errSortTooLarge
	}
	if err != nil {
		return err
	}
	// Do not share the matcher of query: the other region may be planned concurrently.
	m := filter.NewMatcher(x.request.Definition, own)
	m.Work = Metered(ctx)
	for i, doc := range docs {
		if doc == nil {
			continue
		}
		if x.work.account.ReadingOver() {
			return errSortTooLarge
		}
		x.work.account.Spend(documentCPU)
		s := m.Subject(doc)
		s.Texts = texts[doc.ID.Issue]
		if t, err := s.Meets(own); err != nil {
			return err
		} else if t != filter.Yes {
			continue
		}
		v, ok, err := s.SortValue(column)
		if err != nil {
			return err
		}
		if ok {
			e.sorted = append(e.sorted, key{id: ids[i], ss: sortkey.Join(v, doc.Num)})
		}
	}
	slices.SortFunc(e.sorted, func(a, b key) int { return bytes.Compare(a.ss, b.ss) })
	return nil
}
