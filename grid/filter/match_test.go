package filter_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/columns"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

func TestMeets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := draw(t)
		form := filter.Normalize(q.condition)
		matcher := filter.NewMatcher(definition, form.All...) // which may lack strings of q.condition
		for range 6 {
			r := drawRow(t)
			for _, c := range testColumns {
				if r.long(c) {
					r.read[c.id] = rapid.Bool().Draw(t, "read")
				}
			}
			for _, r := range []row{r.reading(true), r, r.reading(false)} {
				s := r.subjectOf(matcher)
				if got, want := meets(s, q.condition), q.truth(r); got != want {
					t.Fatalf("%s: got %d, want %d, for the issue\n%v", q.text, got, want, r)
				}
				// The form may decide where the condition is unknown, because simplification removes terms.
				// It must not contradict the condition.
				if known := q.holds(r); form.Never {
					if known {
						t.Fatalf("%s: normalizes to never, but matches the issue\n%v", q.text, r)
					}
				} else if got := meets(s, filter.And(form.All)); got !=
					truth(known) && (got != filter.Unknown || q.truth(r) != filter.Unknown) {
					t.Fatalf("%s: the normal form returned %d, want %v, for the issue\n%v", q.text, got,
						known, r)
				}
			}
		}
	})
}

func TestLongTexts(t *testing.T) {
	order := func(a, b tracker.LongRef) int { return strings.Compare(string(a.Column), string(b.Column)) }
	rapid.Check(t, func(t *rapid.T) {
		q, r := draw(t), drawRow(t)
		var want []tracker.LongRef
		for _, c := range testColumns {
			if r.long(c) && slices.Contains(q.columns, c.id) {
				want = append(want, r.ref(c))
			}
		}
		s := r.reading(rapid.Bool().Draw(t, "read")).subject()
		got := filter.LongTexts(s.Issue, q.condition)
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if diff := cmp.Diff(want, got, sameBytes); diff != "" {
			t.Fatalf("%s (-want +got)\n%s", q.text, diff)
		}
		for _, ref := range got {
			s.Texts[ref.Column] = r.values[ref.Column].(string)
		}
		if got, want := meets(s, q.condition), truth(q.holds(r)); got != want {
			t.Fatalf("%s: got %d with all texts in LongTexts read, want %d", q.text, got, want)
		}
	})
}

// TestNoValueMeetsNoComparison evaluates conditions on an issue that has only the required values.
func TestNoValueMeetsNoComparison(t *testing.T) {
	s := row{}.subject()
	for _, c := range testColumns {
		if c.always() {
			continue
		}
		conditions := map[string]filter.Condition{"any": notNull(c.id),
			"has": filter.Has{Column: c.id, Member: "oa"}}
		if c.domain != nil {
			v := c.domain.encode(c.domain.pool[0])
			conditions = map[string]filter.Condition{"any": notNull(c.id), "eq": eq(c.id, v),
				"lt":  lt(c.id, v),
				"lte": lte(c.id, v), "gt": gt(c.id, v), "gte": gte(c.id, v)}
		}
		if c.textual() {
			conditions["begins with the empty"] = begins(c.id, "")
			conditions["contains"] = filter.Contains{Column: c.id, Folded: "a"}
			conditions["contains the empty"] = filter.Contains{Column: c.id}
		}
		for name, condition := range conditions {
			t.Run(fmt.Sprintf("%s/%s", c.id, name), func(t *testing.T) {
				if got := meets(s, condition); got != filter.No {
					t.Errorf("got %d, want No", got)
				}
				if got := meets(s, filter.Negate(condition)); got != filter.Yes {
					t.Errorf("the opposite: got %d, want Yes", got)
				}
			})
		}
		if got := meets(s, null(c.id)); got != filter.Yes {
			t.Errorf("%s is null: got %d, want Yes", c.id, got)
		}
	}
}

