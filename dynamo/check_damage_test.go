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
	"issuegrid/sortkey"
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
func num(n int) types.AttributeValue    { return &types.AttributeValueMemberN{Value: fmt.Sprint(n)} }
func bin(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }

type change = map[string]types.AttributeValue

const (
	several   = iota // it is told, among other things that follow from it
	untouched        // likewise, and nothing is changed
	unmended         // it is told, and left as it is
	mended           // it becomes what it was before
	settled          // it becomes sound, and another than before
)

// damages is every kind of damage, done by hand to a table that is sound.
var damages = []struct {
	name string
	do   func(d *damaged)
	kind check.FindingKind
	then int
}{
	{"a sort key of another tenant", func(d *damaged) { d.put(key{d.doc.PK, "rival/project-p1"}, item{"SS": binary("x")}) }, check.KindForeign, unmended},
	{"an entry in another tenant's index", func(d *damaged) { d.put(key{d.doc.PK, "rival/xvalue-p1.fint"}, item{"SS": binary("x")}) }, check.KindForeign, unmended},
	{"a partition of no shape", func(d *damaged) { d.put(key{"acme/nonsense-p1", "*"}, nil) }, check.KindKey, unmended},
	{"a partition of nobody", func(d *damaged) { d.put(key{"ACME", "*"}, nil) }, check.KindKey, unmended},
	{"an issue with an id that is none", func(d *damaged) { d.put(key{"acme/issue-p1.UPPER", "acme/project-p1"}, nil) }, check.KindKey, unmended},
	{"a guard of a key that is none", func(d *damaged) { d.put(key{"acme/unique-projectkey.lower", "*"}, item{"owner": "p1"}) }, check.KindKey, unmended},
	{"an item of no shape beside an issue", func(d *damaged) { d.put(d.sk("xnonsense-p1"), nil) }, check.KindKey, unmended},
	{"an entry of another project", func(d *damaged) { d.put(d.sk("xvalue-p2.fint"), item{"SS": binary("x")}) }, check.KindKey, unmended},
	{"an item of no shape beside a project", func(d *damaged) { d.put(key{"acme/project-p1", "acme/xattrib-p1.state"}, nil) }, check.KindKey, unmended},
	{"a document without a time", func(d *damaged) { d.alter(d.doc, change{"created": nil}) }, check.KindItem, unmended},
	{"a document with an unknown attribute", func(d *damaged) { d.alter(d.doc, change{"other": num(1)}) }, check.KindItem, unmended},
	{"a document without a number", func(d *damaged) { d.alter(d.doc, change{"num": str("1"), "SS": bin(sortkey.Num(0))}) }, check.KindItem, unmended},
	{"a document with a value of no kind", func(d *damaged) { d.value("fint", bin([]byte("x"))) }, check.KindItem, unmended},
	{"a project without states", func(d *damaged) { d.alter(key{"acme/project-p2", "acme/tenant-acme"}, change{"states": nil}) }, check.KindItem, unmended},
	{"a field of an unknown type", func(d *damaged) { d.alter(key{"acme/project-p2", "acme/xattrib-p2.g"}, change{"type": str("TYPE")}) }, check.KindItem, unmended},
	{"a field with another id", func(d *damaged) { d.alter(key{"acme/project-p2", "acme/xattrib-p2.g"}, change{"id": str("h")}) }, check.KindItem, unmended},
	{"a field of values of an unknown type", func(d *damaged) { d.alter(key{"acme/project-p1", "acme/xattrib-p1.fint"}, change{"type": str("TYPE")}) }, check.KindItem, unmended},
	{"a field of values with another id", func(d *damaged) { d.alter(key{"acme/project-p1", "acme/xattrib-p1.fint"}, change{"id": str("h")}) }, check.KindItem, untouched},
	{"a field that is lost", func(d *damaged) { d.raw.delete(key{"acme/project-p1", "acme/xattrib-p1.fint"}) }, check.KindField, unmended},
	{"a project that is lost", func(d *damaged) { d.raw.delete(key{"acme/project-p1", "acme/tenant-acme"}) }, check.KindParent, untouched},
	{"a history of a version that there can't be", func(d *damaged) {
		d.put(d.sk("xhistory-p1.9999999999.00"), item{"expires": number("2000000000"), "write": "w", "kind": "UPDATED", "at": "2024-01-01T00:00:00Z"})
	}, check.KindKey, unmended},
	{"a tenant without a name", func(d *damaged) { d.alter(key{"acme/tenant-acme", "tenants"}, change{"name": nil}) }, check.KindItem, unmended},
	{"a history without a time", func(d *damaged) { d.alter(d.sk("xhistory-p1.0000000002.00"), change{"at": nil}) }, check.KindItem, unmended},
	{"a history that stays for ever", func(d *damaged) { d.alter(d.sk("xhistory-p1.0000000002.00"), change{"expires": nil}) }, check.KindItem, unmended},
	{"a change made once that stays for ever", func(d *damaged) { d.put(key{"acme/once-abc", "*"}, item{"print": "p", "made": "m"}) }, check.KindItem, unmended},
	{"an issue without its project", func(d *damaged) {
		m := d.raw.get(d.doc)
		m["PK"], m["SK"] = str("acme/issue-p9.x"), str("acme/project-p9")
		d.raw.put(m)
	}, check.KindParent, several},
	{"fields without their project", func(d *damaged) { d.put(key{"acme/project-p9", "acme/xcounter-num"}, item{"n": number("1")}) }, check.KindParent, unmended},
	{"a field whose name is not guarded", func(d *damaged) {
		for k := range d.raw.items("acme/unique-fieldname.p2.") {
			d.raw.delete(k)
		}
	}, check.KindGuard, mended},
	{"a field whose name another one guards", func(d *damaged) {
		for k := range d.raw.items("acme/unique-fieldname.p2.") {
			d.alter(k, change{"owner": str("other")})
		}
	}, check.KindGuard, mended},
	{"a guard of a name that its field has not", func(d *damaged) { d.put(key{"acme/unique-fieldname.p2.abc", "*"}, item{"owner": "g"}) }, check.KindGuardStray, mended},
	{"jobs without a time", func(d *damaged) {
		d.put(key{"acme/project-p2", "acme/xjobs-acme"}, item{"version": number("1")})
	}, check.KindItem, unmended},
	{"a project without its tenant", func(d *damaged) { d.raw.delete(key{"acme/tenant-acme", "tenants"}) }, check.KindParent, untouched},
	{"a value of an unknown field", func(d *damaged) {
		d.value("fgone", num(1))
		m := d.raw.get(d.doc)
		m["has"].(*types.AttributeValueMemberSS).Value = append(m["has"].(*types.AttributeValueMemberSS).Value, "fgone")
		d.raw.put(m)
	}, check.KindField, unmended},
	{"a value of another kind", func(d *damaged) { d.value("fnum", str("many")) }, check.KindValue, unmended},
	{"an unknown option", func(d *damaged) { d.value("fsel", str("o9")) }, check.KindValue, unmended},
	{"an unknown state", func(d *damaged) { d.alter(d.doc, change{"state": str("nowhere")}) }, check.KindValue, unmended},
	{"two issues with a number", func(d *damaged) {
		d.create(d.store, d.d, tracker.Issue{Name: "Other", State: "open", Num: d.i.Num})
	}, check.KindNumber, unmended},
	{"two projects with a key", func(d *damaged) { d.alter(key{"acme/project-p2", "acme/tenant-acme"}, change{"key": str("PRJ")}) }, check.KindProjectKey, several},
	{"a part of a text that is lost", func(d *damaged) { d.raw.delete(d.text(1)) }, check.KindText, unmended},
	{"a part of a text that is another", func(d *damaged) { d.alter(d.text(1), change{"v": bin([]byte("else"))}) }, check.KindText, unmended},
	{"a text that is damaged", func(d *damaged) {
		v := d.raw.get(d.text(0))["v"].(*types.AttributeValueMemberB).Value
		v[100] ^= 1
		d.alter(d.text(0), change{"v": bin(v)})
	}, check.KindText, unmended},
	{"a text by which an issue is sorted", func(d *damaged) {
		d.raw.delete(d.sk("xtext-p1.ftext.%s.0", d.i.Values["ftext"].Long().ID))
	}, check.KindText, unmended},
	{"a text of an issue in the trash", func(d *damaged) {
		for k := range d.raw.items("acme/issue-p1.trashed") {
			if strings.HasPrefix(k.SK, "acme/xtext-p1.flong") {
				d.raw.delete(k)
			}
		}
	}, check.KindText, unmended},
	{"a text of a history", func(d *damaged) {
		for k, m := range d.raw.items(d.doc.PK) {
			if strings.HasPrefix(k.SK, "acme/xtext-p1.flong") && m["expires"] != nil {
				d.raw.delete(k)
			}
		}
	}, check.KindHistoryText, unmended},
	{"a text that expires", func(d *damaged) { d.alter(d.text(1), change{"expires": num(2000000000)}) }, check.KindTextExpires, mended},
	{"less in has", func(d *damaged) {
		d.alter(d.doc, change{"has": &types.AttributeValueMemberSS{Value: []string{"fint"}}})
	}, check.KindHas, mended},
	{"no has", func(d *damaged) { d.alter(d.doc, change{"has": nil}) }, check.KindHas, mended},
	{"has of nothing", func(d *damaged) {
		d.alter(key{"acme/issue-p1.empty", "acme/project-p1"}, change{"has": &types.AttributeValueMemberSS{Value: []string{"fint"}}})
	}, check.KindHas, mended},
	{"less in has of the trash", func(d *damaged) { d.alter(key{"acme/issue-p1.trashed", "acme/xtrash-p1"}, change{"has": nil}) }, check.KindHas, mended},
	{"an issue in a wrong place", func(d *damaged) { d.alter(d.doc, change{"SS": bin(sortkey.Num(77))}) }, check.KindSortString, mended},
	{"an issue in no place", func(d *damaged) { d.alter(d.doc, change{"SS": nil}) }, check.KindSortString, mended},
	{"a project in a wrong place", func(d *damaged) { d.alter(key{"acme/project-p1", "acme/tenant-acme"}, change{"SS": bin([]byte("x"))}) }, check.KindSortString, mended},
	{"a tenant in a wrong place", func(d *damaged) { d.alter(key{"acme/tenant-acme", "tenants"}, change{"SS": bin([]byte("x"))}) }, check.KindSortString, mended},
	{"an issue in a wrong place of the trash", func(d *damaged) {
		d.alter(key{"acme/issue-p1.trashed", "acme/xtrash-p1"}, change{"SS": bin(sortkey.Num(77))})
	}, check.KindSortString, mended},
	{"a value without its entry", func(d *damaged) { d.raw.delete(d.sk("xvalue-p1.fint")) }, check.KindEntryMissing, mended},
	{"a member without its entry", func(d *damaged) { d.raw.delete(d.sk("xvalue-p1.ftags.blue")) }, check.KindEntryMissing, settled},
	{"a long text without its entry", func(d *damaged) { d.raw.delete(d.sk("xvalue-p1.ftext")) }, check.KindEntryMissing, settled},
	{"a name without its entry", func(d *damaged) { d.raw.delete(d.sk("xvalue-p1.name")) }, check.KindEntryMissing, mended},
	{"an entry of another value", func(d *damaged) { d.alter(d.sk("xvalue-p1.fint"), change{"SS": bin(sortkey.Join(sortkey.Int(1), 1))}) }, check.KindEntryWrong, mended},
	{"an entry that is in no index", func(d *damaged) { d.alter(d.sk("xvalue-p1.fint"), change{"SS": nil}) }, check.KindEntryWrong, mended},
	{"an entry with more than it should have", func(d *damaged) { d.alter(d.sk("xvalue-p1.fint"), change{"v": str("x")}) }, check.KindEntryWrong, mended},
	{"an entry of a missing value", func(d *damaged) {
		d.put(d.sk("xvalue-p1.fgone"), item{"SS": binary(sortkey.Join(sortkey.Int(1), 1)), "ver": number("1")})
	}, check.KindEntryExtra, mended},
	{"an entry of a missing member", func(d *damaged) {
		d.put(d.sk("xvalue-p1.ftags.green/and.dots"), item{"SS": binary(sortkey.Num(1)), "ver": number("1")})
	}, check.KindEntryExtra, mended},
	{"an entry of a version to come", func(d *damaged) { d.alter(d.sk("xvalue-p1.fint"), change{"ver": num(9)}) }, check.KindEntryVersion, mended},
	{"an entry of no version", func(d *damaged) { d.alter(d.sk("xvalue-p1.fint"), change{"ver": num(0)}) }, check.KindEntryVersion, mended},
	{"a marker of an issue that is not being indexed", func(d *damaged) { d.put(d.sk("xindexing-p1"), item{"version": number("2")}) }, check.KindMarker, mended},
	{"a marker of another version", func(d *damaged) {
		d.alter(d.doc, change{"indexing": &types.AttributeValueMemberBOOL{Value: true}})
		d.put(d.sk("xindexing-p1"), item{"version": number("1")})
	}, check.KindMarker, settled},
	{"a marker of nothing", func(d *damaged) {
		d.put(key{"acme/issue-p1.nobody", "acme/xindexing-p1"}, item{"version": number("1")})
	}, check.KindMarker, mended},
	{"a marker that was left", func(d *damaged) {
		d.alter(d.doc, change{"indexing": &types.AttributeValueMemberBOOL{Value: true}})
		d.put(d.sk("xindexing-p1"), item{"version": number("2")})
		d.raw.delete(d.sk("xvalue-p1.fint"))
		d.alter(d.sk("xvalue-p1.fnum"), change{"SS": bin([]byte("x"))})
		d.put(d.sk("xvalue-p1.fgone"), item{"SS": binary("x"), "ver": number("1")})
	}, check.KindIndexing, settled},
	{"an entry without an issue", func(d *damaged) {
		d.put(key{"acme/issue-p1.nobody", "acme/xvalue-p1.fint"}, item{"SS": binary("x"), "ver": number("1")})
	}, check.KindGhost, mended},
	{"an entry of an issue in the trash", func(d *damaged) {
		d.put(key{"acme/issue-p1.trashed", "acme/xvalue-p1.fint"}, item{"SS": binary("x"), "ver": number("1")})
	}, check.KindGhost, mended},
	{"a replaced text that stays", func(d *damaged) {
		for k, m := range d.raw.items(d.doc.PK) {
			if strings.HasPrefix(k.SK, "acme/xtext-p1.flong") && m["expires"] != nil {
				d.alter(k, change{"expires": nil})
			}
		}
	}, check.KindTextStays, mended},
	{"a text of nobody", func(d *damaged) {
		d.put(d.sk("xtext-p1.flong.abc.0"), item{"v": binary("x"), "at": number("1700000000")})
		d.put(d.sk("xtext-p1.flong.abc.1"), item{"v": binary("x"), "at": number("1700000000")})
	}, check.KindOrphan, mended},
	{"a text of nobody that does not say its age", func(d *damaged) {
		d.put(key{"acme/issue-p1.nobody", "acme/xtext-p1.flong.abc.0"}, item{"v": binary("x")})
	}, check.KindOrphan, mended},
	{"a counter that is behind", func(d *damaged) { d.alter(key{"acme/project-p1", "acme/xcounter-num"}, change{"n": num(1)}) }, check.KindCounter, mended},
	{"a counter that is lost", func(d *damaged) { d.raw.delete(key{"acme/project-p1", "acme/xcounter-num"}) }, check.KindCounter, mended},
	{"a counter of no issues that is lost", func(d *damaged) { d.raw.delete(key{"acme/project-p2", "acme/xcounter-num"}) }, check.KindCounter, mended},
	{"a key that is not guarded", func(d *damaged) { d.raw.delete(key{"acme/unique-projectkey.PRJ", "*"}) }, check.KindGuard, mended},
	{"a guard of a missing project", func(d *damaged) { d.alter(key{"acme/unique-projectkey.PRJ", "*"}, change{"owner": str("p9")}) }, check.KindGuard, mended},
	{"a guard of another project", func(d *damaged) { d.alter(key{"acme/unique-projectkey.PRJ", "*"}, change{"owner": str("p2")}) }, check.KindGuard, mended},
	{"a guard of a key that nobody has", func(d *damaged) { d.put(key{"acme/unique-projectkey.OLD", "*"}, item{"owner": "p1"}) }, check.KindGuardStray, mended},
	{"a guard of nobody", func(d *damaged) { d.put(key{"acme/unique-projectkey.OLD", "*"}, item{"owner": "p9"}) }, check.KindGuardStray, mended},
}

