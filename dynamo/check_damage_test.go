package dynamo_test

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/check"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

func num(n int) types.AttributeValue    { return &types.AttributeValueMemberN{Value: fmt.Sprint(n)} }
func bin(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }

// damage is a way to damage a sound table, what a check finds then, and what a repair makes of it.
type damage struct {
	name string
	do   func(d *damaged)
	kind check.FindingKind
	then int
}

// damages lists ways to damage a sound table: with those of people, comments and activity, at least one for
// each kind of finding.
var damages = []damage{
	{"a sort key of another tenant", func(d *damaged) {
		d.put(key{d.doc.PK, "rival/project-p1"}, item{"SS": binary("x")})
	}, check.KindForeign, unrepaired},
	{"an entry in another tenant's index", func(d *damaged) {
		d.put(key{d.doc.PK, "rival/xvalue-p1.fint"}, item{"SS": binary("x")})
	}, check.KindForeign, unrepaired},
	{"a partition of no known kind", puts("nonsense-p1 *", nil), check.KindKey, unrepaired},
	{"a partition of no tenant", func(d *damaged) {
		d.put(key{"ACME", "*"}, nil)
	}, check.KindKey, unrepaired},
	{"an issue with an invalid id", puts("issue-p1.UPPER project-p1", nil), check.KindKey, unrepaired},
	{"a guard of an invalid key",
		puts("unique-projectkey.lower *", item{"owner": "p1"}), check.KindKey, unrepaired},
	{"an item of no known kind in an issue's partition",
		puts("xnonsense-p1", nil), check.KindKey, unrepaired},
	{"an entry of another project",
		puts("xvalue-p2.fint", item{"SS": binary("x")}), check.KindKey, unrepaired},
	{"an item of no known kind in a project's partition",
		puts("project-p1 xattrib-p1.state", nil), check.KindKey, unrepaired},
	{"a document without a time", alters("", change{"created": nil}), check.KindItem, unrepaired},
	{"a document with an unknown attribute",
		alters("", change{"other": num(1)}), check.KindItem, unrepaired},
	{"a document without a number",
		alters("", change{"num": str("1"), "SS": bin(sortkey.Num(0))}), check.KindItem, unrepaired},
	{"a document with a value of no known type", func(d *damaged) {
		d.value("fint", bin([]byte("x")))
	}, check.KindItem, unrepaired},
	{"a project without states",
		alters("project-p2 tenant-acme", change{"states": nil}), check.KindItem, unrepaired},
	{"a field of an unknown type",
		alters("project-p2 xattrib-p2.g", change{"type": str("TYPE")}), check.KindItem, unrepaired},
	{"a field with another id",
		alters("project-p2 xattrib-p2.g", change{"id": str("h")}), check.KindItem, unrepaired},
	{"a field with values, of an unknown type",
		alters("project-p1 xattrib-p1.fint", change{"type": str("TYPE")}), check.KindItem, unrepaired},
	{"a field with values, with another id",
		alters("project-p1 xattrib-p1.fint", change{"id": str("h")}), check.KindItem, untouched},
	{"a missing field", removes("project-p1 xattrib-p1.fint"), check.KindField, unrepaired},
	{"a missing project", removes("project-p1 tenant-acme"), check.KindParent, untouched},
	{"a history of an impossible version", func(d *damaged) {
		d.put(d.sk("xhistory-p1.9999999999.00"),
			item{"expires": number("2000000000"), "write": "w", "kind": "UPDATED",
				"at": "2024-01-01T00:00:00Z"})
	}, check.KindKey, unrepaired},
	{"a tenant without a name",
		alters("tenant-acme tenants", change{"name": nil}), check.KindItem, unrepaired},
	{"a history without a time",
		alters("xhistory-p1.0000000002.00", change{"at": nil}), check.KindItem, unrepaired},
	{"a history without an expiry time",
		alters("xhistory-p1.0000000002.00", change{"expires": nil}), check.KindItem, unrepaired},
	{"a project's history without a time",
		alters("project-p2 xlog-p2.0000000001", change{"at": nil}), check.KindItem, unrepaired},
	{"a project's history without an expiry time",
		alters("project-p2 xlog-p2.0000000001", change{"expires": nil}), check.KindItem, unrepaired},
	{"a project's history of an unknown change", func(d *damaged) {
		part := &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"part": str("STATE"), "change": str("CHANGE"), "name": str("x")}}
		d.alter(key{"acme/project-p2", "acme/xlog-p2.0000000001"},
			change{"parts": &types.AttributeValueMemberL{Value: []types.AttributeValue{part}}})
	}, check.KindItem, unrepaired},
	{"a project's history with another key",
		puts("project-p2 xlog-p1.0000000001", item{"at": "2024-01-01T00:00:00Z"}),
		check.KindKey, unrepaired},
	{"a view without a time", func(d *damaged) {
		d.put(key{"acme/project-p2", "acme/xviews-all.v1"}, item{"name": "V", "checked": number("1"),
			"version": number("1"), "created": "2024-01-01T00:00:00Z"})
		d.put(key{"acme/project-p2", "acme/xviews-all"}, item{"version": number("1"), "n": number("1")})
	}, check.KindItem, unrepaired},
	{"a private view of another user", func(d *damaged) {
		list := "acme/xviews-" + tracker.IDFor("views", "user", "ada")
		d.put(key{"acme/project-p2", list + ".v1"}, item{"name": "V", "owner": "grace",
			"checked": number("1"), "version": number("1"), "created": "2024-01-01T00:00:00Z",
			"updated": "2024-01-01T00:00:00Z"})
		d.put(key{"acme/project-p2", list}, item{"version": number("1"), "n": number("1"),
			"SS": binary("p2")})
	}, check.KindItem, unrepaired},
	{"a list of views with another number of them",
		puts("project-p2 xviews-all", item{"version": number("1"), "n": number("1")}),
		check.KindItem, unrepaired},
	{"a list of views whose default does not exist",
		puts("project-p2 xviews-all", item{"version": number("1"), "n": number("0"), "default": "v1"}),
		check.KindItem, unrepaired},
	{"a view with the id of two",
		puts("project-p2 xviews-all.v1.v2", item{"name": "V"}), check.KindKey, unrepaired},
	{"a project that is listed in the trash, and not there",
		puts("project-p2 xdeleted-acme", item{"SS": binary("x")}), check.KindItem, unrepaired},
	{"a project in the trash that is not listed there", func(d *damaged) {
		at := str("2026-01-01T00:00:00Z")
		trash := &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"at": at, "purge": at}}
		d.alter(key{"acme/project-p2", "acme/tenant-acme"}, change{"SS": nil, "trash": trash})
	}, check.KindItem, unrepaired},
	{"a history without its project", func(d *damaged) {
		m := d.raw.get(key{"acme/project-p2", "acme/xlog-p2.0000000001"})
		m["PK"], m["SK"] = str("acme/project-p9"), str("acme/xlog-p9.0000000001")
		d.raw.put(m)
	}, check.KindParent, unrepaired},
	{"an idempotency record without an expiry time",
		puts("once-abc *", item{"print": "p", "made": "m"}), check.KindItem, unrepaired},
	{"an issue without its project", func(d *damaged) {
		m := d.raw.get(d.doc)
		m["PK"], m["SK"] = str("acme/issue-p9.x"), str("acme/project-p9")
		d.raw.put(m)
	}, check.KindParent, several},
	{"an issue without its shard", func(d *damaged) {
		m := d.raw.get(d.doc)
		m["PK"], m["SK"] = str("acme/issue-p1.x~2"), str("acme/project-p1~2")
		d.raw.put(m)
	}, check.KindParent, several},
	{"fields without their project",
		puts("project-p9 xcounter-num", item{"n": number("1")}), check.KindParent, unrepaired},
	{"a field name without its guard", removesAll("unique-fieldname.p2."), check.KindGuard, restored},
	{"a field name guarded for another field",
		altersAll("unique-fieldname.p2.", change{"owner": str("other")}), check.KindGuard, restored},
	{"a guard of a name that its field does not have",
		puts("unique-fieldname.p2.abc *", item{"owner": "g"}), check.KindGuardStray, restored},
	{"jobs without a time",
		puts("project-p2 xjobs-acme", item{"version": number("1")}), check.KindItem, unrepaired},
	{"a project without its tenant", removes("tenant-acme tenants"), check.KindParent, untouched},
	{"a project of a tenant whose items were removed",
		alters("tenant-acme tenants", change{"name": nil, "SS": nil, "deleted": str("2026-01-02T03:04:05Z")}),
		check.KindParent, several},
	{"a value of an unknown field", func(d *damaged) {
		d.value("fgone", num(1))
		m := d.raw.get(d.doc)
		m["has"].(*types.AttributeValueMemberSS).Value = append(
			m["has"].(*types.AttributeValueMemberSS).Value, "fgone")
		d.raw.put(m)
	}, check.KindField, unrepaired},
	{"a value of another kind", func(d *damaged) {
		d.value("fnum", str("many"))
	}, check.KindValue, unrepaired},
	{"an unknown option", func(d *damaged) { d.value("fsel", str("o9")) }, check.KindValue, unrepaired},
	{"an unknown state", alters("", change{"state": str("nowhere")}), check.KindValue, unrepaired},
	{"two issues with the same number", func(d *damaged) {
		d.create(d.store, d.d, tracker.Issue{Name: "Other", State: "open", Num: d.i.Num})
	}, check.KindNumber, unrepaired},
	{"two projects with the same key",
		alters("project-p2 tenant-acme", change{"key": str("PRJ")}), check.KindProjectKey, several},
	{"a missing part of a text", func(d *damaged) { d.raw.delete(d.text(1)) }, check.KindText, unrepaired},
	{"a wrong part of a text", func(d *damaged) {
		d.alter(d.text(1), change{"v": bin([]byte("else"))})
	}, check.KindText, unrepaired},
	{"a damaged text", func(d *damaged) {
		v := d.raw.get(d.text(0))["v"].(*types.AttributeValueMemberB).Value
		v[100] ^= 1
		d.alter(d.text(0), change{"v": bin(v)})
	}, check.KindText, unrepaired},
	{"a missing text by which an issue is sorted", func(d *damaged) {
		d.raw.delete(d.sk("xtext-p1.ftext.%s.0", d.i.Values["ftext"].Long().ID))
	}, check.KindText, unrepaired},
	{"a missing text of an issue in the trash", func(d *damaged) {
		for k := range d.raw.items("acme/issue-p1.trashed") {
			if strings.HasPrefix(k.SK, "acme/xtext-p1.flong") {
				d.raw.delete(k)
			}
		}
	}, check.KindText, unrepaired},
	{"a missing text of a history", func(d *damaged) {
		for k, m := range d.raw.items(d.doc.PK) {
			if strings.HasPrefix(k.SK, "acme/xtext-p1.flong") && m["expires"] != nil {
				d.raw.delete(k)
			}
		}
	}, check.KindHistoryText, unrepaired},
	{"a text that expires", func(d *damaged) {
		d.alter(d.text(1), change{"expires": num(2000000000)})
	}, check.KindTextExpires, restored},
	{"a text without its excerpt, as an earlier version wrote it", func(d *damaged) {
		d.excerpt("flong", "")
	}, check.KindExcerpt, restored},
	{"a wrong excerpt", func(d *damaged) {
		d.excerpt("flong", "something else")
	}, check.KindExcerpt, restored},
	{"an incomplete has",
		alters("", change{"has": &types.AttributeValueMemberSS{Value: []string{"fint"}}}),
		check.KindHas, restored},
	{"no has", func(d *damaged) { d.alter(d.doc, change{"has": nil}) }, check.KindHas, restored},
	{"has of an issue without values", func(d *damaged) {
		d.alter(key{"acme/issue-p1.empty", "acme/project-p1"},
			change{"has": &types.AttributeValueMemberSS{Value: []string{"fint"}}})
	}, check.KindHas, restored},
	{"no has of an issue in the trash",
		alters("issue-p1.trashed xtrash-p1", change{"has": nil}), check.KindHas, restored},
	{"an issue with a wrong sort string",
		alters("", change{"SS": bin(sortkey.Num(77))}), check.KindSortString, restored},
	{"an issue without a sort string", alters("", change{"SS": nil}), check.KindSortString, restored},
	{"a project with a wrong sort string",
		alters("project-p1 tenant-acme", change{"SS": bin([]byte("x"))}), check.KindSortString, restored},
	{"a tenant's name without its guard", func(d *damaged) {
		for k := range d.nameGuards() {
			if d.nameGuards()[k] == "acme" {
				d.raw.delete(key{k, "*"})
			}
		}
	}, check.KindGuard, restored},
	{"a guard of a name that its tenant does not have", func(d *damaged) {
		d.put(key{"/tenantname-b", "*"}, item{"owner": "acme"})
	}, check.KindGuardStray, restored},
	{"a guard of a name with another key", func(d *damaged) {
		d.put(key{"/tenantname-b", "x"}, item{"owner": "acme"})
	}, check.KindKey, unrepaired},
	{"a guard of a name without an owner", func(d *damaged) {
		d.put(key{"/tenantname-b", "*"}, item{})
	}, check.KindItem, unrepaired},
	{"a tenant with a wrong sort string",
		alters("tenant-acme tenants", change{"SS": bin([]byte("x"))}), check.KindSortString, restored},
	{"an issue in the trash with a wrong sort string",
		alters("issue-p1.trashed xtrash-p1", change{"SS": bin(sortkey.Num(77))}),
		check.KindSortString, restored},
	{"a value without its entry", removes("xvalue-p1.fint"), check.KindEntryMissing, restored},
	{"a member without its entry", removes("xvalue-p1.ftags.blue"), check.KindEntryMissing, repaired},
	{"a long text without its entry", removes("xvalue-p1.ftext"), check.KindEntryMissing, repaired},
	{"a name without its entry", removes("xvalue-p1.name"), check.KindEntryMissing, restored},
	{"an entry of another value",
		alters("xvalue-p1.fint", change{"SS": bin(sortkey.Join(sortkey.Int(1), 1))}),
		check.KindEntryWrong, restored},
	{"an entry that is in no index",
		alters("xvalue-p1.fint", change{"SS": nil}), check.KindEntryWrong, restored},
	{"an entry with an extra attribute",
		alters("xvalue-p1.fint", change{"v": str("x")}), check.KindEntryWrong, restored},
	{"an entry of a missing value",
		puts("xvalue-p1.fgone", item{"SS": binary(sortkey.Join(sortkey.Int(1), 1)), "ver": number("1")}),
		check.KindEntryExtra, restored},
	{"an entry of a missing member",
		puts("xvalue-p1.ftags.green/and.dots", item{"SS": binary(sortkey.Num(1)), "ver": number("1")}),
		check.KindEntryExtra, restored},
	{"an entry of a future version",
		alters("xvalue-p1.fint", change{"ver": num(9)}), check.KindEntryVersion, restored},
	{"an entry of no version",
		alters("xvalue-p1.fint", change{"ver": num(0)}), check.KindEntryVersion, restored},
	{"a marker of an issue that is not being indexed",
		puts("xindexing-p1", item{"version": number("2")}), check.KindMarker, restored},
	{"a marker of another version", func(d *damaged) {
		d.alter(d.doc, change{"indexing": &types.AttributeValueMemberBOOL{Value: true}})
		d.put(d.sk("xindexing-p1"), item{"version": number("1")})
	}, check.KindMarker, repaired},
	{"a marker of no issue",
		puts("issue-p1.nobody xindexing-p1", item{"version": number("1")}), check.KindMarker, restored},
	{"a marker left by a crash", func(d *damaged) {
		d.alter(d.doc, change{"indexing": &types.AttributeValueMemberBOOL{Value: true}})
		d.put(d.sk("xindexing-p1"), item{"version": number("2")})
		d.raw.delete(d.sk("xvalue-p1.fint"))
		d.alter(d.sk("xvalue-p1.fnum"), change{"SS": bin([]byte("x"))})
		d.put(d.sk("xvalue-p1.fgone"), item{"SS": binary("x"), "ver": number("1")})
	}, check.KindIndexing, repaired},
	{"an entry without an issue",
		puts("issue-p1.nobody xvalue-p1.fint", item{"SS": binary("x"), "ver": number("1")}),
		check.KindGhost, restored},
	{"an entry of an issue in the trash",
		puts("issue-p1.trashed xvalue-p1.fint", item{"SS": binary("x"), "ver": number("1")}),
		check.KindGhost, restored},
	{"a replaced text that stays", func(d *damaged) {
		for k, m := range d.raw.items(d.doc.PK) {
			if strings.HasPrefix(k.SK, "acme/xtext-p1.flong") && m["expires"] != nil {
				d.alter(k, change{"expires": nil})
			}
		}
	}, check.KindTextStays, restored},
	{"a text that no issue refers to", func(d *damaged) {
		d.put(d.sk("xtext-p1.flong.abc.0"), item{"v": binary("x"), "at": number("1700000000")})
		d.put(d.sk("xtext-p1.flong.abc.1"), item{"v": binary("x"), "at": number("1700000000")})
	}, check.KindOrphan, restored},
	{"a text that no issue refers to, without a time",
		puts("issue-p1.nobody xtext-p1.flong.abc.0", item{"v": binary("x")}), check.KindOrphan, restored},
	{"a counter that is too low",
		alters("project-p1 xcounter-num", change{"n": num(1)}), check.KindCounter, restored},
	{"a missing counter",
		removes("project-p1 xcounter-num"),
		check.KindCounter, repaired}, // the time of the last reservation is lost
	{"a missing counter of a project without issues",
		removes("project-p2 xcounter-num"), check.KindCounter, restored},
	{"a project key without its guard", removes("unique-projectkey.PRJ *"), check.KindGuard, restored},
	{"a guard of a missing project",
		alters("unique-projectkey.PRJ *", change{"owner": str("p9")}), check.KindGuard, restored},
	{"a guard of another project",
		alters("unique-projectkey.PRJ *", change{"owner": str("p2")}), check.KindGuard, restored},
	{"a guard of a key that no project has",
		puts("unique-projectkey.OLD *", item{"owner": "p1"}), check.KindGuardStray, restored},
	{"a guard of a key of no project",
		puts("unique-projectkey.OLD *", item{"owner": "p9"}), check.KindGuardStray, restored},
}
