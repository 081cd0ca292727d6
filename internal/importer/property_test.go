package importer_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// randomColumn is a column of random files: its mapping, and the cells that it can have. Some do not fit.
type randomColumn struct {
	name, mapping string
	cells         []string
}

var randomColumns = []randomColumn{
	{"title", `"to": "name"`, []string{"a", "b", "c\x1b", ""}},
	{"status", `"to": "state"`, []string{"Open", "Closed", "open", "Waiting", ""}},
	{"number", `"to": "num"`, []string{"", "", "", "1", "2", "7", "30", "x"}},
	{"description", `"to": "description"`, []string{"", "d", strings.Repeat("long ", 200)}},
	{"created", `"to": "createdAt"`, []string{"", "2020-01-01", "2020-01-02T10:00:00Z", "soon"}},
	{"text", `"type": "TEXT"`, []string{"", "x", "y", strings.Repeat("long ", 200)}},
	{"points", `"type": "INTEGER"`, []string{"", "1", "2", "many"}},
	{"due", `"type": "DATE"`, []string{"", "2020-01-01", "2020-01-02", "2020-13-01"}},
	{"done", `"type": "BOOLEAN"`, []string{"", "yes", "no", "perhaps"}},
	{"kind", `"type": "SELECT"`, []string{"", "Bug", "Story", "bug", "Epic"}},
	{"areas", `"type": "MULTI_SELECT", "separator": ", "`, []string{"", "x", "x, y", "y, x", "Z", "x, x"}},
	{"labels", `"type": "TAGS", "separator": ", "`, []string{"", "a", "a, b", "b, a", "a, a"}},
}

// randomImport makes a file of some columns, with a mapping or without, and options.
func (f *fixture) randomImport(r *rand.Rand, columns []randomColumn, keys int, project string,
) importer.Options {
	f.Helper()
	pick := func(all []string) string { return all[r.IntN(len(all))] }
	var in strings.Builder
	lines := r.IntN(2) == 0
	if !lines {
		in.WriteString("key")
		for _, c := range columns {
			in.WriteString("," + c.name)
		}
		in.WriteString("\n")
	}
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, "\x1b", `\u001b`) + `"` }
	for n := range keys {
		key := fmt.Sprint("K", n)
		if r.IntN(15) == 0 {
			key = pick([]string{"", "K0"})
		}
		if lines {
			in.WriteString(`{"key": ` + quoted(key))
		} else {
			in.WriteString(key)
		}
		for _, c := range columns {
			cell := c.cells[0]
			if r.IntN(3) > 0 { // mostly those that fit
				cell = c.cells[r.IntN(min(3, len(c.cells)))]
			} else if r.IntN(3) == 0 {
				cell = pick(c.cells)
			}
			switch {
			case !lines:
				in.WriteString(`,"` + cell + `"`)
			case r.IntN(4) > 0:
				in.WriteString(", " + quoted(c.name) + ": " + quoted(cell))
			}
		}
		if lines {
			in.WriteString("}")
		}
		in.WriteString("\n")
	}
	opts := importer.Options{File: f.file("random", in.String()), Project: project,
		NewOptions: r.IntN(2) == 0, OnlyNew: r.IntN(6) == 0, Workers: 1 + r.IntN(4)}
	if r.IntN(2) == 0 {
		mapping := `{"columns": [{"column": "key", "to": "rowKey"}`
		for _, c := range columns {
			ignore := ""
			if r.IntN(3) == 0 && (c.name == "kind" || c.name == "status" || c.name == "areas") {
				ignore = `, "ignoreCase": true`
			}
			mapping += fmt.Sprintf(`, {"column": %q, %s%s}`, c.name, c.mapping, ignore)
		}
		opts.Mapping = f.mapping(mapping + "]}")
	}
	return opts
}

// snapshot returns the issues of a project by id, and its definition, nil if there is none.
func (f *fixture) snapshot(key string) (map[string]*tracker.Issue, *tracker.Definition) {
	f.Helper()
	out := map[string]*tracker.Issue{}
	d := f.find(key)
	if d == nil {
		return out, nil
	}
	for _, i := range f.issues(d) {
		out[i.ID.Issue] = i
	}
	return out, d
}

