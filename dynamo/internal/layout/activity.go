package layout

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"issuegrid/tracker"
)

// Activity has the keys and the items of the activity of a project. They are in one partition for each shard,
// in the order of time, and refer to items of the issue: of its history, or of its comments. They expire with
// the history.
type Activity struct {
	keys    Keys
	project tracker.ProjectID
}

// ActivityOf returns the keys and the items of the activity of a project.
func ActivityOf(k Keys, p tracker.ProjectID) Activity { return Activity{k, p} }

// Partition returns the table partition of the activity of the issues in a shard.
func (a Activity) Partition(shard int) string {
	return a.keys.pk("activity", shardPart(a.project, shard))
}

// TimePosition returns the position of a time, which is that of no entry and before those of this time.
func TimePosition(at time.Time) string { return fmt.Sprintf("%016d", at.UnixMicro()) }

// SK returns the sort key of a position.
func (a Activity) SK(position string) string { return a.keys.pk("xactivity", position) }

// PositionOf returns the position in the sort key of an item.
func (a Activity) PositionOf(m Item) string { return strings.TrimPrefix(GetS(m, AttrSK), a.SK("")) }

// The last parts of positions, after the time and the issue: the version of a change, or the parent and the
// id of a comment.
const (
	activityChange  = "version"
	activityComment = "comment"
)

// Position returns the position of an entry, which is unique in the project.
func (Activity) Position(e *tracker.Activity) string {
	position := TimePosition(e.At) + "." + e.Issue.Issue
	if e.OfComment() {
		position += "." + activityComment + "." + string(e.Comment.Parent) + "." + string(e.Comment.ID)
	} else {
		position += "." + activityChange + "." + fmt.Sprintf("%010d", e.Version)
	}
	return position
}

// Key returns the key of an entry.
func (a Activity) Key(e *tracker.Activity) Key {
	return Key{PK: a.Partition(e.Issue.Shard()), SK: a.SK(a.Position(e))}
}

// Encode returns the item of an entry, without the time at which it expires.
func (a Activity) Encode(e *tracker.Activity) Item {
	m := KeyItem(a.Key(e))
	m["num"] = N(e.Num)
	if e.OfComment() {
		return m
	}
	m["kind"], m["items"] = S(string(e.Kind)), N(int64(e.Items))
	SetActor(m, e.By)
	return m
}

// Parse returns an entry with what its position contains. It returns false for a string that is the position
// of no entry.
func (a Activity) Parse(position string) (e tracker.Activity, ok bool) {
	parts := strings.Split(position, ".")
	if len(parts) < 4 {
		return e, false
	}
	micros, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil {
		return e, false
	}
	e.At, e.Issue = time.UnixMicro(micros).UTC(), tracker.IssueID{Project: a.project, Issue: parts[1]}
	switch {
	case !e.Issue.Valid():
		return e, false
	case parts[2] == activityChange && len(parts) == 4:
		e.Kind = tracker.Updated
		e.Version, err = strconv.ParseInt(parts[3], 10, 64)
		ok = err == nil && e.Version >= 1 && e.Version <= tracker.MaxVersion
	case parts[2] == activityComment && len(parts) == 5:
		e.Comment = tracker.CommentRef{Issue: e.Issue, Parent: tracker.CommentID(parts[3]),
			ID: tracker.CommentID(parts[4])}
		ok = e.Comment.Valid() && e.Comment.ID.Time().Equal(e.At)
	}
	return e, ok && a.Position(&e) == position
}

// Decode decodes an item.
func (a Activity) Decode(m Item) (*tracker.Activity, error) {
	e, ok := a.Parse(a.PositionOf(m))
	if !ok || a.Key(&e) != KeyOf(m) {
		return nil, tracker.Internal("an item of the activity has an invalid key", nil)
	}
	e.Num = GetN(m, "num")
	if !e.OfComment() {
		e.Kind, e.By, e.Items = tracker.ChangeKind(GetS(m, "kind")), GetActor(m), int(GetN(m, "items"))
	}
	return &e, nil
}

// EntryFor returns the entry that refers to an item in the partition of an issue, without the number of the
// issue and the number of items. Of a change it needs only the time, and then has no kind but Updated. It
// returns false for an item to which no entry refers.
func (a Activity) EntryFor(id tracker.IssueID, m Item) (e tracker.Activity, ok bool) {
	sk := GetS(m, AttrSK)
	if version, n, ok := a.keys.ParseHistory(id, sk); ok && n == 0 && version <= tracker.MaxVersion {
		at, err := time.Parse(time.RFC3339Nano, GetS(m, "at"))
		kind := tracker.ChangeKind(cmp.Or(GetS(m, "kind"), string(tracker.Updated)))
		e = tracker.Activity{At: at, Issue: id, Kind: kind, By: GetActor(m), Version: version}
		return e, err == nil
	}
	of := CommentsOf(a.keys, id)
	k, ok := of.Parse(sk)
	return tracker.CommentActivity(of.Ref(k), 0), ok && k.Kind == CommentItem
}

// ParseActivity returns the project and the shard in the key of a partition of activity.
func ParseActivity(k Keys, pk string) (p tracker.ProjectID, shard int, ok bool) {
	rest, ok := strings.CutPrefix(pk, string(k.Tenant)+"/activity-")
	project, digits, sharded := strings.Cut(rest, "~")
	if p = tracker.ProjectID(project); sharded {
		var err error
		shard, err = strconv.Atoi(digits)
		ok = ok && err == nil
	}
	ok = ok && tracker.ValidID(project) && shard >= 0 && shard < tracker.MaxShards &&
		ActivityOf(k, p).Partition(shard) == pk
	return p, shard, ok
}
