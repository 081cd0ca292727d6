package graph_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/graph/model"
	"issuegrid/internal/sample"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// attacked is the data that the attacks read: a tenant with projects that have fields of every type and
// strings of every script. Attacks by mutations have separate projects (ground), so that their writes do not
// affect other attacks. The race detector has fewer issues.
type attacked struct {
	*server
	// 400 fields of every type, some with the longest names; issues in every script with long texts
	scripts sample.Project
	long    sample.Project // 34 issues with descriptions of 249 KB of U+FDFA
	names   sample.Project // 100 issues with names of 1,000 U+FDFA
	german  sample.Project // 2,000 issues with names of 66 characters
	pages   sample.Project // 34 issues with 249 KB of ordinary text in each of five scripts
	foreign *things        // of another tenant
	grounds int            // number of grounds made
}

const attackedTenant = tracker.TenantID("attacked")

// newAttacked creates the data. As in all tests, definitions are cached for longer than the attacks take, so
// that reading them does not count as a cost of an attack.
func newAttacked(t testing.TB) *attacked {
	t.Helper()
	a := &attacked{server: alone(t, grouped)}
	a.scripts = scriptsProject()
	few := func(issues int) int { return max(10, issues/fewer) }
	a.long = plainProject("long", few(34), func(int) string { return "a" })
	for i := range a.long.Issues {
		a.long.Issues[i].Description = tracker.Text(strings.Repeat("\ufdfa", 83_000))
	}
	a.names = plainProject("names", few(100), func(int) string { return strings.Repeat("\ufdfa", 1000) })
	a.german = plainProject("german", few(2000), func(n int) string {
		return fmt.Sprintf("%.60s %05d", strings.Repeat("Prüfgröße für Übergänge ", 3), n)
	})
	a.pages = plainProject("pages", few(34), func(int) string { return "a" })
	for i, s := range scripts[:5] {
		id := tracker.FieldID(fmt.Sprint("page", i))
		a.pages.Fields = append(a.pages.Fields,
			tracker.Field{ID: id, Name: s.name, Type: tracker.TypeLongText, Position: int64(i + 1)})
		for k := range a.pages.Issues {
			a.pages.Issues[k].Values[id] = tracker.Text(strings.Repeat(s.word, 249_000/len(s.word)))
		}
	}
	var group errgroup.Group
	for _, p := range []sample.Project{a.scripts, a.long, a.names, a.german, a.pages} {
		group.Go(func() error {
			return sample.Load(t.Context(), a.db, []sample.Project{p}, func(int, int) {})
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	a.foreign = a.ground(t)
	return a
}

var attackedStates = []tracker.State{{ID: "new", Name: "Neu \ufdfa", Open: true}, {ID: "done", Name: "済み"}}

// plainProject returns a project with the given number of issues and no fields.
func plainProject(id string, issues int, name func(n int) string) sample.Project {
	p := sample.Project{Tenant: tracker.Tenant{ID: attackedTenant, Name: "Attacked"},
		Project: tracker.Project{ID: tracker.ProjectID(id), Key: strings.ToUpper(id), Name: id,
			States: attackedStates}}
	for n := range issues {
		at := time.Date(2024, 1, 1, 0, 0, n, 0, time.UTC)
		p.Issues = append(p.Issues, tracker.Issue{ID: tracker.IssueID{Project: p.Project.ID,
			Issue: fmt.Sprint("i", n+1)}, Num: int64(n + 1), Name: name(n),
			State: attackedStates[n%2].ID, Created: at, Updated: at,
			Values: map[tracker.FieldID]tracker.Value{}})
	}
	return p
}

// longNames is how many fields of the scripts project have the longest names. To create a field normalizes
// the names of all others.
var longNames = tier.Cases(40, tracker.MaxFields)

// scriptsProject returns a project with a field of every type, with the IDs f0, f1 and so on in the order of
// tracker.FieldTypes, and further fields, 400 in all, the last of which have names of 240 characters.
func scriptsProject() sample.Project {
	p := plainProject("scripts", 120, func(n int) string {
		s := scripts[n%len(scripts)]
		return exactly(s.word, 1+(n*n*7)%1000)
	})
	var options []tracker.Option
	for i, s := range scripts {
		options = append(options, tracker.Option{ID: tracker.OptionID(fmt.Sprint("o", i)),
			Name: exactly(s.word, 200) + fmt.Sprint(i)})
	}
	for i := range tracker.MaxFields {
		f := tracker.Field{ID: tracker.FieldID(fmt.Sprint("f", i)), Type: tracker.TypeText,
			Position: int64(i + 1), Name: takenName(i)}
		if i < tracker.MaxFields-longNames {
			f.Name = fmt.Sprint("Field ", i)
		}
		if i < len(tracker.FieldTypes) {
			if f.Type = tracker.FieldTypes[i]; f.Type.HasOptions() {
				f.Options = options
			}
		}
		p.Fields = append(p.Fields, f)
	}
	for n := range p.Issues {
		p.Issues[n].Description = tracker.Text(exactly(scripts[n%len(scripts)].word, 3000))
		for i, kind := range tracker.FieldTypes {
			p.Issues[n].Values[p.Fields[i].ID] = scriptsValue(kind, n)
		}
		for i := range 20 {
			p.Issues[n].Values[p.Fields[20+i].ID] = tracker.Text(
				exactly(scripts[(n+i)%len(scripts)].word, 80))
		}
	}
	return p
}

// takenName returns the name of a field of the scripts project: 240 characters U+0344, which normalize to 480
// marks, and its number.
func takenName(i int) string { return strings.Repeat("\u0344", 240) + fmt.Sprint(i) }

// scriptsValue returns a value for issue n. For some issues there is none.
func scriptsValue(kind tracker.FieldType, n int) tracker.Value {
	s := scripts[n%len(scripts)]
	if n%7 == 6 {
		return tracker.Value{}
	}
	switch kind {
	case tracker.TypeText:
		return tracker.Text(exactly(s.word, 1+n*40))
	case tracker.TypeLongText:
		if n%12 == 0 {
			return tracker.Text(strings.Repeat("\ufdfa", 200<<10/3))
		}
		return tracker.Text(exactly(s.word, 1000))
	case tracker.TypeInteger:
		return tracker.Int(int64(n) << (n % 50))
	case tracker.TypeNumber:
		return tracker.Float(float64(n) * 1.5)
	case tracker.TypeDate:
		return tracker.Text(fmt.Sprintf("2024-01-%02d", 1+n%28))
	case tracker.TypeDateTime:
		return tracker.Text(fmt.Sprintf("2024-01-%02dT10:00:00Z", 1+n%28))
	case tracker.TypeBoolean:
		return tracker.Bool(n%2 == 0)
	case tracker.TypeSelect:
		return tracker.Text(fmt.Sprint("o", n%len(scripts)))
	case tracker.TypeMultiSelect:
		return tracker.Set([]string{fmt.Sprint("o", n%len(scripts)), fmt.Sprint("o", (n+1)%len(scripts))})
	case tracker.TypeTags:
		return tracker.Set([]string{exactly(s.word, 100), exactly(s.word, 90) + "2"})
	}
	return tracker.Text(exactly(s.word, 200))
}

// things are the IDs to use where the schema requires one and the attack has none.
type things struct {
	tenant, project, issue, deleted, state string
	fields                                 map[tracker.FieldType]string
	options                                map[tracker.FieldType][]string
	issues                                 []string
}

// thingsOf returns the IDs in a project whose fields are those of scriptsProject.
func thingsOf(p *sample.Project) *things {
	o := &things{tenant: model.TenantNodeID(p.Tenant.ID), project: projectID(p), issue: issueID(p, 0),
		deleted: issueID(p, 1), state: stateID(p, "new"),
		fields: map[tracker.FieldType]string{}, options: map[tracker.FieldType][]string{}}
	for i, kind := range tracker.FieldTypes {
		o.fields[kind] = fieldID(p, string(p.Fields[i].ID))
		for _, option := range p.Fields[i].Options {
			o.options[kind] = append(o.options[kind], optionID(p, string(p.Fields[i].ID), string(option.ID)))
		}
	}
	for i := range p.Issues {
		o.issues = append(o.issues, issueID(p, i))
	}
	return o
}

// ground creates a tenant with a project for attacks by mutations. The second issue of the project is in the
// trash.
func (a *attacked) ground(t testing.TB) *things {
	t.Helper()
	a.grounds++
	p := a.scripts
	p.Tenant = tracker.Tenant{ID: tracker.TenantID(fmt.Sprint("ground", a.grounds)),
		Name: fmt.Sprint("Ground ", a.grounds)}
	p.Fields, p.Issues = slices.Clone(p.Fields[:len(tracker.FieldTypes)]), slices.Clone(p.Issues[:6])
	for i := range p.Fields {
		p.Fields[i].Name = fmt.Sprint("Field ", i)
		p.Fields[i].Options = slices.Clone(p.Fields[i].Options)
		for k := range p.Fields[i].Options {
			p.Fields[i].Options[k].Name = fmt.Sprint("Option ", k)
		}
	}
	for i := range p.Issues {
		p.Issues[i].Values = maps.Clone(p.Issues[i].Values)
		maps.DeleteFunc(p.Issues[i].Values, func(id tracker.FieldID, _ tracker.Value) bool {
			return !slices.ContainsFunc(p.Fields, func(f tracker.Field) bool { return f.ID == id })
		})
	}
	if err := sample.Load(t.Context(), a.db, []sample.Project{p}, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	o := thingsOf(&p)
	a.data(t, `mutation($i: ID!) { deleteIssue(input: {issue: {id: $i}}) { deletedIssueId } }`,
		map[string]any{"i": o.deleted}, &struct{}{})
	return o
}
