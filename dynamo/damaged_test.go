package dynamo_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo/check"
	"issuegrid/tracker"
)

// damaged is the fixture of a test that damages the items of the issue i. doc is the key of its document.
type damaged struct {
	*fixture
	i   *tracker.Issue
	doc key
}

func (d *damaged) sk(format string, args ...any) key {
	return key{d.doc.PK, "acme/" + fmt.Sprintf(format, args...)}
}

// alter changes attributes of an item. A nil value removes the attribute.
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

// at returns the key that a damage names: that of the document if s is "", or a sort key in the partition of
// the issue, or both keys. They do not repeat the tenant.
func (d *damaged) at(s string) key {
	pk, sk, both := strings.Cut(s, " ")
	switch {
	case s == "":
		return d.doc
	case !both:
		return key{d.doc.PK, "acme/" + s}
	case sk == "*" || sk == "tenants":
		return key{"acme/" + pk, sk}
	}
	return key{"acme/" + pk, "acme/" + sk}
}

// alters, puts and removes return the damage of an item that is altered, put or removed.
func alters(at string, c change) func(*damaged) { return func(d *damaged) { d.alter(d.at(at), c) } }

func puts(at string, more item) func(*damaged) { return func(d *damaged) { d.put(d.at(at), more) } }

func altersAll(prefix string, c change) func(*damaged) {
	return func(d *damaged) {
		for k := range d.raw.items("acme/" + prefix) {
			d.alter(k, c)
		}
	}
}

func removesAll(prefix string) func(*damaged) {
	return func(d *damaged) {
		for k := range d.raw.items("acme/" + prefix) {
			d.raw.delete(k)
		}
	}
}

func removes(at string) func(*damaged) { return func(d *damaged) { d.raw.delete(d.at(at)) } }

// value sets the value of field f in the document, and nothing else.
func (d *damaged) value(f string, av types.AttributeValue) {
	d.Helper()
	m := d.raw.get(d.doc)
	m["values"].(*types.AttributeValueMemberM).Value[f] = av
	d.raw.put(m)
}

// excerpt sets the excerpt of a long text in the document, or removes it.
func (d *damaged) excerpt(f, excerpt string) {
	d.Helper()
	m := d.raw.get(d.doc)
	ref := m["values"].(*types.AttributeValueMemberM).Value[f].(*types.AttributeValueMemberM).Value
	if delete(ref, "excerpt"); excerpt != "" {
		ref["excerpt"] = str(excerpt)
	}
	d.raw.put(m)
}

// put writes an item directly to the table.
func (d *damaged) put(k key, more item) {
	d.Helper()
	m := item{"PK": k.PK, "SK": k.SK}
	maps.Copy(m, more)
	d.raw.put(attributes(m))
}

// text returns the key of part n of the long text in the field flong.
func (d *damaged) text(n int) key {
	d.Helper()
	return d.sk("xtext-p1.flong.%s.%d", d.i.Values["flong"].Long().ID, n)
}

// writes returns how many requests have been sent since the last Reset of the wire that write.
func (d *damaged) writes() (n int) {
	reads := []string{"DescribeTable", "Scan", "Query", "GetItem", "BatchGetItem"}
	for operation, calls := range d.wire.Calls() {
		if !slices.Contains(reads, operation) {
			n += calls
		}
	}
	return n
}

// putBack makes the table as it was before, except for the other tenant's items. It returns what it changed.
func (d *damaged) putBack(before map[key]map[string]types.AttributeValue) string {
	d.Helper()
	want, got := map[key]item{}, map[key]item{}
	after := d.raw.stored()
	for k, m := range before {
		if plain := plainItem(m); !cmp.Equal(plain, plainItem(after[k])) {
			d.raw.put(m)
			want[k] = plain
		}
	}
	for k, m := range after {
		if before[k] == nil {
			d.raw.delete(k)
		}
		if before[k] == nil || want[k] != nil {
			got[k] = plainItem(m)
		}
	}
	return cmp.Diff(want, got)
}

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

type change = map[string]types.AttributeValue

// The expected result of a check and a repair.
const (
	several    = iota // the finding is reported, among others that follow from the damage
	untouched         // like several, and the repair changes nothing
	unrepaired        // only the finding is reported, and the repair changes nothing
	restored          // the repair makes the table as it was before the damage
	repaired          // the repair makes the table sound, but different from before
	cleared           // like restored, but only the repair reports the finding
)

// TestCheckFindsDamage damages a sound table in each way. A check reports the damage once, with the right
// kind, and a repair does what the entry in damages says.
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
	f.people()
	f.comments(i.ID)
	c.add(2 * time.Hour)
	f.check(check.Options{Repair: true}) // removes a tag that was replaced
	f.sound()
	before := f.raw.stored()
	seen := map[check.FindingKind]bool{}
	for n, test := range slices.Concat(damages, damagesOfPeople, damagesOfComments, damagesOfActivity,
		damagesOfTags) {
		first := !seen[test.kind]
		if seen[test.kind] = true; !first && n%every > 0 {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			in := *f
			in.T = t
			d := &damaged{fixture: &in, i: i,
				doc: key{fmt.Sprintf("acme/issue-p1.%s", i.ID.Issue), "acme/project-p1"}}
			test.do(d)
			want := map[check.FindingKind]string{test.kind: "1 found, 0 repaired"}
			d.wire.Reset()
			got := kindsOf(d.check(check.Options{Segments: 1}))
			switch {
			case test.then == cleared && len(got) == 0:
			case test.then > untouched && !cmp.Equal(want, got), got[test.kind] == "":
				t.Errorf("found %v, want %v", got, want)
			}
			if n := d.writes(); n > 0 {
				t.Errorf("a check without repair wrote %d times", n)
			}
			r := d.check(check.Options{Repair: true, Segments: 1})
			switch test.then {
			case untouched, unrepaired:
				if n := d.writes(); n > 0 || r.Left() != 1 && test.then == unrepaired {
					t.Errorf("%d findings are left; the repair wrote %d times", r.Left(), n)
				}
			case repaired, restored, cleared:
				if want[test.kind] = "1 found, 1 repaired"; !cmp.Equal(want, kindsOf(r)) {
					t.Errorf("the repair reports %v, want %v", kindsOf(r), want)
				}
			}
			if test.then == repaired { // restored is what was sound before
				d.sound()
			}
			if diff := d.putBack(before); diff != "" && (test.then == restored || test.then == cleared) {
				t.Errorf("the table is not what it was before (-before +after):\n%s", diff)
			}
		})
	}
	f.sound()
	for _, kind := range allKinds(t) {
		if !seen[kind] {
			t.Errorf("no test damages the table so that %q is found", kind)
		}
	}
}

// allKinds returns the constants of type FindingKind, read from their source file.
func allKinds(t *testing.T) (out []check.FindingKind) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "check/findings.go", nil, 0)
	ok(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		v, is := n.(*ast.ValueSpec)
		if !is || len(v.Values) != 1 {
			return true
		}
		if of, is := v.Type.(*ast.Ident); !is || of.Name != "FindingKind" {
			return true
		}
		kind, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		ok(t, err)
		out = append(out, check.FindingKind(kind))
		return true
	})
	if len(out) == 0 {
		t.Fatal("found no constants of type FindingKind in check/findings.go")
	}
	return out
}
