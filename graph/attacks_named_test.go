package graph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"issuegrid/graph/guard/guardtest"
	"issuegrid/graph/model"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// ask is an operation with the value of its variable $v.
type ask struct {
	query string
	v     any
}

// worse is a sequence of asks, each more expensive than the one before. It ends with the first failure.
type worse struct {
	name    string
	refused bool // all are refused, even if something is read
	asks    []ask
}

// named runs attacks that once cost half a second of CPU time or more.
func (d *againstData) named(t *testing.T, world *attacked) {
	for _, w := range append(manyRefused(t, world), manyMatched(world)...) {
		t.Run(w.name, func(t *testing.T) {
			for i, a := range w.asks {
				if i > 0 && !tier.Verifying() {
					return
				}
				o := d.measure(t, guardtest.Attack{Body: `{"query":` + quoted(a.query) +
					`,"variables":{"v":` + inJSON(a.v) + `}}`})
				o.refused = o.refused || w.refused
				d.record(t, w.name, fmt.Sprint("row ", i), o)
				t.Logf("%v, %.0f units: %s", o.cpu.Round(time.Millisecond), o.units, o.shown)
				if o.wrong != nil {
					return
				}
			}
		})
	}
}

// manyRefused returns inputs that are expensive to validate.
func manyRefused(t *testing.T, world *attacked) []worse {
	own, ground := thingsOf(&world.scripts), world.ground(t)
	noField := object{{"field", model.FieldNodeID(attackedTenant, "scripts", "absent")}, {"isNull", true}}
	manyTags := object{{"field", own.fields[tracker.TypeTags]},
		{"tags", object{{"hasAny", numberedTexts(99, "\ufdfa", 98)}}}}
	manyTexts := object{{"field", own.fields[tracker.TypeText]},
		{"text", object{{"notIn", numberedTexts(90, "각", 60)}}}}
	manyNames := member{"name", object{{"in", numberedTexts(99, "\ufdfa", 24)}}}
	var options []any
	for i := range 320 {
		options = append(options, object{{"name", strings.Repeat("\u0344", 251) + fmt.Sprint(i%319)}})
	}
	inProject := func(variable string, aliases int, use string, v any) []ask {
		return []ask{{"query($v: " + variable + `) { project(id: "` + own.project + `") {` +
			guardtest.Times(aliases, " a~: "+use) + "} }", v}}
	}
	filtered := func(aliases int, v object) []ask {
		return inProject("IssueFilter", aliases, "issues(first: 1, where: $v) { nodes { num } }", v)
	}
	created := func(aliases int, v object) []ask {
		return []ask{{"mutation($v: CreateCustomFieldInput!) {" +
			guardtest.Times(aliases, " a~: createCustomField(input: $v) { field { id } }") + "}", v}}
	}
	withText := `{name: "a", values: [{fieldId: "` + ground.fields[tracker.TypeText] +
		`", value: {text: $v}}]} `
	return []worse{
		{"31 aliases of cursorAt with a text that is too long", true,
			inProject("ValueInput", 31, "cursorAt(orderBy: [{column: {builtin: NAME}}], value: $v)",
				object{{"text", strings.Repeat("\ufdfa", 20_000)}})},
		{"196 aliases of a filter with a text that is too long", true,
			inProject("String", 196, "issues(first: 1, where: {name: {contains: $v}}) { nodes { num } }",
				strings.Repeat("\ufdfa", 3000))},
		{"42 aliases of a filter by 99 tags, refused after them", true,
			filtered(42, object{{"fields", []any{manyTags, noField}}})},
		{"85 aliases of a filter by 99 names, and an unknown field", true,
			filtered(85, object{manyNames, {"fields", []any{noField}}})},
		{"40 aliases of a filter by 99 names, and nothing can meet it", false,
			filtered(40, object{manyNames, {"num", object{{"in", []any{}}}}})},
		{"20 aliases of a filter by 90 texts, counted", false,
			inProject("IssueFilter", 20, "issues(first: 5, where: $v) { totalCount nodes { num } }",
				object{{"fields", []any{manyTexts}}})},
		{"5 fields of 320 options, the last of which is there already", true,
			created(5, object{{"projectId", ground.project}, {"name", "x"}, {"type", word("SELECT")},
				{"options", options}})},
		{"a field with a name that fills the body", true,
			created(1, object{{"projectId", ground.project}, {"name", textOf("\U0001d160", wholeBody)},
				{"type", word("TEXT")}})},
		{"100 fields with a name that is taken in a project of 400", false,
			created(100, object{{"projectId", own.project}, {"name", takenName(399)}, {"type",
				word("TEXT")}})},
		{"500 rows of 400 cells of no field", false,
			[]ask{{`{ project(id: "` + projectID(&world.german) + `") { issues(first: 500) { nodes {` +
				guardtest.Times(400, ` a~: value(fieldId: "x") { display }`) + "} } } }", nil}}},
		{"7 issues with texts of 249 KB", false,
			[]ask{{`mutation($v: String!) { createIssues(input: {projectId: "` + ground.project +
				`", issues: [` +
				strings.Repeat(withText, 7) + "]}) { results { errors { message } } } }",
				strings.Repeat("\ufdfa", 83_000)}}},
	}
}

// manyMatched returns filters that are expensive to evaluate on the data.
func manyMatched(world *attacked) []worse {
	// The aliases request pages of 10 rows, 11 rows and so on, because pages with equal arguments may be read
	// only once.
	grid := func(project string, aliases, first int, v object) ask {
		use := fmt.Sprintf(" a~: issues(first: %d~, where: $v) { nodes { num } }", first/10)
		return ask{"query($v: IssueFilter) { project(id: \"" + project + "\") {" +
			guardtest.Times(aliases, use) + "} }", v}
	}
	anyOf := func(column, operator string, n int) object {
		var all []any
		for i := range n {
			all = append(all, object{{column, object{{operator, fmt.Sprint("zzz", i)}}}})
		}
		return object{{"or", all}}
	}
	long, names, german := projectID(&world.long), projectID(&world.names), projectID(&world.german)
	var pages []ask
	for i := range 5 {
		field := object{{"field", fieldID(&world.pages, fmt.Sprint("page", i))},
			{"text", object{{"contains", "zzz"}}}}
		pages = append(pages, grid(projectID(&world.pages), 1, 340, object{{"fields", []any{field}}}))
	}
	return []worse{
		{"a filter of long descriptions", false,
			[]ask{grid(long, 1, 340, anyOf("description", "contains", 1)),
				grid(long, 1, 340, anyOf("description", "contains", 2)),
				grid(long, 1, 340, anyOf("description", "contains", 8)),
				grid(long, 1, 340, anyOf("description", "contains", 99)),
				grid(long, 20, 10, anyOf("description", "contains", 99))}},
		{"a filter of long names", false,
			[]ask{grid(names, 1, 100, anyOf("name", "contains", 1)),
				grid(names, 1, 100, anyOf("name", "contains", 5)),
				grid(names, 1, 100, anyOf("name", "gt", 20)),
				grid(names, 1, 100, anyOf("name", "contains", 99))}},
		{"a filter of 2,000 German names", false,
			[]ask{grid(german, 1, 100, anyOf("name", "contains", 1)),
				grid(german, 1, 100, anyOf("name", "contains", 99))}},
		{"a filter of long texts in ordinary scripts", false, pages},
	}
}

// numberedTexts returns n strings with the given number of characters, made of the unit and the index of the
// string.
func numberedTexts(n int, unit string, characters int) (all []any) {
	for i := range n {
		all = append(all, fmt.Sprint(strings.Repeat(unit, characters), i))
	}
	return all
}
