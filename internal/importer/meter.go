package importer

import (
	"context"
	"sync/atomic"
	"time"

	"issuegrid/tracker"
)

// meter counts the CPU time of an import by the work that it does, and the memory that grows with the file,
// and makes the import wait and end. Memory is held at the next pause after it was used, at most one record
// later, and that of a batch when it grows.
type meter struct {
	pace   func(ctx context.Context, cpu time.Duration) error // Options.Pace
	memory Memory                                             // Options.Memory
	spent  atomic.Int64                                       // nanoseconds since the last call of pace
	grown  atomic.Int64                                       // bytes that are not held yet
}

const (
	// paceEvery is the counted CPU time between two calls of Options.Pace.
	paceEvery = 10 * time.Millisecond
	// readByteCPU and writeByteCPU are the CPU time of reading and checking a byte, and of comparing and
	// writing one.
	readByteCPU  = 100 * time.Nanosecond
	writeByteCPU = 500 * time.Nanosecond
	// cellCPU is the CPU time of a cell, even if it is empty, and formatCPU that of trying a format of dates.
	cellCPU   = 6 * time.Nanosecond
	formatCPU = 60 * time.Nanosecond
	// nameMemory is the memory of a name of a column, an option or a state, in addition to its bytes, and
	// claimMemory that of a row key or a number.
	nameMemory  = 200
	claimMemory = 40
)

func newMeter(o *Options) *meter { return &meter{pace: o.Pace, memory: o.Memory} }

// spend counts CPU time, and grow counts memory. They neither wait nor fail.
func (m *meter) spend(cpu time.Duration) { m.spent.Add(int64(cpu)) }

func (m *meter) grow(bytes int) { m.grown.Add(int64(bytes)) }

// lent is memory of an import that something takes for a time.
type lent struct {
	meter *meter
	bytes int
}

func (l *lent) grow(bytes int) {
	l.bytes += bytes
	l.meter.grow(bytes)
}

// release returns the memory.
func (l *lent) release() {
	m := l.meter
	if left := m.grown.Add(-int64(l.bytes)); left < 0 && m.memory != nil {
		m.grown.Add(-left)
		m.memory.Release(-left)
	}
	l.bytes = 0
}

// pause holds the memory that was counted, and waits until the import may continue. It returns an error if
// ctx has ended. It is called for each record and each batch.
func (m *meter) pause(ctx context.Context) error {
	if err := m.hold(ctx); err != nil {
		return err
	}
	if m.pace != nil && m.spent.Load() >= int64(paceEvery) && ctx.Err() == nil {
		if err := m.pace(ctx, time.Duration(m.spent.Swap(0))); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return interrupted(ctx)
}

func (m *meter) hold(ctx context.Context) error {
	if m.memory == nil || m.grown.Load() <= 0 {
		return nil
	}
	n := m.grown.Swap(0)
	err := m.memory.Hold(ctx, n)
	if err == nil {
		return nil
	}
	m.grown.Add(n)
	if tracker.CodeOf(err) != tracker.BadInput || ctx.Err() != nil {
		return err
	}
	return &tracker.Error{Code: tracker.BadInput, Path: "file", Cause: err, Message: "the rows, columns, " +
		"options and row keys of the file need more memory than an import has; divide the file into " +
		"smaller ones, or run `issuegrid import`"}
}
