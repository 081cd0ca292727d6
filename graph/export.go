package graph

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/graph/estimate"
	"issuegrid/graph/guard"
	"issuegrid/graph/model"
	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/internal/operation"
	"issuegrid/tracker"
)

// Exports reads grids from their beginning to their end, for exports. Each page is an operation of its own,
// as if a client had requested it.
type Exports struct {
	begin    func(context.Context) *Session
	options  Options
	resolver *Resolver
	schema   *ast.Schema
	executor *executionContext // decodes arguments; executes nothing
}

// NewExports returns exports with the limits of a handler. At most one Options may be given.
func NewExports(begin func(context.Context) *Session, options ...Options) *Exports {
	e := &Exports{begin: begin, schema: Schema()}
	if len(options) > 0 {
		e.options = options[0]
	}
	if e.options.Limits == (guard.Limits{}) {
		e.options.Limits = guard.DefaultLimits()
	}
	e.resolver = &Resolver{pageBudget: e.options.PageBudget, planned: e.options.Planned,
		probes: e.options.Probes}
	executable := NewExecutableSchema(Config{Schema: e.schema, Resolvers: e.resolver})
	e.executor = newExecutionContext(nil, executable.(*executableSchema), nil)
	return e
}

// ExportedGrid selects the rows of an export: Where and OrderBy are the arguments of Project.issues as JSON,
// or empty. TimeZone is the argument itself, or empty.
type ExportedGrid struct{ Project, Where, OrderBy, TimeZone string }

// exportPage is the number of rows of a page: as many as one call of DynamoDB reads.
const exportPage = 100

// exportBuffers is the memory that the caller needs to write what was read, in bytes, in addition to what
// every operation takes.
const exportBuffers = 1 << 20

// Export is a grid that is read page by page. It is not safe for concurrent use, and must be closed.
type Export struct {
	exports *Exports
	project string
	args    gridArgs
	filter  meaning // of the first page

	whole       *operation.Operation
	page, texts *operation.Operation // the last ones; their data is in memory until they are closed
}

// Open checks the arguments that do not depend on the project, and reports all invalid ones.
func (e *Exports) Open(ctx context.Context, g ExportedGrid) (*Export, error) {
	x := &Export{exports: e, project: g.Project}
	_, x.whole = operation.Of(ctx)
	arguments := e.schema.Types["Project"].Fields.ForName("issues").Arguments
	parse := func(name, text string, decode func(v any) error) error {
		if text == "" {
			return nil
		}
		v, err := e.options.Limits.Argument(e.schema, model.Scalars, name, arguments.ForName(name).Type, text)
		if err != nil {
			return err
		}
		return tracker.At(name, decode(v))
	}
	first := int32(exportPage)
	x.args.first, x.args.timeZone = &first, cmp.Or(g.TimeZone, "UTC")
	_, badZone := new(zones).zone(x.args.timeZone)
	badWhere := parse("where", g.Where, func(v any) (err error) {
		x.args.where, err = e.executor.unmarshalOIssueFilter2ᚖissuegridᚋgraphᚋmodelᚐIssueFilter(ctx, v)
		return err
	})
	badOrder := parse("orderBy", g.OrderBy, func(v any) (err error) {
		x.args.orderBy, err = e.executor.unmarshalOIssueOrder2ᚕᚖissuegridᚋgraphᚋmodelᚐIssueOrderᚄ(ctx, v)
		return err
	})
	return x, tracker.Join(badWhere, badOrder, tracker.At("timeZone", badZone))
}

// Page reads the next page. last reports whether it is the last one. Before the page is read, accept is
// called with the definition, and again if its error may be due to an outdated definition. After an error
// that has a RetryAfter, the page can be read again. It returns a Conflict if rows would be missing or be
// read twice: if a job rebuilds a column of the order, or if the order or the filter has changed since the
// first page.
func (x *Export) Page(ctx context.Context, accept func(*tracker.Definition) error) (d *tracker.Definition,
	rows []*tracker.Issue, last bool, err error) {
	x.Close()
	x.page, err = x.operate(ctx, estimate.PerDefinition+estimate.PerQuery+exportPage*estimate.PerItem,
		func(ctx context.Context, l model.Reads, n model.NodeID) error {
			if d, err = l.Definition(ctx, n.Project); err != nil {
				return err
			}
			if err = accept(d); err != nil {
				return err
			}
			rows, last, err = x.read(ctx, l, d)
			return err
		})
	if x.args.after != nil && tracker.CodeOf(err) == tracker.BadInput { // the first page had these arguments
		err = exportChanged()
	}
	return d, rows, last, err
}

func exportChanged() error {
	return &tracker.Error{Code: tracker.Conflict, Message: "a column that the file is sorted or filtered " +
		"by, or one of its states or options, was changed while the file was written; export again"}
}

// meaning is what a filter depends on: its ranges of values, and the order of the states and options in them.
type meaning struct {
	form    string
	choices map[tracker.Column][]tracker.OptionID
}

func meaningOf(d *tracker.Definition, where filter.Condition) meaning {
	m := meaning{fmt.Sprint(filter.Normalize(where)), map[tracker.Column][]tracker.OptionID{}}
	for _, c := range filter.Columns(where) {
		m.choices[c] = columns.Choices(d, c)
	}
	return m
}

