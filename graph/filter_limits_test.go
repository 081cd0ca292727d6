package graph_test

import (
	"slices"
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
			"contains": {Contains: &text}} {
			if says == "" {
				accepted(t, name(f))
			} else {
				refused(t, name(f), "name."+operator, says)
			}
		}
	}

	tags := func(tag string) *model.IssueFilter {
		return onField(tracker.TypeTags,
			model.CustomFieldFilter{Tags: &model.TagSetFilter{HasAny: []string{tag}}})
	}
	accepted(t, tags(wide(tracker.MaxTag)))
	refused(t, tags(wide(tracker.MaxTag+1)), "fields[0].tags.hasAny[0]", "100")

	for _, sign := range []float64{1, -1} {
		for _, n := range []float64{tracker.MaxNumber, tracker.MinNumber} {
			accepted(t, onField(tracker.TypeNumber,
				model.CustomFieldFilter{Number: &model.FloatFilter{Eq: new(sign * n)}}))
		}
	}

	nums := func(n int) []int32 { return make([]int32, n) }
	ids := func(n int) []string { return slices.Repeat([]string{optionOf(tracker.TypeMultiSelect, "o1")}, n) }
	one := &model.IssueFilter{Num: &model.NumFilter{Eq: new(int32(1))}}
	ones := func(n int) []*model.IssueFilter { return slices.Repeat([]*model.IssueFilter{one}, n) }
	for _, c := range []struct {
		name string
		of   func(n int) *model.IssueFilter // a filter of n comparisons
		path string                         // path of the first comparison beyond the limit
	}{
		{"a list", func(n int) *model.IssueFilter {
			return &model.IssueFilter{Num: &model.NumFilter{In: nums(n)}}
		}, "num.in"},
		{"a list of a set", func(n int) *model.IssueFilter {
			return onField(tracker.TypeMultiSelect,
				model.CustomFieldFilter{Options: &model.OptionSetFilter{HasNone: ids(n)}})
		}, "fields[0].options.hasNone"},
		{"filters", func(n int) *model.IssueFilter {
			return &model.IssueFilter{Or: ones(n)}
		}, "or[100].num.eq"},
		{"filters and a list", func(n int) *model.IssueFilter {
			return &model.IssueFilter{And: ones(40),
				Not: &model.IssueFilter{Num: &model.NumFilter{NotIn: nums(n - 40)}}}
		}, "not.num.notIn"},
		{"operators of one input", func(n int) *model.IssueFilter {
			f := one.Num
			return &model.IssueFilter{And: ones(n - 4),
				Num: &model.NumFilter{Lt: f.Eq, Lte: f.Eq, Gte: f.Eq, Between: &model.IntRange{}}}
		}, "num.between"},
		{"empty lists and isNull", func(n int) *model.IssueFilter {
			return &model.IssueFilter{And: ones(n - 3), Num: &model.NumFilter{In: []int32{}},
				Fields: []*model.CustomFieldFilter{
					onField(tracker.TypeTags, model.CustomFieldFilter{
						Tags: &model.TagSetFilter{HasAll: []string{}}}).
						Fields[0], onField(tracker.TypeTags,
						model.CustomFieldFilter{IsNull: new(true)}).Fields[0]}}
		}, "fields[1].isNull"},
	} {
		t.Run("MaxTerms of "+c.name, func(t *testing.T) {
			accepted(t, c.of(filter.MaxTerms))
			refused(t, c.of(filter.MaxTerms+1), c.path, "101 comparisons", "the limit is 100")
		})
	}

	for name, around := range map[string]func(*model.IssueFilter) *model.IssueFilter{
		"and[0]": func(in *model.IssueFilter) *model.IssueFilter {
			return &model.IssueFilter{And: []*model.IssueFilter{in}}
		},
		"or[0]": func(in *model.IssueFilter) *model.IssueFilter {
			return &model.IssueFilter{Or: []*model.IssueFilter{in}}
		},
		"not": func(in *model.IssueFilter) *model.IssueFilter { return &model.IssueFilter{Not: in} },
	} {
		t.Run("MaxDepth of "+name, func(t *testing.T) {
			in := one
			for range filter.MaxDepth {
				in = around(in)
			}
			accepted(t, in)
			refused(t, around(in), strings.TrimSuffix(strings.Repeat(name+".", filter.MaxDepth+1), "."),
				"the limit is 10")
		})
	}
}
