package strictjson_test

import (
	"encoding/json"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/internal/strictjson"
)

// TestMembers checks that objects have the members that encoding/json finds, and that one with a member
// twice, in whatever spelling, is refused.
func TestMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.MapOf(rapid.String(), rapid.OneOf(rapid.Int().AsAny(), rapid.String().AsAny(),
			rapid.Bool().AsAny(), rapid.Just[any](nil), rapid.SliceOf(rapid.Int()).AsAny())).Draw(t, "object")
		raw, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := strictjson.Members(raw)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%s: %d members, %v", raw, len(got), err)
		}
		for name, value := range want {
			if text, err := json.Marshal(value); err != nil || string(text) != string(got[name]) {
				t.Fatalf("%q is %s, want %s, %v", name, got[name], text, err)
			}
		}
	})
	for raw, want := range map[string]string{
		`{"dryRun": true, "dryRun": false}`:      `the member "dryRun" is given twice`,
		`{"a": {"b": 1}, "\u0061": 2}`:           `the member "a" is given twice`,
		`[]`:                                     "not a JSON object",
		``:                                       "not a JSON object",
		`{"a": {"b": 1, "b": 2}, "b": [{}, {}]}`: "",
	} {
		if _, err := strictjson.Members([]byte(raw)); want == "" && err != nil || want != "" &&
			(err == nil || err.Error() != want) {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
	for _, raw := range []string{`{"a"`, `{"a": `, `{"a": 1`, `{"a": 1,}`, `{"a": x}`, `{a: 1}`} {
		if _, err := strictjson.Members([]byte(raw)); err == nil || errors.Is(err, strictjson.ErrNotObject) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
