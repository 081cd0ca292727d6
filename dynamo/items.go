package dynamo

import (
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/sortkey"
	"issuegrid/tracker"
)

func encodeTenant(t tracker.Tenant) item {
	m := keyItem(keys{tenant: t.ID}.tenantItem())
	m[attrSS] = avB(sortkey.Name(t.Name, string(t.ID)))
	m["name"] = avS(t.Name)
	return m
}

func decodeTenant(m item) (*tracker.Tenant, error) {
	id, ok := parseTenant(getS(m, attrPK))
	if !ok {
		return nil, tracker.Internal("a tenant item has a key that is not a tenant's", nil)
	}
	return &tracker.Tenant{ID: id, Name: getS(m, "name")}, nil
}

func (k keys) encodeProject(p *tracker.Project) item {
	m := keyItem(k.projectItem(p.ID))
	m[attrSS] = avB(sortkey.Name(p.Name, string(p.ID)))
	m["key"] = avS(p.Key)
	m["name"] = avS(p.Name)
	m["version"] = avN(p.Version)
	states := make([]types.AttributeValue, len(p.States))
	for i, s := range p.States {
		states[i] = &types.AttributeValueMemberM{Value: item{"id": avS(string(s.ID)), "name": avS(s.Name), "open": avBool(s.Open)}}
	}
	m["states"] = &types.AttributeValueMemberL{Value: states}
	if p.Deleted {
		m["deleted"] = avBool(true)
		delete(m, attrSS) // no list has it
	}
	return m
}

func (k keys) decodeProject(m item) (*tracker.Project, error) {
	id, ok := k.parseProject(getS(m, attrPK))
	if !ok {
		return nil, tracker.Internal("a project item has a key that is not a project's", nil)
	}
	p := &tracker.Project{ID: id, Tenant: k.tenant, Key: getS(m, "key"), Name: getS(m, "name"), Version: getN(m, "version"),
		Deleted: getBool(m, "deleted")}
	for _, s := range getL(m, "states") {
		if s, ok := s.(*types.AttributeValueMemberM); ok {
			p.States = append(p.States, tracker.State{ID: tracker.OptionID(getS(s.Value, "id")), Name: getS(s.Value, "name"), Open: getBool(s.Value, "open")})
		}
	}
	return p, nil
}

func (k keys) encodeField(p tracker.ProjectID, f *tracker.Field) item {
	m := keyItem(k.field(p, f.ID))
	m["id"] = avS(string(f.ID))
	m["name"] = avS(f.Name)
	m["type"] = avS(string(f.Type))
	m["required"] = avBool(f.Required)
	m["position"] = avN(f.Position)
	if f.Description != "" {
		m["description"] = avS(f.Description)
	}
	if len(f.Options) > 0 {
		m["options"] = encodeOptions(f.Options)
	}
	if f.Archived {
		m["archived"] = avBool(true)
	}
	if f.Moving {
		m["moving"] = avBool(true)
	}
	if f.Gen > 0 {
		m["gen"] = avN(f.Gen)
	}
	if f.From != nil {
		m["from"] = encodeForm(f.From)
	}
	if f.Next != nil {
		m["next"], m["removes"] = encodeForm(f.Next), avBool(f.Removes)
	}
	if len(f.Merged) > 0 {
		merged := item{}
		for id, into := range f.Merged {
			merged[string(id)] = avS(string(into))
		}
		m["merged"] = &types.AttributeValueMemberM{Value: merged}
	}
	return m
}

func encodeOptions(all []tracker.Option) types.AttributeValue {
	options := make([]types.AttributeValue, len(all))
	for i, o := range all {
		om := item{"id": avS(string(o.ID)), "name": avS(o.Name)}
		if o.Color != "" {
			om["color"] = avS(o.Color)
		}
		options[i] = &types.AttributeValueMemberM{Value: om}
	}
	return &types.AttributeValueMemberL{Value: options}
}

func decodeOptions(m item) (out []tracker.Option) {
	for _, o := range getL(m, "options") {
		if o, ok := o.(*types.AttributeValueMemberM); ok {
			out = append(out, tracker.Option{ID: tracker.OptionID(getS(o.Value, "id")), Name: getS(o.Value, "name"), Color: getS(o.Value, "color")})
		}
	}
	return out
}

func encodeForm(f *tracker.Form) types.AttributeValue {
	return &types.AttributeValueMemberM{Value: item{"type": avS(string(f.Type)), "options": encodeOptions(f.Options)}}
}

func decodeForm(m item) tracker.Form {
	return tracker.Form{Type: tracker.FieldType(getS(m, "type")), Options: decodeOptions(m)}
}

