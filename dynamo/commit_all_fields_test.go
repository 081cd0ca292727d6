package dynamo_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// The tests of crashes and damage run only every nth case, where n is the value of every.
var every = tier.Cases(6, 1)

// TestAllFieldsAtOnce lets four clients change all 400 fields of an issue, while four others read it. The
// values of a change all encode the same number. No document has values of two changes.
func TestAllFieldsAtOnce(t *testing.T) {
	f := setup(t)
	d := wide()
	i := f.create(f.store, d, tracker.Issue{Name: "Wide", State: "open", Values: stamped(d, 1)})
	const clients, readers = 4, 4
	changes := tier.Cases(8, 40)
	ctx, done := context.WithCancel(t.Context())
	var reading, writing errgroup.Group
	var unknown atomic.Int64 // changes that may have been made although they failed
	for range readers {
		reading.Go(func() error {
			last := int64(0)
			for ctx.Err() == nil {
				found, err := f.store.IssuesConsistent(t.Context(), []tracker.IssueID{i.ID})
				if err != nil {
					return err
				}
				if err := sameStamp(f, d, found[0]); err != nil {
					return err
				}
				if found[0].Version < last {
					return fmt.Errorf("version %d after %d", found[0].Version, last)
				}
				last = found[0].Version
			}
			return nil
		})
	}
	for c := range clients {
		writing.Go(func() error {
			for n := range changes / clients {
				c := tracker.Change{Values: stamped(d, 2+c*changes+n)}
				for {
					_, err := f.store.UpdateIssue(t.Context(), d, i.ID, c)
					if err == nil {
						break
					}
					if notMade(err) {
						continue
					}
					if !timedOut(err) {
						return err
					}
					unknown.Add(1)
				}
			}
			return nil
		})
	}
	f.must(writing.Wait())
	done()
	f.must(reading.Wait())
	got := f.read(i.ID)
	made := got.Version - 1
	if made < int64(changes) || made > int64(changes)+unknown.Load() {
		t.Errorf("version %d after %d changes and %d that timed out", got.Version, changes, unknown.Load())
	}
	f.must(sameStamp(f, d, got))
	// The last writer brings the index up to date.
	stamp := int(got.Values["f1"].Int())
	if unknown.Load() > 0 {
		f.forgetOrphans(i.ID, got)
	}
	f.verifyOnly(t, d, got, stamped(d, stamp))
}

// timedOut reports whether a change used up its time. It may have been made, or have left texts
// that no document refers to.
func timedOut(err error) bool {
	return err != nil && strings.Contains(err.Error(), "canceled or timed out")
}

// notMade reports whether a change was given up because of concurrent ones.
func notMade(err error) bool {
	return err != nil && strings.Contains(err.Error(), "too many requests are changing the issue")
}

// sameStamp returns an error unless all values of a document encode the same number.
func sameStamp(f *fixture, d *tracker.Definition, i *tracker.Issue) error {
	want := stamped(d, int(i.Values["f1"].Int()))
	var refs []tracker.LongRef
	for id, w := range want {
		v := i.Values[id]
		switch {
		case v.Kind == tracker.KindLong:
			refs = append(refs, tracker.LongRef{Issue: i.ID, Column: id.Column(), Long: v.Long()})
		case v.Kind == tracker.KindNum && v.Float() == w.Float():
		case !v.Equal(w):
			return fmt.Errorf("version %d has %v in %s, and %v in f1", i.Version, v, id, i.Values["f1"])
		}
	}
	texts, errs := f.store.LongTexts(f.Context(), refs)
	for n, r := range refs {
		if errs[n] != nil || texts[n] != want[r.Column.Field()].Text() {
			return fmt.Errorf("version %d has the text %.20q in %s, %v", i.Version, texts[n], r.Column,
				errs[n])
		}
	}
	return nil
}
