package dynamo_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// wide returns a definition with the maximum number of fields, which cycle through ten types.
func wide() *tracker.Definition {
	types := []tracker.FieldType{tracker.TypeText, tracker.TypeInteger, tracker.TypeNumber, tracker.TypeDate,
		tracker.TypeBoolean, tracker.TypeUser,
		tracker.TypeSelect, tracker.TypeMultiSelect, tracker.TypeTags, tracker.TypeLongText}
	fields := make([]*tracker.Field, tracker.MaxFields)
	for n := range fields {
		f := &tracker.Field{ID: tracker.FieldID(fmt.Sprintf("f%d", n)), Name: fmt.Sprintf("Field %d", n),
			Type: types[n%len(types)], Position: int64(n)}
		if f.Type.HasOptions() {
			f.Options = options("o", 10)
		}
		fields[n] = f
	}
	return tracker.NewDefinition(tracker.Project{ID: project, Tenant: acme, States: twoStates}, fields)
}

// stamped returns values of all fields of d that encode the number stamp. Some values of LONG_TEXT and TEXT
// fields are long texts.
func stamped(d *tracker.Definition, stamp int) map[tracker.FieldID]tracker.Value {
	values := map[tracker.FieldID]tracker.Value{}
	for n, f := range d.Fields {
		text := fmt.Sprintf("%08d", stamp)
		v := tracker.Text(text)
		switch f.Type {
		case tracker.TypeText:
			if n%7 == 0 {
				v = tracker.Text(text + strings.Repeat(" and more", 40))
			}
		case tracker.TypeLongText:
			if n%4 == 1 {
				v = tracker.Text(text + strings.Repeat(" and more", 40))
			}
		case tracker.TypeInteger:
			v = tracker.Int(int64(stamp))
		case tracker.TypeNumber:
			v = tracker.Float(float64(stamp))
		case tracker.TypeDate:
			v = tracker.Text(day(1).AddDate(0, 0, stamp).Format("2006-01-02"))
		case tracker.TypeBoolean:
			v = tracker.Bool(stamp%2 == 0)
		case tracker.TypeSelect:
			v = tracker.Text(fmt.Sprintf("o%d", stamp%10))
		case tracker.TypeMultiSelect:
			v = tracker.Set([]string{fmt.Sprintf("o%d", stamp%10), fmt.Sprintf("o%d", (stamp+3)%10)})
		case tracker.TypeTags:
			v = tracker.Set([]string{text, "all"})
		}
		values[f.ID] = v
	}
	return values
}

