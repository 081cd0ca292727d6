package model

import "issuegrid/tracker"

// Compared is a filter for values of one type. NumFilter, Int64Filter and the others use it even where the
// schema offers only some of the operators. A nil field is not set; an empty list is.
type Compared[T any] struct {
	Eq, Neq          *T
	In, NotIn        []T
	Lt, Lte, Gt, Gte *T
	Between          *Range[T]
	IsNull           *bool
}

// Range is an inclusive range of values.
type Range[T any] struct{ From, To T }

// The filters of the schema and their ranges.
type (
	NumFilter     = Compared[int32]
	Int64Filter   = Compared[Int64]
	FloatFilter   = Compared[float64]
	BooleanFilter = Compared[bool]

	IntRange      = Range[int32]
	Int64Range    = Range[Int64]
	FloatRange    = Range[float64]
	DateRange     = Range[Date]
	DateTimeRange = Range[DateTime]
	TextRange     = Range[string]
)

// DateFilter is a filter for dates.
type DateFilter struct {
	Compared[Date]
	Relative *RelativeTimeFilter
}

// DateTimeFilter is a filter for instants.
type DateTimeFilter struct {
	Compared[DateTime]
	Relative *RelativeTimeFilter
}

// TextFilter is a filter for strings.
type TextFilter struct {
	Compared[string]
	Is, StartsWith, Contains *string
}

// UserFilter is a filter for users, by names and by ids.
type UserFilter struct {
	TextFilter
	EqID            *string `json:"eqId"`
	NeqID           *string `json:"neqId"`
	InIds, NotInIds []string
	IsMe            *bool
	IsNameOnly      *bool
}

// OptionFilter is a filter for options, by names and by ids.
type OptionFilter struct {
	Eq, Neq                    *string
	EqID                       *string `json:"eqId"`
	NeqID                      *string `json:"neqId"`
	In, InIds, NotIn, NotInIds []string
	IsNull                     *bool
}

// TagSetFilter is a filter for sets of tags. A nil field is not set; an empty list is.
type TagSetFilter struct {
	HasAny, HasAll, HasNone []string
	IsNull                  *bool
}

// OptionSetFilter is a filter for sets of options, by names and by ids.
type OptionSetFilter struct {
	HasAny, HasAnyIds, HasAll, HasAllIds, HasNone, HasNoneIds []string
	IsNull                                                    *bool
}

// ParticipantSetFilter is a filter for sets of users and teams.
type ParticipantSetFilter struct {
	HasAnyIds, HasAllIds, HasNoneIds []string
	HasMe, IsNull                    *bool
}

// BuiltinColumns maps the built-in columns of the schema.
var BuiltinColumns = map[BuiltinColumn]tracker.Column{
	BuiltinColumnNum:       tracker.ColumnNum,
	BuiltinColumnName:      tracker.ColumnName,
	BuiltinColumnState:     tracker.ColumnState,
	BuiltinColumnCreatedAt: tracker.ColumnCreated,
	BuiltinColumnUpdatedAt: tracker.ColumnUpdated,
	BuiltinColumnCreatedBy: tracker.ColumnCreatedBy,
	BuiltinColumnUpdatedBy: tracker.ColumnUpdatedBy,
}
