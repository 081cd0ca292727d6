// Package account bounds what one operation uses of the process: CPU time, which is counted in units of work,
// and memory, which is counted in bytes of data that the operation holds. Start with New, and With, which
// puts an Account into the context of its operation.
//
// Whatever reads data, computes for long or builds a response takes the account from its context with From,
// calls Spend for the work that it has done, Check at least once for every 5 ms of work, and Hold before it
// keeps data. The package knows neither HTTP, GraphQL nor DynamoDB; what all operations share is behind the
// interfaces Memory and Processor.
//
// The laws, which the code and the tests cite:
//
//   - A1, reserve first: bytes are held before the memory that they stand for is allocated or filled.
//   - A2, nothing is lost: after Close an account holds nothing, and all that it ever took from Memory has
//     been given back, however its operation ended.
//   - A3, an operation that exceeds a limit of its own gets BAD_USER_INPUT, because it can never succeed as
//     it is; one for which the process has no room gets UNAVAILABLE, because it may succeed later.
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

// Limits bound one operation.
type Limits struct {
	// CPU is the most CPU time, counted by Spend. 0 is no limit.
	CPU time.Duration
	// Memory is the most bytes held at a time. 0 is no limit.
	Memory int64
}

// The defaults of Limits.
const (
	DefaultCPU    = time.Second
	DefaultMemory = 64 << 20
)

// Memory is a number of bytes that all operations share.
type Memory interface {
	// Acquire takes bytes for a tenant, and may wait until others give some back. growing reports that the
	// operation holds some already. It fails with UNAVAILABLE when the wait would be too long, and when ctx
	// ends.
	Acquire(ctx context.Context, t tracker.TenantID, bytes int64, growing bool) error
	// Release gives bytes back.
	Release(t tracker.TenantID, bytes int64)
}

// Processor is the CPU time that all operations share.
type Processor interface {
	// Spent books CPU time that a tenant has used. It never waits.
	Spent(t tracker.TenantID, d time.Duration)
	// Wait returns when the tenant may use more. Its error is that of ctx.
	Wait(ctx context.Context, t tracker.TenantID) error
}

// ErrCPU and ErrMemory are the causes of the errors of an operation that has exceeded one of its Limits.
var (
	ErrCPU    = errors.New("the CPU time of the operation is spent")
	ErrMemory = errors.New("the operation holds too much data")
)

// errEnded is returned by Hold after Close.
var errEnded = &tracker.Error{Code: tracker.Unavailable, Message: "the operation has ended"}

const (
	// paceEvery is after how much CPU time an operation asks whether it may go on.
	paceEvery = 2 * time.Millisecond
	// grain is the least number of bytes that is acquired at once, so that many small holds take few locks.
	grain = 256 << 10
	// readingShare is the part of the CPU time that may go into reading pages; the rest is for the response.
	readingShare = 0.75
)

// Account is what one operation uses. It is safe for concurrent use. A nil *Account, which is that of work
// outside of operations, bounds nothing.
type Account struct {
	tenant    tracker.TenantID
	limits    Limits
	memory    Memory    // may be nil
	processor Processor // may be nil

	cpu    atomic.Int64 // nanoseconds
	booked atomic.Int64 // those of cpu that the processor knows of

	mu       sync.Mutex
	held     int64 // bytes
	peak     int64 // the most that held ever was
	acquired int64 // bytes taken from memory
	pending  int64 // bytes that are being acquired; held is at most acquired and pending together
	expected int64 // bytes that are about to be held
	closed   bool

	once sync.Map // the keys of HoldOnce
}

// New opens the account of an operation of a tenant. Nil for memory or processor shares nothing with others.
func New(t tracker.TenantID, l Limits, memory Memory, processor Processor) *Account {
	return &Account{tenant: t, limits: l, memory: memory, processor: processor}
}

// Detached opens another account with the same tenant and limits, for work that outlasts the operation. The
// caller closes it.
func (a *Account) Detached() *Account {
	if a == nil {
		return nil
	}
	return New(a.tenant, a.limits, a.memory, a.processor)
}

// Unbounded opens another account likewise, without limits of its own: for what completes a change that was
// made.
func (a *Account) Unbounded() *Account {
	if a == nil {
		return nil
	}
	return New(a.tenant, Limits{}, a.memory, a.processor)
}

