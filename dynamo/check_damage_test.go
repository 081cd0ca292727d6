package dynamo_test

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/check"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

func num(n int) types.AttributeValue    { return &types.AttributeValueMemberN{Value: fmt.Sprint(n)} }
func bin(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }

// damages lists ways to damage a sound table, what kind of finding each causes, and what a repair does.
var damages = []struct {
	name string
	do   func(d *damaged)
	kind check.FindingKind
	then int
}{
	{"a sort key of another tenant", func(d *damaged) {
		d.put(key{d.doc.PK, "rival/project-p1"}, item{"SS": binary("x")})
	}, check.KindForeign, unmended},
	{"an entry in another tenant's index", func(d *damaged) {
		d.put(key{d.doc.PK, "rival/xvalue-p1.fint"}, item{"SS": binary("x")})
	}, check.KindForeign, unmended},
	{"a partition of no known kind", func(d *damaged) {
		d.put(key{"acme/nonsense-p1", "*"}, nil)
	}, check.KindKey, unmended},
	{"a partition of no tenant", func(d *damaged) { d.put(key{"ACME", "*"}, nil) }, check.KindKey, unmended},
	{"an issue with an invalid id", func(d *damaged) {
		d.put(key{"acme/issue-p1.UPPER", "acme/project-p1"}, nil)
	}, check.KindKey, unmended},
	{"a guard of an invalid key", func(d *damaged) {
		d.put(key{"acme/unique-projectkey.lower", "*"}, item{"owner": "p1"})
	}, check.KindKey, unmended},
	{"an item of no known kind in an issue's partition", func(d *damaged) {
		d.put(d.sk("xnonsense-p1"), nil)
	}, check.KindKey, unmended},
	{"an entry of another project", func(d *damaged) {
		d.put(d.sk("xvalue-p2.fint"), item{"SS": binary("x")})
	}, check.KindKey, unmended},
	{"an item of no known kind in a project's partition", func(d *damaged) {
		d.put(key{"acme/project-p1", "acme/xattrib-p1.state"}, nil)
	}, check.KindKey, unmended},
	{"a document without a time", func(d *damaged) {
		d.alter(d.doc, change{"created": nil})
	}, check.KindItem, unmended},
	{"a document with an unknown attribute", func(d *damaged) {
		d.alter(d.doc, change{"other": num(1)})
	}, check.KindItem, unmended},
	{"a document without a number", func(d *damaged) {
		d.alter(d.doc, change{"num": str("1"), "SS": bin(sortkey.Num(0))})
	}, check.KindItem, unmended},
	{"a document with a value of no known type", func(d *damaged) {
		d.value("fint", bin([]byte("x")))
	}, check.KindItem, unmended},
	{"a project without states", func(d *damaged) {
		d.alter(key{"acme/project-p2", "acme/tenant-acme"}, change{"states": nil})
	}, check.KindItem, unmended},
	{"a field of an unknown type", func(d *damaged) {
		d.alter(key{"acme/project-p2", "acme/xattrib-p2.g"}, change{"type": str("TYPE")})
	}, check.KindItem, unmended},
	{"a field with another id", func(d *damaged) {
		d.alter(key{"acme/project-p2", "acme/xattrib-p2.g"}, change{"id": str("h")})
	}, check.KindItem, unmended},
	{"a field with values, of an unknown type", func(d *damaged) {
		d.alter(key{"acme/project-p1", "acme/xattrib-p1.fint"}, change{"type": str("TYPE")})
	}, check.KindItem, unmended},
	{"a field with values, with another id", func(d *damaged) {
		d.alter(key{"acme/project-p1", "acme/xattrib-p1.fint"}, change{"id": str("h")})
	}, check.KindItem, untouched},
	{"a missing field", func(d *damaged) {
		d.raw.delete(key{"acme/project-p1", "acme/xattrib-p1.fint"})
	}, check.KindField, unmended},
	{"a missing project", func(d *damaged) {
		d.raw.delete(key{"acme/project-p1", "acme/tenant-acme"})
	}, check.KindParent, untouched},
	{"a history of an impossible version", func(d *damaged) {
		d.put(d.sk("xhistory-p1.9999999999.00"),
			item{"expires": number("2000000000"), "write": "w", "kind": "UPDATED",
				"at": "2024-01-01T00:00:00Z"})
	}, check.KindKey, unmended},
	{"a tenant without a name", func(d *damaged) {
		d.alter(key{"acme/tenant-acme", "tenants"}, change{"name": nil})
	}, check.KindItem, unmended},
	{"a history without a time", func(d *damaged) {
		d.alter(d.sk("xhistory-p1.0000000002.00"), change{"at": nil})
	}, check.KindItem, unmended},
	{"a history without an expiry time", func(d *damaged) {
		d.alter(d.sk("xhistory-p1.0000000002.00"), change{"expires": nil})
	}, check.KindItem, unmended},
	{"an idempotency record without an expiry time", func(d *damaged) {
		d.put(key{"acme/once-abc", "*"}, item{"print": "p", "made": "m"})
	}, check.KindItem, unmended},
	{"an issue without its project", func(d *damaged) {
		m := d.raw.get(d.doc)
		m["PK"], m["SK"] = str("acme/issue-p9.x"), str("acme/project-p9")
		d.raw.put(m)
	}, check.KindParent, several},
	{"fields without their project", func(d *damaged) {
		d.put(key{"acme/project-p9", "acme/xcounter-num"}, item{"n": number("1")})
	}, check.KindParent, unmended},
	{"a field name without its guard", func(d *damaged) {
		for k := range d.raw.items("acme/unique-fieldname.p2.") {
			d.raw.delete(k)
		}
	}, check.KindGuard, mended},
	{"a field name guarded for another field", func(d *damaged) {
		for k := range d.raw.items("acme/unique-fieldname.p2.") {
			d.alter(k, change{"owner": str("other")})
		}
	}, check.KindGuard, mended},
	{"a guard of a name that its field does not have", func(d *damaged) {
		d.put(key{"acme/unique-fieldname.p2.abc", "*"}, item{"owner": "g"})
	}, check.KindGuardStray, mended},
	{"jobs without a time", func(d *damaged) {
		d.put(key{"acme/project-p2", "acme/xjobs-acme"}, item{"version": number("1")})
	}, check.KindItem, unmended},
	{"a project without its tenant", func(d *damaged) {
		d.raw.delete(key{"acme/tenant-acme", "tenants"})
	}, check.KindParent, untouched},
	{"a value of an unknown field", func(d *damaged) {
		d.value("fgone", num(1))
		m := d.raw.get(d.doc)
		m["has"].(*types.AttributeValueMemberSS).Value = append(
			m["has"].(*types.AttributeValueMemberSS).Value, "fgone")
		d.raw.put(m)
	}, check.KindField, unmended},
	{"a value of another kind", func(d *damaged) { d.value("fnum", str("many")) }, check.KindValue, unmended},
	{"an unknown option", func(d *damaged) { d.value("fsel", str("o9")) }, check.KindValue, unmended},
	{"an unknown state", func(d *damaged) {
		d.alter(d.doc, change{"state": str("nowhere")})
	}, check.KindValue, unmended},
	{"two issues with the same number", func(d *damaged) {
		d.create(d.store, d.d, tracker.Issue{Name: "Other", State: "open", Num: d.i.Num})
	}, check.KindNumber, unmended},
	{"two projects with the same key", func(d *damaged) {
		d.alter(key{"acme/project-p2", "acme/tenant-acme"}, change{"key": str("PRJ")})
	}, check.KindProjectKey, several},
	{"a missing part of a text", func(d *damaged) { d.raw.delete(d.text(1)) }, check.KindText, unmended},
	{"a wrong part of a text", func(d *damaged) {
		d.alter(d.text(1), change{"v": bin([]byte("else"))})
	}, check.KindText, unmended},
	{"a damaged text", func(d *damaged) {
		v := d.raw.get(d.text(0))["v"].(*types.AttributeValueMemberB).Value
		v[100] ^= 1
		d.alter(d.text(0), change{"v": bin(v)})
	}, check.KindText, unmended},
	{"a missing text by which an issue is sorted", func(d *damaged) {
		d.raw.delete(d.sk("xtext-p1.ftext.%s.0", d.i.Values["ftext"].Long().ID))
	}, check.KindText, unmended},
	{"a missing text of an issue in the trash", func(d *damaged) {
		for k := range d.raw.items("acme/issue-p1.trashed") {
			if strings.HasPrefix(k.SK, "acme/xtext-p1.flong") {
				d.raw.delete(k)
			}
		}
	}, check.KindText, unmended},
	{"a missing text of a history", func(d *damaged) {
		for k, m := range d.raw.items(d.doc.PK) {
			if strings.HasPrefix(k.SK, "acme/xtext-p1.flong") && m["expires"] != nil {
				d.raw.delete(k)
			}
		}
	}, check.KindHistoryText, unmended},
	{"a text that expires", func(d *damaged) {
		d.alter(d.text(1), change{"expires": num(2000000000)})
	}, check.KindTextExpires, mended},
	{"an incomplete has", func(d *damaged) {
		d.alter(d.doc, change{"has": &types.AttributeValueMemberSS{Value: []string{"fint"}}})
	}, check.KindHas, mended},
	{"no has", func(d *damaged) { d.alter(d.doc, change{"has": nil}) }, check.KindHas, mended},
	{"has of an issue without values", func(d *damaged) {
		d.alter(key{"acme/issue-p1.empty", "acme/project-p1"},
			change{"has": &types.AttributeValueMemberSS{Value: []string{"fint"}}})
	}, check.KindHas, mended},
	{"no has of an issue in the trash", func(d *damaged) {
		d.alter(key{"acme/issue-p1.trashed", "acme/xtrash-p1"}, change{"has": nil})
	}, check.KindHas, mended},
	{"an issue with a wrong sort string", func(d *damaged) {
		d.alter(d.doc, change{"SS": bin(sortkey.Num(77))})
	}, check.KindSortString, mended},
	{"an issue without a sort string", func(d *damaged) {
		d.alter(d.doc, change{"SS": nil})
	}, check.KindSortString, mended},
	{"a project with a wrong sort string", func(d *damaged) {
		d.alter(key{"acme/project-p1", "acme/tenant-acme"}, change{"SS": bin([]byte("x"))})
	}, check.KindSortString, mended},
	{"a tenant with a wrong sort string", func(d *damaged) {
		d.alter(key{"acme/tenant-acme", "tenants"}, change{"SS": bin([]byte("x"))})
	}, check.KindSortString, mended},
	{"an issue in the trash with a wrong sort string", func(d *damaged) {
		d.alter(key{"acme/issue-p1.trashed", "acme/xtrash-p1"}, change{"SS": bin(sortkey.Num(77))})
	}, check.KindSortString, mended},
	{"a value without its entry", func(d *damaged) {
		d.raw.delete(d.sk("xvalue-p1.fint"))
	}, check.KindEntryMissing, mended},
	{"a member without its entry", func(d *damaged) {
		d.raw.delete(d.sk("xvalue-p1.ftags.blue"))
	}, check.KindEntryMissing, settled},
	{"a long text without its entry", func(d *damaged) {
		d.raw.delete(d.sk("xvalue-p1.ftext"))
	}, check.KindEntryMissing, settled},
	{"a name without its entry", func(d *damaged) {
		d.raw.delete(d.sk("xvalue-p1.name"))
	}, check.KindEntryMissing, mended},
	{"an entry of another value", func(d *damaged) {
		d.alter(d.sk("xvalue-p1.fint"), change{"SS": bin(sortkey.Join(sortkey.Int(1), 1))})
	}, check.KindEntryWrong, mended},
	{"an entry that is in no index", func(d *damaged) {
		d.alter(d.sk("xvalue-p1.fint"), change{"SS": nil})
	}, check.KindEntryWrong, mended},
	{"an entry with an extra attribute", func(d *damaged) {
		d.alter(d.sk("xvalue-p1.fint"), change{"v": str("x")})
	}, check.KindEntryWrong, mended},
	{"an entry of a missing value", func(d *damaged) {
		d.put(d.sk("xvalue-p1.fgone"),
			item{"SS": binary(sortkey.Join(sortkey.Int(1), 1)), "ver": number("1")})
	}, check.KindEntryExtra, mended},
	{"an entry of a missing member", func(d *damaged) {
		d.put(d.sk("xvalue-p1.ftags.green/and.dots"), item{"SS": binary(sortkey.Num(1)), "ver": number("1")})
	}, check.KindEntryExtra, mended},
	{"an entry of a future version", func(d *damaged) {
		d.alter(d.sk("xvalue-p1.fint"), change{"ver": num(9)})
	}, check.KindEntryVersion, mended},
	{"an entry of no version", func(d *damaged) {
		d.alter(d.sk("xvalue-p1.fint"), change{"ver": num(0)})
	}, check.KindEntryVersion, mended},
	{"a marker of an issue that is not being indexed", func(d *damaged) {
		d.put(d.sk("xindexing-p1"), item{"version": number("2")})
	}, check.KindMarker, mended},
	{"a marker of another version", func(d *damaged) {
		d.alter(d.doc, change{"indexing": &types.AttributeValueMemberBOOL{Value: true}})
		d.put(d.sk("xindexing-p1"), item{"version": number("1")})
	}, check.KindMarker, settled},
	{"a marker of no issue", func(d *damaged) {
		d.put(key{"acme/issue-p1.nobody", "acme/xindexing-p1"}, item{"version": number("1")})
	}, check.KindMarker, mended},
	{"a marker left by a crash", func(d *damaged) {
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
		d.put(key{"acme/issue-p1.trashed", "acme/xvalue-p1.fint"},
			item{"SS": binary("x"), "ver": number("1")})
	}, check.KindGhost, mended},
	{"a replaced text that stays", func(d *damaged) {
		for k, m := range d.raw.items(d.doc.PK) {
			if strings.HasPrefix(k.SK, "acme/xtext-p1.flong") && m["expires"] != nil {
				d.alter(k, change{"expires": nil})
			}
		}
	}, check.KindTextStays, mended},
	{"a text that no issue refers to", func(d *damaged) {
		d.put(d.sk("xtext-p1.flong.abc.0"), item{"v": binary("x"), "at": number("1700000000")})
		d.put(d.sk("xtext-p1.flong.abc.1"), item{"v": binary("x"), "at": number("1700000000")})
	}, check.KindOrphan, mended},
	{"a text that no issue refers to, without a time", func(d *damaged) {
		d.put(key{"acme/issue-p1.nobody", "acme/xtext-p1.flong.abc.0"}, item{"v": binary("x")})
	}, check.KindOrphan, mended},
	{"a counter that is too low", func(d *damaged) {
		d.alter(key{"acme/project-p1", "acme/xcounter-num"}, change{"n": num(1)})
	}, check.KindCounter, mended},
	{"a missing counter", func(d *damaged) {
		d.raw.delete(key{"acme/project-p1", "acme/xcounter-num"})
	}, check.KindCounter, mended},
	{"a missing counter of a project without issues", func(d *damaged) {
		d.raw.delete(key{"acme/project-p2", "acme/xcounter-num"})
	}, check.KindCounter, mended},
	{"a project key without its guard", func(d *damaged) {
		d.raw.delete(key{"acme/unique-projectkey.PRJ", "*"})
	}, check.KindGuard, mended},
	{"a guard of a missing project", func(d *damaged) {
		d.alter(key{"acme/unique-projectkey.PRJ", "*"}, change{"owner": str("p9")})
	}, check.KindGuard, mended},
	{"a guard of another project", func(d *damaged) {
		d.alter(key{"acme/unique-projectkey.PRJ", "*"}, change{"owner": str("p2")})
	}, check.KindGuard, mended},
	{"a guard of a key that no project has", func(d *damaged) {
		d.put(key{"acme/unique-projectkey.OLD", "*"}, item{"owner": "p1"})
	}, check.KindGuardStray, mended},
	{"a guard of a key of no project", func(d *damaged) {
		d.put(key{"acme/unique-projectkey.OLD", "*"}, item{"owner": "p9"})
	}, check.KindGuardStray, mended},
}
