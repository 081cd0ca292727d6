package dynamo_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// verify compares all items of an issue's partition with those that its document implies.
func verify(t tester, raw *raw, def *tracker.Definition, d *document) {
	t.Helper()
	got := map[string]item{}
	for _, m := range raw.partition(d.pk()) {
		got[m["SK"].(string)] = m
	}
	verifyItems(t, got, def, d)
}

// verifyOnly compares the items of the only issue of acme, and the index.
func (f *fixture) verifyOnly(t tester, d *tracker.Definition, i *tracker.Issue,
	values map[tracker.FieldID]tracker.Value) {
	t.Helper()
	doc := documentOf(acme, i, "", values)
	verify(t, f.raw, d, doc)
	verifyIndex(t, f.raw, d, []*document{doc}, ofAcme)
}

func isNone(_ tracker.FieldID, v tracker.Value) bool { return v.Kind == tracker.KindNone }

func verifyItems(t tester, got map[string]item, def *tracker.Definition, d *document) {
	t.Helper()
	sk := fmt.Sprintf("%s/project-%s", d.tenant, d.shard())
	doc := got[sk]
	if doc == nil {
		t.Fatalf("issue %v has no document", d.id)
	}
	delete(got, sk)
	verifyDocument(t, doc, def, d)
	for sk, want := range d.entries(def) {
		m := got[sk]
		if m == nil {
			t.Errorf("issue %v has no item %s", d.id, sk)
			continue
		}
		delete(got, sk)
		ss, _ := m["SS"].(binary)
		if string(ss) != string(want.ss) {
			t.Errorf("item %s has the sort string %x, want %x", sk, ss, want.ss)
		}
		if ver := integerOf(t, m["ver"]); ver < 1 || ver > d.version {
			t.Errorf("item %s was written by version %d of an issue at version %d", sk, ver, d.version)
		}
		if len(m) != 4 {
			t.Errorf("item %s has attributes that an entry must not have: %v", sk, m)
		}
	}
	for column, text := range d.longTexts(def) {
		verifyLong(t, got, reference(doc, column),
			fmt.Sprintf("%s/xtext-%s.%s", d.tenant, d.id.Project, column), text)
	}
	verifyHistory(t, got, d)
	for sk, m := range got { // replaced texts, which expire
		if strings.HasPrefix(sk, fmt.Sprintf("%s/xtext-%s.", d.tenant, d.id.Project)) && m["expires"] != nil {
			delete(got, sk)
		}
	}
	for sk, m := range got {
		t.Errorf("issue %v has an item %s that its document does not imply: %v", d.id, sk, m)
	}
}

// reference returns the document's reference to a long text, or nil.
func reference(doc item, column string) item {
	v := doc["description"]
	if column != "description" {
		values, _ := doc["values"].(item)
		v = values[column]
	}
	ref, _ := v.(item)
	return ref
}

// verifyLong checks all parts of a long text, and removes them from got.
func verifyLong(t tester, got map[string]item, ref item, sk, text string) {
	t.Helper()
	if ref == nil {
		t.Errorf("the document does not refer to the long text %s", sk)
		return
	}
	parts := int(integerOf(t, ref["parts"]))
	var data []byte
	zipped := false
	for n := range parts {
		at := fmt.Sprintf("%s.%s.%d", sk, ref["text"], n)
		m := got[at]
		if m == nil {
			t.Errorf("part %s does not exist", at)
			return
		}
		delete(got, at)
		v := m["v"].(binary)
		if len(v) > 380<<10 || n < parts-1 && len(v) != 380<<10 {
			t.Errorf("part %d of %d of %s has %d bytes", n, parts, sk, len(v))
		}
		for name := range m {
			if !slices.Contains([]string{"PK", "SK", "v", "z", "at"}, name) {
				t.Errorf("part %s has the attribute %s", at, name)
			}
		}
		data = append(data, v...)
		zipped = m["z"] == true
	}
	if zipped {
		var err error
		if data, err = unzip().DecodeAll(data, nil); err != nil {
			t.Errorf("%s: %v", sk, err)
		}
	}
	if string(data) != text || integerOf(t, ref["bytes"]) != int64(len(text)) {
		t.Errorf("%s has %d bytes, %v by its document, want %d bytes beginning with "+
			"%.40q", sk, len(data), ref["bytes"], len(text), text)
	}
}

// verifyHistory checks that every version of the issue has an entry in the history, and removes the entries
// from got. The first version may have none.
func verifyHistory(t tester, got map[string]item, d *document) {
	t.Helper()
	seen := map[int64]bool{}
	for sk, m := range got {
		rest, ok := strings.CutPrefix(sk, fmt.Sprintf("%s/xhistory-%s.", d.tenant, d.id.Project))
		if !ok {
			continue
		}
		delete(got, sk)
		var version int64
		var n int
		if _, err := fmt.Sscanf(rest, "%010d.%02d", &version, &n); err != nil || m["expires"] == nil ||
			n == 0 && m["write"] == nil {
			t.Errorf("history entry %s is malformed: %v, %v", sk, m, err)
		}
		seen[version] = true
	}
	for version := d.version; version > 1; version-- {
		if !seen[version] {
			t.Errorf("issue %v has no history of version %d of %d", d.id, version, d.version)
		}
		delete(seen, version)
	}
	delete(seen, 1)
	if len(seen) > 0 {
		t.Errorf("issue %v of version %d has a history of versions %v", d.id, d.version, seen)
	}
}

