package dynamo_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"issuegrid/tracker"
)

//test:engine
func TestNumbersAreUnique(t *testing.T) {
	f := setup(t)
	const creates = 20
	created := make([]*tracker.Issue, creates)
	var group errgroup.Group
	for n := range created {
		group.Go(func() (err error) {
			created[n], err = f.store.CreateIssue(t.Context(), f.d,
				tracker.Issue{Name: "One of many", State: "open"})
			return err
		})
	}
	f.must(group.Wait())
	want := make([]int64, creates)
	for n := range want {
		want[n] = int64(n + 1)
	}
	if diff := cmp.Diff(want, nums(created)); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	if n, err := f.store.Counter(t.Context(), project); n != creates || err != nil {
		t.Errorf("the counter is at %d, %v", n, err)
	}
}

//test:engine
func TestCounter(t *testing.T) {
	f := setup(t)
	first, err := f.store.ReserveNums(t.Context(), project, 5)
	if f.must(err); first != 1 {
		t.Errorf("first number %d, want 1", first)
	}
	for _, test := range []struct{ raise, want int64 }{{3, 5}, {5, 5}, {9, 9}, {2, 9}} {
		f.must(f.store.RaiseCounter(t.Context(), project, test.raise))
		if n, err := f.store.Counter(t.Context(), project); n != test.want || err != nil {
			t.Errorf("raised to %d the counter is at %d, %v, want %d", test.raise, n, err, test.want)
		}
	}
	if i := f.issue(nil); i.Num != 10 {
		t.Errorf("next number %d, want 10", i.Num)
	}
	_, err = f.store.Counter(t.Context(), "gone")
	wantCode(t, err, tracker.NotFound, "project")
	_, err = f.store.ReserveNums(t.Context(), "gone", 1)
	wantCode(t, err, tracker.NotFound, "project")

	t.Run("ends at the greatest number", func(t *testing.T) {
		f.must(f.store.RaiseCounter(t.Context(), project, tracker.MaxNum-1))
		_, err := f.store.ReserveNums(t.Context(), project, 2)
		wantCode(t, err, tracker.NotFound, "numbers left")
		if i := f.issue(nil); i.Num != tracker.MaxNum {
			t.Errorf("last number %d, want %d", i.Num, tracker.MaxNum)
		}
		_, err = f.store.CreateIssue(t.Context(), f.d, tracker.Issue{Name: "One too many", State: "open"})
		wantCode(t, err, tracker.NotFound, "numbers left")
	})
}
