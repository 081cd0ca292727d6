package dynamo_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"issuegrid/internal/fold"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// document is the full content of an issue as a test expects it, including long texts. Its methods derive the
// items that the table must hold from docs/grid.md, independently of the production code.
type document struct {
	tenant      tracker.TenantID
	id          tracker.IssueID
	num         int64
	name        string
	state       tracker.OptionID
	created     time.Time
	updated     time.Time
	createdBy   string
	updatedBy   string
	version     int64
	description string
	values      map[tracker.FieldID]tracker.Value
	// participants has the values of the attributes with the assignees, watchers and author
	participants map[string][]string
}

func documentOf(t tracker.TenantID, i *tracker.Issue, description string,
	values map[tracker.FieldID]tracker.Value) *document {
	return &document{tenant: t, id: i.ID, num: i.Num, name: i.Name, state: i.State, created: i.Created,
		updated: i.Updated, createdBy: i.CreatedBy, updatedBy: i.UpdatedBy, version: i.Version,
		description: description, values: maps.Clone(values), participants: participantsOf(i)}
}

func participantsOf(i *tracker.Issue) map[string][]string {
	out := map[string][]string{}
	for attribute, all := range map[string][]tracker.Participant{"assignees": i.Assignees,
		"watchers": i.Watchers} {
		for _, p := range all {
			out[attribute] = append(out[attribute], string(p))
		}
	}
	if i.Author != "" {
		out["author"] = []string{string(i.Author)}
	}
	return out
}

// users returns the values of the columns with the users that created and last changed the issue.
func (d *document) users() map[string]string {
	out := map[string]string{}
	if d.createdBy != "" {
		out["createdby"] = d.createdBy
	}
	if d.updatedBy != "" {
		out["updatedby"] = d.updatedBy
	}
	return out
}

func (d *document) pk() string {
	return fmt.Sprintf("%s/issue-%s.%s", d.tenant, d.id.Project, d.id.Issue)
}

// shard returns what identifies the shard of the issue in its index partitions, which its id ends with.
func (d *document) shard() string {
	if at := strings.Index(d.id.Issue, "~"); at > 0 {
		return string(d.id.Project) + d.id.Issue[at:]
	}
	return string(d.id.Project)
}

// value returns the sort key of the index entry of a column.
func (d *document) value(column any) string {
	return fmt.Sprintf("%s/xvalue-%s.%v", d.tenant, d.shard(), column)
}

// valueOf is value for the current generation of a field.
func (d *document) valueOf(f *tracker.Field) string {
	if f.Gen > 0 {
		return fmt.Sprintf("%s~%d", d.value(f.ID), f.Gen)
	}
	return d.value(f.ID)
}

// entry is an index entry of an issue, an item next to the document.
type entry struct{ ss []byte }

// isLong reports whether a value is stored outside the document.
func isLong(f *tracker.Field, v tracker.Value) bool {
	return (f.Type == tracker.TypeText || f.Type == tracker.TypeLongText) && len(v.Text()) > 256
}

// longTexts returns the texts that are stored outside the document, by column.
func (d *document) longTexts(def *tracker.Definition) map[string]string {
	out := map[string]string{}
	if len(d.description) > 256 {
		out["description"] = d.description
	}
	for id, v := range d.values {
		if isLong(def.Field(id), v) {
			out[string(id)] = v.Text()
		}
	}
	return out
}

// entries returns all index entries of the issue, by sort key.
func (d *document) entries(def *tracker.Definition) map[string]entry {
	rank := slices.IndexFunc(def.Project.States, func(s tracker.State) bool { return s.ID == d.state })
	join := func(v sortkey.Value) []byte { return sortkey.Join(v, d.num) }
	out := map[string]entry{
		d.value("name"):    {ss: join(sortkey.Text(d.name))},
		d.value("state"):   {ss: join(sortkey.Rank(rank))},
		d.value("created"): {ss: join(sortkey.Time(d.created))},
		d.value("updated"): {ss: join(sortkey.Time(d.updated))},
	}
	users := d.users()
	for column, user := range users {
		out[d.value(column)] = entry{ss: join(sortkey.Text(user))}
	}
	empty := entry{ss: append([]byte("\xff\xff"), sortkey.Num(d.num)...)}
	for _, column := range []string{"createdby", "updatedby"} {
		if _, ok := users[column]; !ok && def.Project.Empties != "" {
			out[d.value(column)] = empty
		}
	}
	for _, f := range def.Fields {
		if _, ok := d.values[f.ID]; !ok && f.Empties != "" && f.Type.Indexed() {
			out[d.valueOf(f)] = empty
		}
	}
	closed := "closed"
	if def.Project.States[rank].Open {
		closed = "open"
	}
	for attribute, all := range d.participants {
		for _, p := range all {
			role := strings.TrimSuffix(attribute, "s")
			if attribute == "author" {
				p = "u" + p
			}
			in := func(order string, v sortkey.Value) {
				out[fmt.Sprintf("%s/xvia-%s.%s.%s.%s", d.tenant, p, role, closed, order)] = entry{
					ss: sortkey.Join(sortkey.WithID(v, string(d.id.Project)), d.num)}
			}
			in("updated", sortkey.Time(d.updated))
			in("created", sortkey.Time(d.created))
			in("num", nil)
		}
	}
	for id, v := range d.values {
		f := def.Field(id)
		at := d.valueOf(f)
		var e entry
		switch f.Type {
		case tracker.TypeMultiSelect, tracker.TypeTags:
			for _, member := range v.Set() {
				if f.Type == tracker.TypeTags {
					member = fold.String(member)
				}
				out[at+"."+member] = entry{ss: sortkey.Num(d.num)}
			}
			continue
		case tracker.TypeInteger:
			e.ss = join(sortkey.Int(v.Int()))
		case tracker.TypeNumber:
			e.ss = join(sortkey.Float(v.Float()))
		case tracker.TypeBoolean:
			e.ss = join(sortkey.Bool(v.Bool()))
		case tracker.TypeDate:
			e.ss = join(sortkey.Date(when(time.DateOnly, v)))
		case tracker.TypeDateTime:
			e.ss = join(sortkey.Time(when(time.RFC3339Nano, v)))
		case tracker.TypeSelect:
			e.ss = join(sortkey.Rank(slices.IndexFunc(f.Options, func(o tracker.Option) bool {
				return string(o.ID) == v.Text()
			})))
		case tracker.TypeText, tracker.TypeUser:
			e.ss = join(sortkey.Text(v.Text()))
		}
		if e.ss != nil {
			out[at] = e
		}
	}
	return out
}

func when(form string, v tracker.Value) time.Time {
	t, err := time.Parse(form, v.Text())
	if err != nil {
		panic(err) // tests only use valid values
	}
	return t
}