var unzip = sync.OnceValue(func() *zstd.Decoder {
	reader, err := zstd.NewReader(nil)
	if err != nil {
		panic(err)
	}
	return reader
})

// verifyDocument checks every attribute of the issue item.
func verifyDocument(t tester, doc item, def *tracker.Definition, d *document) {
	t.Helper()
	want := item{"PK": d.pk(), "SK": fmt.Sprintf("%s/project-%s", d.tenant, d.shard()),
		"SS":  binary(sortkey.Num(d.num)),
		"num": number(fmt.Sprint(d.num)), "name": d.name, "state": string(d.state),
		"version": number(fmt.Sprint(d.version)),
		"created": d.created.Format("2006-01-02T15:04:05.999999Z"),
		"updated": d.updated.Format("2006-01-02T15:04:05.999999Z")}
	long := func(v any, text string) any { // verifyLong checks long texts
		if _, refers := v.(item); refers && len(text) > 256 {
			return v
		}
		return text
	}
	if d.description != "" {
		want["description"] = long(doc["description"], d.description)
	}
	has := set{}
	for column, user := range d.users() {
		want[column] = user
		has = append(has, column)
	}
	for attribute, all := range d.participants {
		if attribute == "author" {
			want[attribute] = all[0]
			continue
		}
		list := make([]any, len(all))
		for n, p := range all {
			list[n] = p
		}
		want[attribute] = list
		has = append(has, attribute)
	}
	if len(d.values) > 0 {
		stored, _ := doc["values"].(item)
		values, gens := item{}, item{}
		for id, v := range d.values {
			f := def.Field(id)
			has = append(has, string(id))
			if f.Gen > 0 {
				gens[string(id)] = number(fmt.Sprint(f.Gen))
			}
			switch v.Kind {
			case tracker.KindText:
				values[string(id)] = v.Text()
				if v.User() != "" {
					values[string(id)] = item{"user": string(v.User()), "name": v.Text()}
				}
				if isLong(f, v) {
					values[string(id)] = long(stored[string(id)], v.Text())
				}
			case tracker.KindNum:
				values[string(id)] = number(v.Literal())
			case tracker.KindBool:
				values[string(id)] = v.Bool()
			case tracker.KindSet:
				list := make([]any, len(v.Set()))
				for i, s := range v.Set() {
					list[i] = s
				}
				values[string(id)] = list
			}
		}
		if want["values"] = values; len(gens) > 0 {
			want["gens"] = gens
		}
	}
	if len(has) > 0 {
		slices.Sort(has)
		want["has"] = has
	}
	doc = maps.Clone(doc)
	delete(doc, "indexing") // may be stale until the next change
	if diff := cmp.Diff(want, doc, cmp.Comparer(sameNumber)); diff != "" {
		t.Errorf("document of issue %v (-want +got):\n%s", d.id, diff)
	}
}

// sameNumber reports whether two decimal literals have the same value. DynamoDB normalizes literals.
func sameNumber(a, b number) bool {
	x, ok1 := new(big.Rat).SetString(string(a))
	y, ok2 := new(big.Rat).SetString(string(b))
	return ok1 && ok2 && x.Cmp(y) == 0
}

func integerOf(t tester, v any) int64 {
	t.Helper()
	n, ok := v.(number)
	if !ok {
		t.Fatalf("%v is not a number", v)
	}
	var i int64
	if _, err := fmt.Sscan(string(n), &i); err != nil {
		t.Fatal(err)
	}
	return i
}

// row is a row of an index partition, without its sort key SK, which names the partition.
type row struct {
	pk, ss string
	has    string
}

// verifyIndex compares the index rows whose partition key mine accepts with the rows that the documents
// imply. It reads the whole index, so that it also finds rows in unexpected partitions.
func verifyIndex(t tester, raw *raw, def *tracker.Definition, docs []*document, mine func(pk string) bool) {
	t.Helper()
	want := map[string][]row{}
	for _, d := range docs {
		has := slices.Collect(maps.Keys(d.users()))
		for attribute := range d.participants {
			if attribute != "author" {
				has = append(has, attribute)
			}
		}
		for id := range d.values {
			has = append(has, string(id))
		}
		slices.Sort(has)
		sk := fmt.Sprintf("%s/project-%s", d.tenant, d.shard())
		want[sk] = append(want[sk], row{d.pk(), string(sortkey.Num(d.num)),
			strings.Trim(fmt.Sprint(has), "[]")})
		for sk, e := range d.entries(def) {
			if e.ss != nil {
				want[sk] = append(want[sk], row{pk: d.pk(), ss: string(e.ss)})
			}
		}
	}
	for _, rows := range want {
		slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.ss, b.ss) })
	}
	got := map[string][]row{}
	for partition, items := range raw.index() {
		for _, m := range items {
			if pk := m["PK"].(string); mine(pk) && !strings.Contains(partition, "/xtrash-") {
				fields, _ := m["has"].(set)
				got[partition] = append(got[partition],
					row{pk, string(m["SS"].(binary)), strings.Join(fields, " ")})
				delete(m, "has")
				if len(m) != 3 {
					t.Errorf("partition %s: the row of %s has attributes other than the keys and has: %v",
						partition, pk, m)
				}
			}
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("index (-want +got):\n%s", diff)
	}
}

// ofAcme reports whether a partition key is that of an issue of acme.
func ofAcme(pk string) bool { return strings.HasPrefix(pk, string(acme)+"/issue-") }
