package importer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/columns"
	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// synthetic returns a file of n rows that alternate between two projects, with a value in most columns.
func synthetic(n int) string {
	var b strings.Builder
	b.WriteString("project,key,name,kind,points,text,labels\n")
	for i := range n {
		fmt.Fprintf(&b, "%s,K-%d,issue %d,%s,%d,\"%s\",%s\n", []string{"A", "B"}[i%2], i, i,
			[]string{"Bug", "Story", "Task"}[i%3], i, strings.Repeat(fmt.Sprint("long ", i, "\r\n"), i%50),
			strings.Repeat("tag", i%2))
	}
	return b.String()
}

const syntheticMapping = `{"columns": [{"column": "project", "to": "projectKey"}, {"column": "key", "to": "rowKey"}, {"column": "name", "to": "name"}, {"column": "kind", "type": "SELECT"},
	{"column": "points", "type": "INTEGER"}, {"column": "text", "type": "LONG_TEXT"}, {"column": "labels", "type": "TAGS"}]}`

// wantSynthetic checks that the two projects have exactly the rows of synthetic(n), each once, with all
// values, and unique numbers.
func (f *fixture) wantSynthetic(n int) {
	f.Helper()
	seen := map[string]bool{}
	for _, key := range []string{"A", "B"} {
		d := f.definition(key)
		issues := f.issues(d)
		for at, i := range issues {
			var row int
			fmt.Sscanf(i.Name, "issue %d", &row)
			if seen[i.Name] || key != []string{"A", "B"}[row%2] {
				f.Errorf("%q is there twice, or in the wrong project", i.Name)
			}
			seen[i.Name] = true
			if at > 0 && issues[at-1].Num == i.Num {
				f.Errorf("the number %d is there twice", i.Num)
			}
			want := []string{[]string{"Bug", "Story", "Task"}[row%3], fmt.Sprint(row),
				strings.Repeat(fmt.Sprint("long ", row, "\r\n"), row%50), strings.Repeat("tag", row%2)}
			for c, field := range d.Fields {
				if got := f.shown(field, i); got != want[c] {
					f.Errorf("%q has %s %q, want %q", i.Name, field.Name, got, want[c])
				}
			}
		}
		// The index has exactly one entry per issue.
		page, err := f.tenant.QueryKeys(f.Context(),
			columns.KeyQuery{Project: d.Project.ID, Shards: d.Project.Shards, Column: tracker.ColumnName,
				CountOnly: true})
		if err != nil || page.Count != len(issues) {
			f.Errorf("%d entries of the name for %d issues, error %v", page.Count, len(issues), err)
		}
	}
	if len(seen) != n {
		f.Errorf("%d rows are there, want %d", len(seen), n)
	}
}

// TestRepeating checks that a repeated import adds only the new rows of its file.
func TestRepeating(t *testing.T) {
	f := setup(t)
	_, err := f.tenant.CreateProject(t.Context(), tracker.Project{ID: "b", Key: "B", Name: "B", Shards: 7,
		States: []tracker.State{{ID: "open", Name: "Open", Open: true}}})
	if err != nil {
		t.Fatal(err)
	}
	m := f.mapping(strings.Replace(syntheticMapping, "{", `{"shards": 2, `, 1))
	wantSummary(t, f.run(importer.Options{File: f.file("in.csv", synthetic(250)), Mapping: m}),
		"added 250, changed 0, unchanged 0, rejected 0")
	f.wantSynthetic(250)
	if a, b := f.definition("A").Project.Shards, f.definition("B").Project.Shards; a != 2 || b != 7 {
		t.Errorf("the projects have %d and %d shards, want 2 and 7", a, b)
	}
	wantSummary(t, f.run(importer.Options{File: f.file("in.csv", synthetic(300)), Mapping: m}),
		"added 50, changed 0, unchanged 250, rejected 0")
	f.wantSynthetic(300)
}

// TestRowOrder checks that numbers follow the order of the file, in whatever order rows are written.
func TestRowOrder(t *testing.T) {
	f := setup(t)
	f.run(importer.Options{File: f.file("in.csv", synthetic(1000)), Mapping: f.mapping(syntheticMapping)})
	for p, key := range []string{"A", "B"} {
		for at, i := range f.issues(f.definition(key)) {
			if want := fmt.Sprint("issue ", 2*at+p); i.Name != want || i.Num != int64(at+1) {
				t.Fatalf("issue %d of %s is %d %q, want %q", at, key, i.Num, i.Name, want)
			}
		}
	}
}

// interrupted repeats an import until one completes. stop handles the requests of each after a random one,
// which is among the first step requests at first, and later with each attempt. It returns how many were
// interrupted.
func (f *fixture) interrupted(opts importer.Options, step int64,
	stop func(cancel func()) dynamotest.Interceptor, each func(*importer.Summary, error)) (times int) {
	f.Helper()
	for seed := uint64(0); ; seed++ {
		ctx, cancel := context.WithCancel(f.Context())
		var requests atomic.Int64
		last, stopped := rand.New(rand.NewPCG(seed, 1)).Int64N(step*int64(seed+1)), stop(cancel)
		f.wire.Intercept(func(r *dynamotest.Request,
			send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
			if requests.Add(1) > last {
				return stopped(r, send)
			}
			return send(r)
		})
		s, err := importer.Run(ctx, f.tenant, opts)
		cancel()
		f.wire.Intercept(nil)
		if each(s, err); err == nil {
			return times
		}
		times++
	}
}

