package grid_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"issuegrid/grid"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// crowd has the issues of several projects, their participants, and the index of the ways to find them. It is
// the Index of its source.
type crowd struct {
	random *rand.Rand
	issues []*tracker.Issue
	docs   map[tracker.IssueID]*tracker.Issue
	closed map[tracker.IssueID]bool
	index  map[columns.Way][]columns.IndexKey
	clock  time.Time
	made   int // number of issues that were added

	mu      sync.Mutex // for the following, of one page
	queries int
	keys    int
	fetched int
}

var people = []tracker.Participant{"uada", "ubo", "tcore", "tdocs", "tweb"}

func newCrowd(seed uint64, issues int) *crowd {
	c := &crowd{random: rand.New(rand.NewPCG(seed, 3)), docs: map[tracker.IssueID]*tracker.Issue{},
		closed: map[tracker.IssueID]bool{}, index: map[columns.Way][]columns.IndexKey{},
		clock: time.Unix(1e9, 0)}
	for range issues {
		c.add()
	}
	return c
}

// some returns a few participants.
func (c *crowd) some() []tracker.Participant {
	all := slices.Clone(people)
	c.random.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	return all[:c.random.IntN(4)]
}

// add adds an issue. Two projects have issues with the same ids and numbers.
func (c *crowd) add() {
	c.made++
	n := (c.made + 1) / 2
	i := &tracker.Issue{ID: tracker.IssueID{Project: tracker.ProjectID(fmt.Sprint("p", c.made%2)),
		Issue: fmt.Sprint("i", n)}, Num: int64(n), Author: "ada", Version: 1}
	c.clock = c.clock.Add(time.Duration(c.random.IntN(3)) * time.Microsecond) // often at the same time
	i.Created, i.Updated = c.clock, c.clock
	c.issues = append(c.issues, i)
	c.change(i, 1)
}

// change changes the participants of an issue and its state. The index may lag: it keeps entries of the
// version before if lag is 0, and has entries of both versions if it is negative.
func (c *crowd) change(i *tracker.Issue, lag int) {
	if lag > 0 {
		c.unlist(i.ID)
	}
	i.Assignees, i.Watchers = c.some(), c.some()
	if c.random.IntN(3) == 0 {
		i.Author = cmp.Or(i.Author, "bo")
	}
	c.clock = c.clock.Add(time.Microsecond)
	i.Updated = c.clock
	c.closed[i.ID] = c.random.IntN(3) == 0
	if c.docs[i.ID] = i; lag != 0 {
		c.list(i)
	}
}

// remove removes an issue; the index may keep its entries.
func (c *crowd) remove(at int, ghost bool) {
	i := c.issues[at]
	if delete(c.docs, i.ID); !ghost {
		c.unlist(i.ID)
	}
	c.issues = slices.Delete(c.issues, at, at+1)
}

func (c *crowd) list(i *tracker.Issue) {
	for _, by := range columns.WayOrders {
		for _, role := range tracker.ParticipantRoles {
			for _, p := range i.Participants(role) {
				w := columns.Way{Participant: p, Role: role, Closed: c.closed[i.ID], By: by}
				c.index[w] = append(c.index[w], columns.IndexKey{Issue: i.ID, SS: columns.WaySort(i, by)})
			}
		}
	}
}

func (c *crowd) unlist(id tracker.IssueID) {
	for w, keys := range c.index {
		c.index[w] = slices.DeleteFunc(keys, func(k columns.IndexKey) bool { return k.Issue == id })
	}
}

func (c *crowd) QueryKeys(_ context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := slices.Clone(c.index[q.Way])
	slices.SortFunc(keys, func(a, b columns.IndexKey) int { return bytes.Compare(a.SS, b.SS) })
	keys = slices.DeleteFunc(keys, func(k columns.IndexKey) bool {
		return q.From != nil && bytes.Compare(k.SS, q.From) < 0 ||
			q.To != nil && bytes.Compare(k.SS, q.To) >= 0
	})
	if q.Descending {
		slices.Reverse(keys)
	}
	var page columns.KeyPage
	if q.Limit > 0 && len(keys) > q.Limit {
		keys = keys[:q.Limit]
		page.Last, page.LastIssue = keys[q.Limit-1].SS, keys[q.Limit-1].Issue
	}
	page.Keys, page.Count, page.Examined, page.Queries = keys, len(keys), len(keys), 1
	c.queries++
	c.keys += len(keys)
	return page, nil
}

func (c *crowd) fetch(_ context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	out := make([]*tracker.Issue, len(ids))
	for n, id := range ids {
		out[n] = c.docs[id]
	}
	c.fetched += len(ids)
	return out, nil
}

// mix is a random page of a crowd.
type mix struct {
	grid.Ways
	odd bool // only issues with an odd number
}

