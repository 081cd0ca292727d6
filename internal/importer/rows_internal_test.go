package importer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestTextsSurvive: a cell of a column of texts is the value, byte for byte, and the name of an issue is what
// the API makes of it wherever the API takes it (F1, F2). A case is a row with a name and three texts.
func TestTextsSurvive(t *testing.T) {
	m := &Mapping{Columns: []Column{{Column: "k", To: ToRowKey}, {Column: "n", To: ToName},
		{Column: "d", To: ToDescription}, {Column: "t", To: ToField, Name: "t", Type: tracker.TypeText},
		{Column: "l", To: ToField, Name: "l", Type: tracker.TypeLongText}}}
	pieces := append([]string{"\"", "\r", "\n", "\r\n", ",", ";", "\x00", "\ufeff", "\u2028", "\ufffd",
		"=1+1", "@x", "\u00a0", "\u3000", "e\u0301", "sep=;", "\u200b", "\u202e", "NULL", "-0", "1.10",
		"007"},
		cellsOfFiles...)
	for cases, seed := 0, uint64(0); cases < tier.Cases(2_000, 100_000); seed++ {
		r := rand.New(rand.NewPCG(seed, 5))
		cell := func() string {
			text := ""
			for range r.IntN(4) {
				text += pieces[r.IntN(len(pieces))]
			}
			return text
		}
		var b strings.Builder
		b.WriteString("k,n,d,t,l\r\n")
		var want [][4]string
		for n := range 50 {
			row := [4]string{cell(), cell(), cell(), cell()}
			want = append(want, row)
			b.WriteString(quotedCells(fmt.Sprint(n), row[0], row[1], row[2], row[3]))
		}
		p := planImport(t, b.String(), Options{Mapping: m}, nil)
		if len(p.issues) != len(want) || len(p.faults) > 0 {
			t.Fatalf("seed %d: %d issues, %d rejected\n%s", seed, len(p.issues), len(p.faults), &b)
		}
		cases += len(want)
		fields := p.definition.Fields
		for n, line := range p.rows {
			i, row := p.issues[line], want[n]
			for c, got := range []tracker.Value{i.Description, i.Values[fields[0].ID],
				i.Values[fields[1].ID]} {
				if got.Text() != row[1+c] {
					t.Fatalf("seed %d: the cell %q is the value %q", seed, row[1+c], got.Text())
				}
			}
			name := tracker.CleanName(row[0])
			if taken := tracker.CheckIssueName("", name) == nil; taken && i.Name != name {
				t.Fatalf("seed %d: the cell %q is the name %q, and in the API %q", seed, row[0], i.Name, name)
			} else if err := tracker.CheckIssueName("", i.Name); i.Name != "" && err != nil {
				t.Fatalf("seed %d: the cell %q is the name %q: %v", seed, row[0], i.Name, err)
			}
		}
	}
}

// TestSpacesDecideNothing: white space around the cells of a column does not decide what it becomes (F2). A
// case is a column.
func TestSpacesDecideNothing(t *testing.T) {
	spaces := rapid.SampledFrom([]string{"", "", " ", "\u00a0", "\t", "  "})
	texts := append([]*rapid.Generator[string]{rapid.StringMatching(`202[0-9]-0[1-9]-[012][0-9]`),
		rapid.StringMatching(`[012][0-9]\.0[1-9]\.202[0-9]`),
		rapid.SampledFrom([]string{"Open", "Done", "open"})}, cellTexts...)
	types := map[tracker.FieldType]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range tier.PerCheck(2_000, 100_000) {
			text := rapid.SampledFrom(texts).Draw(t, "kind")
			plain, spaced := newColumnOf(t), newColumnOf(t)
			for range rapid.IntRange(1, 6).Draw(t, "cells") {
				s := text.Draw(t, "cell")
				plain.add(s)
				spaced.add(spaces.Draw(t, "before") + s + spaces.Draw(t, "after"))
			}
			want, got := plain.inferred(), spaced.inferred()
			if types[want.Type]++; fmt.Sprint(want) != fmt.Sprint(got) {
				t.Fatalf("%q become %+v, and %q become %+v", plain.cells, want, spaced.cells, got)
			}
		}
	})
	if len(types) < 5 {
		t.Errorf("the types are %v", types)
	}
}

