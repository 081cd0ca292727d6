// Package loaders batches the single lookups of one request: issues, projects and long texts by key. Start
// with New, called once per request, and Set.Tenant.
//
// A Set lives as long as its request. The package does not decide what to read, and does not know GraphQL.
package loaders

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/graph-gophers/dataloader/v7"

	"issuegrid/dynamo"
	"issuegrid/dynamo/comments"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// wait is how long a batch that is not full waits for more keys from resolvers that run in parallel. Grids do
// not wait: they flush their own batches (see sharedBatch).
const wait = time.Millisecond

// Set holds the loaders of one request.
type Set struct {
	// Observe, if not nil, is called after each batch. Calls are concurrent if batches are. It must be set
	// before the set is used.
	Observe func(context.Context, Batch)
	// Caller is the principal whose private views are read. It must be set before the set is used.
	Caller tracker.Principal

	base     context.Context
	db       *dynamo.DB
	began    time.Time // of the request, by the clock of the table
	maxTexts int64

	mu      sync.Mutex
	tenants map[tracker.TenantID]*Tenant
	texts   int64 // bytes of long texts requested for the response
}

// New returns the loaders of the request with context ctx. Batches run under ctx and not under the context of
// the field that loads the first key, because a cancelled field must not fail the others.
func New(ctx context.Context, db *dynamo.DB) *Set {
	return &Set{base: ctx, db: db, began: db.Now(), tenants: map[tracker.TenantID]*Tenant{}}
}

// LimitTexts limits the bytes of long texts in the response; each text counts at least 4 KiB. 0, the default,
// means no limit. A text over the limit is not read and fails with BadInput. LimitTexts must be called before
// the set is used.
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
		store:  store,
		set:    s,
		shown:  map[any]bool{},
		issues: newLoader(s.base, observed(s.Observe, "issue", batch(store.Issues, "issue"))),
		current: newLoader(s.base, observed(s.Observe, "issue_consistent",
			batch(store.IssuesConsistent, "issue"))),
		heads:    newLoader(s.base, observed(s.Observe, "issue_head", batch(store.Heads, "issue"))),
		projects: newLoader(s.base, observed(s.Observe, "project", batch(store.Projects, "project"))),
		kept:     map[tracker.LongRef]bool{},

		definitions: map[tracker.ProjectID]*tracker.Definition{},
	}
	t.tenant = newLoader(s.base, observed(s.Observe, "tenant", batch(t.readTenant, "tenant")))
	t.views = newLoader(s.base, observed(s.Observe, "view", batch(t.viewStore().Get, "view")))
	t.users = newLoader(s.base, observed(s.Observe, "user", batch(t.People().stored().Users, "user")))
	t.teams = newLoader(s.base, observed(s.Observe, "team", batch(t.People().stored().Teams, "team")))
	t.comments = newLoader(s.base, observed(s.Observe, "comment", batch(t.Comments().stored().Get,
		"comment")))
	t.commentCounts = newLoader(s.base, observed(s.Observe, "comment_counts", batch(t.Comments().readCounts,
		"issue")))
	t.commentTexts = newLoader(s.base, observed(s.Observe, "comment_text", batch(t.Comments().readTexts,
		"comment")))
	t.reacted = newLoader(s.base, observed(s.Observe, "reaction", batch(t.Comments().readReacted,
		"reaction")))
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
	tenant    *loader[tracker.TenantID, *tracker.Tenant] // only its own
	issues    *loader[tracker.IssueID, *tracker.Issue]
	current   *loader[tracker.IssueID, *tracker.Issue] // read consistently
	heads     *loader[tracker.IssueID, *tracker.Issue]
	projects  *loader[tracker.ProjectID, *tracker.Project]
	longTexts *loader[tracker.LongRef, string]
	views     *loader[tracker.ViewRef, *tracker.View]
	users     *loader[tracker.UserID, *tracker.User]
	teams     *loader[tracker.TeamID, *tracker.Team]
	comments  *loader[tracker.CommentRef, *tracker.Comment]
	// commentCounts are those in all languages; commentTexts those that are not in their comments
	commentCounts *loader[tracker.IssueID, *tracker.CommentCounts]
	commentTexts  *loader[comments.TextRef, *string]
	reacted       *loader[comments.ReactionRef, *bool]
	set           *Set
	// requested long texts of the response, and whether they are within the limit; guarded by set.mu
	shown map[any]bool
	kept  map[tracker.LongRef]bool // long texts in memory; guarded by set.mu
	grids sharedBatch

	definitions map[tracker.ProjectID]*tracker.Definition // that the request uses; guarded by set.mu
}