// TestLongTextsDecide evaluates every kind of condition on a text outside the document, in each column that
// can have one.
func TestLongTextsDecide(t *testing.T) {
	text := strings.Repeat("Éclair ", 200) + "end"
	for _, column := range []tracker.Column{tracker.ColumnDescription, "text", "long"} {
		r := row{map[tracker.Column]any{column: text}, nil}
		for name, tt := range map[string]struct {
			c           filter.Condition
			unread, was filter.Truth
		}{
			"contains": {filter.Contains{Column: column, Folded: "r end"}, filter.Unknown,
				filter.Yes},
			"contains not": {filter.Contains{Column: column, Folded: "éclair"}, filter.Unknown,
				filter.No},
			"not contains": {filter.Not{Condition: filter.Contains{Column: column,
				Folded: "r end"}}, filter.Unknown, filter.No},
			"contains the empty": {filter.Contains{Column: column}, filter.Yes, filter.Yes},
			"not contains the empty": {filter.Not{Condition: filter.Contains{Column: column}}, filter.No,
				filter.No},
			"begins with":       {begins(column, "eclair É"), filter.Unknown, filter.Yes},
			"begins with other": {begins(column, "end"), filter.Unknown, filter.No},
			"eq":                {eq(column, sortkey.Text(text)), filter.Unknown, filter.Yes},
			"ne": {filter.Negate(eq(column, sortkey.Text(text))), filter.Unknown,
				filter.No},
			"lt":                    {lt(column, sortkey.Text("e")), filter.Unknown, filter.No},
			"null":                  {null(column), filter.No, filter.No},
			"any":                   {notNull(column), filter.Yes, filter.Yes},
			"begins with the empty": {begins(column, ""), filter.Yes, filter.Yes},
		} {
			t.Run(fmt.Sprintf("%s/%s", column, name), func(t *testing.T) {
				s := r.subject()
				if got := meets(s, tt.c); got != tt.unread {
					t.Errorf("unread: got %d, want %d", got, tt.unread)
				}
				s.Texts = nil
				if got := meets(s, tt.c); got != tt.unread {
					t.Errorf("Texts is nil: got %d, want %d", got, tt.unread)
				}
				s.Texts = map[tracker.Column]string{"other": text}
				if got := meets(s, tt.c); got != tt.unread {
					t.Errorf("another text read: got %d, want %d", got, tt.unread)
				}
				s.Texts[column] = text
				if got := meets(s, tt.c); got != tt.was {
					t.Errorf("read: got %d, want %d", got, tt.was)
				}
			})
		}
	}
}

func TestMeetsUnknownOnlyWhereItDepends(t *testing.T) {
	r := row{map[tracker.Column]any{tracker.ColumnNum: int64(1),
		tracker.ColumnDescription: strings.Repeat("x", 300)}, nil}
	yes, no := eq("num", one), eq("num", two)
	unknown := filter.Condition(filter.Contains{Column: "description", Folded: "y"})
	for name, tt := range map[string]struct {
		c    filter.Condition
		want filter.Truth
	}{
		"yes":                      {yes, filter.Yes},
		"no":                       {no, filter.No},
		"unknown":                  {unknown, filter.Unknown},
		"no condition":             {nil, filter.Yes},
		"empty and":                {and{}, filter.Yes},
		"empty or":                 {or{}, filter.No},
		"not yes":                  {filter.Negate(yes), filter.No},
		"not no":                   {filter.Negate(no), filter.Yes},
		"not unknown":              {filter.Negate(unknown), filter.Unknown},
		"not not unknown":          {filter.Negate(filter.Negate(unknown)), filter.Unknown},
		"yes or unknown":           {or{yes, unknown}, filter.Yes},
		"unknown or yes":           {or{unknown, yes}, filter.Yes},
		"no or unknown":            {or{no, unknown}, filter.Unknown},
		"unknown or no":            {or{unknown, no}, filter.Unknown},
		"no or unknown or yes":     {or{no, unknown, yes}, filter.Yes},
		"no and unknown":           {and{no, unknown}, filter.No},
		"unknown and no":           {and{unknown, no}, filter.No},
		"yes and unknown":          {and{yes, unknown}, filter.Unknown},
		"unknown and yes":          {and{unknown, yes}, filter.Unknown},
		"yes and unknown and no":   {and{yes, unknown, no}, filter.No},
		"not (yes or unknown)":     {filter.Negate(or{yes, unknown}), filter.No},
		"not (no and unknown)":     {filter.Negate(and{no, unknown}), filter.Yes},
		"(no or unknown) and yes":  {and{or{no, unknown}, yes}, filter.Unknown},
		"(yes and unknown) or yes": {or{and{yes, unknown}, yes}, filter.Yes},
	} {
		t.Run(name, func(t *testing.T) {
			if got := meets(r.subject(), tt.c); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestTagsCompareFolded(t *testing.T) {
	for _, tt := range []struct {
		tag, operand string
		want         filter.Truth
	}{
		{"Éclair", "ECLAIR", filter.Yes},
		{"eclair", "e\u0301clair", filter.Yes},
		{"STRASSE", "straße", filter.Yes},
		{"ﬁne", "Fine", filter.Yes},
		{"eclair", "eclairs", filter.No},
		{"\u0301", "\u0301", filter.Yes}, // marks only: not folded
		{"\u0301", "\u0308", filter.No},
		{phrase, phrase, filter.Yes}, // compared by hash
		{phrase, phrase + "!", filter.No},
	} {
		t.Run(fmt.Sprintf("%.12q has %.12q", tt.tag, tt.operand), func(t *testing.T) {
			r := row{map[tracker.Column]any{"tags": []string{"other", tt.tag}}, nil}
			if got := meets(r.subject(), filter.Has{Column: "tags",
				Member: columns.FoldTag(tt.operand)}); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
	// Options are compared by id, without folding.
	r := row{map[tracker.Column]any{"multi": []string{"oa"}}, nil}
	if got := meets(r.subject(), filter.Has{Column: "multi", Member: "OA"}); got != filter.No {
		t.Errorf("option id in a different case: got %d, want No", got)
	}
}

func TestColumnsOfNoCondition(t *testing.T) {
	if got := filter.Columns(nil); len(got) > 0 {
		t.Errorf("got %q, want none", got)
	}
}