// cancels ends the context of an import at a request; refuses makes the database fail.
func cancels(cancel func()) dynamotest.Interceptor {
	return dynamotest.Instead(func(*dynamotest.Request) *dynamotest.Response { cancel(); return nil })
}

func refuses(func()) dynamotest.Interceptor { return dynamotest.Refuse("", "AccessDeniedException") }

// TestInterrupted ends imports at a random request, by the caller or by the database, and repeats them until
// one completes.
func TestInterrupted(t *testing.T) {
	for _, c := range []struct {
		name, why string
		stop      func(cancel func()) dynamotest.Interceptor
	}{
		{"cancelled", "", cancels},
		{"database fails", ": the database is unavailable; try again later", refuses},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := setup(t)
			const rows = 400
			opts := importer.Options{File: f.file("in.csv", synthetic(rows)),
				Mapping: f.mapping(syntheticMapping), Project: "P"}
			if n := f.interrupted(opts, 50, c.stop, func(s *importer.Summary, err error) {
				if err == nil {
					if s.Added+s.Unchanged != rows {
						t.Errorf("%d added and %d present, want %d", s.Added, s.Unchanged, rows)
					}
					return
				}
				if code := tracker.CodeOf(err); code != tracker.Unavailable {
					t.Fatalf("interrupted with %q: %v", code, err)
				}
				if s != nil && !strings.Contains(err.Error(),
					fmt.Sprintf("added %d, changed 0, unchanged %d", s.Added, s.Unchanged)) {
					t.Errorf("%q does not say what the summary does: %v", err, s)
				}
				if m := tracker.AllOf(err)[0].Message; s != nil &&
					!strings.Contains(m, "rejected 0)"+c.why+"; what was written") {
					t.Errorf("%q does not say why the import stopped: want %q", m, c.why)
				}
			}); n < 3 {
				t.Errorf("%d interruptions, want some", n)
			}
			f.wantSynthetic(rows)
		})
	}
}

// TestInterruptedUpdate ends imports that change issues at a random request, as a crash does, and repeats
// them. Each issue is changed once.
func TestInterruptedUpdate(t *testing.T) {
	f := setup(t)
	const rows = 200
	m := f.mapping(syntheticMapping)
	f.run(importer.Options{File: f.file("in.csv", synthetic(rows)), Mapping: m})
	opts := importer.Options{File: f.file("edits.csv", edits(rows, 3)), Mapping: m, Project: "P"}
	want, changed := f.dry(opts), int64(0)
	if want.Changed < rows/10 || want.Added != 0 {
		t.Fatalf("the dry run: %s", want)
	}
	crash := func(cancel func()) dynamotest.Interceptor {
		return func(r *dynamotest.Request,
			send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
			cancel()
			return refuses(nil)(r, send)
		}
	}
	interruptions := f.interrupted(opts, 20, crash, func(s *importer.Summary, _ error) {
		if s != nil {
			changed += s.Changed
		}
	})
	// The response of a change may have been lost.
	if interruptions < 2 || changed > want.Changed {
		t.Errorf("%d interruptions; %d issues were changed, want at most %d", interruptions, changed,
			want.Changed)
	}
	wantSummary(t, f.run(opts), "added 0, changed 0, unchanged 200, rejected 0")
	f.wantVersions(2)
	f.consistent()
}

// TestNumbers checks that no number is given twice, and that none leaves too few for new issues.
func TestNumbers(t *testing.T) {
	f := setup(t)
	m := f.mapping(
		`{"columns": [{"column": "n", "to": "num"}, {"column": "key", "to": "rowKey"}, {"column": "key", "to": "name"}]}`)
	f.run(importer.Options{File: f.file("in.csv", "key,n\na,1\nb,500\n"), Mapping: m})
	d := f.definition("P")
	made, err := f.tenant.CreateIssue(t.Context(), d,
		tracker.Issue{Name: "made by hand", State: d.Project.States[0].ID})
	if err != nil || made.Num != 501 {
		t.Fatalf("the issue made by hand has the number %d, error %v", made.Num, err)
	}
	s := f.run(importer.Options{File: f.file("in.csv",
		fmt.Sprintf("key,n\na,1\nb,500\nc,501\nd,500\ne,2\nf,40000\ng,\nh,%d\ni,%[1]d1\nj,%d\nk,%d\n",
			tracker.MaxGivenNum, tracker.MaxGivenNum+1, tracker.MaxNum)), Mapping: m})
	var rejects []string
	for _, row := range f.rejectsOf(s) {
		rejects = append(rejects, row[0]+" "+row[2])
	}
	for n, want := range []string{"5 number given twice", "10 out of range", "11 out of range",
		"12 out of range", "4 number taken"} {
		if n >= len(rejects) || !strings.HasPrefix(rejects[n], want) {
			t.Errorf("rejects are %q, want %q", rejects, want)
		}
	}
	if len(rejects) != 5 {
		t.Errorf("rejects are %q", rejects)
	}
	if s.Unchanged != 2 {
		t.Errorf("%d present, want 2", s.Unchanged)
	}
	f.want("P", "1 a", "2 e", "500 b", "501 made by hand", "40000 f", "1073741824 h", "1073741825 g")
}
