package tracker_test

import (
	"slices"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// TestParseLanguage checks canonical forms, and that each of them is its own.
func TestParseLanguage(t *testing.T) {
	for given, want := range map[string]string{"en": "en", "EN-us": "en-US", "pt_BR": "pt-BR", "iw": "he",
		"zh-hant-tw": "zh-Hant-TW", "de-u-co-phonebk": "de-u-co-phonebk", "all": "all"} {
		got, err := tracker.ParseLanguage(given)
		if err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", given, got, err, want)
		}
		if again, err := tracker.ParseLanguage(got); again != got || err != nil {
			t.Errorf("%s is %q, %v", got, again, err)
		}
	}
	for _, given := range []string{"", "und", "no language", "en.de", "en/de", "x", strings.Repeat("en-", 20),
		"\x00", "日本語"} {
		if got, err := tracker.ParseLanguage(given); tracker.CodeOf(err) != tracker.BadInput {
			t.Errorf("%q is %q, %v", given, got, err)
		}
	}
}

// TestCommentFilter checks that a filter with no ratings is not one without a condition on them.
func TestCommentFilter(t *testing.T) {
	f := tracker.CommentFilter{Ratings: []int{5, 1, 5}, Language: "DE"}
	if err := f.Check(); err != nil || !slices.Equal(f.Ratings, []int{1, 5}) || f.Language != "de" {
		t.Errorf("%+v, %v", f, err)
	}
	none := tracker.CommentFilter{Ratings: []int{}}
	if err := none.Check(); err != nil || none.Ratings == nil {
		t.Errorf("%+v, %v", none, err)
	}
	for _, bad := range []tracker.CommentFilter{{Ratings: []int{0}}, {Ratings: []int{1, 6}},
		{Language: "x"}} {
		if err := bad.Check(); tracker.CodeOf(err) != tracker.BadInput {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
