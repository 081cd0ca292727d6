package graph_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"issuegrid/grid/filter"
	"issuegrid/internal/relative"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Package grid/filter tests which issues meet a condition. Here are the conditions of filters.

// in and on are conditions on a column and on the field of a type.
func in(c tracker.Column, v filter.Values) filter.Condition { return filter.In{Column: c, Values: v} }

func on(kind tracker.FieldType, v filter.Values) filter.Condition {
	return filter.And{in(idOf(kind).Column(), v)}
}

// TestFilterOperators has every operator that compares values, of a column whose values are ordered.
func TestFilterOperators(t *testing.T) {
	num := func(n int64) sortkey.Value { return sortkey.Int(n) }
	equal := func(n int64) filter.Values { return filter.Equal(num(n)) }
	between := func(from, to int64) filter.Values {
		return filter.Greater(num(from), true).And(filter.Less(num(to), true))
	}
	oneOrNine := equal(1).Or(equal(9))
	for operators, want := range map[string]filter.Values{
		`"eq":7`: equal(7), `"neq":7`: equal(7).Not(), `"in":[9,1,9]`: oneOrNine, `"in":[]`: {},
		`"notIn":[9,1]`: oneOrNine.Not(), `"notIn":[]`: {Ranges: []filter.Range{{}}, None: true},
		`"isNull":true`: filter.NoValue(), `"isNull":false`: filter.Any(),
		`"lt":7`: filter.Less(num(7), false), `"lte":7`: filter.Less(num(7), true),
		`"gt":7`: filter.Greater(num(7), false), `"gte":7`: filter.Greater(num(7), true),
		`"between":{"from":1,"to":7}`: between(1, 7), `"between":{"from":7,"to":7}`: equal(7),
		`"between":{"from":9,"to":7}`: {},
	} {
		parses(t, time.Time{}, parse{`{"num":{` + operators + `}}`, in(tracker.ColumnNum, want)})
	}
	n := func(v filter.Values) filter.Condition { return in(tracker.ColumnNum, v) }
	parses(t, time.Time{},
		parse{`{"num":{"eq":7,"neq":1,"in":[7],"notIn":[1],"isNull":false,"lt":9,"lte":9,` +
			`"gt":1,"gte":1,"between":{"from":1,"to":9}}}`, filter.And{n(equal(7)), n(equal(1).Not()),
			n(equal(7)), n(equal(1).Not()), n(filter.Less(num(9), false)), n(filter.Less(num(9), true)),
			n(filter.Greater(num(1), false)), n(filter.Greater(num(1), true)), n(between(1, 9)),
			n(filter.Any())}})
}

// TestFilterColumns has a comparison of each column, with the greatest values of its type.
func TestFilterColumns(t *testing.T) {
	const instant = "1969-12-31T23:59:59.999999Z"
	at, err := time.Parse(time.RFC3339Nano, instant)
	if err != nil {
		t.Fatal(err)
	}
	moment := filter.Greater(sortkey.Time(at), true)
	day := filter.Less(sortkey.Date(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), false)
	eclair, second := filter.Equal(sortkey.Text("Éclair")), filter.Equal(sortkey.Rank(1))
	parses(t, time.Time{}, []parse{
		{`{"num":{"eq":2147483647}}`, in(tracker.ColumnNum, filter.Equal(sortkey.Int(math.MaxInt32)))},
		{`{"name":{"eq":"eclair"}}`, in(tracker.ColumnName, eclair)},
		{`{"description":{"eq":"Éclair"}}`, in(tracker.ColumnDescription, eclair)},
		{fmt.Sprintf(`{"state":{"eqId":%q}}`, stateOf("open")), in(tracker.ColumnState, second)},
		{`{"createdAt":{"gte":"` + instant + `"}}`, in(tracker.ColumnCreated, moment)},
		{`{"updatedAt":{"gte":"` + instant + `"}}`, in(tracker.ColumnUpdated, moment)},
		{`{"createdBy":{"eq":"Éclair"}}`, in(tracker.ColumnCreatedBy, eclair)},
		{`{"updatedBy":{"eq":"Éclair"}}`, in(tracker.ColumnUpdatedBy, eclair)},
		{onFields(tracker.TypeText, `"text":{"eq":"Éclair"}`), on(tracker.TypeText, eclair)},
		{onFields(tracker.TypeLongText, `"text":{"eq":"Éclair"}`), on(tracker.TypeLongText, eclair)},
		{onFields(tracker.TypeUser, `"user":{"eq":"Éclair"}`), on(tracker.TypeUser, eclair)},
		{onFields(tracker.TypeInteger, `"integer":{"lt":"-9223372036854775808"}`),
			on(tracker.TypeInteger, filter.Less(sortkey.Int(math.MinInt64), false))},
		{onFields(tracker.TypeNumber, `"number":{"eq":-1e100}`),
			on(tracker.TypeNumber, filter.Equal(sortkey.Float(-1e100)))},
		{onFields(tracker.TypeDate, `"date":{"lt":"9999-12-31"}`), on(tracker.TypeDate, day)},
		{onFields(tracker.TypeDateTime, `"dateTime":{"gte":"`+instant+`"}`), on(tracker.TypeDateTime,
			moment)},
		{onFields(tracker.TypeBoolean, `"boolean":{"neq":true}`),
			on(tracker.TypeBoolean, filter.Equal(sortkey.Bool(true)).Not())},
		{onFields(tracker.TypeBoolean, `"boolean":{"eq":false}`),
			on(tracker.TypeBoolean, filter.Equal(sortkey.Bool(false)))},
		{onFields(tracker.TypeSelect, fmt.Sprintf(`"option":{"eqId":%q}`, optionOf(tracker.TypeSelect,
			"o2"))),
			on(tracker.TypeSelect, second)},
		{onFields(tracker.TypeTags, `"isNull":true`), on(tracker.TypeTags, filter.NoValue())},
		{onFields(tracker.TypeBoolean, `"isNull":false`), on(tracker.TypeBoolean, filter.Any())},
	}...)
}

