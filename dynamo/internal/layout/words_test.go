package layout_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestWordsAreKept: the words of an entry of a history, and the former names of a user, are read as they were
// stored (F9). A case is an entry and a user.
func TestWordsAreKept(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	name := func() string {
		all := []string{"Ada Lovelace", "a", " ", "Größe", "2026-01-31T00:00:00Z x", "バス", "e\u0301", "name"}
		return all[r.IntN(len(all))] + all[r.IntN(len(all))]
	}
	people := layout.PeopleOf(layout.Keys{Tenant: "acme"})
	for range tier.Cases(2_000, 100_000) {
		var w tracker.Words
		if r.IntN(4) > 0 {
			w.Name = name()
		}
		for n := range r.IntN(5) {
			if w.Choices == nil {
				w.Choices = map[tracker.OptionID]string{}
			}
			w.Choices[tracker.OptionID(fmt.Sprint("option", n))] = name()
		}
		got := layout.DecodeWords(&types.AttributeValueMemberM{Value: layout.EncodeWords(w)})
		if diff := cmp.Diff(w, got); diff != "" {
			t.Fatalf("words (-stored +read):\n%s", diff)
		}
		u := tracker.User{ID: "u", Name: name(), Version: 1, Created: time.Unix(1, 0).UTC(),
			Updated: time.Unix(2, 0).UTC()}
		at := u.Updated
		for range r.IntN(15) {
			at = at.Add(time.Duration(r.Int64N(1e12)) * time.Microsecond)
			next := name()
			u.Former, u.Name = u.Former.Rename(u.Name, next, at), next
		}
		read, err := people.DecodeUser(people.EncodeUser(&u))
		if err != nil || read.Name != u.Name || !slices.Equal(read.Former, u.Former) {
			t.Fatalf("%v, (-stored +read):\n%s", err, cmp.Diff(&u, read))
		}
	}
}