// same reports whether the filter means the same later. States and options may have been added, but not to
// those that `open` selects.
func (m meaning) same(later meaning) bool {
	for c, ids := range m.choices {
		if now := later.choices[c]; len(now) < len(ids) || !slices.Equal(ids, now[:len(ids)]) {
			return false
		}
	}
	return m.form == later.form
}

// request returns the request for the next page, or why there is none.
func (x *Export) request(ctx context.Context, d *tracker.Definition) (q grid.Request, w *walk, err error) {
	q, w, err = x.exports.resolver.gridRequest(ctx, d, x.args)
	if err == nil && q.Order.Rebuilding() {
		err = &tracker.Error{Code: tracker.Conflict, Message: "a job is changing the order of states or " +
			"options that the file is sorted by; export when it has finished, or in another order"}
	}
	return q, w, err
}

// Head is Definition, and returns the error that the first page would have before anything is read.
func (x *Export) Head(ctx context.Context, use func(*tracker.Definition) error) error {
	return x.withDefinition(ctx, func(ctx context.Context, d *tracker.Definition) error {
		if _, _, err := x.request(ctx, d); err != nil {
			return err
		}
		return use(d)
	})
}

// read reads the next page with a definition.
func (x *Export) read(ctx context.Context, l model.Reads, d *tracker.Definition) (rows []*tracker.Issue,
	last bool, err error) {
	q, w, err := x.request(ctx, d)
	if err != nil {
		return nil, false, err
	}
	if m := meaningOf(d, q.Where); x.args.after == nil {
		x.filter = m
	} else if !x.filter.same(m) {
		return nil, false, exportChanged()
	}
	q.NeedNext = true
	page, err := grid.Read(ctx, grid.Source{Index: l, Fetch: l.Issues, Texts: l.LongTexts,
		Probes: x.exports.resolver.probes, ReleaseTexts: l.ForgetTexts}, q)
	if err != nil {
		return nil, false, err
	}
	for i := range page.Rows {
		rows = append(rows, page.Rows[i].Issue)
	}
	c := model.IssueConnection{Page: page, Nodes: make([]*model.Issue, len(rows)), Mark: w.mark()}
	info, err := c.PageInfo()
	if err != nil {
		return nil, false, err
	}
	if !info.HasNextPage {
		return rows, true, nil
	}
	if x.args.after = info.EndCursor; x.args.after == nil {
		return nil, false, tracker.Internal("a page that is not the last has no end", nil)
	}
	return rows, false, nil
}

// Texts reads long texts of the last page, in the order of refs.
func (x *Export) Texts(ctx context.Context, refs []tracker.LongRef) (texts []string, err error) {
	x.texts.Close()
	rcu := 0.0
	for _, ref := range refs {
		rcu += max(1, float64(ref.Long.Bytes)/(4<<10)) * estimate.PerItem
	}
	x.texts, err = x.operate(ctx, rcu, func(ctx context.Context, l model.Reads, _ model.NodeID) error {
		texts, err = l.LongTexts(ctx, refs)
		return err
	})
	return texts, err
}

// Definition calls use with the definition of the project, and again if use returns an error that may be due
// to an outdated definition.
func (x *Export) Definition(ctx context.Context, use func(*tracker.Definition) error) error {
	return x.withDefinition(ctx, func(_ context.Context, d *tracker.Definition) error { return use(d) })
}

func (x *Export) withDefinition(ctx context.Context, use func(context.Context,
	*tracker.Definition) error) error {
	read := func(ctx context.Context, l model.Reads, n model.NodeID) error {
		d, err := l.Definition(ctx, n.Project)
		if err != nil {
			return err
		}
		return use(ctx, d)
	}
	o, err := x.operate(ctx, estimate.PerDefinition, read)
	o.Close()
	return err
}

// Cost returns the cost of all operations so far.
func (x *Export) Cost() account.Cost { return x.whole.Cost() }

// Close releases the memory of the last page.
func (x *Export) Close() {
	x.page.Close()
	x.texts.Close()
}

// operate runs an operation that reads the project, and that the caller must close. It calls read again if
// the definition was outdated.
func (x *Export) operate(ctx context.Context, rcu float64,
	read func(context.Context, model.Reads, model.NodeID) error) (*operation.Operation, error) {
	ctx, o := x.whole.Part(ctx)
	done := false
	defer func() {
		if !done { // it has failed, or panicked
			o.Close()
		}
	}()
	if err := o.Run(ctx, operation.Estimate{RCU: rcu}, exportBuffers, func(ctx context.Context) error {
		s := x.exports.begin(ctx) // its reads end with ctx
		ctx = withSession(ctx, s)
		if err := mustBe(ctx, tracker.Reader, ""); err != nil {
			return err
		}
		n, err := parseProjectID(ctx, x.project)
		if err != nil {
			return err
		}
		l, err := s.Reads.Tenant(n.Tenant)
		if err != nil {
			return err
		}
		return s.again(ctx, nil, func() error {
			s.operands.Restart()
			return read(ctx, l, n)
		})
	}); err != nil {
		return nil, err
	}
	done = true
	return o, nil
}

// Errors are the errors of a response, as clients receive them.
type Errors = gqlerror.List

// PresentErrors converts an error, or those that it joins, to errors of a response.
func (e *Exports) PresentErrors(ctx context.Context, err error) (all Errors) {
	for _, one := range joined(err) {
		all = append(all, presentOne(ctx, one))
	}
	return e.options.Limits.FirstErrors(all)
}
