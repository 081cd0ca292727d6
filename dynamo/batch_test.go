package dynamo_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// batches records the sizes of the batch requests, sorted, and whether a request contained an element twice.
type batches struct {
	mu       sync.Mutex
	sizes    []int
	repeated bool
}

// record returns an interceptor that records batch requests and passes them on to next, which may be nil.
func (b *batches) record(next dynamotest.Interceptor) dynamotest.Interceptor {
	return func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
		var request struct {
			RequestItems map[string]json.RawMessage
		}
		if r.Operation == "BatchGetItem" || r.Operation == "BatchWriteItem" {
			if err := json.Unmarshal(r.Body, &request); err != nil {
				panic(err)
			}
		}
		for _, raw := range request.RequestItems {
			var parts []json.RawMessage
			if r.Operation == "BatchGetItem" {
				var get struct{ Keys []json.RawMessage }
				if err := json.Unmarshal(raw, &get); err != nil {
					panic(err)
				}
				parts = get.Keys
			} else if err := json.Unmarshal(raw, &parts); err != nil {
				panic(err)
			}
			seen := map[string]bool{}
			b.mu.Lock()
			for _, part := range parts {
				b.repeated = b.repeated || seen[string(part)]
				seen[string(part)] = true
			}
			b.sizes = append(b.sizes, len(parts))
			slices.Sort(b.sizes)
			b.mu.Unlock()
		}
		if next != nil {
			return next(r, send)
		}
		return send(r)
	}
}

// TestIssues checks that Issues returns issues in the order of the given ids, nil for a missing one, and that
// it requests each key once, in batches of up to 100.
//
//test:engine
func TestIssues(t *testing.T) {
	f := setup(t)
	all := idsOf(f.rowsOf(250))
	missing := tracker.IssueID{Project: project, Issue: "nowhere"}
	elsewhere := tracker.IssueID{Project: "p9", Issue: "i001"}
	for _, test := range []struct {
		name  string
		ids   []tracker.IssueID
		sizes []int
	}{
		{"none", nil, nil},
		{"one", all[:1], []int{1}},
		{"100", all[:100], []int{100}},
		{"101", all[:101], []int{1, 100}},
		{"250 in another order", reversed(all), []int{50, 100, 100}},
		{"repeated", []tracker.IssueID{all[3], all[1], all[3], all[3], all[0]}, []int{3}},
		{"each twice", append(slices.Clone(all[:60]), all[:60]...), []int{60}},
		{"with some missing", []tracker.IssueID{missing, all[1], missing, elsewhere, all[0]}, []int{4}},
		{"only missing", []tracker.IssueID{missing}, []int{1}},
		{"with some invalid", []tracker.IssueID{{}, all[1], {Project: "A", Issue: "/"}}, []int{1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b batches
			f.wire.Intercept(b.record(nil))
			defer f.wire.Intercept(nil)
			found, err := f.store.Issues(t.Context(), test.ids)
			ok(t, err)
			var want, got []string
			for n, id := range test.ids {
				want, got = append(want, "none"), append(got, "none")
				if slices.Contains(all, id) {
					want[n] = id.Issue
				}
				if found[n] != nil {
					got[n] = found[n].ID.Issue
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("issues (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.sizes, b.sizes); diff != "" || b.repeated {
				t.Errorf("key repeated: %t; sizes of batches (-want +got):\n%s", b.repeated, diff)
			}
		})
	}
	t.Run("another tenant's", func(t *testing.T) {
		other, err := f.db.Tenant(rival)
		f.must(err)
		found, err := other.Issues(t.Context(), all[:2])
		if f.must(err); found[0] != nil || found[1] != nil {
			t.Errorf("found %v, want none of another tenant's issues", found)
		}
	})
}

// TestDocumentsReadAsWritten writes an issue with every type of value and reads it back.
//
//test:engine
func TestDocumentsReadAsWritten(t *testing.T) {
	f := setup(t)
	values := fullValues()
	values["ftext"] = tracker.Text("NUL \x00, \u0001, CRLF \r\n, \u2028, \U0001F600 and \ufffd")
	values["fint"] = tracker.Int(-1 << 63)
	values["fnum"] = tracker.Float(0.1)
	for _, group := range []bool{false, true} {
		i := tracker.Issue{ID: tracker.IssueID{Project: project, Issue: fmt.Sprintf("i%t", group)}, Num: 5,
			Name: " spaces\tand\nmore ", State: "doing",
			Created: day(3), Updated: day(4), Version: 1, Description: tracker.Text("about"), Values: values}
		store := f.grouping(group)
		f.must(store.PutIssues(t.Context(), f.d, []tracker.Issue{i}))
		if diff := cmp.Diff(&i, f.read(i.ID), cmp.Comparer(tracker.Value.Equal)); diff != "" {
			t.Errorf("read (-want +got):\n%s", diff)
		}
	}
}

// TestUnprocessedKeys checks that unprocessed keys are requested again until all are processed.
//
//test:engine
func TestUnprocessedKeys(t *testing.T) {
	f := setup(t)
	all := idsOf(f.rowsOf(150))
	all = append(all, tracker.IssueID{Project: project, Issue: "nowhere"}, all[7])
	// keep returns how many of the n keys of a request are processed.
	for _, test := range []struct {
		name string
		keep func(n int) int
		ids  []tracker.IssueID
		most int // maximum number of requests
	}{
		{"a third each time", func(n int) int { return n/3 + 1 }, all, 40},
		{"one key each time", func(int) int { return 1 }, all, 151},
		{"all but one", func(n int) int { return max(n-1, 1) }, all, 200},
		{"none at all, three times", firstTimes(3, 0), all, 5},
		{"none at all, six times, then one by one", firstTimes(6, 1), all, 200},
		// One batch: with parallel batches, the same one could get the empty response each time.
		{"none at all, every other time", everyOther(5), all[len(all)-90:], 50},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b batches
			f.wire.Intercept(b.record(dynamotest.Unprocessed(test.keep)))
			defer f.wire.Intercept(nil)
			found, err := f.store.Issues(t.Context(), test.ids)
			ok(t, err)
			for n, id := range test.ids {
				if there := found[n] != nil; there != (id.Issue != "nowhere") || there && found[n].ID != id {
					t.Errorf("slot %d has %v, want %v", n, found[n], id)
				}
			}
			if len(b.sizes) < 3 || len(b.sizes) > test.most || b.repeated {
				t.Errorf("%d requests, want 3 to %d; key repeated: %t", len(b.sizes), test.most, b.repeated)
			}
		})
	}
	t.Run("never", func(t *testing.T) {
		var b batches
		f.wire.Intercept(b.record(dynamotest.Unprocessed(func(int) int { return 0 })))
		defer f.wire.Intercept(nil)
		_, err := f.store.Issues(t.Context(), all[:3])
		wantCode(t, err, tracker.Unavailable, "overloaded", "try again")
		if len(b.sizes) < 5 || len(b.sizes) > 20 {
			t.Errorf("%d requests, want 5 to 20", len(b.sizes))
		}
	})
}

