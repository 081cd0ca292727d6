package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

func TestFilterLimits(t *testing.T) {
	accepted := func(t *testing.T, in *model.IssueFilter) {
		t.Helper()
		if _, err := graph.ParseFilter(filtered, in); err != nil {
			t.Errorf("refused at the limit: %v", err)
		}
	}
	name := func(f model.TextFilter) *model.IssueFilter { return &model.IssueFilter{Name: &f} }
	for text, says := range map[string]string{
		wide(filter.MaxNeedle):                    "",
		wide(filter.MaxNeedle + 1):                "255",
		strings.Repeat("\U00010000", 224) + "ab":  "", // 898 bytes and a terminator of 2 bytes
		strings.Repeat("\U00010000", 224) + "abc": "900",
		strings.Repeat("\x00", 255):               "", // each is encoded as 2 bytes
		strings.Repeat("\ufdfa", 27):              "", // each folds to 33 bytes
		strings.Repeat("\ufdfa", 28):              "900",
		strings.Repeat("\ufdfa", 255):             "900",
		"not UTF-8: \xff":                         "UTF-8",
	} {
		for operator, f := range map[string]model.TextFilter{
			"gt": {Compared: model.Compared[string]{Gt: &text}}, "startsWith": {StartsWith: &text},
			"contains": {Contains: &text}, "is": {Is: &text}} {
			if says == "" {
				accepted(t, name(f))
			} else {
				refused(t, name(f), "name."+operator, says)
			}
		}
	}

	parsed := func(in string) *model.IssueFilter { return decode[*model.IssueFilter](t, []byte(in)) }
	tags := func(tag string) *model.IssueFilter {
		return parsed(onFields(tracker.TypeTags, fmt.Sprintf(`"tags":{"hasAny":[%q]}`, tag)))
	}
	accepted(t, tags(wide(tracker.MaxTag)))
	refused(t, tags(wide(tracker.MaxTag+1)), "fields[0].tags.hasAny[0]", "100")

	for _, sign := range []float64{1, -1} {
		for _, n := range []float64{tracker.MaxNumber, tracker.MinNumber} {
			accepted(t, parsed(onFields(tracker.TypeNumber, fmt.Sprintf(`"number":{"eq":%g}`, sign*n))))
		}
	}

	list := func(member string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(member+",", n), ",") + "]"
	}
	const one = `{"num":{"eq":1}}`
	for _, c := range []struct {
		name string
		of   func(n int) string // a filter of n comparisons
		path string             // path of the first comparison beyond the limit
	}{
		{"a list", func(n int) string { return `{"num":{"in":` + list("1", n) + `}}` }, "num.in"},
		{"a list of a set", func(n int) string {
			option := fmt.Sprintf("%q", optionOf(tracker.TypeMultiSelect, "o1"))
			return onFields(tracker.TypeMultiSelect, `"options":{"hasNoneIds":`+list(option, n)+`}`)
		}, "fields[0].options.hasNoneIds"},
		{"filters", func(n int) string { return `{"or":` + list(one, n) + `}` }, "or[100].num.eq"},
		{"filters and a list", func(n int) string {
			return `{"and":` + list(one, 40) + `,"not":{"num":{"notIn":` + list("1", n-40) + `}}}`
		}, "not.num.notIn"},
		{"operators of one input", func(n int) string {
			return `{"and":` + list(one, n-4) + `,"num":{"lt":1,"lte":1,"gte":1,"between":{"from":0,"to":0}}}`
		}, "num.between"},
		{"empty lists and isNull", func(n int) string {
			return `{"and":` + list(one, n-3) + `,"num":{"in":[]},` +
				onFields(tracker.TypeTags, `"tags":{"hasAll":[]}`, `"isNull":true`)[1:]
		}, "fields[1].isNull"},
	} {
		t.Run("MaxTerms of "+c.name, func(t *testing.T) {
			accepted(t, parsed(c.of(filter.MaxTerms)))
			refused(t, parsed(c.of(filter.MaxTerms+1)), c.path, "101 comparisons", "the limit is 100")
		})
	}

	for path, around := range map[string]string{"and[0]": `{"and":[%s]}`, "or[0]": `{"or":[%s]}`,
		"not": `{"not":%s}`} {
		t.Run("MaxDepth of "+path, func(t *testing.T) {
			in := one
			for range filter.MaxDepth {
				in = fmt.Sprintf(around, in)
			}
			accepted(t, parsed(in))
			refused(t, parsed(fmt.Sprintf(around, in)), strings.TrimSuffix(strings.Repeat(path+".",
				filter.MaxDepth+1), "."), "the limit is 10")
		})
	}
}
