package httpd

import (
	"context"
	"time"

	"issuegrid/tracker"
)

// patience is how long a part of a file waits for capacity that the server lacks, and in addition for
// capacity that its tenant lacks.
type patience struct{ server, tenant time.Duration }

// call calls run, and again while the error of run says when to retry and there is patience left.
func (p patience) call(ctx context.Context, wait func(context.Context, time.Duration) error,
	run func() error) error {
	for {
		err := run()
		after := tracker.RetryAfter(err)
		left := &p.tenant
		if tracker.CodeOf(err) == tracker.Unavailable {
			left = &p.server
		}
		if after == 0 || after > *left {
			return err
		}
		*left -= after
		if err := wait(ctx, after); err != nil {
			return err
		}
	}
}