// loader is a dataloader that does not flush while a list of keys is added, so that they share batches even
// if adding them takes longer than wait.
type loader[K comparable, V any] struct {
	loader *dataloader.Loader[K, V]

	mu      sync.Mutex
	waiting bool // a timer will flush the current batch
}

func newLoader[K comparable, V any](base context.Context, fn dataloader.BatchFunc[K, V]) *loader[K, V] {
	inBase := func(_ context.Context, keys []K) []*dataloader.Result[V] { return fn(base, keys) }
	return &loader[K, V]{loader: dataloader.NewBatchedLoader(inBase,
		dataloader.WithBatchCapacity[K, V](dynamo.MaxBatch),
		// every batch is flushed here, long before this wait ends
		dataloader.WithInputCapacity[K, V](dynamo.MaxBatch), dataloader.WithWait[K, V](time.Hour))}
}

// one loads a key in a batch with other keys loaded within the wait.
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

// many loads keys without waiting, in as few batches as possible.
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

// batch returns the batch function of a read. The read returns values in the order of its keys, and nil for
// missing items.
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
				results[i].Error = uncached(err)
			case found[i] == nil:
				results[i].Error = tracker.Missing(what)
			default:
				results[i].Data = found[i]
			}
		}
		return out
	}
}

// Get returns the tenant. The error is NotFound if there is none. It is read once for all rows that select
// it, until ForgetDefinitions is called.
func (t *Tenant) Get(ctx context.Context) (*tracker.Tenant, error) {
	return t.tenant.many(ctx, []tracker.TenantID{t.store.ID()})[0]() // no others would share its batch
}

func (t *Tenant) readTenant(ctx context.Context, ids []tracker.TenantID) ([]*tracker.Tenant, error) {
	found, err := t.store.Get(ctx)
	return slices.Repeat([]*tracker.Tenant{found}, len(ids)), err
}

// QueryKeys reads ordered keys from the index, like [dynamo.Tenant.QueryKeys].
func (t *Tenant) QueryKeys(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	return t.store.QueryKeys(ctx, q)
}

// Tags returns the tags of a field, as [dynamo.Tenant.Tags].
func (t *Tenant) Tags(ctx context.Context, q columns.TagQuery) (tags []string, more bool, err error) {
	return t.store.Tags(ctx, q)
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
			out[i].Error = uncached(errs[i])
			continue
		}
		t.kept[ref] = true
	}
	return out
}

// minTextBytes is what a text counts at least: the unit in which DynamoDB bills reads.
const minTextBytes = 4 << 10

// checkShown returns an error for a text over the limit of LimitTexts. text identifies it, so that one that
// is requested again counts once.
func (t *Tenant) checkShown(text any, bytes int) error {
	s := t.set
	if s.maxTexts == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	allowed, seen := t.shown[text]
	if !seen {
		s.texts += int64(max(bytes, minTextBytes))
		allowed = s.texts <= s.maxTexts
		t.shown[text] = allowed
	}
	if !allowed {
		return tracker.Bad("", "bytes of long texts that the operation shows, at least: %d; the limit "+
			"(Texts) is %d: ask for smaller pages, or for fewer of them", s.texts, s.maxTexts)
	}
	return nil
}

// uncached wraps an error that a retry may avoid, so that the loader does not cache it. BadInput is one: the
// batch exceeded the memory that the operation may hold, and a smaller one may not.
func uncached(err error) error {
	switch tracker.CodeOf(err) {
	case tracker.Unavailable, tracker.BadInput:
		return dataloader.NewSkipCacheError(err)
	}
	return err
}

// Issue returns an issue, read consistently or not. The error is NotFound if there is none.
func (t *Tenant) Issue(ctx context.Context, id tracker.IssueID, consistent bool) (*tracker.Issue, error) {
	if !id.Valid() {
		return nil, tracker.Missing("issue")
	}
	if consistent {
		return t.current.one(ctx, id)()
	}
	return t.issues.one(ctx, id)()
}

