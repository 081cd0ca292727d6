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

// WaysOf returns the ways to find the issues that have a participant in a role, by number.
func WaysOf(p tracker.Participant, r tracker.ParticipantRole) []Way {
	return []Way{{Participant: p, Role: r, By: tracker.ColumnNum},
		{Participant: p, Role: r, Closed: true, By: tracker.ColumnNum}}
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

// WayPrefix returns what the sort strings of the issues of a project begin with in a way by number. It is
// followed by the number.
func WayPrefix(p tracker.ProjectID) []byte { return sortkey.WithID(nil, string(p)) }

// WayKind returns the kind of the values in the sort strings of an order of ways.
func WayKind(by tracker.Column) sortkey.Kind {
	if by == tracker.ColumnNum {
		return sortkey.KindText
	}
	return sortkey.KindIntID
}
