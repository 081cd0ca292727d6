package importer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// lettersOfNames are letters that people tell apart, in words that they may not.
var lettersOfNames = []rune("aäAeéoöøsßm2²ｍ ии\u0306кバパハ\u3099ﬁ-ﬀ한")

// randomNames returns words, none of which is another one in another case.
func randomNames(r *rand.Rand, most int) (names []string) {
	keys := map[string]bool{}
	for range 1 + r.IntN(most) {
		name := "x"
		for range r.IntN(4) {
			name += string(lettersOfNames[r.IntN(len(lettersOfNames))])
		}
		name = tracker.CleanName(name)
		if key := tracker.NameKey(name); !keys[key] {
			keys[key], names = true, append(names, name)
		}
	}
	return names
}

// respelled writes a name in another form of Unicode and with other white space at its ends.
func respelled(r *rand.Rand, name string) string {
	name = []norm.Form{norm.NFC, norm.NFD}[r.IntN(2)].String(name)
	spaces := []string{"", "", " ", "\u00a0", "\t", "\u3000"}
	return spaces[r.IntN(len(spaces))] + name + spaces[r.IntN(len(spaces))]
}

// TestNamesOfCells: cells of states and options that differ in white space at their ends or in their form in
// Unicode are one name, in a new project and in an existing one, and nothing else is: not accents, spaces and
// compatibility variants. Cells in another case have the name, or their rows are rejected (F3). A case is a
// row with a state and an option.
func TestNamesOfCells(t *testing.T) {
	cases, refused, inOtherCase := 0, 0, 0
	for seed := uint64(0); cases < tier.Cases(2_000, 100_000); seed++ {
		r := rand.New(rand.NewPCG(seed, 3))
		words, mapping := randomNames(r, 6), (*Mapping)(nil)
		ignoreCase := r.IntN(2) == 0
		var d *tracker.Definition
		for file := range 3 {
			cased := file == 2 // the last one has names in another case, too
			if cased {
				columns := []Column{{Column: "key", To: ToRowKey}, {Column: "name", To: ToName},
					{Column: "Status", To: ToState, IgnoreCase: ignoreCase},
					{Column: "Kind", Type: tracker.TypeSelect, To: ToField, Name: "Kind",
						IgnoreCase: ignoreCase}}
				mapping = &Mapping{Columns: columns}
			}
			var b strings.Builder
			b.WriteString("key,name,Status,Kind\r\n")
			for n := range 3 * len(words) {
				word := words[n%len(words)]
				spelled := func() string {
					if cased && r.IntN(2) == 0 {
						return respelled(r, strings.ToUpper(word))
					}
					return respelled(r, word)
				}
				b.WriteString(quotedCells(fmt.Sprint(file, "-", n), word, spelled(), spelled()))
			}
			p := planImport(t, b.String(), Options{Mapping: mapping}, d)
			cases += len(p.rows)
			for line, f := range p.faults {
				if refused++; !cased || ignoreCase || f.reason != CaseDiffers {
					t.Fatalf("seed %d, line %d is rejected: %s, %s\n%s", seed, line, f.reason, f.detail, &b)
				}
			}
			states := p.definition.Project.States
			if d == nil && len(states) < len(words) || d != nil && len(states) != len(d.Project.States) {
				t.Fatalf("seed %d: the states are %v\n%s", seed, states, &b)
			}
			d = p.definition
			kind := d.FieldNamed("Kind")
			if kind == nil || kind.Type != tracker.TypeSelect || len(kind.Options) != len(words) ||
				len(d.Fields) != 2 {
				t.Fatalf("seed %d: %d fields, %+v\n%s", seed, len(d.Fields), kind, &b)
			}
			for line, i := range p.issues {
				state, _ := d.Project.State(i.State)
				option, _ := kind.Option(tracker.OptionID(i.Values[kind.ID].Text()))
				for _, name := range []string{state.Name, option.Name} {
					if tracker.Canonical(name) != norm.NFC.String(tracker.CleanName(i.Name)) {
						t.Fatalf("seed %d, line %d: %q is %q\n%s", seed, line, i.Name, name, &b)
					}
				}
				if cased && ignoreCase {
					inOtherCase++
				}
			}
		}
	}
	if refused == 0 || inOtherCase == 0 {
		t.Errorf("%d rows were refused, and %d rows were of a file with other cases", refused, inOtherCase)
	}
}

