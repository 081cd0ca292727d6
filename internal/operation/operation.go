// Package operation knows the life of a piece of work for a principal: a request of GraphQL, a page of an
// export, a call for an upload. In this order:
//
//  1. Begin opens an account of CPU time and memory, and a meter of calls of DynamoDB.
//  2. Enter waits for a slot, for CPU time, and for memory that every operation needs.
//  3. Admit reserves capacity of the tenant, and memory for what will be read.
//  4. The work is done.
//  5. Done charges the tenant, returns the slot, and keeps memory for the response.
//  6. Close releases the rest, and charges what has not been charged, however the operation has ended.
//
// Run does 2 to 5 for work whose result is not a response. The context that Begin returns has the operation
// ([From]) and its account.
//
// The laws that code and tests cite:
//
//   - J1: after Close an operation has no slot, no memory, and no reservation of capacity.
//   - J2: everything that an operation costs is charged to its tenant once, also what arises after its end.
//     Operators are not charged, because they work for all tenants.
//   - J3: an admitted operation costs its tenant the CPU time that exceeds a free amount, one that is refused
//     all of its CPU time, and one without capacity, which is refused before work is done for it, nothing.
package operation

import (
	"context"
	"time"

	"issuegrid/internal/account"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

const (
	// baseMemory is what every operation takes in addition to what it reads: buffers, stacks, and the writer
	// that compresses the response.
	baseMemory = 1 << 20
	// memoryPerRCU is reserved for each read capacity unit of an operation's estimate: a unit reads 8 KiB,
	// which take this much while they are decoded. At most maxReserved is reserved in advance; memory for
	// more is held as data is read.
	memoryPerRCU = 16 << 10
	maxReserved  = 16 << 20

	// FreeCPU is the CPU time that an admitted operation may use without charge: three times what a page of
	// 100 rows and 8 columns takes. Each further millisecond, and each of an operation that is refused, costs
	// its tenant CPURCU read capacity units.
	FreeCPU = 10 * time.Millisecond
	CPURCU  = 1
)

// Buckets have the capacity of tenants, as traffic.Buckets do.
type Buckets interface {
	Left(t tracker.TenantID, write bool) error
	Admit(t tracker.TenantID, estimate traffic.Rates, write bool) (settle func(rcu, wcu float64), err error)
	Charge(t tracker.TenantID, rcu, wcu float64)
	Read(t tracker.TenantID) (reads, writes traffic.State)
}

// Server has what the operations of a server share. What is nil limits nothing.
type Server struct {
	Queue     *traffic.Queue
	Memory    *traffic.Memory
	Processor *traffic.Processor
	Buckets   Buckets
	Limits    account.Limits // of an operation
	Timeout   time.Duration  // of an operation, from Enter on; 0 means none
}

// Estimate is the estimated cost of an operation, in DynamoDB capacity units.
type Estimate struct {
	RCU, WCU float64
	// Write reports whether the operation may write.
	Write bool
}

// Response describes the response of an operation for telemetry. The name is the only part that a client
// chooses; no part is data of a tenant.
type Response struct {
	// Type is query or mutation. It is empty for other requests, and for those that were refused before it
	// was known.
	Type string
	// Name is the name of a GraphQL operation, or empty. It is a GraphQL name ([_A-Za-z][_0-9A-Za-z]*) of any
	// length.
	Name string
	// Codes has the code of each error.
	Codes []tracker.Code
}

// Operation is a piece of work. Its methods are called by one goroutine at a time; Account and Meter are safe
// for concurrent use.
type Operation struct {
	Principal tracker.Principal
	Account   *account.Account // nil if nothing is limited
	Meter     *account.Meter
	Response  Response
	// Refused is the error of an operation that was refused before it was executed, or nil.
	Refused error
	// Show receives the capacity that is left to the tenant, when the operation is refused for lack of it and
	// when it is charged. It may be nil.
	Show func(left traffic.State)

	server *Server        // nil if nothing is limited
	whole  *Operation     // of which this is a part, or nil
	parts  *account.Meter // the costs of parts, which are charged as such
	ended  func()         // returns the slot
	cancel context.CancelFunc
	// settle charges the cost of an admitted operation to the bucket; nil before and afterwards.
	settle         func(rcu, wcu float64)
	entered, write bool
}

type contextKey struct{}

// From returns the operation that ctx belongs to, or nil.
func From(ctx context.Context) *Operation {
	o, _ := ctx.Value(contextKey{}).(*Operation)
	return o
}

// Begin opens an operation of a principal. The caller must close it.
func (s *Server) Begin(ctx context.Context, p tracker.Principal) (context.Context, *Operation) {
	var memory account.Memory
	if s.Memory != nil {
		memory = s.Memory
	}
	var processor account.Processor
	if s.Processor != nil {
		processor = s.Processor
	}
	a := account.New(p.Tenant, s.Limits, memory, processor)
	return begun(account.With(ctx, a), &Operation{Principal: p, Account: a, server: s})
}

// Of returns the operation of ctx. If there is none, as in a command, it begins one that is not limited,
// except by the account of ctx, and need not be closed.
func Of(ctx context.Context) (context.Context, *Operation) {
	if o := From(ctx); o != nil {
		return ctx, o
	}
	return begun(ctx, &Operation{Account: account.From(ctx)})
}

// Part begins an operation that does a part of the work of o, such as a page of an export, with the same
// limits and for the same principal. Its cost counts as that of o, too. The caller must close it.
func (o *Operation) Part(ctx context.Context) (context.Context, *Operation) {
	a := o.Account.Detached()
	return begun(account.With(ctx, a), &Operation{Principal: o.Principal, Account: a, Show: o.Show,
		server: o.server, whole: o})
}

func begun(ctx context.Context, o *Operation) (context.Context, *Operation) {
	o.Meter, o.parts = account.NewMeter(), account.NewMeter()
	o.ended, o.cancel = func() {}, func() {}
	return context.WithValue(ctx, contextKey{}, o), o
}

// Enter waits until the operation may run and there is memory for it. It refuses an operation of a tenant
// without read capacity, which none is admitted without, before work is done for it. From then on the
// operation has the context that Enter returns, which ends after the timeout.
func (o *Operation) Enter(ctx context.Context) (context.Context, error) {
	s := o.server
	if s == nil {
		return ctx, nil
	}
	if s.Timeout > 0 {
		ctx, o.cancel = context.WithTimeout(ctx, s.Timeout)
	}
	err := o.start(ctx)
	if err != nil {
		o.Account.Bill(0) // nothing was done for it
		o.ended()
	}
	return ctx, err
}

// start waits for a slot, and in it for CPU time and memory.
func (o *Operation) start(ctx context.Context) error {
	if o.server.Queue != nil {
		leave, err := o.server.Queue.Enter(ctx, o.Principal.Tenant)
		if err != nil {
			return err
		}
		o.ended = leave
	}
	o.Account.Spend(account.RequestCPU)
	if err := o.left(); err != nil {
		o.show(false)
		return err
	}
	if err := o.Account.Pace(ctx); err != nil {
		return err
	}
	if err := o.Account.Reserve(ctx, baseMemory); err != nil {
		return err
	}
	o.Account.Begin(ctx)
	o.entered = true
	return nil
}

// Admit lets the operation run if its tenant has capacity and the server has memory for it.
func (o *Operation) Admit(ctx context.Context, e Estimate) error {
	settle := func(rcu, wcu float64) {}
	if o.limited() {
		var err error
		settle, err = o.server.Buckets.Admit(o.Principal.Tenant, traffic.Rates{RCU: e.RCU, WCU: e.WCU},
			e.Write)
		if err != nil {
			o.show(e.Write)
			return err
		}
	}
	if o.server != nil {
		all := baseMemory + int64(min(e.RCU*memoryPerRCU, maxReserved))
		if err := o.Account.Reserve(ctx, all); err != nil {
			settle(0, 0)
			return err
		}
	}
	o.settle, o.write = settle, e.Write
	return nil
}

// Run enters, is admitted and calls f. Afterwards the operation is charged, and keeps the memory that it
// holds and as many bytes for the use of what was read, until Close.
func (o *Operation) Run(ctx context.Context, e Estimate, bytes int64, f func(context.Context) error) error {
	ctx, err := o.Enter(ctx)
	if err != nil {
		return err
	}
	defer func() {
		held, _ := o.Account.Held()
		o.Done(held + bytes)
	}()
	if err := o.Admit(ctx, e); err != nil {
		return err
	}
	return f(ctx)
}

// Done charges the tenant for what the operation has cost, passes the slot to the next operation, and
// releases the memory that was needed to make a response of the given size; the rest is held until Close.
func (o *Operation) Done(bytes int64) {
	o.charge()
	if o.server != nil {
		o.Account.Keep(baseMemory + bytes)
	}
	o.ended()
}

// Close ends the operation (J1). It may be called more than once, and on nil.
func (o *Operation) Close() {
	if o == nil {
		return
	}
	o.charge()
	if o.entered || o.left() == nil {
		o.bill(0)
	}
	o.ended()
	o.cancel()
	o.Account.Close()
}

// Bill charges the tenant for CPU time of work between the parts of the operation, of which some is free for
// each part.
func (o *Operation) Bill() { o.bill(FreeCPU) }

// Cost returns the cost of the operation and of its parts that have ended, as the engine has reported it.
func (o *Operation) Cost() account.Cost {
	c := o.Meter.Cost()
	c.Add(o.parts.Cost())
	return c
}

// Capacity returns the state of the tenant's buckets. Without limits it is zero.
func (o *Operation) Capacity() (reads, writes traffic.State) {
	if !o.limited() {
		return reads, writes
	}
	return o.server.Buckets.Read(o.Principal.Tenant)
}

// left returns an error if the tenant has no read capacity.
func (o *Operation) left() error {
	if !o.limited() {
		return nil
	}
	return o.server.Buckets.Left(o.Principal.Tenant, false)
}

// limited reports whether the operation is charged to the bucket of a tenant.
func (o *Operation) limited() bool {
	return o.server != nil && o.server.Buckets != nil && o.Principal.Confined()
}

// charge charges an admitted operation for its cost, once. What arises later is charged when it does; the
// response has been sent then, and its headers do not include it.
func (o *Operation) charge() {
	settle := o.settle
	if settle == nil {
		return
	}
	o.settle = nil
	cost := o.Meter.Settle(func(late account.Cost) {
		if o.limited() {
			Charge(o.server.Buckets, o.Principal.Tenant, late)
		}
	})
	if o.whole != nil {
		o.whole.parts.Add(cost)
	}
	all := cost.All()
	settle(all.RCU+cpuCost(o.Account.Bill(FreeCPU)), all.WCU)
	o.show(o.write)
}

// bill charges the tenant for CPU time that it has not been charged for, except what is free (J3).
func (o *Operation) bill(free time.Duration) {
	if used := o.Account.Bill(free); used > 0 && o.limited() {
		o.server.Buckets.Charge(o.Principal.Tenant, cpuCost(used), 0)
	}
}

// cpuCost returns the cost of CPU time in read capacity units.
func cpuCost(cpu time.Duration) float64 { return cpu.Seconds() * 1000 * CPURCU }

// Charge charges a tenant for a cost, including what the engine used but did not report.
func Charge(b Buckets, t tracker.TenantID, cost account.Cost) {
	all := cost.All()
	b.Charge(t, all.RCU, all.WCU)
}

// show passes the read capacity to Show, or for an operation that writes, the capacity with the smaller part
// left.
func (o *Operation) show(write bool) {
	state, writes := o.Capacity()
	if write && writes.Limit > 0 &&
		(state.Limit == 0 || writes.Remaining/writes.Limit < state.Remaining/state.Limit) {
		state = writes
	}
	if o.Show != nil && state.Limit > 0 {
		o.Show(state)
	}
}