// PrefetchIssues starts to read issues in as few batches as possible, for calls of Issue that run in
// parallel.
func (t *Tenant) PrefetchIssues(ctx context.Context, ids []tracker.IssueID, consistent bool) {
	if consistent {
		t.current.many(ctx, ids)
		return
	}
	t.issues.many(ctx, ids)
}

// ProjectByKey returns the id of the project with a key, like [dynamo.Tenant.ProjectByKey].
func (t *Tenant) ProjectByKey(ctx context.Context, key string) (tracker.ProjectID, error) {
	return t.store.ProjectByKey(ctx, key)
}

// Project returns a project without its fields. The error is NotFound if there is none.
func (t *Tenant) Project(ctx context.Context, id tracker.ProjectID) (*tracker.Project, error) {
	if !tracker.ValidID(string(id)) {
		return nil, tracker.Missing("project")
	}
	return t.projects.one(ctx, id)()
}

// Projects returns projects in the order of ids, and nil for missing ones.
func (t *Tenant) Projects(ctx context.Context, ids []tracker.ProjectID) ([]*tracker.Project, error) {
	return loadAll(ctx, t.projects, ids)
}

// LongText returns a long text for the response. Prefetch lets several share a batch.
func (t *Tenant) LongText(ctx context.Context, ref tracker.LongRef) (string, error) {
	if err := t.checkShown(ref, ref.Long.Bytes); err != nil {
		return "", err
	}
	return t.longTexts.one(ctx, ref)()
}

// LongTexts returns long texts for a filter, in the order of refs. They do not count toward LimitTexts: the
// work budget of the page limits them.
func (t *Tenant) LongTexts(ctx context.Context, refs []tracker.LongRef) ([]string, error) {
	thunks := t.longTexts.many(ctx, refs)
	out := make([]string, len(thunks))
	var firstErr error
	for i, thunk := range thunks { // every thunk must run; see loadAll
		text, err := thunk()
		if out[i] = text; firstErr == nil {
			firstErr = err
		}
	}
	return out, firstErr
}

// ForgetTexts drops texts that a filter has examined and that the response does not contain, and releases
// their memory. A dropped text is read again on the next request for it.
func (t *Tenant) ForgetTexts(ctx context.Context, refs []tracker.LongRef) {
	t.set.mu.Lock()
	defer t.set.mu.Unlock()
	for _, ref := range refs {
		if !t.shown[ref] && t.kept[ref] { // another grid may have dropped it already
			delete(t.kept, ref)
			t.longTexts.loader.Clear(ctx, ref)
			account.From(ctx).Release(int64(ref.Long.Bytes))
		}
	}
}

// Issues returns issues in the order of ids, and nil for missing ones. It does not wait for the grids of the
// request.
func (t *Tenant) Issues(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	return loadAll(ctx, t.issues, ids)
}

// IssuesConsistent is Issues with consistent reads.
func (t *Tenant) IssuesConsistent(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	return loadAll(ctx, t.current, ids)
}

// Heads returns issues with only their built-in columns, in the order of ids, and nil for missing ones.
func (t *Tenant) Heads(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	return loadAll(ctx, t.heads, ids)
}

// Prefetch starts to read long texts for the response and does not wait for them. LongText returns the error
// of its text.
func (t *Tenant) Prefetch(ctx context.Context, refs []tracker.LongRef) {
	t.longTexts.many(ctx, slices.DeleteFunc(slices.Clone(refs), func(ref tracker.LongRef) bool {
		return t.checkShown(ref, ref.Long.Bytes) != nil
	}))
}

// loadAll loads many keys. Missing items are nil.
func loadAll[K comparable, V any](ctx context.Context, l *loader[K, *V], keys []K) ([]*V, error) {
	thunks := l.many(ctx, keys)
	out := make([]*V, len(thunks))
	var firstErr error
	// Call every thunk, also after an error: the thunk keeps an uncacheable error out of the cache.
	for i, thunk := range thunks {
		v, err := thunk()
		switch {
		case err == nil:
			out[i] = v
		case firstErr == nil && tracker.CodeOf(err) != tracker.NotFound:
			firstErr = err
		}
	}
	if firstErr != nil {
		return nil, firstErr
	}
	return out, nil
}