// TestMembersOfRepeatedHeaders: the cells of columns with the same name are the members of one field,
// whichever of them are empty (F2). A case is a row.
func TestMembersOfRepeatedHeaders(t *testing.T) {
	types := map[tracker.FieldType]int{}
	for cases, seed := 0, uint64(0); cases < tier.Cases(2_000, 100_000); seed++ {
		r := rand.New(rand.NewPCG(seed, 4))
		words := append(randomNames(r, 8), "", "b,c", "1.2", "2026-01-31", `say "x"`)
		width := 2 + r.IntN(4)
		var b strings.Builder
		b.WriteString("Key,Name" + strings.Repeat(",Labels", width) + ",Other\r\n")
		want := map[int]map[string]bool{}
		for line := 2; line < 5+r.IntN(20); line++ {
			cells := []string{fmt.Sprint("K", line), "Issue"}
			want[line] = map[string]bool{}
			for range width {
				word := words[r.IntN(len(words))]
				if cells = append(cells, word); word != "" {
					want[line][tracker.Canonical(word)] = true
				}
			}
			if line == 2 && len(want[line]) == 0 {
				cells[2], want[line]["x"] = "x", true
			}
			b.WriteString(quotedCells(append(cells, "o")...))
		}
		p := planImport(t, b.String(), Options{}, nil)
		labels := p.definition.FieldNamed("Labels")
		if labels == nil || labels.Type.Kind() != tracker.KindSet || len(p.definition.Fields) != 3 {
			if anyWord(want) {
				t.Fatalf("seed %d: %d fields, %+v\n%s", seed, len(p.definition.Fields), labels, &b)
			}
			continue // without words, they are numbers or dates
		}
		types[labels.Type]++
		cases += len(want)
		for line, words := range want {
			members := p.issues[line].Values[labels.ID].Set()
			for _, m := range members {
				if labels.Type == tracker.TypeMultiSelect {
					o, _ := labels.Option(tracker.OptionID(m))
					m = o.Name
				}
				if !words[tracker.Canonical(m)] {
					t.Fatalf("seed %d, line %d: %q is no cell of\n%s", seed, line, m, &b)
				}
			}
			if len(members) != len(words) || p.faults[line] != nil {
				t.Fatalf("seed %d, line %d: %q, %+v, want %v\n%s", seed, line, members, p.faults[line], words,
					&b)
			}
		}
	}
	if types[tracker.TypeTags] == 0 || types[tracker.TypeMultiSelect] == 0 {
		t.Errorf("the types are %v", types)
	}
}

// anyWord reports whether a cell is neither a number nor a date.
func anyWord(rows map[int]map[string]bool) bool {
	for _, words := range rows {
		for word := range words {
			if word != "1.2" && word != "2026-01-31" {
				return true
			}
		}
	}
	return false
}

