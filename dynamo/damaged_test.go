package dynamo_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo/check"
	"issuegrid/tracker"
)

// damaged is an issue on which damage is done, and the keys of its items.
type damaged struct {
	*fixture
	i   *tracker.Issue
	doc key
}

func (d *damaged) sk(format string, args ...any) key {
	return key{d.doc.PK, "acme/" + fmt.Sprintf(format, args...)}
}

// alter changes attributes of an item: nil removes one.
func (d *damaged) alter(k key, change map[string]types.AttributeValue) {
	d.Helper()
	m := d.raw.get(k)
	if m == nil {
		d.Fatalf("there is no item %v", k)
	}
	for name, av := range change {
		if m[name] = av; av == nil {
			delete(m, name)
		}
	}
	d.raw.put(m)
}

// value changes a value of the document, beside everything else.
func (d *damaged) value(f string, av types.AttributeValue) {
	d.Helper()
	m := d.raw.get(d.doc)
	m["values"].(*types.AttributeValueMemberM).Value[f] = av
	d.raw.put(m)
}

// put writes an item by hand.
func (d *damaged) put(k key, more item) {
	d.Helper()
	m := item{"PK": k.PK, "SK": k.SK}
	maps.Copy(m, more)
	d.raw.put(attributes(m))
}

// text is the key of a part of the text of flong.
func (d *damaged) text(n int) key {
	d.Helper()
	return d.sk("xtext-p1.flong.%s.%d", d.i.Values["flong"].Long().ID, n)
}

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

type change = map[string]types.AttributeValue

const (
	several   = iota // it is told, among other things that follow from it
	untouched        // likewise, and nothing is changed
	unmended         // it is told, and left as it is
	mended           // it becomes what it was before
	settled          // it becomes sound, and another than before
)

// TestCheckFindsDamage does each damage to a table that is sound. It is found once, as what it is, and mended
// or not; what is mended is as it was before.
func TestCheckFindsDamage(t *testing.T) {
	f, c := checked(t)
	long := incompressible(500_000)
	values := fullValues()
	values["ftext"], values["flong"] = tracker.Text(strings.Repeat("By this. ", 50)),
		tracker.Text("Replaced "+strings.Repeat("later ", 100))
	i := f.issue(values)
	i, err := f.store.UpdateIssue(t.Context(), f.d, i.ID,
		tracker.Change{Values: map[tracker.FieldID]tracker.Value{
			"flong": tracker.Text(long), "fint": tracker.Int(43), "fnum": tracker.Float(3.5),
			"ftags": tracker.Set([]string{"blue"})}, Name: ptr("Renamed")})
	f.must(err)
	f.project(f.store, tracker.Project{ID: "p2", Key: "P2", Name: "Second"},
		tracker.Field{ID: "g", Name: "G", Type: tracker.TypeText})
	f.create(f.store, f.d, tracker.Issue{ID: tracker.IssueID{Project: project, Issue: "empty"}, Name: "Empty",
		State: "open"})
	trashed := f.create(f.store, f.d,
		tracker.Issue{ID: tracker.IssueID{Project: project, Issue: "trashed"}, Name: "Trashed", State: "open",
			Values: values})
	f.must(f.store.DeleteIssue(t.Context(), trashed.ID, nil))
	c.add(2 * time.Hour)
	f.sound()
	before := f.raw.items("acme/")
	restore := func() {
		for k := range f.raw.items("") {
			if _, ok := before[k]; !ok && k.PK[:1] != "r" {
				f.raw.delete(k)
			}
		}
	}
	originals := map[key]map[string]types.AttributeValue{}
	for k := range before {
		originals[k] = f.raw.get(k)
	}
	seen := map[check.FindingKind]bool{}
	for n, test := range damages {
		if seen[test.kind] = true; n%every > 0 {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			in := *f
			in.T = t
			d := &damaged{fixture: &in, i: i,
				doc: key{fmt.Sprintf("acme/issue-p1.%s", i.ID.Issue), "acme/project-p1"}}
			test.do(d)
			damage := d.raw.items("")
			want := map[check.FindingKind]string{test.kind: "1 found, 0 mended"}
			if got := kindsOf(d.check(check.Options{})); test.then > untouched && !cmp.Equal(want, got) ||
				got[test.kind] == "" {
				t.Errorf("found %v, want %v", got, want)
			}
			if diff := cmp.Diff(damage, d.raw.items("")); diff != "" {
				t.Errorf("a check without repair has changed the table:\n%s", diff)
			}
			r := d.check(check.Options{Repair: true})
			after := d.raw.items("")
			switch test.then {
			case untouched, unmended:
				if diff := cmp.Diff(damage, after); diff != "" || r.Left() != 1 && test.then == unmended {
					t.Errorf("%d are left; what can't be mended has changed:\n%s", r.Left(), diff)
				}
			case mended, settled:
				if want[test.kind] = "1 found, 1 mended"; !cmp.Equal(want, kindsOf(r)) {
					t.Errorf("mended %v, want %v", kindsOf(r), want)
				}
				d.sound()
				if diff := cmp.Diff(before, d.raw.items("acme/")); diff != "" && test.then == mended {
					t.Errorf("the table is not what it was before (-before +after):\n%s", diff)
				}
			}
			restore()
			for k := range damage {
				if m := originals[k]; m != nil {
					f.raw.put(m)
				}
			}
			for k, m := range originals {
				if damage[k] == nil || after[k] == nil {
					f.raw.put(m)
				}
			}
		})
	}
	f.sound()
	for _, kind := range allKinds(t) {
		if !seen[kind] {
			t.Errorf("no damage is %q", kind)
		}
	}
}

// allKinds reads the constants of the kinds of findings from their source.
func allKinds(t *testing.T) (out []check.FindingKind) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "check/findings.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			return true
		}
		if of, ok := v.Type.(*ast.Ident); !ok || of.Name != "FindingKind" {
			return true
		}
		kind, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, check.FindingKind(kind))
		return true
	})
	if len(out) == 0 {
		t.Fatal("there are no kinds of findings: have they moved?")
	}
	return out
}
