package layout

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// Participation returns the index partition of the issues that a participant takes part in: those of all
// projects of the tenant in one role, open or closed, in one of three orders.
func Participation(k Keys, w columns.Way) string {
	open := "open"
	if w.Closed {
		open = "closed"
	}
	return k.pk(participationKind, strings.Join([]string{string(w.Participant), string(w.Role), open,
		string(w.By)}, "."))
}

// participationKind begins like the kind of the entries of columns, so that one Query reads all entries of an
// issue (EntryPrefix).
const participationKind = "xvia"

// participation returns the index entries of the participants of an issue: one for each of them, in each of
// its roles and each order.
func participation(k Keys, d *tracker.Definition, i *tracker.Issue) []Entry {
	s, _ := d.Project.State(i.State)
	var out []Entry
	for _, by := range columns.WayOrders {
		ss := columns.WaySort(i, by)
		for _, role := range tracker.ParticipantRoles {
			for _, p := range i.Participants(role) {
				w := columns.Way{Participant: p, Role: role, Closed: !s.Open, By: by}
				out = append(out, Entry{Key: Key{PK: k.Issue(i.ID), SK: Participation(k, w)}, Sort: ss})
			}
		}
	}
	return out
}

// encodeParticipants adds the participants of an issue and its last editor to its document.
func encodeParticipants(m Item, i *tracker.Issue) {
	for _, c := range []tracker.Column{tracker.ColumnAssignees, tracker.ColumnWatchers} {
		if v := i.Value(c); v.Kind != tracker.KindNone {
			m[string(c)] = EncodeValue(v)
		}
	}
	if i.Author != "" {
		m["author"] = S(string(i.Author))
	}
	if i.Editor != "" {
		m["editor"] = S(string(i.Editor))
	}
}

// decodeParticipants sets the participants of an issue and its last editor.
func decodeParticipants(m Item, i *tracker.Issue) {
	i.Assignees = participants(m[string(tracker.ColumnAssignees)])
	i.Watchers = participants(m[string(tracker.ColumnWatchers)])
	i.Author, i.Editor = tracker.UserID(GetS(m, "author")), tracker.UserID(GetS(m, "editor"))
}

func participants(av types.AttributeValue) []tracker.Participant {
	if av == nil {
		return nil
	}
	return DecodeValue(av).Participants()
}

// valuePrefix returns the prefix of the sort keys of the entries of an issue's columns.
func valuePrefix(k Keys, id tracker.IssueID) string {
	return k.pk("xvalue", shardPart(id.Project, id.Shard())+".")
}
