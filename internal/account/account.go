// Package account limits what one operation uses of the process: CPU time, which is counted in units of work,
// and memory, which is counted in bytes of data that the operation holds. Start here: [New] opens an
// [Account], and [With] puts it into the context of the operation.
//
// Code that reads data, computes for long or builds a response gets the account from its context with [From].
// It calls Spend for work done, Check at least once per 5 ms of work, and Hold before it keeps data. The
// package does not depend on HTTP, GraphQL or DynamoDB; resources that all operations share are behind the
// interfaces [Memory] and [Processor].
//
// The laws that code and tests cite:
//
//   - A1, reserve first: bytes are held before the memory that they stand for is allocated or filled.
//   - A2, no leaks: after Close an account holds nothing, and everything that it took from Memory has been
//     released, however the operation ended.
//   - A3, an operation that exceeds its own limit gets BAD_USER_INPUT, because it would fail again; one for
//     which the process has no capacity gets UNAVAILABLE, because it may succeed later.
package account

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"issuegrid/tracker"
)

// Limits are the limits of one operation.
type Limits struct {
	// CPU is the most CPU time that Spend may count. 0 means no limit.
	CPU time.Duration
	// Memory is the most bytes held at a time. 0 means no limit.
	Memory int64
}

// The default Limits.
const (
	DefaultCPU    = time.Second
	DefaultMemory = 64 << 20
)

// Memory is a budget of bytes that all operations share.
type Memory interface {
	// Acquire takes bytes for a tenant, and may wait until others release some. growing says that the
	// operation holds bytes already. It fails with UNAVAILABLE if the wait would be too long, and when ctx
	// ends.
	Acquire(ctx context.Context, t tracker.TenantID, bytes int64, growing bool) error
	// Release returns bytes.
	Release(t tracker.TenantID, bytes int64)
}

// Processor is the CPU time that all operations share.
type Processor interface {
	// Spent counts CPU time that a tenant has used. It never waits.
	Spent(t tracker.TenantID, d time.Duration)
	// Wait waits until the tenant may use more. It returns the error of ctx if ctx ends first.
	Wait(ctx context.Context, t tracker.TenantID) error
}

// ErrCPU and ErrMemory are the causes of the errors of an operation that exceeds its Limits.
var (
	ErrCPU    = errors.New("the operation has used up its CPU time")
	ErrMemory = errors.New("the operation holds too much data")
)

// errEnded is returned by Hold after Close.
var errEnded = &tracker.Error{Code: tracker.Unavailable, Message: "the operation has ended"}

const (
	// paceEvery is the CPU time after which Check asks the processor whether the operation may continue.
	paceEvery = 2 * time.Millisecond
	// grain is the least number of bytes acquired at once, so that many small holds take few locks.
	grain = 256 << 10
	// readingShare is the share of the CPU time, and of the time until the deadline, that may be spent on
	// reading pages; the rest is for the response.
	readingShare = 0.75
)

// Account counts what one operation uses. It is safe for concurrent use. A nil *Account, which stands for
// work outside of operations, limits nothing.
type Account struct {
	tenant    tracker.TenantID
	limits    Limits
	memory    Memory    // may be nil
	processor Processor // may be nil
	// awaited is set if operations that hold memory wait for the account. It gets memory as if it held some,
	// because they release theirs only after it has ended.
	awaited bool

	cpu     atomic.Int64 // nanoseconds
	booked  atomic.Int64 // the part of cpu that was reported to the processor
	readEnd atomic.Pointer[time.Time]

	mu       sync.Mutex
	held     int64 // bytes
	peak     int64 // the maximum of held
	acquired int64 // bytes acquired from memory
	pending  int64 // bytes being acquired; held <= acquired + pending
	expected int64 // bytes expected to be held soon
	closed   bool
	billed   time.Duration // the part of cpu that Bill has covered

	once sync.Map // keys of HoldOnce
}

// New opens an account for an operation of a tenant. memory and processor may be nil; then only the limits
// apply.
func New(t tracker.TenantID, l Limits, memory Memory, processor Processor) *Account {
	return &Account{tenant: t, limits: l, memory: memory, processor: processor}
}

// Detached opens another account with the same tenant and limits, for work that outlives the operation. The
// caller must close it.
func (a *Account) Detached() *Account {
	if a == nil {
		return nil
	}
	return New(a.tenant, a.limits, a.memory, a.processor)
}

