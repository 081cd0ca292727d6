package layout

import (
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// EncodeTenant returns the item of a tenant. Deleted tenants are listed after all others, until all of their
// items are removed.
func EncodeTenant(t tracker.Tenant) Item {
	m := KeyItem(Keys{Tenant: t.ID}.TenantItem())
	if t.Removed {
		m["deleted"] = S(tracker.FormatDateTime(t.Deleted))
		return m
	}
	m[AttrSS] = B(sortkey.Name(t.Name, string(t.ID)))
	m["name"] = S(t.Name)
	if !t.Deleted.IsZero() {
		m[AttrSS] = B(append(DeletedTenants(), t.ID...))
		m["deleted"] = S(tracker.FormatDateTime(t.Deleted))
	}
	return m
}

// DeletedTenants returns the position in TenantsPartition from which on tenants are deleted. The names before
// it are UTF-8, in which this byte does not occur.
func DeletedTenants() []byte { return []byte{0xff} }

// DecodeTenant decodes the item of a tenant. It returns Internal if the item cannot be decoded, as do
// DecodeProject and DecodeIssue.
func DecodeTenant(m Item) (*tracker.Tenant, error) {
	id, ok := ParseTenant(GetS(m, AttrPK))
	if !ok {
		return nil, tracker.Internal("a tenant item has a key that is not a tenant's", nil)
	}
	t := &tracker.Tenant{ID: id, Name: GetS(m, "name")}
	if deleted := GetS(m, "deleted"); deleted != "" {
		var err error
		if t.Deleted, err = time.Parse(time.RFC3339Nano, deleted); err != nil {
			return nil, tracker.Internal("a deleted tenant has no time of deletion", err)
		}
		t.Removed = RemovedTenant(m)
	}
	return t, nil
}

// RemovedTenant reports whether m is the item that a deleted tenant leaves, which has no name.
func RemovedTenant(m Item) bool { return m["deleted"] != nil && m["name"] == nil }

// DecodeActiveTenant is DecodeTenant, but returns nil for a deleted tenant.
func DecodeActiveTenant(m Item) (*tracker.Tenant, error) {
	t, err := DecodeTenant(m)
	if err != nil || !t.Deleted.IsZero() {
		return nil, err
	}
	return t, nil
}

// EncodeProject returns the item of a project, without its fields. The item of a project that clients do not
// see is not in the index.
func (k Keys) EncodeProject(p *tracker.Project) Item {
	m := KeyItem(k.ProjectItem(p.ID))
	m[AttrSS] = B(sortkey.Name(p.Name, string(p.ID)))
	m["key"] = S(p.Key)
	m["name"] = S(p.Name)
	m["version"] = N(p.Version)
	if p.Changes > 0 {
		m["changes"] = N(p.Changes)
	}
	if !p.Created.IsZero() {
		m["created"] = S(tracker.FormatDateTime(p.Created))
	}
	if p.FieldIDs > 0 {
		m["fieldids"] = N(p.FieldIDs)
	}
	setStrings(m, "rowkeys", p.RowKeys)
	if p.Shards > 1 {
		m["shards"] = N(int64(p.Shards))
	}
	states := make([]types.AttributeValue, len(p.States))
	for i, s := range p.States {
		sm := Item{"id": S(string(s.ID)), "name": S(s.Name), "open": Bool(s.Open)}
		if s.Color != "" {
			sm["color"] = S(s.Color)
		}
		states[i] = &types.AttributeValueMemberM{Value: sm}
	}
	m["states"] = &types.AttributeValueMemberL{Value: states}
	encodeEmpties(m, p.Empties)
	encodeRebuild(m, p.Rebuild)
	if t := p.Trash; t != nil {
		trash := Item{"at": S(tracker.FormatDateTime(t.At)), "purge": S(tracker.FormatDateTime(t.Purge))}
		SetActor(trash, t.By)
		m["trash"] = &types.AttributeValueMemberM{Value: trash}
	}
	if p.Deleted {
		m["deleted"] = Bool(true)
	}
	if p.Hidden() {
		delete(m, AttrSS) // not in the index
	}
	return m
}

// DecodeProject decodes the item of a project.
func (k Keys) DecodeProject(m Item) (*tracker.Project, error) {
	id, ok := k.ParseProject(GetS(m, AttrPK))
	if !ok {
		return nil, tracker.Internal("a project item has a key that is not a project's", nil)
	}
	p := &tracker.Project{ID: id, Tenant: k.Tenant, Key: GetS(m, "key"), Name: GetS(m, "name"),
		Version: GetN(m, "version"), Changes: GetN(m, "changes"),
		FieldIDs: GetN(m, "fieldids"),
		Shards:   int(GetN(m, "shards")), Deleted: getBool(m, "deleted")}
	for _, s := range GetL(m, "states") {
		if s, ok := s.(*types.AttributeValueMemberM); ok {
			p.States = append(p.States, tracker.State{ID: tracker.OptionID(GetS(s.Value, "id")),
				Name: GetS(s.Value, "name"), Open: getBool(s.Value, "open"), Color: GetS(s.Value, "color")})
		}
	}
	if created := GetS(m, "created"); created != "" {
		var err error
		if p.Created, err = time.Parse(time.RFC3339Nano, created); err != nil {
			return nil, tracker.Internal("a project has an invalid creation time", err)
		}
	}
	p.RowKeys = getStrings[string](m, "rowkeys")
	p.Empties = tracker.Empties(GetS(m, "empties"))
	p.Rebuild = decodeRebuild(m)
	if trash := GetM(m, "trash"); trash != nil {
		p.Trash = &tracker.ProjectTrash{By: GetActor(trash)}
		for name, to := range map[string]*time.Time{"at": &p.Trash.At, "purge": &p.Trash.Purge} {
			var err error
			if *to, err = time.Parse(time.RFC3339Nano, GetS(trash, name)); err != nil {
				return nil, tracker.Internal("a project in the trash has no time of deletion", err)
			}
		}
	}
	return p, nil
}

// EncodeField returns the item of a field.
func (k Keys) EncodeField(p tracker.ProjectID, f *tracker.Field) Item {
	m := KeyItem(k.Field(p, f.ID))
	m["id"] = S(string(f.ID))
	m["name"] = S(f.Name)
	m["type"] = S(string(f.Type))
	m["required"] = Bool(f.Required)
	m["position"] = N(f.Position)
	if f.Description != "" {
		m["description"] = S(f.Description)
	}
	if len(f.Options) > 0 {
		m["options"] = EncodeOptions(f.Options)
	}
	if f.Column != "" {
		m["column"] = S(f.Column)
	}
	if f.Archived {
		m["archived"] = Bool(true)
	}
	encodeEmpties(m, f.Empties)
	encodeRebuild(m, f.Rebuild)
	if len(f.Links) > 0 {
		m["links"] = encodeLinks(f.Links)
	}
	if f.Gen > 0 {
		m["gen"] = N(f.Gen)
	}
	if f.Changes > 0 {
		m["changes"] = N(f.Changes)
	}
	if f.From != nil {
		m["from"] = encodeForm(f.From)
	}
	if f.Next != nil {
		m["next"], m["removes"] = encodeForm(f.Next), Bool(f.Removes)
	}
	return m
}

func encodeEmpties(m Item, e tracker.Empties) {
	if e != tracker.EmptiesFiltered {
		m["empties"] = S(string(e))
	}
}

func encodeRebuild(m Item, r tracker.Rebuild) {
	if r.Moving {
		m["moving"] = Bool(true)
	}
	if r.Merges > 0 {
		m["merges"] = N(r.Merges)
	}
	if len(r.Merged) > 0 {
		merged := Item{}
		for id, into := range r.Merged {
			merged[string(id)] = S(string(into))
		}
		m["merged"] = &types.AttributeValueMemberM{Value: merged}
	}
	encodeNames(m, "former", r.Former)
}

// encodeNames sets an attribute to the names of choices by id, unless there are none.
func encodeNames(m Item, attribute string, names map[tracker.OptionID]string) {
	if len(names) == 0 {
		return
	}
	out := Item{}
	for id, name := range names {
		out[string(id)] = S(name)
	}
	m[attribute] = &types.AttributeValueMemberM{Value: out}
}

func decodeNames(m Item, attribute string) map[tracker.OptionID]string {
	stored := GetM(m, attribute)
	if len(stored) == 0 {
		return nil
	}
	out := make(map[tracker.OptionID]string, len(stored))
	for id := range stored {
		out[tracker.OptionID(id)] = GetS(stored, id)
	}
	return out
}

func decodeRebuild(m Item) tracker.Rebuild {
	r := tracker.Rebuild{Moving: getBool(m, "moving"), Former: decodeNames(m, "former"),
		Merges: GetN(m, "merges")}
	if merged := GetM(m, "merged"); len(merged) > 0 {
		r.Merged = make(map[tracker.OptionID]tracker.OptionID, len(merged))
		for id := range merged {
			r.Merged[tracker.OptionID(id)] = tracker.OptionID(GetS(merged, id))
		}
	}
	return r
}

func encodeLinks(all []tracker.UserLink) types.AttributeValue {
	links := make([]types.AttributeValue, len(all))
	for i, link := range all {
		links[i] = &types.AttributeValueMemberM{Value: Item{"name": S(link.Name),
			"user": S(string(link.User)), "is": S(link.UserName)}}
	}
	return &types.AttributeValueMemberL{Value: links}
}

func decodeLinks(m Item) (all []tracker.UserLink) {
	for _, av := range GetL(m, "links") {
		if link, ok := av.(*types.AttributeValueMemberM); ok {
			all = append(all, tracker.UserLink{Name: GetS(link.Value, "name"),
				User: tracker.UserID(GetS(link.Value, "user")), UserName: GetS(link.Value, "is")})
		}
	}
	return all
}

// EncodeOptions returns the attribute of a list of options.
func EncodeOptions(all []tracker.Option) types.AttributeValue {
	options := make([]types.AttributeValue, len(all))
	for i, o := range all {
		om := Item{"id": S(string(o.ID)), "name": S(o.Name)}
		if o.Color != "" {
			om["color"] = S(o.Color)
		}
		options[i] = &types.AttributeValueMemberM{Value: om}
	}
	return &types.AttributeValueMemberL{Value: options}
}

// DecodeOptions returns the options of an item.
func DecodeOptions(m Item) (out []tracker.Option) {
	for _, o := range GetL(m, "options") {
		if o, ok := o.(*types.AttributeValueMemberM); ok {
			out = append(out, tracker.Option{ID: tracker.OptionID(GetS(o.Value, "id")),
				Name: GetS(o.Value, "name"), Color: GetS(o.Value, "color")})
		}
	}
	return out
}

func encodeForm(f *tracker.Form) types.AttributeValue {
	m := Item{"type": S(string(f.Type)), "options": EncodeOptions(f.Options)}
	if f.FromValues {
		m["fromValues"] = Bool(true)
	}
	if f.Zone != "" {
		m["zone"] = S(f.Zone)
	}
	return &types.AttributeValueMemberM{Value: m}
}

func decodeForm(m Item) tracker.Form {
	return tracker.Form{Type: tracker.FieldType(GetS(m, "type")), Options: DecodeOptions(m),
		FromValues: getBool(m, "fromValues"), Zone: GetS(m, "zone")}
}

// DecodeField decodes the item of a field.
func DecodeField(m Item) *tracker.Field {
	f := &tracker.Field{ID: tracker.FieldID(GetS(m, "id")), Name: GetS(m, "name"),
		Description: GetS(m, "description"), Column: GetS(m, "column"),
		Type: tracker.FieldType(GetS(m, "type")), Required: getBool(m, "required"),
		Position: GetN(m, "position")}
	f.Options, f.Archived, f.Gen = DecodeOptions(m), getBool(m, "archived"), GetN(m, "gen")
	f.Changes = GetN(m, "changes")
	f.Empties = tracker.Empties(GetS(m, "empties"))
	f.Rebuild, f.Links = decodeRebuild(m), decodeLinks(m)
	if from := GetM(m, "from"); from != nil {
		form := decodeForm(from)
		f.From = &form
	}
	if next := GetM(m, "next"); next != nil {
		form := decodeForm(next)
		f.Next, f.Removes = &form, getBool(m, "removes")
	}
	return f
}

// EncodeIssue returns the issue item. Long texts must be references.
func (k Keys) EncodeIssue(i *tracker.Issue) Item {
	m := KeyItem(k.IssueItem(i.ID))
	m[AttrSS] = B(sortkey.Num(i.Num))
	m["num"] = N(i.Num)
	m["name"] = S(i.Name)
	m["state"] = S(string(i.State))
	m["created"] = S(tracker.FormatDateTime(i.Created))
	m["updated"] = S(tracker.FormatDateTime(i.Updated))
	m["version"] = N(i.Version)
	has := make([]string, 0, len(i.Values)+2)
	for _, c := range []tracker.Column{tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy} {
		if v := i.Value(c); v.Kind != tracker.KindNone {
			m[string(c)] = S(v.Text())
			has = append(has, string(c))
		}
	}
	encodeParticipants(m, i)
	for _, c := range []tracker.Column{tracker.ColumnAssignees, tracker.ColumnWatchers} {
		if m[string(c)] != nil {
			has = append(has, string(c))
		}
	}
	if i.Description.Kind != tracker.KindNone {
		m["description"] = EncodeValue(i.Description)
	}
	if i.Indexing {
		m["indexing"] = Bool(true)
	}
	values := make(Item, len(i.Values))
	for f, v := range i.Values {
		if v.Kind != tracker.KindNone {
			values[string(f)] = EncodeValue(v)
			has = append(has, string(f))
		}
	}
	if len(i.Gens) > 0 {
		gens := make(Item, len(i.Gens))
		for f, gen := range i.Gens {
			gens[string(f)] = N(gen)
		}
		m["gens"] = &types.AttributeValueMemberM{Value: gens}
	}
	if len(values) > 0 {
		m["values"] = &types.AttributeValueMemberM{Value: values}
	}
	if len(has) > 0 {
		slices.Sort(has)
		m[AttrHas] = &types.AttributeValueMemberSS{Value: has} // (I4)
	}
	return m
}

// DecodeIssue decodes the issue item. Long texts remain references.
func (k Keys) DecodeIssue(m Item) (*tracker.Issue, error) {
	id, ok := k.ParseIssue(GetS(m, AttrPK))
	if !ok {
		return nil, tracker.Internal("an issue item has a key that is not an issue's", nil)
	}
	i := &tracker.Issue{ID: id, Num: GetN(m, "num"), Name: GetS(m, "name"),
		State: tracker.OptionID(GetS(m, "state")), Version: GetN(m, "version"),
		CreatedBy: GetS(m, "createdby"), UpdatedBy: GetS(m, "updatedby"),
		Indexing: getBool(m, "indexing")}
	decodeParticipants(m, i)
	var err error
	if i.Created, err = time.Parse(time.RFC3339Nano, GetS(m, "created")); err != nil {
		return nil, tracker.Internal("an issue item has no creation time", err)
	}
	if i.Updated, err = time.Parse(time.RFC3339Nano, GetS(m, "updated")); err != nil {
		return nil, tracker.Internal("an issue item has no update time", err)
	}
	if d, ok := m["description"]; ok {
		i.Description = DecodeValue(d)
	}
	values := GetM(m, "values")
	i.Values = make(map[tracker.FieldID]tracker.Value, len(values))
	for f, v := range values {
		i.Values[tracker.FieldID(f)] = DecodeValue(v)
	}
	if gens := GetM(m, "gens"); len(gens) > 0 {
		i.Gens = make(map[tracker.FieldID]int64, len(gens))
		for f := range gens {
			i.Gens[tracker.FieldID(f)] = GetN(gens, f)
		}
	}
	return i, nil
}

// EncodeValue returns an attribute value. Each kind of value has a different DynamoDB type, or different
// members of a map, so that it can be decoded without its definition.
func EncodeValue(v tracker.Value) types.AttributeValue {
	switch v.Kind {
	case tracker.KindNum:
		return &types.AttributeValueMemberN{Value: v.Literal()}
	case tracker.KindBool:
		return Bool(v.Bool())
	case tracker.KindSet:
		set := make([]types.AttributeValue, len(v.Set()))
		for i, s := range v.Set() {
			set[i] = S(s)
		}
		return &types.AttributeValueMemberL{Value: set}
	case tracker.KindLong:
		l := v.Long()
		m := Item{"text": S(l.ID), "bytes": N(int64(l.Bytes)), "parts": N(int64(l.Parts))}
		if l.Excerpt != "" {
			m["excerpt"] = S(l.Excerpt)
		}
		return &types.AttributeValueMemberM{Value: m}
	}
	if user := v.User(); user != "" {
		return &types.AttributeValueMemberM{Value: Item{"user": S(string(user)), "name": S(v.Text())}}
	}
	return S(v.Text())
}

// DecodeValue decodes an attribute value.
func DecodeValue(av types.AttributeValue) tracker.Value {
	switch v := av.(type) {
	case *types.AttributeValueMemberS:
		return tracker.Text(v.Value)
	case *types.AttributeValueMemberN:
		return tracker.NumLiteral(v.Value)
	case *types.AttributeValueMemberBOOL:
		return tracker.Bool(v.Value)
	case *types.AttributeValueMemberL:
		set := make([]string, len(v.Value))
		for i, s := range v.Value {
			if s, ok := s.(*types.AttributeValueMemberS); ok {
				set[i] = s.Value
			}
		}
		return tracker.Set(set)
	case *types.AttributeValueMemberM:
		if user := GetS(v.Value, "user"); user != "" {
			return tracker.UserValue(GetS(v.Value, "name"), tracker.UserID(user))
		}
		return tracker.LongText(tracker.Long{ID: GetS(v.Value, "text"), Bytes: int(GetN(v.Value, "bytes")),
			Parts: int(GetN(v.Value, "parts")), Excerpt: GetS(v.Value, "excerpt")})
	}
	return tracker.Value{}
}
