package layout

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/tracker"
)

// ProjectHistory has the keys and the items of the history of a project. They are in the partition of the
// project, after all items of the definition.
type ProjectHistory struct {
	keys    Keys
	project tracker.ProjectID
}

// HistoryOf returns the keys and the items of the history of a project.
func HistoryOf(k Keys, p tracker.ProjectID) ProjectHistory { return ProjectHistory{k, p} }

// Key returns the key of the entry of a version. The keys sort by version.
func (h ProjectHistory) Key(version int64) Key {
	return Key{PK: h.keys.Project(h.project), SK: h.Start() + fmt.Sprintf("%s.%010d", h.project, version)}
}

// Start returns the start of the sort keys of histories, which is the end of those of definitions.
func (h ProjectHistory) Start() string { return h.keys.pk("xlog", "") }

// Parse returns the version in the sort key of an entry.
func (h ProjectHistory) Parse(sk string) (version int64, ok bool) {
	_, digits, _ := strings.Cut(sk, ".")
	version, err := strconv.ParseInt(digits, 10, 64)
	return version, err == nil && sk == h.Key(version).SK
}

// Encode returns the item of an entry, without the time at which it expires.
func (h ProjectHistory) Encode(c *tracker.ProjectChange) Item {
	m := KeyItem(h.Key(c.Version))
	m["at"] = S(tracker.FormatDateTime(c.At))
	SetActor(m, c.By)
	if c.Omitted > 0 {
		m["omitted"] = N(int64(c.Omitted))
	}
	parts := make([]types.AttributeValue, len(c.Parts))
	for i, part := range c.Parts {
		pm := Item{"change": S(string(part.Change)), "part": S(string(part.Part)), "name": S(part.Name)}
		for name, value := range map[string]string{"id": string(part.ID), "field": string(part.Field),
			"of": part.FieldName} {
			if value != "" {
				pm[name] = S(value)
			}
		}
		properties := Item{}
		for _, changed := range part.Properties {
			properties[string(changed.Property)] = &types.AttributeValueMemberM{
				Value: Item{"before": S(changed.Before), "after": S(changed.After)}}
		}
		if len(properties) > 0 {
			pm["properties"] = &types.AttributeValueMemberM{Value: properties}
		}
		parts[i] = &types.AttributeValueMemberM{Value: pm}
	}
	m["parts"] = &types.AttributeValueMemberL{Value: parts}
	return m
}

// Decode decodes an entry. It returns Internal if the item cannot be decoded.
func (h ProjectHistory) Decode(m Item) (*tracker.ProjectChange, error) {
	version, ok := h.Parse(GetS(m, AttrSK))
	if !ok {
		return nil, tracker.Internal("an item of a project's history has an invalid key", nil)
	}
	c := &tracker.ProjectChange{Version: version, By: GetActor(m), Omitted: int(GetN(m, "omitted"))}
	var err error
	if c.At, err = time.Parse(time.RFC3339Nano, GetS(m, "at")); err != nil {
		return nil, tracker.Internal("an item of a project's history has no time", err)
	}
	for _, av := range GetL(m, "parts") {
		pm, ok := av.(*types.AttributeValueMemberM)
		if !ok {
			continue
		}
		part := tracker.PartChange{Change: tracker.PartChangeKind(GetS(pm.Value, "change")),
			Part: tracker.PartKind(GetS(pm.Value, "part")), ID: tracker.OptionID(GetS(pm.Value, "id")),
			Field: tracker.FieldID(GetS(pm.Value, "field")), Name: GetS(pm.Value, "name"),
			FieldName: GetS(pm.Value, "of")}
		properties := GetM(pm.Value, "properties")
		for _, name := range tracker.Properties {
			if values := GetM(properties, string(name)); values != nil {
				part.Properties = append(part.Properties, tracker.PropertyChange{Property: name,
					Before: GetS(values, "before"), After: GetS(values, "after")})
			}
		}
		c.Parts = append(c.Parts, part)
	}
	return c, nil
}