// Awaited is Detached for work that several operations wait for.
func (a *Account) Awaited() *Account {
	d := a.Detached()
	if d != nil {
		d.awaited = true
	}
	return d
}

// Unbounded opens another account with the same tenant and no limits, for work that completes a committed
// change. The caller must close it.
func (a *Account) Unbounded() *Account {
	if a == nil {
		return nil
	}
	return New(a.tenant, Limits{}, a.memory, a.processor)
}

type contextKey struct{}

// With returns a context with the account of its operation.
func With(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, contextKey{}, a)
}

// From returns the account of the operation that ctx belongs to, or nil.
func From(ctx context.Context) *Account {
	a, _ := ctx.Value(contextKey{}).(*Account)
	return a
}

// Spend counts CPU time that the operation has used. It neither waits nor fails; Check does both.
func (a *Account) Spend(d time.Duration) {
	if a != nil {
		a.cpu.Add(int64(d))
	}
}

// CPU returns the CPU time counted so far.
func (a *Account) CPU() time.Duration {
	if a == nil {
		return 0
	}
	return time.Duration(a.cpu.Load())
}

// Bill returns by how much the CPU time that the operation has used since the last call exceeds what is free.
func (a *Account) Bill(free time.Duration) time.Duration {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	used := a.CPU() - a.billed
	a.billed += used
	return max(0, used-free)
}

// Check returns an error if the operation must end: the error of ctx, or one with the cause ErrCPU. It may
// wait while other tenants need the CPU more.
func (a *Account) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil || a == nil {
		return err
	}
	spent := a.CPU()
	if l := a.limits.CPU; l > 0 && spent > l {
		return &tracker.Error{Code: tracker.BadInput, Cause: ErrCPU,
			Message: "the operation has used " + spent.Round(time.Millisecond).String() +
				" of CPU time; the limit is " + l.String() +
				": ask for smaller pages, filter by fewer strings, or select less; " +
				"changes that a mutation has made are kept"}
	}
	if a.processor == nil || spent-time.Duration(a.booked.Load()) < paceEvery {
		return nil
	}
	a.book()
	return a.processor.Wait(ctx, a.tenant)
}

// book reports to the processor the CPU time spent since the last report.
func (a *Account) book() {
	if a.processor == nil {
		return
	}
	for {
		before, now := a.booked.Load(), a.cpu.Load()
		if now <= before {
			return
		}
		if a.booked.CompareAndSwap(before, now) {
			a.processor.Spent(a.tenant, time.Duration(now-before))
			return
		}
	}
}

// Pace waits, before an operation begins, while other tenants need the CPU more. A tenant with many small
// operations can have debt, too. It returns the error of ctx if ctx ends first.
func (a *Account) Pace(ctx context.Context) error {
	if a == nil || a.processor == nil {
		return ctx.Err()
	}
	a.book()
	return a.processor.Wait(ctx, a.tenant)
}

// Begin starts the time for reading pages: a share of the time until the deadline of ctx, if it has one.
func (a *Account) Begin(ctx context.Context) {
	if deadline, ok := ctx.Deadline(); ok && a != nil {
		end := deadline.Add(-time.Duration((1 - readingShare) * float64(time.Until(deadline))))
		a.readEnd.Store(&end)
	}
}

// ReadingOver reports whether the CPU time or the time that remains is needed for the response. Pages then
// end where they are.
func (a *Account) ReadingOver() bool {
	if a == nil {
		return false
	}
	if end := a.readEnd.Load(); end != nil && !time.Now().Before(*end) {
		return true
	}
	return a.limits.CPU > 0 && float64(a.CPU()) > readingShare*float64(a.limits.CPU)
}

// Reserve acquires shared memory for later holds, so that the account has the given number of bytes in total,
// or its limit if that is less.
func (a *Account) Reserve(ctx context.Context, all int64) error {
	if a == nil || a.memory == nil {
		return nil
	}
	if l := a.limits.Memory; l > 0 {
		all = min(all, l)
	}
	a.mu.Lock()
	more := all - a.acquired - a.pending
	if a.closed {
		a.mu.Unlock()
		return errEnded
	}
	if more <= 0 {
		a.mu.Unlock()
		return nil
	}
	a.pending += more
	growing := a.growing()
	a.mu.Unlock()
	return a.acquire(ctx, more, growing)
}

