package dynamo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// ref returns the reference to a long text in an issue's document. It returns false if the document holds the
// text itself.
func ref(i *tracker.Issue, column tracker.Column) (tracker.LongRef, bool) {
	v := i.Description
	if column != tracker.ColumnDescription {
		v = i.Values[column.Field()]
	}
	return tracker.LongRef{Issue: i.ID, Column: column, Long: v.Long()}, v.Kind == tracker.KindLong
}

// longText reads one long text.
func (f *fixture) longText(r tracker.LongRef) (string, error) {
	texts, errs := f.store.LongTexts(f.Context(), []tracker.LongRef{r})
	return texts[0], errs[0]
}

// TestLongTexts writes texts of every length at which the storage format changes, as field values and as
// descriptions, and reads them back.
//
//test:engine
func TestLongTexts(t *testing.T) {
	f := setup(t)
	for _, test := range []struct {
		name  string
		text  string
		parts int
	}{
		{"256 bytes", strings.Repeat("x", 256), 0},
		{"256 bytes in 128 characters", strings.Repeat("é", 128), 0},
		{"257 bytes", strings.Repeat("x", 257), 1},
		{"1 KiB less one byte", incompressible(1023), 1},
		{"1 KiB", incompressible(1024), 1},
		{"2 MiB that compress", strings.Repeat("0123456789abcde\n", 2<<20/16), 1},
		{"NUL and control characters", strings.Repeat("\x00\x01\x1b\x7f\u0085", 100), 1},
		{"CRLF and mixed line ends", strings.Repeat("a\r\nb\rc\n\n", 64), 1},
		{"a byte order mark and characters outside the plane",
			"\ufeff" + strings.Repeat("\U0001F600é\u0301", 200), 1},
		{"380 KiB", incompressible(380 << 10), 1},
		{"500 KB", incompressible(500_000), 2},
		{"2 MiB that do not compress", incompressible(2 << 20), 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			column := tracker.FieldID("ftext")
			if len(test.text) > 1<<20 {
				column = "flong" // folding a sortable text of this size is slow
			}
			values := map[tracker.FieldID]tracker.Value{column: tracker.Text(test.text),
				"fint": tracker.Int(1)}
			i := f.create(f.store, f.d, tracker.Issue{Name: "x", State: "open", Values: values})
			verify(t, f.raw, f.d, documentOf(acme, i, "", values))
			changed, err := f.store.UpdateIssue(t.Context(), f.d, i.ID,
				tracker.Change{Description: &test.text,
					Values: map[tracker.FieldID]tracker.Value{column: {}}})
			ok(t, err)
			delete(values, column)
			verify(t, f.raw, f.d, documentOf(acme, changed, test.text, values))
			for column, issue := range map[tracker.Column]*tracker.Issue{
				tracker.ColumnDescription: f.read(i.ID),
				"flong": f.issue(
					map[tracker.FieldID]tracker.Value{"flong": tracker.Text(test.text)})} {
				r, long := ref(issue, column)
				if long != (test.parts > 0) {
					t.Fatalf("%s: kept outside the document: %t", column, long)
				}
				if !long {
					continue
				}
				if r.Long.Bytes != len(test.text) || r.Long.Parts > test.parts ||
					r.Long.Parts < min(test.parts, 5) {
					t.Errorf("%s: reference %+v to %d bytes, want %d parts", column, r.Long, len(test.text),
						test.parts)
				}
				if column == "flong" && r.Long.Excerpt != tracker.Excerpt(test.text) {
					t.Errorf("%s: excerpt %q", column, r.Long.Excerpt)
				}
				got, err := f.longText(r)
				if err != nil || got != test.text {
					t.Errorf("%s: read %d of %d bytes, %v", column, len(got), len(test.text), err)
				}
			}
		})
	}
}

// TestLongTextsAreBatched reads the parts of many texts in batches of 100 keys, in the order of the
// references.
func TestLongTextsAreBatched(t *testing.T) {
	f := setup(t)
	var refs []tracker.LongRef
	var want []string
	for n := range 40 {
		text := fmt.Sprintf("%d %s", n, strings.Repeat("y", 300))
		i := f.create(f.store, f.d, tracker.Issue{Name: "x", State: "open",
			Description: tracker.Text(text + "d"),
			Values: map[tracker.FieldID]tracker.Value{"flong": tracker.Text(text),
				"ftext": tracker.Text(text + "t")}})
		for column, suffix := range map[tracker.Column]string{"flong": "", "ftext": "t",
			tracker.ColumnDescription: "d"} {
			r, _ := ref(i, column)
			refs, want = append(refs, r), append(want, text+suffix)
		}
	}
	refs, want = append(refs, refs[5], refs[0]), append(want, want[5], want[0]) // references may repeat
	var b batches
	f.wire.Intercept(b.record(nil))
	texts, errs := f.store.LongTexts(t.Context(), refs)
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	for n, err := range errs {
		if err != nil {
			t.Errorf("text %d: %v", n, err)
		}
	}
	if diff := cmp.Diff([]int{20, 100}, b.sizes); diff != "" || b.repeated {
		t.Errorf("a batch repeats a key: %t; sizes of batches (-want +got):\n%s", b.repeated, diff)
	}
	texts, errs = f.store.LongTexts(t.Context(), nil)
	if len(texts)+len(errs) != 0 {
		t.Errorf("without references: got %v, %v", texts, errs)
	}
}

