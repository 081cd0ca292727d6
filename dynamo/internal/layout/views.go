package layout

import (
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/tracker"
)

// Views has the keys and the items of a list of views of a project: the shared ones, or the private ones of a
// user. They are in the partition of the project, after all items of the definition (ProjectHistory.Start).
// Each list has a head. Two lists have no item in common, so reading one neither costs nor shows what is in
// another.
type Views struct {
	keys    Keys
	project tracker.ProjectID
	list    string
}

// sharedViews is in the keys of shared views what a hash of the user is in those of private ones. No hash
// begins with it, because hashes have no l.
const sharedViews = "all"

// SharedViews returns the list of the shared views of a project.
func SharedViews(k Keys, p tracker.ProjectID) Views { return Views{k, p, sharedViews} }

// PrivateViews returns the list of the private views of a user in a project.
func PrivateViews(k Keys, p tracker.ProjectID, by tracker.Principal) Views {
	if by.Tenant == k.Tenant {
		return Views{k, p, ownViews(by.User)}
	}
	return Views{k, p, operatorViews(by.User)}
}

// ownViews and operatorViews return the hash of a user of the tenant, and that of an operator who does not
// belong to it, who may have the same name.
func ownViews(user string) string      { return tracker.IDFor("views", "user", user) }
func operatorViews(user string) string { return tracker.IDFor("views", "operator", user) }

// Shared reports whether it is the list of the shared views.
func (v Views) Shared() bool { return v.list == sharedViews }

// Of reports whether private views of a user can be in the list.
func (v Views) Of(user string) bool {
	return v.Shared() || v.list == ownViews(user) || v.list == operatorViews(user)
}

// Head returns the key of the head. It is the prefix of the sort keys of the list, and for private views the
// index partition of the heads of the user's lists in all projects.
func (v Views) Head() Key {
	return Key{PK: v.keys.Project(v.project), SK: v.keys.pk("xviews", v.list)}
}

// View returns the key of a view.
func (v Views) View(id tracker.ViewID) Key {
	at := v.Head()
	return Key{PK: at.PK, SK: at.SK + "." + string(id)}
}

// ParseViews returns the list in the sort key of a head or a view. id is empty for a head.
func ParseViews(k Keys, p tracker.ProjectID, sk string) (v Views, id tracker.ViewID, ok bool) {
	rest, ok := strings.CutPrefix(sk, k.pk("xviews", ""))
	list, view, isView := strings.Cut(rest, ".")
	ok = ok && tracker.ValidID(list) && (!isView || tracker.ValidID(view))
	return Views{k, p, list}, tracker.ViewID(view), ok
}

// ViewsHead is the head of a list of views. It changes with the views in the list, their names, and the
// default. It remains when the list has become empty, so that no version occurs twice.
type ViewsHead struct {
	// Version is 0 for a head that does not exist.
	Version int64
	N       int            // the number of views
	Default tracker.ViewID // of the shared views; may be empty
}

// EncodeHead returns the item of a head.
func (v Views) EncodeHead(h ViewsHead) Item {
	m := KeyItem(v.Head())
	m["version"], m["n"] = N(h.Version), N(int64(h.N))
	if h.Default != "" {
		m["default"] = S(string(h.Default))
	}
	if !v.Shared() && h.N > 0 {
		m[AttrSS] = B([]byte(v.project))
	}
	return m
}

// DecodeHead decodes a head, which may be nil.
func DecodeHead(m Item) ViewsHead {
	return ViewsHead{Version: GetN(m, "version"), N: int(GetN(m, "n")),
		Default: tracker.ViewID(GetS(m, "default"))}
}

