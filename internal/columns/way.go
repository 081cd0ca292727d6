package columns

import (
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Way is a way to find issues of all projects of a tenant: those in which a participant has a role, open or
// closed, in an order.
type Way struct {
	Participant tracker.Participant
	Role        tracker.ParticipantRole
	Closed      bool
	// By is the order, one of WayOrders.
	By tracker.Column
}

// WayOrders are the orders of ways: by update time, by creation time, and by the number within the project.
var WayOrders = []tracker.Column{tracker.ColumnUpdated, tracker.ColumnCreated, tracker.ColumnNum}

// WaySort returns the sort string of an issue in an order of ways. It ends in the id of the project and the
// number, so that it is unique in the tenant.
func WaySort(i *tracker.Issue, by tracker.Column) []byte {
	var v sortkey.Value
	switch by {
	case tracker.ColumnUpdated:
		v = sortkey.Time(i.Updated)
	case tracker.ColumnCreated:
		v = sortkey.Time(i.Created)
	}
	return sortkey.Join(sortkey.WithID(v, string(i.ID.Project)), i.Num)
}

// WayKind returns the kind of the values in the sort strings of an order of ways.
func WayKind(by tracker.Column) sortkey.Kind {
	if by == tracker.ColumnNum {
		return sortkey.KindText
	}
	return sortkey.KindIntID
}
