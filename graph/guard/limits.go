package guard

import (
	"issuegrid/tracker"
)

// MaxBody is the most that Limits.Body can be: enough for a few of the longest texts, which have 2 MiB each.
const MaxBody = 8 << 20

// Limits are what one request may ask for. Each is checked before anything is read, but for Answer, AnswerFields and Texts, which are what an answer may
// become; a request beyond one of them is refused with BAD_USER_INPUT, and the message names the limit, the value and what to lower. The defaults are such that no request within them costs more than 50 ms of CPU to read,
// to check and to refuse; whoever raises one raises that as well.
type Limits struct {
	// Body is the most bytes of a request's body, from 1 to MaxBody; a longer one is refused with HTTP 413. The default, 256 KiB, is less than one of the
	// longest texts has: for those, raise it.
	Body int
	// Values is the most values in the variables and extensions of a request, lists and objects counted with what is in them; and the most that the fields
	// of the operation take, where a variable counts once for each field that takes it. Default 15,000.
	Values int
	// Nesting is how many lists and objects of an input may lie in each other, whether in variables or in the query. Default 40.
	Nesting int
	// Tokens is the most tokens of a query, comments included. Default 15,000.
	Tokens int
	// Name is the most characters of a name in a query, because names come back in answers. Default 255.
	Name int
	// Depth is how many selection sets may lie in each other, those of fragments included. Default 30.
	Depth int
	// Fields is the most fields of different names in one selection set, with all that is merged into it. Default 500.
	Fields int
	// Selections is the most fields and fragments of all operations of a query, each fragment counted wherever it is spread. Default 15,000.
	Selections int
	// Aliases is the most aliases of a query. Default 1,000.
	Aliases int
	// Directives is the most directives of a query. Default 1,000.
	Directives int
	// Operations is the most operations of a query. Default 50.
	Operations int
	// Fragments is the most fragments that a query defines. Default 100.
	Fragments int
	// Variables is the most variables that the operations of a query define. Default 500.
	Variables int
	// Introspection is the most objects and fields of the answer to `__schema` and `__type`, where 32 characters more of a text count as one more. Default
	// 18,000; what GraphiQL and code generators ask for has 13,300.
	Introspection int
	// Cost is the most capacity units of DynamoDB that an operation may cost: as if all its pages were full (graph/estimate.go). Default 20,000.
	Cost int
	// Parallel is the most rows and fields that an operation may have resolved side by side, as if all its pages were full. Default 20,000.
	Parallel int
	// Answer is the most bytes of an answer. Default 16 MiB. It is measured while the answer is made, by the values that are in it, and one that outgrows it
	// is given up: nothing of it is sent but the error. What a mutation has changed is changed.
	Answer int
	// AnswerFields is the most fields of an answer, those of the rows of grids not counted, likewise. Default 50,000.
	AnswerFields int
	// Texts is the most bytes of long texts that an answer may show, each counted as 4 KiB at least, as DynamoDB does. Default 32 MiB. Those that a filter
	// looks at are bounded by the work budget of its page.
	Texts int
	// Errors is the most errors of an answer; the last one says when there are more. Default 20.
	Errors int
	// PersistedQueries is how many queries are kept that clients send by their hash from then on, those of all tenants together; 0 switches this off.
	// Each tenant finds its own only, and has a fair share of the places. Default 1,000.
	PersistedQueries int
	// PersistedBytes is how many bytes of their text are kept. Default 4 MiB.
	PersistedBytes int
}

// DefaultLimits returns the defaults.
func DefaultLimits() Limits {
	return Limits{
		Body:             256 << 10,
		Values:           15_000,
		Nesting:          40,
		Tokens:           15_000,
		Name:             255,
		Depth:            30,
		Fields:           500,
		Selections:       15_000,
		Aliases:          1_000,
		Directives:       1_000,
		Operations:       50,
		Fragments:        100,
		Variables:        500,
		Introspection:    18_000,
		Cost:             20_000,
		Parallel:         20_000,
		Answer:           16 << 20,
		AnswerFields:     50_000,
		Texts:            32 << 20,
		Errors:           20,
		PersistedQueries: 1_000,
		PersistedBytes:   4 << 20,
	}
}

// Check returns a BadInput error about the first limit that is out of range.
func (l Limits) Check() error {
	const any = 1<<31 - 1
	for _, c := range []struct {
		name             string
		value, low, high int
	}{
		{"Body", l.Body, 1, MaxBody},
		{"Values", l.Values, 1, any},
		{"Nesting", l.Nesting, 1, any},
		{"Tokens", l.Tokens, 1, any},
		{"Name", l.Name, 1, any},
		{"Depth", l.Depth, 1, any},
		{"Fields", l.Fields, 1, any},
		{"Selections", l.Selections, 1, any},
		{"Aliases", l.Aliases, 0, any},
		{"Directives", l.Directives, 0, any},
		{"Operations", l.Operations, 1, any},
		{"Fragments", l.Fragments, 0, any},
		{"Variables", l.Variables, 0, any},
		{"Introspection", l.Introspection, 1, any},
		{"Cost", l.Cost, 1, any},
		{"Parallel", l.Parallel, 1, any},
		{"Answer", l.Answer, 1, any},
		{"AnswerFields", l.AnswerFields, 1, any},
		{"Texts", l.Texts, 1, any},
		{"Errors", l.Errors, 1, any},
		{"PersistedQueries", l.PersistedQueries, 0, any},
		{"PersistedBytes", l.PersistedBytes, 1, any},
	} {
		switch {
		case c.value < c.low:
			return tracker.Bad(c.name, "the limit is %d; it must be at least %d", c.value, c.low)
		case c.value > c.high:
			return tracker.Bad(c.name, "the limit is %d; it can be at most %d", c.value, c.high)
		}
	}
	return nil
}

// Over refuses what is beyond a limit.
func Over(is string, value int, name string, limit int, lower string) *tracker.Error {
	return tracker.Bad("", "%s: %d; the limit (%s) is %d: %s", is, value, name, limit, lower)
}