// TestReplacedTexts reads texts by references that the document has since replaced, as happens when a change
// comes between the two reads. The reference still yields the old text.
//
//test:engine
func TestReplacedTexts(t *testing.T) {
	f := setup(t)
	text := incompressible(500_000)
	written := func() (*tracker.Issue, tracker.LongRef) {
		i := f.issue(map[tracker.FieldID]tracker.Value{"flong": tracker.Text(text)})
		r, _ := ref(i, "flong")
		if r.Long.Parts != 2 {
			f.Fatalf("the text has %d parts", r.Long.Parts)
		}
		return i, r
	}
	change := func(c tracker.Change) func(tracker.IssueID) error {
		return func(id tracker.IssueID) error {
			_, err := f.store.UpdateIssue(t.Context(), f.d, id, c)
			return err
		}
	}
	for _, test := range []struct {
		name string
		do   func(tracker.IssueID) error
		want string
	}{
		{"replaced by another of as many parts", change(one("flong", tracker.Text("new "+text[4:]))), text},
		{"replaced by one of fewer parts", change(one("flong", tracker.Text(strings.Repeat("few ", 100)))),
			text},
		{"replaced by one of more parts", change(one("flong", tracker.Text(text+text))), text},
		{"replaced by a short one", change(one("flong", tracker.Text("short"))), text},
		{"removed", change(one("flong", tracker.Value{})), text},
		{"not replaced, but the issue changed", change(tracker.Change{Name: ptr("Another")}), text},
		{"the issue is deleted", func(id tracker.IssueID) error {
			return f.store.DeleteIssue(t.Context(), id, nil)
		}, text},
		{"the issue is deleted for good", func(id tracker.IssueID) error {
			return f.store.PurgeIssue(t.Context(), id, nil)
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			i, old := written()
			ok(t, test.do(i.ID))
			if got, err := f.longText(old); err != nil || got != test.want {
				t.Errorf("read %d bytes, %v", len(got), err)
			}
		})
	}
	t.Run("replaced and put back", func(t *testing.T) {
		i, old := written()
		for _, v := range []tracker.Value{{}, tracker.Text(text)} {
			f.update(f.d, i.ID, one("flong", v))
		}
		now, _ := ref(f.read(i.ID), "flong")
		if now.Long.ID == old.Long.ID {
			t.Error("the restored text has the id of the one that expires")
		}
		verify(t, f.raw, f.d, documentOf(acme, f.read(i.ID), "",
			map[tracker.FieldID]tracker.Value{"flong": tracker.Text(text)}))
	})
	// The following states are never written. Reading them returns an error, not a text.
	alter := func(t *testing.T, part int, change func(map[string]types.AttributeValue)) tracker.LongRef {
		t.Helper()
		i, r := written()
		k := key{"acme/issue-p1." + i.ID.Issue, fmt.Sprintf("acme/xtext-p1.flong.%s.%d", r.Long.ID, part)}
		m := f.raw.get(k)
		change(m)
		f.raw.put(m)
		return r
	}
	short := func(m map[string]types.AttributeValue) {
		m["v"] = &types.AttributeValueMemberB{Value: []byte("x")}
	}
	for part := range 2 {
		t.Run(fmt.Sprintf("part %d is cut short", part), func(t *testing.T) {
			got, err := f.longText(alter(t, part, short))
			if wantCode(t, err, tracker.InternalErr, "damaged"); got != "" {
				t.Errorf("read %d bytes", len(got))
			}
		})
	}
	t.Run("missing in the first read only", func(t *testing.T) {
		_, r := written()
		reads := 0
		f.wire.Intercept(func(request *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
			response := send(request)
			if reads++; reads == 1 { // as if the parts were not yet visible
				response.Body = []byte(`{"Responses":{}}`)
			}
			return response
		})
		defer f.wire.Intercept(nil)
		if got, err := f.longText(r); err != nil || got != text || reads != 2 {
			t.Errorf("read %d bytes in %d reads, %v", len(got), reads, err)
		}
	})
	t.Run("one damaged text does not spoil the others", func(t *testing.T) {
		damaged := alter(t, 0, short)
		_, whole := written()
		texts, errs := f.store.LongTexts(t.Context(), []tracker.LongRef{damaged, whole, damaged})
		wantCode(t, errs[0], tracker.InternalErr)
		wantCode(t, errs[2], tracker.InternalErr)
		if errs[1] != nil || texts[1] != text {
			t.Errorf("read %d bytes, %v", len(texts[1]), errs[1])
		}
	})
}
