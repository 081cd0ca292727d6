// Package loaders turns the single look-ups of one request into batches: issues, projects and long texts by
// their keys. Start with New, once for each request, and Set.Tenant.
//
// It holds nothing longer than a request and decides nothing: what to read is its callers' business. It
// speaks no GraphQL.
package loaders

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/graph-gophers/dataloader/v7"

	"issuegrid/account"
	"issuegrid/columns"
	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// wait is how long a batch that is not full waits for further keys. Grids do not wait for it: they send their
// keys on by themselves (see sharedBatch). It is for the look-ups of resolvers that run side by side.
const wait = time.Millisecond

// Set holds the loaders of one request.
type Set struct {
	// Observe receives each batch when it has ended, in parallel for batches that run in parallel; nil costs
	// nothing. It must be set before the set is used.
	Observe func(context.Context, Batch)

	base     context.Context
	db       *dynamo.DB
	maxTexts int64

	mu      sync.Mutex
	tenants map[tracker.TenantID]*Tenant
	texts   int64 // bytes of long texts that the answer has asked for
}

// New makes the loaders of the request whose context ctx is. Batches run under ctx and not under the context
// of the field that happened to ask first, because one cancelled field must not fail its neighbours.
func New(ctx context.Context, db *dynamo.DB) *Set {
	return &Set{base: ctx, db: db, tenants: map[tracker.TenantID]*Tenant{}}
}

// LimitTexts sets the most bytes of long texts that the response shows, each counted as 4 KiB at least; 0,
// which is the default, is no limit. A text beyond it is not read, and is a BadInput of its own. It must be
// called before the set is used.
func (s *Set) LimitTexts(bytes int64) { s.maxTexts = bytes }

// Tenant returns the loaders of one tenant. Keys of different tenants never share a batch.
func (s *Set) Tenant(id tracker.TenantID) (*Tenant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tenants[id]; t != nil {
		return t, nil
	}
	store, err := s.db.Tenant(id)
	if err != nil {
		return nil, err
	}
	t := &Tenant{
		store:    store,
		set:      s,
		shown:    map[tracker.LongRef]bool{},
		issues:   newLoader(s.base, observed(s.Observe, "issue", batch(store.Issues, "issue"))),
		heads:    newLoader(s.base, observed(s.Observe, "issue_head", batch(store.Heads, "issue"))),
		projects: newLoader(s.base, observed(s.Observe, "project", batch(store.Projects, "project"))),
		kept:     map[tracker.LongRef]bool{},
	}
	t.longTexts = newLoader(s.base, observed(s.Observe, "long_text", t.readTexts))
	t.grids.send = func(issues, heads []tracker.IssueID) {
		t.issues.many(s.base, issues)
		t.heads.many(s.base, heads)
	}
	s.tenants[id] = t
	return t, nil
}

// Tenant holds the loaders of one tenant in one request.
type Tenant struct {
	store     *dynamo.Tenant
	issues    *loader[tracker.IssueID, *tracker.Issue]
	heads     *loader[tracker.IssueID, *tracker.Issue]
	projects  *loader[tracker.ProjectID, *tracker.Project]
	longTexts *loader[tracker.LongRef, string]
	set       *Set
	// the long texts that the answer has asked for, and whether it may have them; with the set's mu
	shown map[tracker.LongRef]bool
	kept  map[tracker.LongRef]bool // the long texts that were read and are in memory; with the set's mu
	grids sharedBatch
}

// loader is a dataloader whose wait is held off while many keys are put in: however slow that is on a busy
// machine, they go together.
type loader[K comparable, V any] struct {
	loader *dataloader.Loader[K, V]

	mu      sync.Mutex
	waiting bool // the batch that is being filled leaves at the end of a wait
}

func newLoader[K comparable, V any](base context.Context, fn dataloader.BatchFunc[K, V]) *loader[K, V] {
	inBase := func(_ context.Context, keys []K) []*dataloader.Result[V] { return fn(base, keys) }
	return &loader[K, V]{loader: dataloader.NewBatchedLoader(inBase,
		dataloader.WithBatchCapacity[K, V](dynamo.MaxBatch),
		// every batch is flushed here, long before
		dataloader.WithInputCapacity[K, V](dynamo.MaxBatch), dataloader.WithWait[K, V](time.Hour))}
}

// one loads a key with those that others load within the wait.
func (l *loader[K, V]) one(ctx context.Context, key K) dataloader.Thunk[V] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.waiting {
		l.waiting = true
		time.AfterFunc(wait, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.waiting = false
			l.loader.Flush()
		})
	}
	return l.loader.Load(ctx, key)
}

// many loads keys in as few batches as there can be, at once.
func (l *loader[K, V]) many(ctx context.Context, keys []K) []dataloader.Thunk[V] {
	l.mu.Lock()
	defer l.mu.Unlock()
	thunks := make([]dataloader.Thunk[V], len(keys))
	for i, k := range keys {
		thunks[i] = l.loader.Load(ctx, k)
	}
	l.loader.Flush()
	return thunks
}

// batch makes a batch function of a read that answers in the order of its keys, nil for what is not there.
func batch[K comparable, V any](read func(context.Context, []K) ([]*V, error),
	what string) dataloader.BatchFunc[K, *V] {
	return func(ctx context.Context, keys []K) []*dataloader.Result[*V] {
		found, err := read(ctx, keys)
		results := make([]dataloader.Result[*V], len(keys))
		out := make([]*dataloader.Result[*V], len(keys))
		for i := range keys {
			out[i] = &results[i]
			switch {
			case err != nil:
				results[i].Error = passing(err)
			case found[i] == nil:
				results[i].Error = tracker.Missing(what)
			default:
				results[i].Data = found[i]
			}
		}
		return out
	}
}