// columnOf is a column whose type is inferred.
type columnOf struct {
	profile *profile
	cells   []string
}

func newColumnOf(t *rapid.T) *columnOf {
	p, err := newProfile(&meter{})
	if err != nil {
		t.Fatal(err)
	}
	p.meet([]string{"c"})
	return &columnOf{profile: p}
}

func (c *columnOf) add(s string) {
	c.cells = append(c.cells, s)
	c.profile.add([]string{"c"}, &record{cells: []cell{{text: s, bytes: len(s)}}})
}

func (c *columnOf) inferred() Column {
	column := Column{Column: "c", To: ToField, Name: "F", Type: c.profile.columns[0].fieldType()}
	c.profile.columns[0].settle(&column)
	return column
}

// TestNumbersLeaveRoom: a number that leaves too few for new issues is rejected with this reason, and any
// other is taken once; no import raises the counter of a project above the numbers that a file can give, and
// no two issues have the same number (F8). A case is a row with a number or without one.
func TestNumbersLeaveRoom(t *testing.T) {
	m := &Mapping{Columns: []Column{{Column: "k", To: ToRowKey}, {Column: "n", To: ToName},
		{Column: "num", To: ToNum}}}
	reasons := map[Reason]int{}
	for cases, seed := 0, uint64(0); cases < tier.Cases(2_000, 100_000); seed++ {
		r := rand.New(rand.NewPCG(seed, 6))
		var have *tracker.Definition
		if r.IntN(2) == 0 {
			have = tracker.NewDefinition(tracker.Project{ID: "p", Key: "P", Name: "P",
				States: []tracker.State{{ID: "open", Name: "Open", Open: true}}}, nil)
			have.MaxIssueNum = r.Int64N(1 << r.IntN(30))
		}
		var b strings.Builder
		b.WriteString("k,n,num\r\n")
		given := map[int]int64{}
		for line := 2; line < 42; line++ {
			num := []int64{r.Int64N(30), r.Int64N(1 << 20), tracker.MaxGivenNum - 2 + r.Int64N(5),
				tracker.MaxNum - 2 + r.Int64N(5), r.Int64(), -r.Int64N(3)}[r.IntN(6)]
			text := fmt.Sprint(num) + []string{"", "", " ", "\u00a0"}[r.IntN(4)]
			if r.IntN(4) == 0 {
				num, text = 0, ""
			} else {
				given[line] = num
			}
			b.WriteString(quotedCells(fmt.Sprint("k", line), "Issue", text))
		}
		p := planImport(t, b.String(), Options{Mapping: m}, have)
		cases += len(p.rows)
		first, lines := map[int64]int{}, map[int64]int{}
		for _, line := range p.rows {
			num, isGiven := given[line]
			want := Reason("")
			switch _, twice := first[num]; {
			case !isGiven:
			case num > tracker.MaxGivenNum:
				want = OutOfRange
			case num < 1:
				want = NotInteger
			case twice:
				want = DuplicateNum
			default:
				first[num] = line
			}
			got := Reason("")
			if f := p.faults[line]; f != nil {
				got = f.reason
			}
			if reasons[got]++; got != want {
				t.Fatalf("seed %d, line %d, number %d: %q, want %q\n%s", seed, line, num, got, want, &b)
			}
			if got != "" {
				continue
			}
			i := p.issues[line]
			if isGiven && i.Num != num || i.Num < 1 || lines[i.Num] > 0 {
				t.Fatalf("seed %d, line %d: the number is %d, which line %d has, want %d\n%s", seed, line,
					i.Num, lines[i.Num], num, &b)
			}
			lines[i.Num] = line
		}
		if p.highest > tracker.MaxGivenNum || p.last > tracker.MaxGivenNum+40 {
			t.Fatalf("seed %d: the counter is raised to %d, and then to %d\n%s", seed, p.highest, p.last, &b)
		}
	}
	for _, reason := range []Reason{"", OutOfRange, NotInteger, DuplicateNum} {
		if reasons[reason] == 0 {
			t.Errorf("no row was rejected as %q: %v", reason, reasons)
		}
	}
}