func (c *crowd) mix() *mix {
	m := &mix{odd: c.random.IntN(4) == 0}
	by, open, closed := pickOne(c.random, columns.WayOrders), c.random.IntN(4) > 0, c.random.IntN(2) == 0
	for _, p := range people {
		for _, role := range tracker.ParticipantRoles {
			for _, isClosed := range []bool{false, true} {
				asked := isClosed && closed || !isClosed && (open || !closed)
				if asked && c.random.IntN(3) > 0 {
					m.Ways.Ways = append(m.Ways.Ways,
						columns.Way{Participant: p, Role: role, Closed: isClosed, By: by})
				}
			}
		}
	}
	if len(m.Ways.Ways) == 0 {
		m.Ways.Ways = []columns.Way{{Participant: "uada", Role: tracker.RoleAuthor, By: by}}
	}
	m.Filtered, m.Descending, m.Backward = m.odd, c.random.IntN(2) == 0, c.random.IntN(2) == 0
	m.Size = 1 + c.random.IntN(7)
	m.NeedNext, m.NeedPrevious = c.random.IntN(2) == 0, c.random.IntN(2) == 0
	m.Match = func(_ context.Context, docs []*tracker.Issue) error {
		for n, doc := range docs {
			if doc != nil && !c.meets(m, doc) {
				docs[n] = nil
			}
		}
		return nil
	}
	return m
}

func (c *crowd) meets(m *mix, i *tracker.Issue) bool {
	is := slices.ContainsFunc(m.Ways.Ways, func(w columns.Way) bool {
		return w.Closed == c.closed[i.ID] && slices.Contains(i.Participants(w.Role), w.Participant)
	})
	return is && !(m.odd && i.Num%2 == 0)
}

// rows returns the expected rows, sorted without sort strings.
func (c *crowd) rows(m *mix) []*tracker.Issue {
	var out []*tracker.Issue
	for _, i := range c.issues {
		if c.meets(m, i) {
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(a, b *tracker.Issue) int {
		order := 0
		switch m.Ways.Ways[0].By {
		case tracker.ColumnUpdated:
			order = a.Updated.Compare(b.Updated)
		case tracker.ColumnCreated:
			order = a.Created.Compare(b.Created)
		}
		order = cmp.Or(order, cmp.Compare(a.ID.Project, b.ID.Project), cmp.Compare(a.Num, b.Num))
		if m.Descending {
			return -order
		}
		return order
	})
	return out
}

// page reads a page, and compares its rows and flags with the expected ones, of which the first skipped were
// shown on earlier pages.
func (c *crowd) page(m *mix, rows []*tracker.Issue, skipped int) (grid.Page, error) {
	c.queries, c.keys, c.fetched = 0, 0, 0
	page, err := grid.ReadWays(context.Background(), grid.Source{Index: c, Fetch: c.fetch}, m.Ways)
	if err != nil {
		return page, err
	}
	want := rows[min(skipped, len(rows)):]
	want = want[:min(m.Size, len(want))]
	var got []*tracker.Issue
	for _, r := range page.Rows {
		got = append(got, r.Issue)
	}
	if m.Backward {
		slices.Reverse(got)
	}
	if !slices.Equal(got, want) {
		return page, fmt.Errorf("got %v, want %v after %d", placesOf(got), placesOf(want), skipped)
	}
	ahead, behind, needAhead, needBehind := page.HasNext, page.HasPrevious, m.NeedNext, m.NeedPrevious
	if m.Backward {
		ahead, behind, needAhead, needBehind = behind, ahead, needBehind, needAhead
	}
	continued := m.After != nil || m.Before != nil
	if ahead != (needAhead && skipped+len(want) < len(rows)) || behind != (needBehind && continued) {
		return page, fmt.Errorf("flags are %t and %t after %d of %d", ahead, behind, skipped, len(rows))
	}
	return page, nil
}

func placesOf(all []*tracker.Issue) (out []string) {
	for _, i := range all {
		out = append(out, fmt.Sprintf("%s/%d", i.ID.Project, i.Num))
	}
	return out
}

// walk reads all pages. Between them, between is called, and the rows are expected to be those that follow
// the last row then.
func (c *crowd) walk(m *mix, between func()) error {
	m.After, m.Before = nil, nil
	shown := 0
	for {
		rows := c.rows(m)
		if m.Backward {
			slices.Reverse(rows)
		}
		page, err := c.page(m, rows, shown)
		if err != nil || len(page.Rows) < m.Size {
			return err
		}
		last, err := m.next(page)
		if err != nil {
			return err
		}
		shown += len(page.Rows)
		if between != nil {
			at := *last
			between()
			shown = c.upTo(m, &at)
		}
	}
}

// next moves to the next page by the cursor of the last row in the direction of paging, which it returns.
func (m *mix) next(page grid.Page) (*tracker.Issue, error) {
	last := page.Rows[len(page.Rows)-1]
	if m.Backward {
		last = page.Rows[0]
	}
	at, err := last.Cursor()
	if err != nil {
		return nil, err
	}
	parsed, err := grid.ParseCursor(at.String(), m.Order())
	if m.After = parsed; m.Backward {
		m.After, m.Before = nil, parsed
	}
	return last.Issue, err
}

// upTo returns how many of the rows are not after one.
func (c *crowd) upTo(m *mix, last *tracker.Issue) int {
	n := 0
	for _, i := range c.rows(m) {
		by := m.Ways.Ways[0].By
		order := bytes.Compare(columns.WaySort(i, by), columns.WaySort(last, by))
		if m.Descending != m.Backward {
			order = -order
		}
		if order <= 0 {
			n++
		}
	}
	return n
}
