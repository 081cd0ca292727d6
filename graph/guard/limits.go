package guard

import (
	"issuegrid/internal/setting"
)

// MaxBody is the maximum of Limits.Body, in bytes. It fits a few of the longest texts, which have 2 MiB each.
const MaxBody = 8 << 20

// Limits are the limits of one request; LimitDefinitions describes each. Those of Fixed are not settings: no
// client needs more. Answer, AnswerFields and Texts limit the response and are enforced while it is built.
// Errors shortens it; PersistedQueries and PersistedBytes limit a cache. All others are checked before any
// data is read. A request over a limit fails with BAD_USER_INPUT; the message names the limit, the value and
// what to reduce. With the default limits, parsing, checking and refusing a request takes at most 50 ms of
// CPU. Raising a limit raises this bound.
type Limits struct {
	Body, Tokens, Depth, Introspection, Cost, Answer, Errors, PersistedQueries int
	Fixed                                                                      `kong:"-"`
}

// Fixed are the limits that only tests change.
type Fixed struct {
	Query, Values, Nesting, Name, Fields, Selections, Aliases, Directives           int
	Operations, Fragments, Variables, Parallel, AnswerFields, Texts, PersistedBytes int
}

// LimitDefinitions returns the definitions of Limits.
func LimitDefinitions() []setting.Definition {
	return []setting.Definition{
		{Name: "Body", Default: 3 << 20, Min: 1, Max: MaxBody,
			Help: "Maximum size of the body of a POST in bytes; a larger one is rejected with HTTP " +
				"413. A string may have up to 2 MiB."},
		{Name: "Query", Default: 256 << 10, Min: 1, Max: MaxBody, Fixed: true,
			Help: "Maximum size of a query in bytes. Longer strings belong in variables."},
		{Name: "Values", Default: 15_000, Min: 1, Max: setting.MaxCount, Fixed: true,
			Help: "Maximum number of values in the JSON of a request, counting lists and objects and " +
				"everything in them, and of values that the fields of the operation take. A " +
				"variable, or a string in a fragment, counts once for each field that takes it; " +
				"from the second time on its strings count too: 64 bytes of ASCII, or 16 bytes of " +
				"other characters, as one value."},
		{Name: "Nesting", Default: 40, Min: 1, Max: setting.MaxCount, Fixed: true,
			Help: "Maximum nesting of lists and objects in an input, in variables and in the query."},
		{Name: "Tokens", Default: 15_000, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Maximum number of tokens of a query, including comments. Checking a query may take " +
				"at most 4 steps for each token of this limit: a fragment is read again for every " +
				"operation and fragment that uses it."},
		{Name: "Name", Default: 255, Min: 1, Max: setting.MaxCount, Fixed: true,
			Help: "Maximum length of a name in a query, in characters; responses repeat names."},
		{Name: "Depth", Default: 30, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Maximum nesting of selection sets, including those of fragments."},
		{Name: "Fields", Default: 500, Min: 1, Max: setting.MaxCount, Fixed: true,
			Help: "Maximum number of fields with different names in one selection set, including " +
				"everything that is merged into it."},
		{Name: "Selections", Default: 15_000, Min: 1, Max: setting.MaxCount, Fixed: true,
			Help: "Maximum number of fields and fragments in all operations of a query, counting each " +
				"fragment wherever it is used."},
		{Name: "Aliases", Default: 1_000, Min: 0, Max: setting.MaxCount, Fixed: true,
			Help: "Maximum number of aliases in a query."},
		{Name: "Directives", Default: 1_000, Min: 0, Max: setting.MaxCount, Fixed: true,
			Help: "Maximum number of directives in a query."},
		{Name: "Operations", Default: 50, Min: 1, Max: setting.MaxCount, Fixed: true,
			Help: "Maximum number of operations in a query."},
		{Name: "Fragments", Default: 100, Min: 0, Max: setting.MaxCount, Fixed: true,
			Help: "Maximum number of fragments that a query defines."},
		{Name: "Variables", Default: 500, Min: 0, Max: setting.MaxCount, Fixed: true,
			Help: "Maximum number of variables that the operations of a query define."},
		{Name: "Introspection", Default: 34_000, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Maximum number of objects and fields in the response to `__schema` and `__type`; " +
				"every further 32 characters of a string count as one more. GraphiQL and code " +
				"generators need 30,000."},
		{Name: "Cost", Default: 20_000, Min: 1, Max: setting.MaxCount,
			Help: "Maximum cost of an operation in capacity units of DynamoDB, estimated as if all its " +
				"pages were full and every row had everything selected: 0.5 for a row, 1 for a " +
				"Query, 5 for a `totalCount`, 8 for a change of an issue and 4 for each of its " +
				"values."},
		{Name: "Parallel", Default: 20_000, Min: 1, Max: setting.MaxCount, Fixed: true,
			Help: "Maximum number of rows and fields of an operation that are resolved in parallel, " +
				"estimated as if all its pages were full: each row counts, and each `description`, " +
				"`values` and `history` of it."},
		{Name: "Answer", Default: 16 << 20, Min: 1, Max: setting.MaxCount,
			Help: "Maximum size of a response in bytes, measured while it is written. If a response " +
				"exceeds the limit, only the error is sent; the changes of a mutation remain."},
		{Name: "AnswerFields", Default: 50_000, Min: 1, Max: setting.MaxCount, Fixed: true,
			Help: "Maximum number of fields of a response, except those in rows of grids."},
		{Name: "Texts", Default: 32 << 20, Min: 1, Max: setting.MaxCount, Fixed: true,
			Help: "Maximum size of all long strings in a response in bytes, each counted as at least " +
				"4,096; each string beyond the limit is an error of its field. What a filter reads " +
				"is limited by --page-budget."},
		{Name: "Errors", Default: 20, Min: 1, Max: setting.MaxCount, Rare: true,
			Help: "Maximum number of errors of a response; if there are more, the last one says so."},
		{Name: "PersistedQueries", Default: 1_000, Min: 0, Max: setting.MaxCount,
			Help: "Maximum number of persisted queries that are kept, for all tenants together; 0 " +
				"keeps none."},
		{Name: "PersistedBytes", Default: 4 << 20, Min: 1, Max: setting.MaxCount, Fixed: true,
			Help: "Maximum size of all persisted queries that are kept, in bytes."},
	}
}

// DefaultLimits returns the default limits.
func DefaultLimits() (l Limits) {
	setting.Complete(&l, LimitDefinitions())
	return l
}

// Check returns a BadInput error for the first limit that is out of range.
func (l Limits) Check() error { return setting.Check(&l, LimitDefinitions()) }