// TestFilterTexts checks that operands are folded, and how short they may be.
func TestFilterTexts(t *testing.T) {
	is := func(v filter.Values) filter.Condition { return in(tracker.ColumnName, v) }
	contains := func(c tracker.Column, s string) filter.Condition {
		return filter.Contains{Column: c, Folded: s}
	}
	const clair, mark = `{"contains":"ÉCLair"}`, `"\u0301"`
	text, long, user := idOf(tracker.TypeText).Column(), idOf(tracker.TypeLongText).Column(),
		idOf(tracker.TypeUser).Column()
	parses(t, time.Time{}, []parse{
		{`{"name":{"startsWith":"Écl"}}`, is(filter.StartsWith("ecl"))},
		{`{"name":{"startsWith":` + mark + `}}`, is(filter.StartsWith(""))},
		{`{"name":{"contains":` + mark + `}}`, is(filter.Any())},
		{`{"name":{"contains":"e e"}}`, contains(tracker.ColumnName, "e e")},
		{`{"name":{"startsWith":"e","contains":"s"}}`,
			filter.And{is(filter.StartsWith("e")), contains(tracker.ColumnName, "s")}},
		{`{"name":` + clair + `}`, contains(tracker.ColumnName, "eclair")},
		{`{"description":` + clair + `}`, contains(tracker.ColumnDescription, "eclair")},
		{onFields(tracker.TypeText, `"text":`+clair), filter.And{contains(text, "eclair")}},
		{onFields(tracker.TypeLongText, `"text":`+clair), filter.And{contains(long, "eclair")}},
		{onFields(tracker.TypeUser, `"user":`+clair), filter.And{contains(user, "eclair")}},
	}...)
}

func TestFilterSets(t *testing.T) {
	options := func(operators string) string {
		for _, o := range []tracker.OptionID{"o1", "o2", "o3"} {
			operators = strings.ReplaceAll(operators, string(o), optionOf(tracker.TypeMultiSelect, o))
		}
		operators = strings.NewReplacer(`Any"`, `AnyIds"`, `All"`, `AllIds"`, `None"`,
			`NoneIds"`).Replace(operators)
		return onFields(tracker.TypeMultiSelect, `"options":{`+operators+`}`)
	}
	tags := func(operators string) string { return onFields(tracker.TypeTags, `"tags":{`+operators+`}`) }
	has := func(kind tracker.FieldType, m string) filter.Has {
		return filter.Has{Column: idOf(kind).Column(), Member: m}
	}
	o1, o2, o3 := has(tracker.TypeMultiSelect, "o1"), has(tracker.TypeMultiSelect, "o2"),
		has(tracker.TypeMultiSelect, "o3")
	parses(t, time.Time{}, []parse{
		{options(`"hasAny":["o1","o3"]`), filter.And{filter.Or{o1, o3}}},
		{options(`"hasAll":["o2","o1"]`), filter.And{filter.And{o2, o1}}},
		{options(`"hasNone":["o1","o3"]`),
			filter.And{filter.And{filter.Not{Condition: o1}, filter.Not{Condition: o3}}}},
		{options(`"hasAny":[]`), filter.And{filter.Or{}}},
		{options(`"hasAll":[]`), filter.And{filter.And{}}},
		{options(`"hasNone":[]`), filter.And{filter.And{}}},
		{options(`"isNull":true`), on(tracker.TypeMultiSelect, filter.NoValue())},
		{options(`"isNull":false`), on(tracker.TypeMultiSelect, filter.Any())},
		{options(`"hasAny":["o2"],"hasAll":["o2"],"hasNone":["o1"],"isNull":false`),
			filter.And{filter.And{filter.Or{o2}, filter.And{o2}, filter.And{filter.Not{Condition: o1}},
				in(idOf(tracker.TypeMultiSelect).Column(), filter.Any())}}},
		{tags(`"hasAny":["UBER"]`), filter.And{filter.Or{has(tracker.TypeTags, "uber")}}},
		{tags(`"hasAll":["\u0301"]`), filter.And{filter.And{has(tracker.TypeTags, "\u0301")}}},
		{tags(`"hasNone":["X"]`), filter.And{filter.And{filter.Not{Condition: has(tracker.TypeTags, "x")}}}},
		{onFields(tracker.TypeTags, `"tags":{"hasAny":["x"]}`, `"tags":{"hasAny":["y"]}`),
			filter.And{filter.Or{has(tracker.TypeTags, "x")}, filter.Or{has(tracker.TypeTags, "y")}}},
	}...)
}