func decodeField(m item) *tracker.Field {
	f := &tracker.Field{ID: tracker.FieldID(getS(m, "id")), Name: getS(m, "name"), Description: getS(m, "description"),
		Type: tracker.FieldType(getS(m, "type")), Required: getBool(m, "required"), Position: getN(m, "position")}
	f.Options, f.Archived, f.Moving, f.Gen = decodeOptions(m), getBool(m, "archived"), getBool(m, "moving"), getN(m, "gen")
	if from := getM(m, "from"); from != nil {
		form := decodeForm(from)
		f.From = &form
	}
	if next := getM(m, "next"); next != nil {
		form := decodeForm(next)
		f.Next, f.Removes = &form, getBool(m, "removes")
	}
	if merged := getM(m, "merged"); len(merged) > 0 {
		f.Merged = make(map[tracker.OptionID]tracker.OptionID, len(merged))
		for id := range merged {
			f.Merged[tracker.OptionID(id)] = tracker.OptionID(getS(merged, id))
		}
	}
	return f
}

// encodeIssue makes the issue item. Its values must be stored ones: long texts as references.
func (k keys) encodeIssue(i *tracker.Issue) item {
	m := keyItem(k.issueItem(i.ID))
	m[attrSS] = avB(sortkey.Num(i.Num))
	m["num"] = avN(i.Num)
	m["name"] = avS(i.Name)
	m["state"] = avS(string(i.State))
	m["created"] = avS(tracker.FormatDateTime(i.Created))
	m["updated"] = avS(tracker.FormatDateTime(i.Updated))
	m["version"] = avN(i.Version)
	if i.Description.Kind != tracker.KindNone {
		m["description"] = encodeValue(i.Description)
	}
	if i.Indexing {
		m["indexing"] = avBool(true)
	}
	values := make(item, len(i.Values))
	has := make([]string, 0, len(i.Values))
	for f, v := range i.Values {
		if v.Kind != tracker.KindNone {
			values[string(f)] = encodeValue(v)
			has = append(has, string(f))
		}
	}
	if len(i.Gens) > 0 {
		gens := make(item, len(i.Gens))
		for f, gen := range i.Gens {
			gens[string(f)] = avN(gen)
		}
		m["gens"] = &types.AttributeValueMemberM{Value: gens}
	}
	if len(has) > 0 {
		slices.Sort(has)
		m["values"] = &types.AttributeValueMemberM{Value: values}
		m[attrHas] = &types.AttributeValueMemberSS{Value: has} // (I4)
	}
	return m
}

func (k keys) decodeIssue(m item) (*tracker.Issue, error) {
	id, ok := k.parseIssue(getS(m, attrPK))
	if !ok {
		return nil, tracker.Internal("an issue item has a key that is not an issue's", nil)
	}
	i := &tracker.Issue{ID: id, Num: getN(m, "num"), Name: getS(m, "name"), State: tracker.OptionID(getS(m, "state")), Version: getN(m, "version"),
		Indexing: getBool(m, "indexing")}
	var err error
	if i.Created, err = time.Parse(time.RFC3339Nano, getS(m, "created")); err != nil {
		return nil, tracker.Internal("an issue item has no creation time", err)
	}
	if i.Updated, err = time.Parse(time.RFC3339Nano, getS(m, "updated")); err != nil {
		return nil, tracker.Internal("an issue item has no update time", err)
	}
	if d, ok := m["description"]; ok {
		i.Description = decodeValue(d)
	}
	values := getM(m, "values")
	i.Values = make(map[tracker.FieldID]tracker.Value, len(values))
	for f, v := range values {
		i.Values[tracker.FieldID(f)] = decodeValue(v)
	}
	if gens := getM(m, "gens"); len(gens) > 0 {
		i.Gens = make(map[tracker.FieldID]int64, len(gens))
		for f := range gens {
			i.Gens[tracker.FieldID(f)] = getN(gens, f)
		}
	}
	return i, nil
}

// encodeValue gives each kind of value a DynamoDB type of its own, so that it can be read without its definition.
func encodeValue(v tracker.Value) types.AttributeValue {
	switch v.Kind {
	case tracker.KindNum:
		return &types.AttributeValueMemberN{Value: v.Literal()}
	case tracker.KindBool:
		return avBool(v.Bool())
	case tracker.KindSet:
		set := make([]types.AttributeValue, len(v.Set()))
		for i, s := range v.Set() {
			set[i] = avS(s)
		}
		return &types.AttributeValueMemberL{Value: set}
	case tracker.KindLong:
		l := v.Long()
		return &types.AttributeValueMemberM{Value: item{"text": avS(l.ID), "bytes": avN(int64(l.Bytes)), "parts": avN(int64(l.Parts))}}
	}
	return avS(v.Text())
}

func decodeValue(av types.AttributeValue) tracker.Value {
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
		return tracker.LongText(tracker.Long{ID: getS(v.Value, "text"), Bytes: int(getN(v.Value, "bytes")), Parts: int(getN(v.Value, "parts"))})
	}
	return tracker.Value{}
}