// firstTimes returns a function that returns 0 the given number of times, and then the number given by then,
// where 0 means all n. The function is safe for concurrent use.
func firstTimes(times, then int) func(n int) int {
	var mu sync.Mutex
	return func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		if times--; times >= 0 {
			return 0
		}
		if then == 0 {
			return n
		}
		return then
	}
}

// everyOther returns a function that returns some and 0 alternately. The function is safe for concurrent use.
func everyOther(some int) func(n int) int {
	var mu sync.Mutex
	calls := 0
	return func(int) int {
		mu.Lock()
		defer mu.Unlock()
		calls++
		return calls % 2 * some
	}
}

// TestUnprocessedItems checks that unprocessed items are written again until all are processed.
//
//test:engine
func TestUnprocessedItems(t *testing.T) {
	f := setup(t)
	number := int64(100)
	put := func(n int) ([]tracker.Issue, error) {
		var issues []tracker.Issue
		for range n {
			number++
			issues = append(issues, tracker.Issue{ID: tracker.IssueID{Project: project,
				Issue: fmt.Sprintf("i%d",
					number)}, Num: number, Name: "x", State: "open", Values: fullValues()})
		}
		return issues, f.store.PutIssues(t.Context(), f.d, issues)
	}
	for _, test := range []struct {
		name   string
		issues int
		keep   func(n int) int
	}{
		{"a third each time", 20, func(n int) int { return n/3 + 1 }},
		{"one each time", 20, func(int) int { return 1 }},
		{"none at all, three times", 20, firstTimes(3, 0)},
		// One issue: with parallel batches, the same one could get the empty response each time.
		{"none at all, every other time", 1, everyOther(2)},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b batches
			f.wire.Intercept(b.record(dynamotest.Unprocessed(test.keep)))
			defer f.wire.Intercept(nil)
			issues, err := put(test.issues)
			ok(t, err)
			f.wire.Intercept(nil)
			for _, i := range issues {
				verify(t, f.raw, f.d, documentOf(acme, f.read(i.ID), "", i.Values))
			}
			if len(b.sizes) < 13 || slices.Max(b.sizes) > 25 || b.repeated {
				t.Errorf("sizes of batches %v, item repeated: %t", b.sizes, b.repeated)
			}
		})
	}
	t.Run("never", func(t *testing.T) {
		var b batches
		f.wire.Intercept(b.record(dynamotest.Unprocessed(func(int) int { return 0 })))
		defer f.wire.Intercept(nil)
		_, err := put(20)
		wantCode(t, err, tracker.Unavailable, "overloaded", "try again")
	})
	t.Run("a delete", func(t *testing.T) {
		all := make([]string, 200)
		for n := range all {
			all[n] = fmt.Sprintf("m%d", n)
		}
		large := tracker.Issue{ID: tracker.IssueID{Project: project, Issue: "large"}, Num: 9, Name: "x",
			State:  "open",
			Values: map[tracker.FieldID]tracker.Value{"fmulti": tracker.Set(all)}}
		f.must(f.store.PutIssues(t.Context(), f.d, []tracker.Issue{large}))
		f.wire.Intercept(dynamotest.Unprocessed(func(n int) int { return n/2 + 1 }))
		defer f.wire.Intercept(nil)
		f.must(f.store.PurgeIssue(t.Context(), large.ID, nil))
		if left := f.raw.partition("acme/issue-p1.large"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}

// TestResponsesOver16MB reads more in one batch than DynamoDB returns in one response: 45 incompressible long
// texts of 380 KB.
//
//test:engine
func TestResponsesOver16MB(t *testing.T) {
	f := setup(t)
	const many = 45
	text := incompressible(380 << 10)
	var issues []tracker.Issue
	for num := int64(1); num <= many; num++ {
		issues = append(issues, tracker.Issue{ID: tracker.IssueID{Project: project,
			Issue: fmt.Sprintf("i%d", num)}, Num: num, Name: "x", State: "open",
			Values: map[tracker.FieldID]tracker.Value{
				"flong": tracker.Text(fmt.Sprintf("%06d%s", num, text[6:]))}})
	}
	f.must(f.store.PutIssues(t.Context(), f.d, issues))
	var refs []tracker.LongRef
	for _, i := range issues {
		refs = append(refs, tracker.LongRef{Issue: i.ID, Column: "flong",
			Long: f.read(i.ID).Values["flong"].Long()})
	}
	f.wire.Reset()
	texts, errs := f.store.LongTexts(t.Context(), refs)
	for n, i := range issues {
		if errs[n] != nil || texts[n] != i.Values["flong"].Text() {
			t.Errorf("text %d has %d bytes, %v", n, len(texts[n]), errs[n])
		}
	}
	if n := f.wire.Calls()["BatchGetItem"]; n < 2 {
		t.Errorf("%d requests for 17 MB, want several", n)
	}
}

// TestConsistency checks which reads are strongly consistent. Those cost twice as much.
//
//test:engine
func TestConsistency(t *testing.T) {
	f := setup(t)
	i := f.issue(map[tracker.FieldID]tracker.Value{"flong": tracker.Text(strings.Repeat("x", 300))})
	r, _ := ref(i, "flong")
	for _, test := range []struct {
		name string
		read func() error
		want bool
	}{
		{"Issues", func() error {
			_, err := f.store.Issues(t.Context(), []tracker.IssueID{i.ID})
			return err
		}, false},
		{"IssuesConsistent", func() error {
			_, err := f.store.IssuesConsistent(t.Context(), []tracker.IssueID{i.ID})
			return err
		}, true},
		{"Projects", func() error {
			_, err := f.store.Projects(t.Context(), []tracker.ProjectID{project})
			return err
		}, false},
		{"LongTexts", func() error { _, err := f.longText(r); return err }, false},
		{"Counter", func() error { _, err := f.store.Counter(t.Context(), project); return err }, true},
		{"Get", func() error { _, err := f.store.Get(t.Context()); return err }, true},
		{"UpdateIssue", func() error {
			_, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, tracker.Change{})
			return err
		}, true},
		{"UpdateProject", func() error {
			_, err := f.store.UpdateProject(t.Context(), project, func(*tracker.Project) error {
				return tracker.Bad("", "no")
			})
			if tracker.CodeOf(err) == tracker.BadInput {
				return nil
			}
			return err
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			reads := 0
			f.wire.Intercept(dynamotest.Before("", func(r *dynamotest.Request) {
				if reads++; strings.Contains(string(r.Body), `"ConsistentRead":true`) != test.want {
					t.Errorf("%s: %s, want consistent %t", r.Operation, r.Body, test.want)
				}
			}))
			defer f.wire.Intercept(nil)
			if err := test.read(); err != nil || reads != 1 {
				t.Errorf("%d reads, want 1; error: %v", reads, err)
			}
		})
	}
}