type contextKey struct{}

// With puts an account into the context of its operation.
func With(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, contextKey{}, a)
}

// From returns the account of the operation, or nil outside of one.
func From(ctx context.Context) *Account {
	a, _ := ctx.Value(contextKey{}).(*Account)
	return a
}

// Spend counts CPU time that the operation has used. It neither waits nor fails: Check does.
func (a *Account) Spend(d time.Duration) {
	if a != nil {
		a.cpu.Add(int64(d))
	}
}

// CPU returns the CPU time that was counted so far.
func (a *Account) CPU() time.Duration {
	if a == nil {
		return 0
	}
	return time.Duration(a.cpu.Load())
}

// Check reports whether the operation may go on. It may wait, while other tenants need the CPU more. The
// error is that of ctx, or that the CPU time of the operation is spent.
func (a *Account) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil || a == nil {
		return err
	}
	spent := a.CPU()
	if l := a.limits.CPU; l > 0 && spent > l {
		return &tracker.Error{Code: tracker.BadInput, Cause: ErrCPU,
			Message: "the operation has used " + spent.Round(time.Millisecond).String() +
				" of CPU time; the limit is " + l.String() +
				": ask for smaller pages, filter by fewer texts, or select less; what a mutation has " +
				"changed is changed"}
	}
	if a.processor == nil || spent-time.Duration(a.booked.Load()) < paceEvery {
		return nil
	}
	a.book()
	return a.processor.Wait(ctx, a.tenant)
}

// book tells the processor of what was spent since it was last told.
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

// Pace waits, before an operation begins, while other tenants need the CPU more: also the tenant of many
// small operations has debt. Its error is that of ctx.
func (a *Account) Pace(ctx context.Context) error {
	if a == nil || a.processor == nil {
		return ctx.Err()
	}
	a.book()
	return a.processor.Wait(ctx, a.tenant)
}

// ReadingOver reports whether so much CPU time is spent that what is left is needed for the response: pages
// then end as they are.
func (a *Account) ReadingOver() bool {
	return a != nil && a.limits.CPU > 0 && float64(a.CPU()) > readingShare*float64(a.limits.CPU)
}

// Reserve takes from the shared memory, for later holds, what the account lacks to the given number of bytes,
// or to the limit of the operation if that is less.
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
	growing := a.acquired > 0
	a.mu.Unlock()
	return a.acquire(ctx, more, growing)
}

// Expect takes bytes from the shared memory for what the operation is about to ask for, so that it waits for
// memory before others have worked for it. What it is about to hold is guessed: holds may need more. The
// caller calls done when the holds have been made.
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

// acquire takes bytes from the shared memory that are pending.
func (a *Account) acquire(ctx context.Context, bytes int64, growing bool) error {
	err := a.memory.Acquire(ctx, a.tenant, bytes, growing)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pending -= bytes
	switch {
	case err != nil:
		return err
	case a.closed: // while it waited
		a.memory.Release(a.tenant, bytes)
		return errEnded
	}
	a.acquired += bytes
	return nil
}

// Hold counts bytes that the operation is about to keep (A1). Release or Close give them back. It fails with
// ErrMemory as its cause when the operation holds too much, and with UNAVAILABLE when the process has no
// room; nothing is held then.
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
	more, growing := int64(0), a.acquired > 0
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
		Message: "bytes of data that the operation holds, at least: " + strconv.FormatInt(bytes, 10) +
			"; the limit is " + strconv.FormatInt(limit, 10) +
			": ask for smaller pages, or select fewer columns and texts; what a mutation has changed is " +
			"changed"}
}

// HoldOnce is Hold for data that is shared and that the operation may meet several times: what goes by the
// same key is held once.
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

// Release gives back bytes that were held.
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

// Keep gives back everything but so many bytes. It is called when the response is ready and nothing else is
// needed any more.
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

// Held returns the bytes that are held, and the most that ever were.
func (a *Account) Held() (now, peak int64) {
	if a == nil {
		return 0, 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.held, a.peak
}

// Close ends the account and gives back all that it holds (A2). It may be called more than once.
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