// Expect acquires shared memory for data that the operation is about to request, so that it waits for memory
// before others do work for it. The number of bytes is an estimate; holds may need more. The caller must call
// done after the holds.
func (a *Account) Expect(ctx context.Context, bytes int64) (done func(), err error) {
	if a == nil || a.memory == nil {
		return func() {}, nil
	}
	a.mu.Lock()
	a.expected += bytes
	all := a.held + a.expected
	a.mu.Unlock()
	done = func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.expected -= bytes
	}
	if err := a.Reserve(ctx, all); err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// growing reports whether the shared memory should prefer the account.
func (a *Account) growing() bool { return a.acquired > 0 || a.awaited }

// acquire takes bytes that are counted as pending from the shared memory.
func (a *Account) acquire(ctx context.Context, bytes int64, growing bool) error {
	err := a.memory.Acquire(ctx, a.tenant, bytes, growing)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pending -= bytes
	switch {
	case err != nil:
		return err
	case a.closed: // closed during the wait
		a.memory.Release(a.tenant, bytes)
		return errEnded
	}
	a.acquired += bytes
	return nil
}

// Fits reports whether the operation may hold the given number of additional bytes.
func (a *Account) Fits(bytes int64) bool {
	now, _ := a.Held()
	return a == nil || a.limits.Memory <= 0 || now+bytes <= a.limits.Memory
}

// Hold counts bytes that the operation is about to keep (A1), until Release or Close. If the operation would
// exceed its limit, the error has the cause ErrMemory; if the process has no room, the code is UNAVAILABLE.
// On error nothing is held.
func (a *Account) Hold(ctx context.Context, bytes int64) error {
	if a == nil || bytes <= 0 {
		return nil
	}
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return errEnded
	}
	if l := a.limits.Memory; l > 0 && a.held+bytes > l {
		held := a.held
		a.mu.Unlock()
		return tooMuch(held+bytes, l)
	}
	a.held += bytes
	a.peak = max(a.peak, a.held)
	more, growing := int64(0), a.growing()
	if lacking := a.held - a.acquired - a.pending; a.memory != nil && lacking > 0 {
		more = max(lacking, grain)
		if l := a.limits.Memory; l > 0 {
			more = max(lacking, min(more, l-a.acquired-a.pending))
		}
		a.pending += more
	}
	a.mu.Unlock()
	if more == 0 {
		return nil
	}
	err := a.acquire(ctx, more, growing)
	if err != nil {
		a.Release(bytes)
	}
	return err
}

func tooMuch(bytes, limit int64) error {
	return &tracker.Error{Code: tracker.BadInput, Cause: ErrMemory,
		Message: "the operation needs at least " + strconv.FormatInt(bytes, 10) +
			" bytes of data at a time; the limit is " + strconv.FormatInt(limit, 10) +
			": ask for smaller pages, or select fewer columns and long strings; changes that a mutation " +
			"has made are kept"}
}

// HoldOnce is like Hold for shared data that the operation may use several times: the bytes of each key are
// held once.
func (a *Account) HoldOnce(ctx context.Context, key any, bytes int64) error {
	if a == nil {
		return nil
	}
	if _, held := a.once.LoadOrStore(key, true); held {
		return nil
	}
	err := a.Hold(ctx, bytes)
	if err != nil {
		a.once.Delete(key)
	}
	return err
}

// Release returns held bytes.
func (a *Account) Release(bytes int64) {
	if a == nil || bytes <= 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closed {
		a.held = max(0, a.held-bytes)
	}
}

// Keep releases all but the given number of bytes. It is called when the response is ready and nothing else
// is needed.
func (a *Account) Keep(bytes int64) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	a.held = min(a.held, bytes)
	if spare := a.acquired - bytes; spare > 0 && a.memory != nil {
		a.acquired -= spare
		a.memory.Release(a.tenant, spare)
	}
}

// Held returns the bytes that are held now, and the most held at any time.
func (a *Account) Held() (now, peak int64) {
	if a == nil {
		return 0, 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.held, a.peak
}

// Close ends the account and releases all that it holds (A2). It may be called more than once.
func (a *Account) Close() {
	if a == nil {
		return
	}
	a.book()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	a.closed, a.held = true, 0
	if a.memory != nil {
		a.memory.Release(a.tenant, a.acquired)
	}
	a.acquired = 0
}
