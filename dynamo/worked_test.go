package dynamo_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/orderedcode"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

var update = flag.Bool("update", false, "update the golden files")

// golden compares a string with a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		ok(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	ok(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs from the index; if the change is intended, run go test ./dynamo -run %s "+
			"-update (-want +got):\n%s", path, t.Name(), diff)
	}
}

// TestWorkedExample compares every index row of the worked example, in the engine's order, with the golden
// file: the decoded value, the number or ID after it, the ID of the row's entity, and the bytes of the sort
// string, so that the test detects any change of the encoding.
//
//test:engine
func TestWorkedExample(t *testing.T) {
	db, _ := dynamotest.Open(t)
	projects := sample.Worked()
	ok(t, sample.Load(t.Context(), db, projects, func(int, int) {}))
	raw := newRaw(t, db.Table())
	unseen := raw.index()
	var out strings.Builder
	show := func(title, partition string, decode decoder) {
		fmt.Fprintf(&out, "%s: %s\n", title, partition)
		for _, m := range raw.ordered(partition) {
			_, id, _ := strings.Cut(m["PK"].(string), "-")
			fmt.Fprintf(&out, "  %s -> %s%s\n    %x\n", decode(t, m["SS"].(binary)), id, has(m), m["SS"])
		}
		delete(unseen, partition)
	}
	show("tenants", "tenants", named)
	for _, p := range projects {
		show("projects of tenant "+p.Tenant.Name, fmt.Sprintf("%s/tenant-%[1]s", p.Tenant.ID), named)
	}
	for _, p := range projects {
		prefix := string(p.Tenant.ID) + "/"
		show("issues of project "+p.Project.Name, prefix+"project-"+string(p.Project.ID), numbered)
		for _, column := range []struct {
			name   string
			decode decoder
		}{{"name", text}, {"state", integer}, {"created", instant}, {"updated", instant}} {
			show(column.name+" of its issues", prefix+"xvalue-"+string(p.Project.ID)+"."+column.name,
				column.decode)
		}
		for _, f := range p.Fields {
			decode := map[tracker.FieldType]decoder{tracker.TypeDate: date, tracker.TypeInteger: integer,
				tracker.TypeText: text}[f.Type]
			show("values of "+f.Name, prefix+"xvalue-"+string(p.Project.ID)+"."+string(f.ID), decode)
		}
	}
	for partition, rows := range unseen {
		t.Errorf("the index has an unexpected partition %s with %v", partition, rows)
	}
	golden(t, "worked-example.golden", out.String())
}

// decoder converts a sort string to a readable form.
type decoder func(t *testing.T, ss binary) string

func decode(t *testing.T, ss binary, into ...any) {
	t.Helper()
	if rest, err := orderedcode.Parse(string(ss), into...); err != nil || rest != "" {
		t.Fatalf("sort string %x: %v, with %d bytes left", ss, err, len(rest))
	}
}

func named(t *testing.T, ss binary) string {
	var name, id string
	decode(t, ss, &name, &id)
	return name + " " + id
}

func numbered(t *testing.T, ss binary) string {
	var num int64
	decode(t, ss, &num)
	return fmt.Sprintf("#%d", num)
}

func text(t *testing.T, ss binary) string {
	var value string
	var num int64
	decode(t, ss, &value, &num)
	return fmt.Sprintf("%s #%d", value, num)
}

func integer(t *testing.T, ss binary) string {
	var value, num int64
	decode(t, ss, &value, &num)
	return fmt.Sprintf("%d #%d", value, num)
}

func date(t *testing.T, ss binary) string {
	var days, num int64
	decode(t, ss, &days, &num)
	return fmt.Sprintf("%s #%d", time.Unix(days*86400, 0).UTC().Format(time.DateOnly), num)
}

func instant(t *testing.T, ss binary) string {
	var micros, num int64
	decode(t, ss, &micros, &num)
	return fmt.Sprintf("%s #%d", time.UnixMicro(micros).UTC().Format(time.RFC3339Nano), num)
}

// has returns the only attribute in the index besides the keys.
func has(m item) string {
	fields, ok := m["has"].(set)
	if !ok {
		return ""
	}
	return " has " + strings.Join(fields, " ")
}
