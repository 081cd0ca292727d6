package loaders_test

import (
	"sync"
	"testing"

	"issuegrid/internal/account"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// TestForgetTexts checks that a text examined by several filters is held once, and released by the first
// filter that forgets it. Texts of the response stay. A released text is read and held again.
func TestForgetTexts(t *testing.T) {
	inRequest(t, func(r *request) {
		a := account.New("acme", account.Limits{}, nil, nil)
		ctx := account.With(r.Context(), a)
		set := loaders.New(ctx, r.db)
		set.LimitTexts(1 << 20)
		tenant, err := set.Tenant("acme")
		if err != nil {
			r.Fatal(err)
		}
		const bytes = int64(len("the long text of acme/issue-p1.i1"))
		refs := []tracker.LongRef{textRef(1), textRef(2)}
		load := func() {
			r.Helper()
			if _, err := tenant.LongTexts(ctx, refs); err != nil {
				r.Fatal(err)
			}
		}
		held := func() int64 {
			now, _ := a.Held()
			return now
		}
		var grids sync.WaitGroup
		for range 8 {
			grids.Go(load)
		}
		grids.Wait()
		all := held()
		if _, err := tenant.LongText(ctx, refs[0]); err != nil {
			r.Fatal(err)
		}
		for range 8 {
			grids.Go(func() { tenant.ForgetTexts(ctx, refs) })
		}
		grids.Wait()
		if got := held(); got != all-bytes {
			r.Errorf("%d bytes are held of %d; want one text of %d bytes released", got, all, bytes)
		}
		calls := len(r.engine.sizes())
		load()
		if n := len(r.engine.sizes()); n != calls+1 || r.engine.sizes()[n-1] != 1 {
			r.Errorf("batch sizes %v, want one more batch with the released text",
				r.engine.sizes())
		}
	})
}