// Get returns the tenant; NotFound if there is none.
func (t *Tenant) Get(ctx context.Context) (*tracker.Tenant, error) { return t.store.Get(ctx) }

// Definition returns a project with its fields, from memory or with one Query; NotFound if there is none.
func (t *Tenant) Definition(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, error) {
	return t.store.Definition(ctx, p)
}

// QueryKeys reads ordered keys from the index, as [dynamo.Tenant.QueryKeys].
func (t *Tenant) QueryKeys(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	return t.store.QueryKeys(ctx, q)
}

// readTexts reads a batch of long texts.
func (t *Tenant) readTexts(ctx context.Context, refs []tracker.LongRef) []*dataloader.Result[string] {
	texts, errs := t.store.LongTexts(ctx, refs)
	out := make([]*dataloader.Result[string], len(refs))
	t.set.mu.Lock()
	defer t.set.mu.Unlock()
	for i, ref := range refs {
		out[i] = &dataloader.Result[string]{Data: texts[i]}
		if errs[i] != nil {
			out[i].Error = passing(errs[i])
			continue
		}
		t.kept[ref] = true
	}
	return out
}

// leastText is as what a text counts at least: as much as DynamoDB bills for an item.
const leastText = 4 << 10

// mayShow refuses a text beyond the limit. One that is asked for again counts once.
func (t *Tenant) mayShow(ref tracker.LongRef) error {
	s := t.set
	if s.maxTexts == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	may, asked := t.shown[ref]
	if !asked {
		s.texts += int64(max(ref.Long.Bytes, leastText))
		may = s.texts <= s.maxTexts
		t.shown[ref] = may
	}
	if !may {
		return tracker.Bad("", "bytes of long texts that the operation shows, at least: %d; the limit "+
			"(Texts) is %d: ask for smaller pages, or for fewer of them", s.texts, s.maxTexts)
	}
	return nil
}

// passing keeps an error that may be gone at the next try out of the loader's cache. BadInput is one: the
// batch was more than the operation may hold, and a smaller one may not be.
func passing(err error) error {
	switch tracker.CodeOf(err) {
	case tracker.Unavailable, tracker.BadInput:
		return dataloader.NewSkipCacheError(err)
	}
	return err
}

// Issue returns an issue; NotFound if there is none.
func (t *Tenant) Issue(ctx context.Context, id tracker.IssueID) (*tracker.Issue, error) {
	if !id.Valid() {
		return nil, tracker.Missing("issue")
	}
	return t.issues.one(ctx, id)()
}

// Project returns a project without its fields; NotFound if there is none.
func (t *Tenant) Project(ctx context.Context, id tracker.ProjectID) (*tracker.Project, error) {
	if !tracker.ValidID(string(id)) {
		return nil, tracker.Missing("project")
	}
	return t.projects.one(ctx, id)()
}

// Projects returns projects in the order of ids, nil where there is none.
func (t *Tenant) Projects(ctx context.Context, ids []tracker.ProjectID) ([]*tracker.Project, error) {
	return all(ctx, t.projects, ids)
}

// LongText returns a long text that is shown. Prefetch makes several share their batches.
func (t *Tenant) LongText(ctx context.Context, ref tracker.LongRef) (string, error) {
	if err := t.mayShow(ref); err != nil {
		return "", err
	}
	return t.longTexts.one(ctx, ref)()
}

// LongTexts returns several that a filter looks at, in the order of refs. They do not count as shown: the
// work budget of a page bounds them.
func (t *Tenant) LongTexts(ctx context.Context, refs []tracker.LongRef) ([]string, error) {
	thunks := t.longTexts.many(ctx, refs)
	out := make([]string, len(thunks))
	var failed error
	for i, thunk := range thunks { // all of them, as in all
		text, err := thunk()
		if out[i] = text; failed == nil {
			failed = err
		}
	}
	return out, failed
}

// ForgetTexts lets go of texts that a filter has looked at and that nothing shows, and gives their memory
// back. One that is asked for again is read again.
func (t *Tenant) ForgetTexts(ctx context.Context, refs []tracker.LongRef) {
	t.set.mu.Lock()
	defer t.set.mu.Unlock()
	for _, ref := range refs {
		if !t.shown[ref] && t.kept[ref] { // another grid may have looked at it, too, and let go of it
			delete(t.kept, ref)
			t.longTexts.loader.Clear(ctx, ref)
			account.From(ctx).Release(int64(ref.Long.Bytes))
		}
	}
}

// Issues returns issues in the order of ids, nil where there is none, without waiting for the grids of the
// request.
func (t *Tenant) Issues(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	return all(ctx, t.issues, ids)
}

// Heads returns the built-in columns of issues likewise.
func (t *Tenant) Heads(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	return all(ctx, t.heads, ids)
}

// Prefetch sends for long texts that are shown without waiting for them. An error is reported by the LongText
// that needs the text.
func (t *Tenant) Prefetch(ctx context.Context, refs []tracker.LongRef) {
	t.longTexts.many(ctx, slices.DeleteFunc(slices.Clone(refs), func(ref tracker.LongRef) bool {
		return t.mayShow(ref) != nil
	}))
}

// all loads what is there of many keys.
func all[K comparable, V any](ctx context.Context, l *loader[K, *V], keys []K) ([]*V, error) {
	thunks := l.many(ctx, keys)
	out := make([]*V, len(thunks))
	var failed error
	// all of them, also after an error, because it is the thunk that keeps its error out of the cache
	for i, thunk := range thunks {
		v, err := thunk()
		switch {
		case err == nil:
			out[i] = v
		case failed == nil && tracker.CodeOf(err) != tracker.NotFound:
			failed = err
		}
	}
	if failed != nil {
		return nil, failed
	}
	return out, nil
}
