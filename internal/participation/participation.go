// Package participation reads the issues of all projects of a tenant in which users and teams take part, such
// as those that are assigned to a user and to the user's teams.
//
// The index finds the issues (grid.ReadWays), and their documents and the definitions of their projects
// decide which of them are rows:
//
//	W1 A row is an issue that a client sees, in which one of the asked participants has one of the asked
//	   roles by its document, whose state is as asked by the definition of its project, and which meets the
//	   filter.
//	W2 A row has all the ways in which it was asked for, however many of them have found it.
//	W3 A count is that of the keys of the index, each issue once. Issues that the index still has in an old
//	   place, and those that the filter leaves out, count too.
package participation

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Definitions returns the definition of a project that clients see. The error is NotFound for any other.
type Definitions func(context.Context, tracker.ProjectID) (*tracker.Definition, error)

// Request describes a page.
type Request struct {
	grid.Ways // without Match and Filtered
	// Where is a filter on built-in columns other than the state and the description; nil selects all rows.
	Where filter.Condition
}

// Page is a page of issues of several projects.
type Page struct {
	grid.Page
	Rows []Row
}

// Row is an issue with the definition of its project, and the ways by which it was asked for.
type Row struct {
	grid.Row   // as in Page.Page
	Definition *tracker.Definition
	Ways       []columns.Way
}

// Read reads a page. It returns the errors of the source and of definitions unchanged.
func Read(ctx context.Context, source grid.Source, definitions Definitions, r Request) (Page, error) {
	m := &matcher{definitions: definitions, request: &r, known: map[tracker.ProjectID]*project{}}
	w := r.Ways
	w.Match, w.Filtered = m.match, r.Where != nil
	page, err := grid.ReadWays(ctx, source, w)
	if err != nil {
		return Page{}, err
	}
	out := Page{Page: page, Rows: make([]Row, len(page.Rows))}
	for i, row := range page.Rows {
		d := m.known[row.Issue.ID.Project].definition
		row.Issue = d.Current(row.Issue)
		out.Rows[i] = Row{Row: row, Definition: d, Ways: r.ways(d, row.Issue)}
	}
	return out, nil
}

// ways returns the ways, of those asked for, in which an issue is found by its document.
func (r *Request) ways(d *tracker.Definition, i *tracker.Issue) []columns.Way {
	var out []columns.Way
	s, known := d.Project.State(i.State) // else it is newer than the definition
	for _, w := range r.Ways.Ways {
		if (!known || w.Closed != s.Open) && slices.Contains(i.Participants(w.Role), w.Participant) {
			out = append(out, w)
		}
	}
	return out
}

// matcher decides which documents are rows.
type matcher struct {
	definitions Definitions
	request     *Request
	known       map[tracker.ProjectID]*project
}

// project is a project of rows. The definition is nil if clients do not see it.
type project struct {
	definition *tracker.Definition
	matcher    *filter.Matcher // nil without a filter
}

func (m *matcher) match(ctx context.Context, docs []*tracker.Issue) error {
	if err := m.learn(ctx, docs); err != nil {
		return err
	}
	for n, doc := range docs {
		if doc == nil {
			continue
		}
		is, err := m.meets(ctx, doc)
		if err != nil {
			return err
		}
		if !is {
			docs[n] = nil
		}
	}
	return nil
}

func (m *matcher) meets(ctx context.Context, doc *tracker.Issue) (bool, error) {
	p := m.known[doc.ID.Project]
	if p.definition == nil {
		return false, nil
	}
	doc = p.definition.Current(doc)
	if len(m.request.ways(p.definition, doc)) == 0 {
		return false, nil
	}
	if m.request.Where == nil {
		return true, nil
	}
	if p.matcher == nil {
		p.matcher = filter.NewMatcher(p.definition, m.request.Where)
		p.matcher.Work = grid.Metered(ctx)
	}
	s := p.matcher.Subject(doc)
	truth, err := s.Meets(m.request.Where)
	return truth == filter.Yes, err
}

// learn reads the definitions of the projects of documents that are not known yet, in parallel.
func (m *matcher) learn(ctx context.Context, docs []*tracker.Issue) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, doc := range docs {
		if doc == nil || m.known[doc.ID.Project] != nil {
			continue
		}
		p := &project{}
		m.known[doc.ID.Project] = p
		id := doc.ID.Project
		group.Go(func() error {
			d, err := m.definitions(ctx, id)
			if tracker.CodeOf(err) == tracker.NotFound {
				return nil
			}
			p.definition = d
			return err
		})
	}
	return group.Wait()
}

// maxCountQueries is the maximum number of Queries of a count, of 1 MB of keys each, in addition to the first
// one of each way.
const maxCountQueries = 10

// Count returns the number of issues in any of the ways. If exact is false, there are more, which would have
// taken more Queries.
func Count(ctx context.Context, index grid.Index, ways []columns.Way) (n int, exact bool, err error) {
	var mu sync.Mutex
	found, more := map[string]struct{}{}, maxCountQueries
	exact = true
	group, ctx := errgroup.WithContext(ctx)
	for _, w := range ways {
		group.Go(func() error {
			q := columns.KeyQuery{Way: w}
			for {
				page, err := index.QueryKeys(ctx, q)
				if err != nil {
					return err
				}
				mu.Lock()
				for _, k := range page.Keys {
					found[string(k.SS)] = struct{}{}
				}
				left := page.Last != nil
				if left && more == 0 {
					exact, left = false, false
				} else if left {
					more--
				}
				mu.Unlock()
				if !left {
					return nil
				}
				q.From = sortkey.After(page.Last)
			}
		})
	}
	err = group.Wait()
	return len(found), exact, err
}