// TestRandomImports imports random files into projects that other imports and users have changed. The dry run
// has the summary of the import, which is the difference of the stored issues, and a repetition changes
// nothing.
func TestRandomImports(t *testing.T) {
	f := setup(t)
	var total importer.Summary
	problems := 0
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		project := fmt.Sprint("Q", seed)
		for range 3 {
			columns := []randomColumn{randomColumns[0]}
			for _, c := range randomColumns[1:] {
				if r.IntN(3) > 0 {
					columns = append(columns, c)
				}
			}
			r.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
			opts := f.randomImport(r, columns, 1+r.IntN(15), project)
			before, definition := f.snapshot(project)
			report, err := importer.Inspect(t.Context(), f.tenant, opts)
			if err != nil {
				t.Fatal(err)
			}
			if report.Problem != nil {
				problems++
				if _, err := f.try(opts); err == nil || err.Error() != report.Problem.Error() {
					t.Errorf("seed %d: the import returns %v, its dry run %v", seed, err, report.Problem)
				}
				if after, _ := f.snapshot(project); !gocmp.Equal(keysOf(before), keysOf(after)) {
					t.Errorf("seed %d: an import that failed has changed issues", seed)
				}
				continue
			}
			s := f.run(opts)
			f.wantDifference(seed, s, before, definition, project)
			again := f.run(opts)
			if again.Added+again.Changed > 0 || again.Rejected != s.Rejected || again.Definitions != nil {
				t.Errorf("seed %d: the repetition: %s\nafter: %s", seed, again, s)
			}
			total.Added += s.Added
			total.Changed += s.Changed
			total.Unchanged += s.Unchanged + again.Unchanged
			total.Rejected += s.Rejected
			f.edit(r, project)
		}
	}
	t.Logf("%d problems; %s", problems, &total)
	for what, n := range map[string]int64{"added": total.Added, "changed": total.Changed,
		"unchanged": total.Unchanged, "rejected": total.Rejected} {
		if n < 30 {
			t.Errorf("only %d rows were %s", n, what)
		}
	}
	f.consistent()
}

func keysOf(issues map[string]*tracker.Issue) map[string]int64 {
	out := map[string]int64{}
	for id, i := range issues {
		out[id] = i.Version
	}
	return out
}

// wantDifference checks that a summary is the difference between the stored issues and those of before.
func (f *fixture) wantDifference(seed uint64, s *importer.Summary, before map[string]*tracker.Issue,
	definition *tracker.Definition, project string) {
	f.Helper()
	after, d := f.snapshot(project)
	var added, changed int64
	for id, i := range after {
		old := before[id]
		switch {
		case old == nil:
			added++
		case i.Version == old.Version+1:
			changed++
			if i.Num != old.Num || !i.Created.Equal(old.Created) || len(f.last(i).Columns) == 0 {
				f.Errorf("seed %d: issue %d was changed from %+v to %+v", seed, i.Num, old, i)
			}
		case i.Version != old.Version:
			f.Errorf("seed %d: issue %d has the version %d after %d", seed, i.Num, i.Version, old.Version)
		}
	}
	if added != s.Added || changed != s.Changed || len(after) != len(before)+int(added) {
		f.Errorf("seed %d: %d added and %d changed of %d: %s", seed, added, changed, len(before), s)
	}
	if same := definition == nil && d == nil || definition != nil &&
		definition.Project.Version == d.Project.Version; same != (s.Definitions == nil) {
		f.Errorf("seed %d: the project changed from %+v to %+v: %s", seed, definition, d, s)
	}
}

// edit makes a random change of a project, as users do.
func (f *fixture) edit(r *rand.Rand, project string) {
	f.Helper()
	issues, d := f.snapshot(project)
	if len(issues) == 0 {
		return
	}
	ids := slices.Sorted(maps.Keys(issues))
	i := issues[ids[r.IntN(len(ids))]]
	var err error
	switch r.IntN(3) {
	case 0:
		err = f.tenant.DeleteIssue(f.Context(), i.ID, nil)
	case 1:
		name := "by a user"
		_, err = f.tenant.UpdateIssue(f.Context(), d, i.ID, tracker.Change{Name: &name})
	case 2:
		_, err = f.tenant.UpdateProject(f.Context(), d.Project.ID, func(p *tracker.Project) error {
			s := p.States[0]
			s.Name += "!"
			return p.ChangeState(s)
		})
	}
	if err != nil {
		f.Fatal(err)
	}
}