// TestLargeChanges changes all fields of an issue at once, and checks the document, the index and the
// history, and that no temporary item is left.
//
//test:engine
func TestLargeChanges(t *testing.T) {
	f := setup(t)
	d := wide()
	i := f.create(f.store, d, tracker.Issue{Name: "Wide", State: "open", Values: stamped(d, 1)})
	check := func(t *testing.T, i *tracker.Issue, values map[tracker.FieldID]tracker.Value) {
		t.Helper()
		f.verifyOnly(t, d, i, values)
	}
	check(t, i, stamped(d, 1))
	change := func(t *testing.T, want int64, c tracker.Change) *tracker.Issue {
		t.Helper()
		changed, err := f.store.UpdateIssue(t.Context(), d, i.ID, c)
		ok(t, err)
		if changed.Version != want {
			t.Errorf("version %d, want %d", changed.Version, want)
		}
		return changed
	}
	t.Run("all fields", func(t *testing.T) {
		check(t, change(t, 2, tracker.Change{Values: stamped(d, 2)}), stamped(d, 2))
	})
	t.Run("all fields to their current values", func(t *testing.T) {
		check(t, change(t, 2, tracker.Change{Values: stamped(d, 2)}), stamped(d, 2))
	})
	t.Run("one field", func(t *testing.T) {
		values := stamped(d, 2)
		values["f1"] = tracker.Int(77)
		check(t, change(t, 3, one("f1", tracker.Int(77))), values)
	})
	t.Run("all fields removed", func(t *testing.T) {
		none := map[tracker.FieldID]tracker.Value{}
		for _, field := range d.Fields {
			none[field.ID] = tracker.Value{}
		}
		check(t, change(t, 4, tracker.Change{Values: none}), nil)
	})
	t.Run("all fields set again", func(t *testing.T) {
		check(t, change(t, 5, tracker.Change{Values: stamped(d, 5)}), stamped(d, 5))
	})
	t.Run("into the trash and back", func(t *testing.T) {
		f.must(f.store.DeleteIssue(t.Context(), i.ID, ptr(int64(5))))
		restored, err := f.store.RestoreIssue(t.Context(), d, i.ID)
		ok(t, err)
		values := stamped(d, 5)
		for id, v := range f.read(i.ID).Values {
			if v.Kind != tracker.KindLong {
				continue
			}
			if text, err := f.longText(tracker.LongRef{Issue: i.ID, Column: id.Column(),
				Long: v.Long()}); err != nil || text != values[id].Text() {
				t.Errorf("the text of %s is %q, %v", id, text, err)
			}
		}
		check(t, restored, values)
	})
	t.Run("purged", func(t *testing.T) {
		f.must(f.store.PurgeIssue(t.Context(), i.ID, nil))
		if left := f.raw.items("acme/issue-"); len(left) > 0 {
			t.Errorf("%d items are left", len(left))
		}
	})
	t.Run("two texts of the maximum length", func(t *testing.T) {
		huge := incompressible(tracker.MaxText)
		i := f.create(f.store, f.d, tracker.Issue{Name: "Big", State: "open", Description: tracker.Text(huge),
			Values: map[tracker.FieldID]tracker.Value{"flong": tracker.Text(huge)}})
		verify(t, f.raw, f.d, documentOf(acme, i, huge,
			map[tracker.FieldID]tracker.Value{"flong": tracker.Text(huge)}))
	})
	t.Run("a document that is too large", func(t *testing.T) {
		before := f.raw.items("acme/")
		values := map[tracker.FieldID]tracker.Value{}
		for n := range 25 {
			tags := make([]string, tracker.MaxTags)
			for i := range tags {
				tags[i] = fmt.Sprintf("%d%s", 100+i, strings.Repeat("日", tracker.MaxTag-3))
			}
			values[d.Fields[8+10*n].ID] = tracker.Set(tags)
		}
		_, err := f.store.CreateIssue(t.Context(), d,
			tracker.Issue{Name: "Too big", State: "open", Values: values})
		wantCode(t, err, tracker.BadInput, "bytes", "395000")
		after := f.raw.items("acme/")
		delete(before, key{"acme/project-p1", "acme/xcounter-num"})
		delete(after, key{"acme/project-p1", "acme/xcounter-num"})
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("unexpected writes:\n%s", diff)
		}
	})
}

// sameValues compares the values of an issue with want. It reads long texts in full.
func (f *fixture) sameValues(got *tracker.Issue, want map[tracker.FieldID]tracker.Value) {
	f.Helper()
	values := maps.Clone(got.Values)
	for id, v := range values {
		if v.Kind == tracker.KindLong {
			text, err := f.longText(tracker.LongRef{Issue: got.ID, Column: id.Column(), Long: v.Long()})
			f.must(err)
			values[id] = tracker.Text(text)
		}
	}
	for id, v := range values {
		if v.Kind == tracker.KindNum && v.Float() == want[id].Float() {
			values[id] = want[id] // DynamoDB may return another literal of the same number
		}
	}
	if diff := cmp.Diff(want, values, cmp.Comparer(tracker.Value.Equal)); diff != "" {
		f.Errorf("values of version %d (-want +got):\n%s", got.Version, diff)
	}
}

