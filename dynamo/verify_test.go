package dynamo_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// document is the full content of an issue as a test expects it, including long texts. Its methods derive the
// items that the table must hold from docs/grid.md, independently of the production code.
type document struct {
	tenant      tracker.TenantID
	id          tracker.IssueID
	num         int64
	name        string
	state       tracker.OptionID
	created     time.Time
	updated     time.Time
	version     int64
	description string
	values      map[tracker.FieldID]tracker.Value
}

func documentOf(t tracker.TenantID, i *tracker.Issue, description string,
	values map[tracker.FieldID]tracker.Value) *document {
	return &document{tenant: t, id: i.ID, num: i.Num, name: i.Name, state: i.State, created: i.Created,
		updated: i.Updated, version: i.Version,
		description: description, values: maps.Clone(values)}
}

func (d *document) pk() string {
	return fmt.Sprintf("%s/issue-%s.%s", d.tenant, d.id.Project, d.id.Issue)
}

// value returns the sort key of the index entry of a column.
func (d *document) value(column any) string {
	return fmt.Sprintf("%s/xvalue-%s.%v", d.tenant, d.id.Project, column)
}

// entry is an index entry of an issue, an item next to the document.
type entry struct{ ss []byte }

// isLong reports whether a value is stored outside the document.
func isLong(f *tracker.Field, v tracker.Value) bool {
	return (f.Type == tracker.TypeText || f.Type == tracker.TypeLongText) && len(v.Text()) > 256
}

// longTexts returns the texts that are stored outside the document, by column.
func (d *document) longTexts(def *tracker.Definition) map[string]string {
	out := map[string]string{}
	if len(d.description) > 256 {
		out["description"] = d.description
	}
	for id, v := range d.values {
		if isLong(def.Field(id), v) {
			out[string(id)] = v.Text()
		}
	}
	return out
}

// entries returns all index entries of the issue, by sort key.
func (d *document) entries(def *tracker.Definition) map[string]entry {
	rank := slices.IndexFunc(def.Project.States, func(s tracker.State) bool { return s.ID == d.state })
	join := func(v sortkey.Value) []byte { return sortkey.Join(v, d.num) }
	out := map[string]entry{
		d.value("name"):    {ss: join(sortkey.Text(d.name))},
		d.value("state"):   {ss: join(sortkey.Rank(rank))},
		d.value("created"): {ss: join(sortkey.Time(d.created))},
		d.value("updated"): {ss: join(sortkey.Time(d.updated))},
	}
	for id, v := range d.values {
		f := def.Field(id)
		at := d.value(id)
		if f.Gen > 0 {
			at += fmt.Sprintf("~%d", f.Gen)
		}
		var e entry
		switch f.Type {
		case tracker.TypeMultiSelect, tracker.TypeTags:
			for _, member := range v.Set() {
				if f.Type == tracker.TypeTags {
					member = sortkey.Fold(member)
				}
				out[at+"."+member] = entry{ss: sortkey.Num(d.num)}
			}
			continue
		case tracker.TypeInteger:
			e.ss = join(sortkey.Int(v.Int()))
		case tracker.TypeNumber:
			e.ss = join(sortkey.Float(v.Float()))
		case tracker.TypeBoolean:
			e.ss = join(sortkey.Bool(v.Bool()))
		case tracker.TypeDate:
			e.ss = join(sortkey.Date(when(time.DateOnly, v)))
		case tracker.TypeDateTime:
			e.ss = join(sortkey.Time(when(time.RFC3339Nano, v)))
		case tracker.TypeSelect:
			e.ss = join(sortkey.Rank(slices.IndexFunc(f.Options, func(o tracker.Option) bool {
				return string(o.ID) == v.Text()
			})))
		case tracker.TypeText, tracker.TypeUser:
			e.ss = join(sortkey.Text(v.Text()))
		}
		if e.ss != nil {
			out[at] = e
		}
	}
	return out
}

func when(form string, v tracker.Value) time.Time {
	t, err := time.Parse(form, v.Text())
	if err != nil {
		panic(err) // tests only use valid values
	}
	return t
}

// verify compares all items of an issue's partition with those that its document implies.
func verify(t tester, raw *raw, def *tracker.Definition, d *document) {
	t.Helper()
	got := map[string]item{}
	for _, m := range raw.partition(d.pk()) {
		got[m["SK"].(string)] = m
	}
	verifyItems(t, got, def, d)
}

func verifyItems(t tester, got map[string]item, def *tracker.Definition, d *document) {
	t.Helper()
	sk := fmt.Sprintf("%s/project-%s", d.tenant, d.id.Project)
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
	want := item{"PK": d.pk(), "SK": fmt.Sprintf("%s/project-%s", d.tenant, d.id.Project),
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
	if len(d.values) > 0 {
		stored, _ := doc["values"].(item)
		values, gens, has := item{}, item{}, set{}
		for id, v := range d.values {
			f := def.Field(id)
			has = append(has, string(id))
			if f.Gen > 0 {
				gens[string(id)] = number(fmt.Sprint(f.Gen))
			}
			switch v.Kind {
			case tracker.KindText:
				values[string(id)] = v.Text()
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
		slices.Sort(has)
		if want["values"], want["has"] = values, has; len(gens) > 0 {
			want["gens"] = gens
		}
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
		fields := slices.Collect(maps.Keys(d.values))
		slices.Sort(fields)
		sk := fmt.Sprintf("%s/project-%s", d.tenant, d.id.Project)
		want[sk] = append(want[sk], row{d.pk(), string(sortkey.Num(d.num)),
			strings.Trim(fmt.Sprint(fields), "[]")})
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
