package check

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// differences returns the names of the attributes in which an item differs from the one encoded again after
// decoding, in order. It verifies that an item can be decoded.
func differences(m, encoded layout.Item) []string {
	var out []string
	for name, av := range m {
		if !sameAttribute(av, encoded[name]) {
			out = append(out, name)
		}
	}
	for name := range encoded {
		if m[name] == nil {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// sameAttribute compares values. The members of a set have no order.
func sameAttribute(a, b types.AttributeValue) bool {
	x, ok := a.(*types.AttributeValueMemberSS)
	y, ok2 := b.(*types.AttributeValueMemberSS)
	if ok && ok2 {
		return slices.Equal(slices.Sorted(slices.Values(x.Value)), slices.Sorted(slices.Values(y.Value)))
	}
	return reflect.DeepEqual(a, b)
}

// attributes maps the names of an item's attributes to their types. The types of optional attributes end in
// ?.
type attributes map[string]string

// unexpected returns the names of the attributes that are unknown, have another type, or are missing.
func (a attributes) unexpected(m layout.Item) []string {
	var out []string
	for name, av := range m {
		if name != layout.AttrPK && name != layout.AttrSK && typeOf(av) != strings.TrimSuffix(a[name], "?") {
			out = append(out, name)
		}
	}
	for name, t := range a {
		if m[name] == nil && !strings.HasSuffix(t, "?") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func typeOf(av types.AttributeValue) string {
	name := reflect.TypeOf(av).Elem().Name()
	return strings.TrimPrefix(name, "AttributeValueMember")
}

// damaged returns the finding for an item with missing, unknown or invalid attributes, and nothing if there
// are none.
func damaged(m layout.Item, names []string) []Finding {
	if len(names) == 0 {
		return nil
	}
	return []Finding{{Kind: KindItem, Key: layout.KeyOf(m),
		Detail: "missing, unknown or invalid attributes: " + strings.Join(names, ", ")}}
}

// misplaced returns the finding for an item whose key does not belong in its partition.
func misplaced(at tracker.TenantID, m layout.Item) Finding {
	k := layout.KeyOf(m)
	if other, _, ok := strings.Cut(k.SK, "/"); ok && other != string(at) && tracker.ValidID(other) {
		return Finding{Kind: KindForeign, Key: k}
	}
	return Finding{Kind: KindKey, Key: k}
}

// The attributes of items that are not encoded and decoded as a whole.
var (
	markerAttributes     = attributes{"version": "N"}
	counterAttributes    = attributes{"n": "N", "reserved": "N?", "added": "N?"}
	guardAttributes      = attributes{"owner": "S"}
	onceAttributes       = attributes{"print": "S", "made": "S", layout.AttrExpires: "N"}
	uploadAttributes     = attributes{"record": "S", "version": "N", layout.AttrExpires: "N?"}
	partAttributes       = attributes{"v": "B", "z": "BOOL?", layout.AttrAt: "N?", layout.AttrExpires: "N?"}
	uploadPartAttributes = attributes{"v": "B", layout.AttrExpires: "N"}
	historyFirst         = attributes{"write": "S", "kind": "S", "at": "S", "by": "S?",
		layout.AttrByUser: "S?", "before": "M?", "after": "M?", "words": "M?", layout.AttrExpires: "N"}
	historyMore = attributes{"before": "M?", "after": "M?", "words": "M?", layout.AttrExpires: "N"}
)

// changeKinds contains all kinds of changes.
var changeKinds = []tracker.ChangeKind{tracker.Created, tracker.Updated, tracker.Deleted, tracker.Restored}

// unexpectedInHistory returns the unexpected attributes of the n-th item of a history entry.
func unexpectedInHistory(m layout.Item, n int) []string {
	want := historyMore
	if n == 0 {
		want = historyFirst
	}
	out := want.unexpected(m)
	if n == 0 {
		if !slices.Contains(changeKinds, tracker.ChangeKind(layout.GetS(m, "kind"))) {
			out = append(out, "kind")
		}
		if _, err := time.Parse(time.RFC3339Nano, layout.GetS(m, "at")); err != nil {
			out = append(out, "at")
		}
	}
	for _, side := range []string{"before", "after"} {
		for column, av := range layout.GetM(m, side) {
			c := tracker.Column(column)
			if !sameAttribute(av, layout.EncodeValue(layout.DecodeValue(av))) || !c.Builtin() &&
				!c.Field().Valid() {
				out = append(out, side+"."+column)
			}
		}
	}
	for column, av := range layout.GetM(m, "words") {
		of := layout.EncodeWords(layout.DecodeWords(av))
		if of == nil || !sameAttribute(av, &types.AttributeValueMemberM{Value: of}) {
			out = append(out, "words."+column)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// unexpectedInProjectHistory returns the unexpected attributes of an entry in the history of a project.
func unexpectedInProjectHistory(h layout.ProjectHistory, m layout.Item) []string {
	c, err := h.Decode(m)
	if err != nil {
		return []string{"at"}
	}
	encoded := h.Encode(c)
	encoded[layout.AttrExpires] = layout.N(layout.GetN(m, layout.AttrExpires))
	out := differences(m, encoded)
	if slices.ContainsFunc(c.Parts, func(part tracker.PartChange) bool {
		return !slices.Contains(tracker.PartKinds, part.Part) ||
			!slices.Contains(tracker.PartChangeKinds, part.Change)
	}) {
		out = append(out, "parts")
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// singlePartition is a partition whose items are checked one by one: that of the guard of a project's key, of
// an idempotency key or of an upload, or an unknown one.
type singlePartition struct {
	fewItems
	unrepairable
	c     *checker
	t     *tenant // nil if the partition key contains no tenant
	place layout.Partition
}

// fewItems are the items of a partition that has no version, and one item if it is valid.
type fewItems struct{ items []layout.Item }

// maxFew is the maximum number of items reported of such a partition.
const maxFew = 100

func (f *fewItems) add(m layout.Item) {
	if len(f.items) < maxFew {
		f.items = append(f.items, m)
	}
}

func (f *fewItems) moved(context.Context) (bool, error) { return false, nil }

func (p *singlePartition) check(context.Context, bool) ([]Finding, error) {
	var out []Finding
	for _, m := range p.items {
		out = append(out, p.checkItem(m)...)
	}
	return out, nil
}

func (p *singlePartition) checkItem(m layout.Item) []Finding {
	if p.t == nil && p.place.Kind != layout.PartitionOnce {
		return []Finding{{Kind: KindKey, Key: layout.KeyOf(m)}}
	}
	switch key := layout.KeyOf(m); {
	case p.place.Kind == layout.PartitionGuard && key == p.t.Keys.ProjectKeyGuard(p.place.Key):
		return damaged(m, guardAttributes.unexpected(m))
	case p.place.Kind == layout.PartitionOnce && key.SK == "*":
		return damaged(m, onceAttributes.unexpected(m))
	case p.place.Kind == layout.PartitionUpload:
		if key.SK == "*" {
			return damaged(m, uploadAttributes.unexpected(m))
		}
		if (layout.Upload{Keys: p.t.Keys}).IsPart(key.SK) {
			return damaged(m, uploadPartAttributes.unexpected(m))
		}
	}
	return []Finding{misplaced(p.place.Tenant, m)}
}

// checkAttributes reports attributes that can be derived from others as separate findings. If the others are
// unexpected, nothing can be derived.
func checkAttributes(m layout.Item, names []string) []Finding {
	others := slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return n == layout.AttrSS || n == layout.AttrHas
	})
	if len(others) > 0 {
		return damaged(m, others)
	}
	var out []Finding
	for _, name := range names {
		kind := KindSortString
		if name == layout.AttrHas {
			kind = KindHas
		}
		out = append(out, Finding{Kind: kind, Key: layout.KeyOf(m)})
	}
	return out
}

func (p *singlePartition) record() {
	if p.t == nil || len(p.items) == 0 {
		return
	}
	if p.place.Kind == layout.PartitionGuard {
		for _, m := range p.items {
			if owner := tracker.ProjectID(layout.GetS(m, "owner")); p.c.options.Project == "" ||
				owner == p.c.options.Project {
				p.c.guards[layout.KeyOf(m)] = owner
			}
		}
	}
}

// unrepairable is a partition of which nothing is repaired.
type unrepairable struct{}

func (unrepairable) repair(context.Context, FindingKind, []Finding) error {
	return fmt.Errorf("%w: nothing here can be repaired", client.ErrStale)
}

// byKey sorts findings, because the order of maps is random.
func byKey(all []Finding) []Finding {
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Kind.rank(), b.Kind.rank()), cmp.Compare(a.Key.SK, b.Key.SK),
			cmp.Compare(a.Column, b.Column))
	})
	return all
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
