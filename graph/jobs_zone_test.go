package graph_test

import (
	"testing"

	"issuegrid/tracker"
)

// TestDatesChangeInTheZone changes the type of a field from DATETIME to DATE and back, in the time zone of
// the person who asks for it.
func TestDatesChangeInTheZone(t *testing.T) {
	s := newServer(t, soon)
	w := newWorld(t, s)
	field := w.fields[tracker.TypeDateTime]
	i := w.create(t, "An issue", []any{w.given(tracker.TypeDateTime, "2024-03-31T23:30:00Z")})
	change := func(to, zone, want string) {
		t.Helper()
		members := []any{"id", field, "type", to}
		if zone != "" {
			members = append(members, "timeZone", zone)
		}
		s.mutate(t, mutation("changeCustomFieldType", "job { id }"), inputOf(members...))
		s.runJobs(t, w.project)
		if got := w.read(t, i.ID).Values; len(got) != 1 || got[0].Display != want {
			t.Errorf("%s in %q: %+v, want %s", to, zone, got, want)
		}
	}
	change("DATE", "Asia/Tokyo", "2024-04-01")
	change("DATETIME", "Europe/Berlin", "2024-03-31T22:00:00Z")
	change("DATE", "", "2024-03-31")
	change("DATETIME", "", "2024-03-31T00:00:00Z")
	s.refuses(t, []refusal{{name: "no such zone", query: mutation("changeCustomFieldType", "job { id }"),
		variables: input(nil, "id", field, "type", "DATE", "timeZone", "Nowhere/Here"),
		code:      tracker.BadInput, argument: "input.timeZone", says: []string{"IANA"}}})
}