// TestFilterLogic has the members of a filter that contain others.
func TestFilterLogic(t *testing.T) {
	is := func(n int64) filter.Condition { return in(tracker.ColumnNum, filter.Equal(sortkey.Int(n))) }
	not := func(n int64) filter.Condition { return in(tracker.ColumnNum, filter.Equal(sortkey.Int(n)).Not()) }
	yes := onFields(tracker.TypeBoolean, `"boolean":{"eq":true}`)
	isTrue := on(tracker.TypeBoolean, filter.Equal(sortkey.Bool(true)))
	isFalse := on(tracker.TypeBoolean, filter.Equal(sortkey.Bool(true)).Not()).(filter.And)[0]
	anyOf := func(c tracker.Column) filter.Condition { return in(c, filter.Any()) }
	const one, two, given = `{"num":{"eq":1}}`, `{"num":{"eq":2}}`, `{"isNull":false}`
	parses(t, time.Time{}, []parse{
		{`null`, nil}, {`{}`, filter.And{}},
		{`{"and":[` + one + `,` + two + `]}`, filter.And{is(1), is(2)}}, {`{"and":[]}`, filter.And{}},
		{`{"or":[` + one + `,` + two + `]}`, filter.Or{is(1), is(2)}}, {`{"or":[]}`, filter.Or{}},
		{`{"not":` + one + `}`, not(1)}, {`{"not":{}}`, filter.Or{}},
		{`{"not":{"or":[` + one + `,` + yes + `]}}`, filter.And{not(1), filter.Or{isFalse}}},
		{`{"fields":[]}`, filter.And{}},
		{`{"and":[` + one + `],"or":[` + one + `],"not":` + two + `,"num":{"eq":1},"name":` + given +
			`,"state":{"eq":"new"},"description":` + given + `,"createdAt":` + given + `,"updatedAt":` +
			given +
			`,"createdBy":` + given + `,"updatedBy":` + given + `,` + yes[1:],
			filter.And{filter.And{is(1)}, filter.Or{is(1)}, not(2), is(1), anyOf(tracker.ColumnName),
				in(tracker.ColumnState, filter.Equal(sortkey.Rank(0))), anyOf(tracker.ColumnDescription),
				anyOf(tracker.ColumnCreated), anyOf(tracker.ColumnUpdated), anyOf(tracker.ColumnCreatedBy),
				anyOf(tracker.ColumnUpdatedBy), isTrue}},
	}...)
}

// TestRelativeTimes compares filters with every base, unit and operator with what package relative computes,
// in a zone in which it is the next day already, before a change of the clocks.
func TestRelativeTimes(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 28, 23, 30, 0, 123456000, time.UTC).In(zone)
	operators := map[string]func(sortkey.Value) filter.Values{
		"eq":  func(v sortkey.Value) filter.Values { return filter.Equal(v) },
		"lt":  func(v sortkey.Value) filter.Values { return filter.Less(v, false) },
		"lte": func(v sortkey.Value) filter.Values { return filter.Less(v, true) },
		"gt":  func(v sortkey.Value) filter.Values { return filter.Greater(v, false) },
		"gte": func(v sortkey.Value) filter.Values { return filter.Greater(v, true) }}
	for b, base := range []string{"NOW", "START_OF_DAY", "START_OF_WEEK", "START_OF_MONTH",
		"START_OF_QUARTER",
		"START_OF_YEAR"} {
		for u, unit := range []string{"MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"} {
			at := relative.Time{Base: relative.Base(b), Offset: b + u - 5, Unit: relative.Unit(u)}
			date, err := at.Date(now)
			if err != nil {
				t.Fatal(err)
			}
			day, err := time.Parse(time.DateOnly, date)
			if err != nil {
				t.Fatal(err)
			}
			instant, err := at.Instant(now)
			if err != nil {
				t.Fatal(err)
			}
			for operator, values := range operators {
				given := fmt.Sprintf(`{"relative":{%q:{"base":%q,"offset":%d,"unit":%q}}}`, operator, base,
					at.Offset,
					unit)
				moment := values(sortkey.Time(instant))
				parses(t, now, parse{onFields(tracker.TypeDate, `"date":`+given),
					on(tracker.TypeDate, values(sortkey.Date(day)))},
					parse{onFields(tracker.TypeDateTime, `"dateTime":`+given), on(tracker.TypeDateTime,
						moment)},
					parse{`{"createdAt":` + given + `}`, in(tracker.ColumnCreated, moment)},
					parse{`{"updatedAt":` + given + `}`, in(tracker.ColumnUpdated, moment)})
			}
		}
	}
}
