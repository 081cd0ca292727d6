package dynamo_test

import (
	"slices"
	"strings"

	"issuegrid/dynamo/check"
)

// ofActivity returns the key of the first entry of the activity of the issue whose position contains part.
func (d *damaged) ofActivity(part string) key {
	d.Helper()
	var all []key
	for k := range d.raw.items("acme/activity-p1") {
		if strings.Contains(k.SK, "."+d.i.ID.Issue+".") && strings.Contains(k.SK, part) {
			all = append(all, k)
		}
	}
	if len(all) == 0 {
		d.Fatalf("there is no entry with %s", part)
	}
	return slices.MinFunc(all, func(a, b key) int { return strings.Compare(a.SK, b.SK) })
}

// damagesOfActivity are damages of the activity of the project.
var damagesOfActivity = []damage{
	{"a change that is missing in the activity", func(d *damaged) {
		d.raw.delete(d.ofActivity(".version.0000000002"))
	}, check.KindActivity, repaired},
	{"a comment that is missing in the activity", func(d *damaged) {
		d.raw.delete(d.ofActivity(".comment."))
	}, check.KindActivity, repaired},
	{"an entry of a comment with a kind", func(d *damaged) {
		d.alter(d.ofActivity(".comment."), change{"kind": str("UPDATED")})
	}, check.KindItem, unrepaired},
	{"an entry of a change without the number of its items", func(d *damaged) {
		d.alter(d.ofActivity(".version.0000000002"), change{"items": nil})
	}, check.KindItem, unrepaired},
	{"an entry of an unknown change", func(d *damaged) {
		d.alter(d.ofActivity(".version.0000000002"), change{"kind": str("MOVED")})
	}, check.KindItem, unrepaired},
	{"an entry in another shard", func(d *damaged) {
		k := d.ofActivity(".version.0000000002")
		d.put(key{k.PK[:len("acme/activity-p1")] + "~15", k.SK}, nil)
	}, check.KindKey, unrepaired},
	{"an entry at another time than its comment", func(d *damaged) {
		k := d.ofActivity(".comment.")
		d.put(key{k.PK, strings.Replace(k.SK, "xactivity-1", "xactivity-2", 1)}, nil)
	}, check.KindKey, unrepaired},
}
