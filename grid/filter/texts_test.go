package filter_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/grid/filter"
	"issuegrid/internal/columns"
	"issuegrid/internal/fold"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// TestOperandsEncodeText makes each operand twice. The second comes from the cache.
func TestOperandsEncodeText(t *testing.T) {
	tags := definition.Field("tags")
	rapid.Check(t, func(t *rapid.T) {
		var o filter.Operands
		s := rapid.OneOf(rapid.StringN(1, 90, -1),
			rapid.SampledFrom([]string{"\u0301", "É", strings.Repeat("\ufdfa", 27), "straße"})).Draw(t, "s")
		for range 2 {
			v, err := o.Text(s)
			starts, err1 := o.StartsWith("text", s)
			contains, err2 := o.Contains("text", s)
			has, err3 := o.HasMember(tags, s)
			if err := errors.Join(err, err1, err2, err3); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(sortkey.Text(s), v); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(filter.Condition(filter.In{Column: "text",
				Values: filter.StartsWith(fold.String(s))}), starts, sameBytes); diff != "" {
				t.Error(diff)
			}
			want := filter.Condition(filter.Contains{Column: "text", Folded: fold.String(s)})
			if fold.String(s) == "" {
				want = notNull("text")
			}
			if diff := cmp.Diff(want, contains, sameBytes); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(filter.Condition(filter.Has{Column: "tags", Member: columns.FoldTag(s)}),
				has); diff != "" {
				t.Error(diff)
			}
		}
	})
}

// TestOperandsRefuse tests values at each limit and beyond it.
func TestOperandsRefuse(t *testing.T) {
	tags := definition.Field("tags")
	for name, test := range map[string]struct {
		text string
		says string // empty for a valid string
		tag  string
	}{
		"empty":          {"", "1 to 255", "empty"},
		"one character":  {"x", "", ""},
		"255 characters": {strings.Repeat("é", 255), "", "limit is 100"},
		"256 characters": {strings.Repeat("é", 256), "256 characters; the limit is 255",
			"limit is 100"},
		"255 wide characters": {strings.Repeat("𝄞", 255), "900",
			"1020 bytes; the limit is 100 characters"},
		"too many bytes": {strings.Repeat("x", 1021), "1021 bytes; the limit is 255 characters",
			"1021 bytes; the limit is 100 characters"},
		"megabytes": {strings.Repeat("\ufdfa", 1<<20), "the limit is 255 characters",
			"the limit is 100 characters"},
		"too long when folded": {strings.Repeat("\ufdfa", 28), "900", ""},
		"not UTF-8":            {"x\xff", "UTF-8", "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(what, says string, v any, err error) {
				t.Helper()
				e, _ := errors.AsType[*tracker.Error](err)
				if says == "" && err != nil || says != "" &&
					(e == nil || e.Code != tracker.BadInput || !strings.Contains(e.Message, says)) {
					t.Errorf("%s: got %v, error %v; want an error with %q", what, v, err, says)
				}
			}
			var o filter.Operands
			for range 2 {
				v, err := o.Text(test.text)
				check("text", test.says, v, err)
				c, err := o.StartsWith("text", test.text)
				check("startsWith", test.says, c, err)
				c, err = o.Contains("text", test.text)
				check("contains", test.says, c, err)
				c, err = o.HasMember(tags, test.text)
				check("tag", test.tag, c, err)
			}
		})
	}
}

// TestOperandsOfAnOperation counts the comparisons and bytes of one operation from several goroutines.
func TestOperandsOfAnOperation(t *testing.T) {
	count := func(n int, do func() error) (taken int, last error) {
		var wait sync.WaitGroup
		var mu sync.Mutex
		for range n {
			wait.Go(func() {
				err := do()
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					taken++
				} else {
					last = err
				}
			})
		}
		wait.Wait()
		return taken, last
	}
	says := func(err error, words string) bool {
		e, _ := errors.AsType[*tracker.Error](err)
		return e != nil && e.Code == tracker.BadInput && strings.Contains(e.Message, words)
	}
	var o filter.Operands
	if taken, err := count(25, func() error {
		return o.Count(filter.MaxTerms)
	}); taken != filter.MaxOperationTerms/filter.MaxTerms || !says(err, "the limit is 2000") {
		t.Errorf("accepted %d times %d comparisons, then %v", taken, filter.MaxTerms, err)
	}
	text := strings.Repeat("ß", 128)
	if taken, err := count(1500, func() error {
		_, err := o.Text(text)
		return err
	}); taken != filter.MaxOperandBytes/256 || !says(err, "the limit is 262144") {
		t.Errorf("accepted a string of 256 bytes %d times, then %v", taken, err)
	}
	if _, err := o.HasMember(definition.Field("tags"), "x"); !says(err, "the limit is 262144") {
		t.Errorf("a tag beyond the limit: got %v", err)
	}
	if _, err := o.HasMember(definition.Field("multi"), "oa"); err != nil {
		t.Errorf("an option, which does not count as a string: %v", err)
	}
}

// TestOperandsFoldOnce measures allocations: strings that are too long, or were folded before, are not
// folded.
func TestOperandsFoldOnce(t *testing.T) {
	var o filter.Operands
	long, text := strings.Repeat("\ufdfa", 1<<20), strings.Repeat("É", 255)
	if _, err := o.Contains("text", text); err != nil {
		t.Fatal(err)
	}
	// the allocation of the condition
	if got := testing.AllocsPerRun(100, func() { _, _ = o.Contains("text", text) }); got > 1 {
		t.Errorf("%g allocations for a string that was folded before", got)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		_, _ = o.Text(long)
		_, _ = o.StartsWith("text", long)
		_, _ = o.Contains("text", long)
		_, _ = o.HasMember(definition.Field("tags"), long)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > uint64(len(long)) {
		t.Errorf("%d bytes allocated to reject a string by its length 40 times", n)
	}
}