// TestCheckFindsDamage does each damage to a table that is sound. It is found once, as what it is, and mended or not; what is mended is as it was before.
func TestCheckFindsDamage(t *testing.T) {
	f, c := checked(t)
	long := incompressible(500_000)
	values := fullValues()
	values["ftext"], values["flong"] = tracker.Text(strings.Repeat("By this. ", 50)), tracker.Text("Replaced "+strings.Repeat("later ", 100))
	i := f.issue(values)
	i, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, tracker.Change{Values: map[tracker.FieldID]tracker.Value{
		"flong": tracker.Text(long), "fint": tracker.Int(43), "fnum": tracker.Float(3.5), "ftags": tracker.Set([]string{"blue"})}, Name: ptr("Renamed")})
	f.must(err)
	f.project(f.store, tracker.Project{ID: "p2", Key: "P2", Name: "Second"}, tracker.Field{ID: "g", Name: "G", Type: tracker.TypeText})
	f.create(f.store, f.d, tracker.Issue{ID: tracker.IssueID{Project: project, Issue: "empty"}, Name: "Empty", State: "open"})
	trashed := f.create(f.store, f.d, tracker.Issue{ID: tracker.IssueID{Project: project, Issue: "trashed"}, Name: "Trashed", State: "open", Values: values})
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
			d := &damaged{fixture: &in, i: i, doc: key{fmt.Sprintf("acme/issue-p1.%s", i.ID.Issue), "acme/project-p1"}}
			test.do(d)
			damage := d.raw.items("")
			want := map[check.FindingKind]string{test.kind: "1 found, 0 mended"}
			if got := kindsOf(d.check(check.Options{})); test.then > untouched && !cmp.Equal(want, got) || got[test.kind] == "" {
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
