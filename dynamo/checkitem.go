package dynamo

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

	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// strange are the attributes in which an item is not what it is written as again after it was read, in order. That is how an item is known to decode.
func strange(m, again item) []string {
	var out []string
	for name, av := range m {
		if !sameAttribute(av, again[name]) {
			out = append(out, name)
		}
	}
	for name := range again {
		if m[name] == nil {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// sameAttribute compares values; the members of a set have no order.
func sameAttribute(a, b types.AttributeValue) bool {
	x, ok := a.(*types.AttributeValueMemberSS)
	y, ok2 := b.(*types.AttributeValueMemberSS)
	if ok && ok2 {
		return slices.Equal(slices.Sorted(slices.Values(x.Value)), slices.Sorted(slices.Values(y.Value)))
	}
	return reflect.DeepEqual(a, b)
}

// attributes says which attributes an item has: the types by names, those that it need not have with a ?.
type attributes map[string]string

// strange are the attributes that an item should not have, or not of this type, or has not.
func (a attributes) strange(m item) []string {
	var out []string
	for name, av := range m {
		if name != attrPK && name != attrSK && typeOf(av) != strings.TrimSuffix(a[name], "?") {
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

// damaged is the finding of an item with strange attributes; none if there are none.
func damaged(m item, names []string) []Finding {
	if len(names) == 0 {
		return nil
	}
	return []Finding{{Kind: KindItem, Key: keyOf(m), Detail: "not as it is written: " + strings.Join(names, ", ")}}
}

// misplaced is the finding of an item whose key is none of its partition's.
func misplaced(at tracker.TenantID, m item) Finding {
	k := keyOf(m)
	if other, _, ok := strings.Cut(k.SK, "/"); ok && other != string(at) && tracker.ValidID(other) {
		return Finding{Kind: KindForeign, Key: k}
	}
	return Finding{Kind: KindKey, Key: k}
}

// markerAttributes, counterAttributes and so on are what items have that are not encoded and decoded as a whole.
var (
	markerAttributes  = attributes{"version": "N"}
	counterAttributes = attributes{"n": "N"}
	guardAttributes   = attributes{"owner": "S"}
	onceAttributes    = attributes{"print": "S", "made": "S", attrExpires: "N"}
	partAttributes    = attributes{"v": "B", "z": "BOOL?", attrAt: "N?", attrExpires: "N?"}
	historyFirst      = attributes{"write": "S", "kind": "S", "at": "S", "by": "S?", "before": "M?", "after": "M?", attrExpires: "N"}
	historyMore       = attributes{"before": "M?", "after": "M?", attrExpires: "N"}
)

// changeKinds are all kinds of changes.
var changeKinds = []tracker.ChangeKind{tracker.Created, tracker.Updated, tracker.Deleted, tracker.Restored}

// strangeHistory are the strange attributes of the n-th item of an entry of a history.
func strangeHistory(m item, n int) []string {
	want := historyMore
	if n == 0 {
		want = historyFirst
	}
	out := want.strange(m)
	if n == 0 {
		if !slices.Contains(changeKinds, tracker.ChangeKind(getS(m, "kind"))) {
			out = append(out, "kind")
		}
		if _, err := time.Parse(time.RFC3339Nano, getS(m, "at")); err != nil {
			out = append(out, "at")
		}
	}
	for _, side := range []string{"before", "after"} {
		for column, av := range getM(m, side) {
			c := tracker.Column(column)
			if !sameAttribute(av, encodeValue(decodeValue(av))) || !c.Builtin() && !c.Field().Valid() {
				out = append(out, side+"."+column)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// singlePartition is a partition whose items are judged one by one: that of a tenant, of a guard, of a change that is made only once, or one of which
// nothing is known.
type singlePartition struct {
	c     *checker
	t     *Tenant // nil in a place that has none
	place place
	items []item
}

// maxSingle is how many items of such a partition are told. It has one.
const maxSingle = 100

func (p *singlePartition) add(m item) {
	if len(p.items) < maxSingle {
		p.items = append(p.items, m)
	}
}

func (p *singlePartition) judge(context.Context, bool) ([]Finding, error) {
	var out []Finding
	for _, m := range p.items {
		out = append(out, p.judgeItem(m)...)
	}
	return out, nil
}

func (p *singlePartition) judgeItem(m item) []Finding {
	if p.t == nil {
		return []Finding{{Kind: KindKey, Key: keyOf(m)}}
	}
	switch key := keyOf(m); {
	case p.place.kind == placeTenant && key == p.t.keys.tenantItem():
		return p.judgeTenant(m)
	case p.place.kind == placeGuard && key == p.t.keys.projectKeyGuard(p.place.key):
		return damaged(m, guardAttributes.strange(m))
	case p.place.kind == placeOnce && key.SK == "*":
		return damaged(m, onceAttributes.strange(m))
	}
	return []Finding{misplaced(p.place.tenant, m)}
}

func (p *singlePartition) judgeTenant(m item) []Finding {
	t, err := decodeTenant(m)
	if err != nil || tracker.CheckName("", t.Name) != nil {
		return damaged(m, []string{"name"})
	}
	return judgeAttributes(m, strange(m, encodeTenant(*t)))
}

// judgeAttributes tells attributes that can be derived from the others as findings of their own; nothing can be if the others are strange.
func judgeAttributes(m item, names []string) []Finding {
	others := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == attrSS || n == attrHas })
	if len(others) > 0 {
		return damaged(m, others)
	}
	var out []Finding
	for _, name := range names {
		kind := KindSortString
		if name == attrHas {
			kind = KindHas
		}
		out = append(out, Finding{Kind: kind, Key: keyOf(m)})
	}
	return out
}

func (p *singlePartition) seen() {
	if p.t == nil || len(p.items) == 0 {
		return
	}
	switch p.place.kind {
	case placeTenant:
		p.c.tenants[p.place.tenant] = p.c.tenants[p.place.tenant] || slices.ContainsFunc(p.items, func(m item) bool { return keyOf(m) == p.t.keys.tenantItem() })
	case placeGuard:
		for _, m := range p.items {
			if owner := tracker.ProjectID(getS(m, "owner")); p.c.options.Project == "" || owner == p.c.options.Project {
				p.c.guards[keyOf(m)] = owner
			}
		}
	}
}

func (p *singlePartition) moved(context.Context) (bool, error) { return false, nil }

// mend sets the sort string of a tenant right.
func (p *singlePartition) mend(ctx context.Context, kind Kind, all []Finding) error {
	for _, m := range p.items {
		if kind == KindSortString && keyOf(m) == all[0].Key {
			want := sortkey.Name(getS(m, "name"), string(p.t.id))
			return p.c.db.rewrite(ctx, m, item{attrSS: avB(want)}, nil, "name", attrSS)
		}
	}
	return fmt.Errorf("%w: nothing here can be mended", errOutrun)
}

// byKey puts findings in the order of the keys, because maps have none.
func byKey(all []Finding) []Finding {
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Kind.place(), b.Kind.place()), cmp.Compare(a.Key.SK, b.Key.SK), cmp.Compare(a.Column, b.Column))
	})
	return all
}

// sortedKeys are the keys of a map in order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