// Encode returns the item of a view. Whether it is shared is in the key, and whether it is the default in the
// head.
func (v Views) Encode(view *tracker.View) Item {
	m := KeyItem(v.View(view.ID))
	m["name"] = S(view.Name)
	if view.Owner != "" {
		m["owner"] = S(view.Owner)
	}
	if len(view.Columns) > 0 {
		m["columns"] = encodeEach(view.Columns, func(c tracker.ViewColumn) Item {
			cm := Item{"column": S(string(c.Column))}
			if c.Width > 0 {
				cm["width"] = N(int64(c.Width))
			}
			return cm
		})
	}
	if len(view.Order) > 0 {
		m["order"] = encodeEach(view.Order, encodeViewOrder)
	}
	if len(view.Groupings) > 0 {
		m["groupings"] = encodeEach(view.Groupings, func(g tracker.ViewGrouping) Item {
			gm := encodeViewOrder(g.ViewOrder)
			if g.Period != "" {
				gm["period"] = S(g.Period)
			}
			if g.Width > 0 {
				gm["width"] = S(strconv.FormatFloat(g.Width, 'g', -1, 64))
			}
			if g.FirstLetter {
				gm["firstLetter"] = Bool(true)
			}
			return gm
		})
	}
	if len(view.Summaries) > 0 {
		m["summaries"] = encodeEach(view.Summaries, func(s tracker.ViewSummary) Item {
			return Item{"column": S(string(s.Column)), "part": S(s.Part)}
		})
	}
	if view.Board {
		m["board"] = Bool(true)
	}
	if view.Filter != "" {
		m["filter"] = S(view.Filter)
	}
	if len(view.Names) > 0 {
		names := make(Item, len(view.Names))
		for id, name := range view.Names {
			names[id] = S(name)
		}
		m["names"] = &types.AttributeValueMemberM{Value: names}
	}
	m["checked"], m["version"] = N(view.Checked), N(view.Version)
	m["created"] = S(tracker.FormatDateTime(view.Created))
	m["updated"] = S(tracker.FormatDateTime(view.Updated))
	return m
}

// Decode decodes a view, without Default. It returns Internal if the item cannot be decoded.
func (v Views) Decode(m Item) (*tracker.View, error) {
	_, id, ok := ParseViews(v.keys, v.project, GetS(m, AttrSK))
	if !ok || id == "" {
		return nil, tracker.Internal("the item of a view has a key that is not a view's", nil)
	}
	view := &tracker.View{ID: id, Project: v.project, Name: GetS(m, "name"), Shared: v.Shared(),
		Owner: GetS(m, "owner"), Filter: GetS(m, "filter"), Checked: GetN(m, "checked"),
		Board: getBool(m, "board"), Version: GetN(m, "version")}
	view.Columns = decodeEach(m, "columns", func(c Item) tracker.ViewColumn {
		return tracker.ViewColumn{Column: tracker.Column(GetS(c, "column")), Width: int(GetN(c, "width"))}
	})
	view.Order = decodeEach(m, "order", decodeViewOrder)
	view.Groupings = decodeEach(m, "groupings", func(g Item) tracker.ViewGrouping {
		width, _ := strconv.ParseFloat(GetS(g, "width"), 64)
		return tracker.ViewGrouping{ViewOrder: decodeViewOrder(g), Period: GetS(g, "period"), Width: width,
			FirstLetter: getBool(g, "firstLetter")}
	})
	view.Summaries = decodeEach(m, "summaries", func(s Item) tracker.ViewSummary {
		return tracker.ViewSummary{Column: tracker.Column(GetS(s, "column")), Part: GetS(s, "part")}
	})
	if names := GetM(m, "names"); len(names) > 0 {
		view.Names = make(map[string]string, len(names))
		for id := range names {
			view.Names[id] = GetS(names, id)
		}
	}
	var err error
	if view.Created, err = time.Parse(time.RFC3339Nano, GetS(m, "created")); err != nil {
		return nil, tracker.Internal("a view has no creation time", err)
	}
	if view.Updated, err = time.Parse(time.RFC3339Nano, GetS(m, "updated")); err != nil {
		return nil, tracker.Internal("a view has no update time", err)
	}
	return view, nil
}

func encodeViewOrder(o tracker.ViewOrder) Item {
	m := Item{"column": S(string(o.Column))}
	if o.Descending {
		m["descending"] = Bool(true)
	}
	if o.NullsFirst {
		m["nullsFirst"] = Bool(true)
	}
	return m
}

func decodeViewOrder(m Item) tracker.ViewOrder {
	return tracker.ViewOrder{Column: tracker.Column(GetS(m, "column")), Descending: getBool(m, "descending"),
		NullsFirst: getBool(m, "nullsFirst")}
}

// encodeEach encodes a list of maps.
func encodeEach[T any](list []T, encode func(T) Item) types.AttributeValue {
	out := make([]types.AttributeValue, len(list))
	for i, v := range list {
		out[i] = &types.AttributeValueMemberM{Value: encode(v)}
	}
	return &types.AttributeValueMemberL{Value: out}
}

// decodeEach decodes a list of maps.
func decodeEach[T any](m Item, name string, decode func(Item) T) (out []T) {
	for _, av := range GetL(m, name) {
		if v, ok := av.(*types.AttributeValueMemberM); ok {
			out = append(out, decode(v.Value))
		}
	}
	return out
}
