package runner

import "time"

// LeaseTime is how long a server may be silent before another one takes over its work.
const LeaseTime = 30 * time.Second

// Lease is the right of one server to do work. It is a part of the item that describes the work, and changes
// only with conditional writes of that item.
type Lease struct {
	// Owner identifies the attempt of a server that has the lease; it is empty if none has.
	Owner string    `json:"owner,omitempty"`
	Until time.Time `json:"until,omitzero"`
}

// Take returns the lease of an owner who takes or renews it now.
func Take(owner string, now time.Time) Lease { return Lease{owner, now.Add(LeaseTime)} }

// Held returns for how long someone other than owner still has the lease, or 0 if owner may take it. If owner
// is empty, it returns for how long anyone has it.
func (l Lease) Held(owner string, now time.Time) time.Duration {
	if l.Owner == "" || l.Owner == owner {
		return 0
	}
	return max(0, l.Until.Sub(now))
}
