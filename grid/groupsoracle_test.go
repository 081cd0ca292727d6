package grid_test

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"issuegrid/internal/columns"
	"issuegrid/internal/fold"
	"issuegrid/internal/relative"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// expected is a group of issues in memory.
type expected struct {
	name   string
	none   bool
	rank   any // string, int64, float64 or *big.Int
	issues []int64
}

// values returns the groups of an issue, without the issue.
func (g *grouped) values(i *tracker.Issue) []expected {
	w := g.world
	text := func(s string) []expected {
		folded := fold.String(s)
		if !strings.HasPrefix(folded, g.request.Prefix) {
			return nil
		}
		if letter, size := utf8.DecodeRuneInString(folded); g.ranges.FirstLetter && size > 0 {
			return []expected{{name: string(letter), rank: string(letter)}}
		}
		key, _ := sortkey.FoldedOf(sortkey.Text(s)) // what the index has of it
		return []expected{{name: key, rank: key}}
	}
	number := func(n *big.Rat) []expected {
		if g.ranges.Width == 0 {
			return []expected{{name: n.String(), rank: n}}
		}
		width, _ := new(big.Rat).SetString(fmt.Sprint(g.ranges.Width))
		q := new(big.Rat).Quo(n, width)
		k := new(big.Int).Div(q.Num(), q.Denom())
		return []expected{{name: k.String(), rank: k}}
	}
	switch g.column {
	case tracker.ColumnNum:
		return number(big.NewRat(i.Num, 1))
	case tracker.ColumnName:
		return text(i.Name)
	case tracker.ColumnState:
		n, _ := w.definition.Project.StateRank(i.State)
		return g.begin(expected{name: string(i.State), rank: int64(n)})
	case tracker.ColumnCreated:
		return g.period(i.Created)
	case tracker.ColumnUpdated:
		return g.period(i.Updated)
	}
	v := i.Value(g.column)
	if v.Kind == tracker.KindNone || v.Kind == tracker.KindText && v.Text() == "" && g.column.Builtin() {
		return g.none()
	}
	if g.column.Builtin() {
		return text(v.Text())
	}
	f := w.definition.Field(g.column.Field())
	switch f.Type {
	case tracker.TypeText, tracker.TypeUser:
		return text(v.Text())
	case tracker.TypeInteger:
		return number(big.NewRat(v.Int(), 1))
	case tracker.TypeNumber:
		return number(new(big.Rat).SetFloat64(v.Float()))
	case tracker.TypeDate:
		d, _ := time.Parse(time.DateOnly, v.Text())
		g.ranges.Zone = time.UTC
		return g.period(d)
	case tracker.TypeDateTime:
		d, _ := time.Parse(time.RFC3339Nano, v.Text())
		return g.period(d)
	case tracker.TypeBoolean:
		return []expected{{name: fmt.Sprint(v.Bool()), rank: map[bool]int64{true: 1}[v.Bool()]}}
	case tracker.TypeSelect:
		n, _ := f.OptionRank(tracker.OptionID(v.Text()))
		return g.begin(expected{name: v.Text(), rank: int64(n)})
	}
	var out []expected
	for _, m := range columns.Members(f, v) {
		n, _ := f.OptionRank(tracker.OptionID(m))
		x := expected{name: m, rank: int64(n)}
		if f.Type == tracker.TypeTags {
			x.rank = m
		}
		out = append(out, g.begin(x)...)
	}
	if len(v.Set()) == 0 {
		return g.none()
	}
	return out
}

// begin returns a group if its name begins with the prefix.
func (g *grouped) begin(x expected) []expected {
	if !strings.HasPrefix(x.name, g.request.Prefix) {
		return nil
	}
	return []expected{x}
}

func (g *grouped) none() []expected {
	if g.request.Prefix != "" {
		return nil
	}
	return []expected{{none: true}}
}

// period returns the group of an instant or date.
func (g *grouped) period(at time.Time) []expected {
	at = at.In(g.ranges.Zone)
	name, year, month := at.Format(time.DateOnly), at.Year(), at.Month()
	switch g.ranges.Period {
	case relative.Week:
		year, week := at.ISOWeek()
		name = fmt.Sprintf("%04d-W%02d", year, week)
	case relative.Month:
		name = at.Format("2006-01")
	case relative.Quarter:
		name = fmt.Sprintf("%04d-Q%d", year, (month+2)/3)
	case relative.Year:
		name = at.Format("2006")
	}
	return []expected{{name: name, rank: name}}
}

// expected returns the groups in memory, in the direction of paging. The caller must not change the slice.
func (g *grouped) expected() []expected {
	if g.all == nil || g.version != g.world.version {
		g.version, g.all = g.world.version, g.evaluate()
	}
	return g.all
}

func (g *grouped) evaluate() []expected {
	all := map[string]*expected{}
	add := func(x expected, nums ...int64) {
		key := fmt.Sprint(x.none, x.name)
		if all[key] == nil {
			all[key] = &x
		}
		all[key].issues = append(all[key].issues, nums...)
	}
	for _, i := range g.world.issues {
		if g.filter.matches(i) {
			for _, x := range g.values(i) {
				add(x, i.Num)
			}
		}
	}
	if g.request.Empty {
		for _, x := range g.possible() {
			add(x)
		}
	}
	var out []expected
	for _, x := range all {
		out = append(out, *x)
	}
	slices.SortFunc(out, g.compare)
	if g.request.Backward {
		slices.Reverse(out)
	}
	return out
}

// possible returns the groups of the definition.
func (g *grouped) possible() (out []expected) {
	switch g.column {
	case tracker.ColumnState:
		for n, s := range g.world.definition.Project.States {
			out = append(out, g.begin(expected{name: string(s.ID), rank: int64(n)})...)
		}
		return out
	case fSelect.Column(), fMulti.Column():
		for n, o := range g.world.definition.Field(g.column.Field()).Options {
			out = append(out, g.begin(expected{name: string(o.ID), rank: int64(n)})...)
		}
	case fBool.Column():
		out = []expected{{name: "false", rank: int64(0)}, {name: "true", rank: int64(1)}}
	default:
		return nil
	}
	return append(out, g.none()...)
}

func (g *grouped) compare(a, b expected) int {
	if a.none != b.none {
		if a.none == g.nullsFirst {
			return -1
		}
		return 1
	}
	c := 0
	switch x := a.rank.(type) {
	case string:
		c = cmp.Compare(x, b.rank.(string))
	case int64:
		c = cmp.Compare(x, b.rank.(int64))
	case *big.Int:
		c = x.Cmp(b.rank.(*big.Int))
	case *big.Rat:
		c = x.Cmp(b.rank.(*big.Rat))
	}
	if g.descending {
		c = -c
	}
	return c
}
