package guard

import (
	"issuegrid/setting"
	"issuegrid/tracker"
)

// MaxBody is the maximum of Limits.Body, in bytes. It fits a few of the longest texts, which have 2 MiB each.
const MaxBody = 8 << 20

// Limits are the limits of one request; LimitDefinitions describes each. Answer, AnswerFields and Texts limit
// the response and are enforced while it is built. All others are checked before any data is read. A request
// over a limit fails with BAD_USER_INPUT; the message names the limit, the value and what to reduce. With the
// default limits, parsing, checking and refusing a request takes at most 50 ms of CPU. Raising a limit raises
// this bound.
type Limits struct {
	Body, Values, Nesting                                        int
	Tokens, Name, Depth, Fields, Selections, Aliases, Directives int
	Operations, Fragments, Variables, Introspection              int
	Cost, Parallel, Answer, AnswerFields, Texts, Errors          int
	PersistedQueries, PersistedBytes                             int
}

// LimitDefinitions returns the definitions of Limits.
func LimitDefinitions() []setting.Definition {
	return []setting.Definition{
		{Name: "Body", Default: 256 << 10, Min: 1, Max: MaxBody,
			Help: "Most bytes of the body of a POST; a longer one is refused with HTTP 413. Texts may have " +
				"up to 2 MiB: raise it for those."},
		{Name: "Values", Default: 15_000, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Most values in the JSON of a request, lists and objects counted with what is in them; " +
				"and most values that the fields of the operation take, where a variable, and a text in a " +
				"fragment, counts once for each field that takes it: from the second time on also its " +
				"texts, 64 bytes of ASCII or 16 of others as a value."},
		{Name: "Nesting", Default: 40, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Most lists and objects of an input in each other, in variables and in the query."},
		{Name: "Tokens", Default: 15_000, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Most tokens of a query, comments included. A query may also take no more than 4 steps " +
				"for each of these to check: a fragment is read again for every operation and fragment " +
				"that reaches it."},
		{Name: "Name", Default: 255, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Most characters of a name in a query, because names come back in answers."},
		{Name: "Depth", Default: 30, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Most selection sets in each other, those of fragments included."},
		{Name: "Fields", Default: 500, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Most fields of different names in one selection set, with all that is merged into it."},
		{Name: "Selections", Default: 15_000, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Most fields and fragments of all operations of a query, each fragment counted wherever " +
				"it is spread."},
		{Name: "Aliases", Default: 1_000, Min: 0, Max: setting.MaxCount, Rare: true,
			Help: "Most aliases in a query."},
		{Name: "Directives", Default: 1_000, Min: 0, Max: setting.MaxCount, Rare: true,
			Help: "Most directives in a query."},
		{Name: "Operations", Default: 50, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Most operations in a query."},
		{Name: "Fragments", Default: 100, Min: 0, Max: setting.MaxCount, Rare: true,
			Help: "Most fragments that a query defines."},
		{Name: "Variables", Default: 500, Min: 0, Max: setting.MaxCount, Rare: true,
			Help: "Most variables that the operations of a query define."},
		{Name: "Introspection", Default: 18_000, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Most objects and fields of the answer to `__schema` and `__type`, where 32 characters " +
				"more of a text count as one more. GraphiQL and code generators ask for 13,300."},
		{Name: "Cost", Default: 20_000, Min: 1, Max: setting.MaxCount,
			Help: "Most capacity units of DynamoDB that an operation may cost, as if all its pages were " +
				"full and every row had what is selected: 0.5 for a row, 1 for a Query, 5 for a " +
				"`totalCount`, 8 for a change of an issue and 4 for each of its values."},
		{Name: "Parallel", Default: 20_000, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Most rows and fields that an operation may have resolved in parallel, as if all its " +
				"pages were full: each row counts, and each `description`, `values` and `history` of it."},
		{Name: "Answer", Default: 16 << 20, Min: 1, Max: setting.MaxCount,
			Help: "Most bytes of an answer, measured while it is made. Of one that outgrows the limit " +
				"nothing is sent but the error; what a mutation has changed is changed."},
		{Name: "AnswerFields", Default: 50_000, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Most fields of an answer, those of the rows of grids not counted: lists that lead to " +
				"each other multiply."},
		{Name: "Texts", Default: 32 << 20, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Most bytes of long texts that an answer may show, each counted as 4,096 at least; every " +
				"text beyond is an error in its place. What a filter looks at is bounded by --page-budget."},
		{Name: "Errors", Default: 20, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Most errors of an answer; when there are more, the last one says so."},
		{Name: "PersistedQueries", Default: 1_000, Min: 0, Max: setting.MaxCount,
			Help: "How many queries are kept for clients that send their hash from then on, those of all " +
				"tenants together; 0 keeps none."},
		{Name: "PersistedBytes", Default: 4 << 20, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Most bytes of the texts of the persisted queries that are kept."},
	}
}

// DefaultLimits returns the default limits.
func DefaultLimits() (l Limits) {
	setting.Complete(&l, LimitDefinitions())
	return l
}

// Check returns a BadInput error for the first limit that is out of range.
func (l Limits) Check() error { return setting.Check(&l, LimitDefinitions()) }

// Over returns the BadInput error for a value that exceeds a limit.
func Over(is string, value int, name string, limit int, lower string) *tracker.Error {
	return tracker.Bad("", "%s: %d; the limit (%s) is %d: %s", is, value, name, limit, lower)
}