// TestOptionsBesideThoseOfTheMapping: a column with newOptions takes the names of its cells besides those
// that the mapping lists, of options and of states; without it, their rows are rejected.
func TestOptionsBesideThoseOfTheMapping(t *testing.T) {
	for _, more := range []bool{false, true} {
		for _, byFlag := range []bool{false, true} {
			m := &Mapping{Columns: []Column{{Column: "key", To: ToRowKey}, {Column: "name", To: ToName},
				{Column: "state", To: ToState, Open: []string{"New"}, Closed: []string{"Done"},
					NewOptions: more && !byFlag},
				{Column: "kind", To: ToField, Name: "kind", Type: tracker.TypeMultiSelect, Separator: "|",
					Options: []string{"Bug", "Task"}, NewOptions: more && !byFlag}}}
			p := planImport(t, "key,name,state,kind\n1,a,Done,Task\n2,b,Waiting,Bug\n3,c,New,Story|Bug\n",
				Options{Mapping: m, NewOptions: more && byFlag}, nil)
			var states, options []string
			for _, s := range p.definition.Project.States {
				states = append(states, s.Name)
			}
			for _, o := range p.definition.Fields[0].Options {
				options = append(options, o.Name)
			}
			wantStates, wantOptions, rejected := "New Done", "Bug Task", 2
			if more {
				wantStates, wantOptions, rejected = "New Done Waiting", "Bug Task Story", 0
			}
			if got := strings.Join(states, " "); got != wantStates {
				t.Errorf("with %t by a setting %t, the states are %s, want %s", more, byFlag, got, wantStates)
			}
			if got := strings.Join(options, " "); got != wantOptions || len(p.faults) != rejected {
				t.Errorf("with %t by a setting %t, the options are %s, want %s; %d rows are rejected", more,
					byFlag, got, wantOptions, len(p.faults))
			}
			for line, f := range p.faults {
				if f.reason != UnknownName && f.reason != UnknownState ||
					!strings.Contains(f.detail, "in the mapping") {
					t.Errorf("line %d: %s, %s", line, f.reason, f.detail)
				}
			}
		}
	}
}

// TestColumnsWithEqualNames: columns whose names differ only in case, or only in what the name of a field has
// no room for, become fields of their own, and so does each of them in a later file that has some of them, in
// another order (F2). A case is a column of a later file.
func TestColumnsWithEqualNames(t *testing.T) {
	long := strings.Repeat("How often do you use ", 13)
	spellings := []string{"Cost", "cost", "COST", "CoSt", "Größe", "GRÖßE", "größe", "Note", "note", "Note_",
		"Sprint", "Sprint_1", "Sprint_2", "Cost_2", "cost_", "Name", "NAME",
		strings.Replace(long, "use", "avoid", 1) + "[A]", long + "[A]", long + "[a]", long + "[B]",
		long + "[B] or [C]", strings.ToUpper(long) + "[A]"}
	cases := 0
	for seed := uint64(0); cases < tier.Cases(2_000, 100_000); seed++ {
		r := rand.New(rand.NewPCG(seed, 4))
		some := func(of []string) []string {
			of = slices.Clone(of)
			r.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
			return of[:1+r.IntN(len(of))]
		}
		all, field := some(spellings), map[string]tracker.FieldID{}
		var d *tracker.Definition
		for file, columns := range [][]string{all, some(all), some(all)} {
			cells := make([]string, len(columns))
			for i, name := range columns {
				cells[i] = fmt.Sprint("cell ", file, " of ", name)
			}
			p := planImport(t, quotedCells(append([]string{"key", "name"}, columns...)...)+
				quotedCells(append([]string{fmt.Sprint(file), "a"}, cells...)...), Options{}, d)
			d = p.definition
			values := p.issues[p.rows[0]].Values
			if len(p.faults) > 0 || len(d.Fields) != 1+len(all) || len(values) != 1+len(columns) {
				t.Fatalf("seed %d: %d faults, %d fields and %d values for the columns %q after %q", seed,
					len(p.faults), len(d.Fields), len(values), columns, all)
			}
			delete(values, d.FieldNamed("key").ID)
			for id, v := range values {
				name := columns[slices.Index(cells, v.Text())]
				if file == 0 {
					field[name] = id
				} else if cases++; field[name] != id {
					t.Fatalf("seed %d: the column %q of %q becomes the field %q after %q", seed, name,
						columns, d.Field(id).Name, all)
				}
			}
		}
	}
}
