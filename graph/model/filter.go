package model

// Compared is a filter of values of one type: what NumFilter, Int64Filter and their like have in common,
// whether or not the schema gives a type all of it. What is nil is not given; an empty list is.
type Compared[T any] struct {
	Eq, Neq          *T
	In, NotIn        []T
	Lt, Lte, Gt, Gte *T
	Between          *Range[T]
	IsNull           *bool
}

// Range is a range of values, both ends included.
type Range[T any] struct{ From, To T }

// The filters of the schema, and their ranges.
type (
	NumFilter      = Compared[int32]
	Int64Filter    = Compared[Int64]
	FloatFilter    = Compared[float64]
	DateFilter     = Compared[Date]
	DateTimeFilter = Compared[DateTime]
	BooleanFilter  = Compared[bool]
	OptionFilter   = Compared[string]

	IntRange      = Range[int32]
	Int64Range    = Range[Int64]
	FloatRange    = Range[float64]
	DateRange     = Range[Date]
	DateTimeRange = Range[DateTime]
	TextRange     = Range[string]
)

// TextFilter is a filter of texts.
type TextFilter struct {
	Compared[string]
	StartsWith, Contains *string
}

// SetFilter is a filter of sets. What is nil is not given; an empty list is.
type SetFilter struct {
	HasAny, HasAll, HasNone []string
	IsNull                  *bool
}

// The filters of sets of the schema.
type (
	OptionSetFilter = SetFilter
	TagSetFilter    = SetFilter
)