// TestDelayedWriters delays a large change before each of its transactions, until another change of the same
// issue is made. The delayed change must not overwrite index entries of the other one.
func TestDelayedWriters(t *testing.T) {
	f := setup(t)
	d := wide()
	other := f.grouping(false)
	for n, more := 1, true; more; n++ {
		i := f.create(f.store, d, tracker.Issue{Name: "Wide", State: "open", Values: stamped(d, 1)})
		for _, small := range []bool{true, false} {
			want := stamped(d, 3)
			if small {
				want = map[tracker.FieldID]tracker.Value{"f0": tracker.Text("zz"), "f1": {}}
			}
			seen := 0
			f.wire.Intercept(dynamotest.Before("TransactWriteItems", func(*dynamotest.Request) {
				if seen++; seen == n {
					if _, err := other.UpdateIssue(t.Context(), d, i.ID,
						tracker.Change{Values: want}); err != nil {
						t.Error(err)
					}
				}
			}))
			before := f.read(i.ID).Version
			_, err := f.store.UpdateIssue(t.Context(), d, i.ID, tracker.Change{Values: stamped(d, 2)})
			f.wire.Intercept(nil)
			f.must(err)
			more = seen >= n
			got := f.read(i.ID)
			values := stamped(d, 2)
			if more && n > 1 { // the other change was made last
				maps.Copy(values, want)
			}
			maps.DeleteFunc(values, isNone)
			if more && got.Version != before+2 {
				t.Errorf("version %d after two changes of version %d", got.Version, before)
			}
			f.sameValues(got, values)
			f.verifyOnly(t, d, got, values)
		}
		f.must(f.store.PurgeIssue(t.Context(), i.ID, nil))
	}
}

// TestLostResponses drops the response to each transaction once, after DynamoDB has applied it. Every change
// is made exactly once.
func TestLostResponses(t *testing.T) {
	f := setup(t)
	d := wide()
	for n, more := 1, true; more; n += tier.Cases(2, 1) {
		lost, seen := 0, 0
		var token []byte
		f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
			if r.Operation != "TransactWriteItems" {
				return send(r)
			}
			if seen++; seen == n {
				lost++
				send(r)
				token = tokenOf(t, r.Body)
				return &dynamotest.Response{Err: errors.New("internal-detail: connection reset")}
			}
			// Another token: a restarted engine does not know the first one.
			if lost > 0 && bytes.Equal(tokenOf(t, r.Body), token) {
				r.Body = bytes.Replace(r.Body, token, slices.Concat([]byte("another-"), token), 1)
			}
			return send(r)
		})
		i, err := f.store.CreateIssue(t.Context(), d,
			tracker.Issue{Name: "Wide", State: "open", Values: stamped(d, 1)})
		if err == nil {
			_, err = f.store.UpdateIssue(t.Context(), d, i.ID, one("f1", tracker.Int(5)))
		}
		if err == nil {
			err = f.store.DeleteIssue(t.Context(), i.ID, ptr(int64(2)))
		}
		f.wire.Intercept(nil)
		if more = lost > 0; err != nil {
			t.Errorf("without the response to transaction %d: %v", n, err)
		}
		if i != nil {
			f.must(f.store.PurgeIssue(t.Context(), i.ID, nil))
		}
	}
}

// tokenOf returns the client request token of a transaction.
func tokenOf(t *testing.T, body []byte) []byte {
	var request struct{ ClientRequestToken string }
	if err := json.Unmarshal(body, &request); err != nil || request.ClientRequestToken == "" {
		t.Errorf("no token: %v", err)
	}
	return []byte(request.ClientRequestToken)
}

// TestReimport imports an issue that was deleted, with the same id, and changes it.
//
//test:engine
func TestReimport(t *testing.T) {
	f := setup(t)
	i := tracker.Issue{ID: tracker.IssueID{Project: project, Issue: "again"}, Num: 7, Name: "x",
		State: "open", Values: map[tracker.FieldID]tracker.Value{
			"flong": tracker.Text(strings.Repeat("long ", 100))}}
	for round := range 2 {
		f.must(f.store.PutIssues(t.Context(), f.d, []tracker.Issue{i}))
		for n := range 3 {
			f.update(f.d, i.ID, one("fint", tracker.Int(int64(10*round+n))))
		}
		got := f.read(i.ID)
		values := map[tracker.FieldID]tracker.Value{"fint": tracker.Int(int64(10*round + 2)),
			"flong": i.Values["flong"]}
		if f.sameValues(got, values); got.Version != 4 {
			t.Errorf("version %d, want 4", got.Version)
		}
		verifyIndex(t, f.raw, f.d, []*document{documentOf(acme, got, "", values)}, ofAcme)
		if round == 0 {
			f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
		}
	}
	_, err := f.store.RestoreIssue(t.Context(), f.d, i.ID) // an issue with this id exists
	wantCode(t, err, tracker.Conflict, "restored")
}
