package columns

import (
	"strconv"
	"time"

	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// typeRule defines how values of a field type are encoded, compared and displayed in plans.
type typeRule struct {
	kind  sortkey.Kind
	value func(f *tracker.Field, v tracker.Value) sortkey.Value

	textual bool // values are strings, compared without regard to case and accents
	folds   bool // set members are compared in their folded form
	// count returns the number of possible values, encoded as integers from 0; nil if they are not
	// enumerable.
	count func(f *tracker.Field) int
	// show formats an encoded integer; nil means in decimal.
	show func(f *tracker.Field, v int64) string
}

// rule returns the rule of a type. It is a switch, not a map, because filters call it for each value that
// they compare.
func rule(t tracker.FieldType) *typeRule {
	switch t {
	case tracker.TypeText, tracker.TypeLongText, tracker.TypeUser:
		return &textRule
	case tracker.TypeInteger:
		return &integerRule
	case tracker.TypeNumber:
		return &numberRule
	case tracker.TypeDate:
		return &dateRule
	case tracker.TypeDateTime:
		return &dateTimeRule
	case tracker.TypeBoolean:
		return &booleanRule
	case tracker.TypeSelect:
		return &selectRule
	case tracker.TypeMultiSelect:
		return &multiSelectRule
	case tracker.TypeTags:
		return &tagsRule
	}
	return &unknownRule
}

var (
	textRule        = typeRule{kind: sortkey.KindText, value: text, textual: true}
	integerRule     = typeRule{kind: sortkey.KindInt, value: integerValue}
	numberRule      = typeRule{kind: sortkey.KindFloat, value: number}
	dateRule        = typeRule{kind: sortkey.KindInt, value: date, show: showDate}
	dateTimeRule    = typeRule{kind: sortkey.KindInt, value: dateTime, show: showDateTime}
	booleanRule     = typeRule{kind: sortkey.KindInt, value: boolean, count: two, show: showBoolean}
	selectRule      = typeRule{kind: sortkey.KindInt, value: option, count: options, show: showOption}
	multiSelectRule = typeRule{kind: sortkey.KindText, value: text}
	tagsRule        = typeRule{kind: sortkey.KindText, value: text, folds: true}

	// unknownRule is for types stored by a later version.
	unknownRule = typeRule{kind: sortkey.KindText, value: text}
)

func text(_ *tracker.Field, v tracker.Value) sortkey.Value { return sortkey.Text(v.Text()) }

func integerValue(_ *tracker.Field, v tracker.Value) sortkey.Value { return sortkey.Int(v.Int()) }

func number(_ *tracker.Field, v tracker.Value) sortkey.Value { return sortkey.Float(v.Float()) }

func date(_ *tracker.Field, v tracker.Value) sortkey.Value {
	d, _ := time.Parse(time.DateOnly, v.Text())
	return sortkey.Date(d)
}

func showDate(_ *tracker.Field, v int64) string {
	return time.Unix(v*86400, 0).UTC().Format(time.DateOnly)
}

func dateTime(_ *tracker.Field, v tracker.Value) sortkey.Value {
	d, _ := time.Parse(time.RFC3339Nano, v.Text())
	return sortkey.Time(d)
}

func showDateTime(_ *tracker.Field, v int64) string { return tracker.FormatDateTime(time.UnixMicro(v)) }

func boolean(_ *tracker.Field, v tracker.Value) sortkey.Value { return sortkey.Bool(v.Bool()) }

func two(*tracker.Field) int { return 2 }

func showBoolean(_ *tracker.Field, v int64) string { return strconv.FormatBool(v == 1) }

func option(f *tracker.Field, v tracker.Value) sortkey.Value {
	rank, _ := f.OptionRank(tracker.OptionID(v.Text()))
	return sortkey.Rank(rank)
}

func options(f *tracker.Field) int { return len(f.Options) }

func showOption(f *tracker.Field, v int64) string {
	if v >= 0 && v < int64(len(f.Options)) {
		return strconv.Quote(f.Options[v].Name)
	}
	return strconv.FormatInt(v, 10)
}
