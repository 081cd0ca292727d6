package relative_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	. "issuegrid/internal/relative"
	"issuegrid/test/clocks"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

func in(t *testing.T, zone, local string) time.Time {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, local)
	if err != nil {
		t.Fatal(err)
	}
	return at.In(loc)
}

// TestCases has midnights, clock changes, ends of months and starts of weeks. The date is checked too.
func TestCases(t *testing.T) {
	for _, test := range []struct {
		zone, now string
		at        Time
		want      string // the instant, as the zone shows it
	}{
		// Midnight depends on the zone.
		{"UTC", "2026-11-25T00:00:00Z", Time{Base: StartOfDay}, "2026-11-25T00:00:00Z"},
		{"UTC", "2026-11-24T23:59:59.999999Z", Time{Base: StartOfDay}, "2026-11-24T00:00:00Z"},
		{"Europe/Berlin", "2026-11-24T23:30:00Z", Time{Base: StartOfDay}, "2026-11-25T00:00:00+01:00"},
		{"America/Los_Angeles", "2026-11-25T07:59:59Z", Time{Base: StartOfDay}, "2026-11-24T00:00:00-08:00"},
		{"Pacific/Kiritimati", "2026-12-31T10:00:00Z", Time{Base: StartOfYear}, "2027-01-01T00:00:00+14:00"},
		{"Pacific/Pago_Pago", "2027-01-01T10:59:00Z", Time{Base: StartOfYear}, "2026-01-01T00:00:00-11:00"},
		{"Asia/Kathmandu", "2026-06-01T18:15:00Z", Time{Base: StartOfDay}, "2026-06-02T00:00:00+05:45"},
		// Now is the same in all units, even if the local time is the second of two.
		{"Europe/Berlin", "2026-10-25T01:30:00Z", Time{Base: Now}, "2026-10-25T02:30:00+01:00"},
		{"Europe/Berlin", "2026-10-25T01:30:00Z", Time{Now, 0, Day}, "2026-10-25T02:30:00+01:00"},
		{"Europe/Berlin", "2026-10-25T01:30:00Z", Time{Now, 0, Year}, "2026-10-25T02:30:00+01:00"},
		{"Europe/Berlin", "2026-10-25T00:30:00Z", Time{Now, 0, Day}, "2026-10-25T02:30:00+02:00"},
		// Weeks begin on Monday.
		{"UTC", "2026-11-23T00:00:00Z", Time{Base: StartOfWeek}, "2026-11-23T00:00:00Z"},
		{"UTC", "2026-11-29T23:59:59Z", Time{Base: StartOfWeek}, "2026-11-23T00:00:00Z"},
		{"UTC", "2026-11-30T00:00:00Z", Time{Base: StartOfWeek}, "2026-11-30T00:00:00Z"},
		{"UTC", "2027-01-03T12:00:00Z", Time{Base: StartOfWeek}, "2026-12-28T00:00:00Z"},
		{"UTC", "2027-01-03T12:00:00Z", Time{StartOfWeek, 1, Week}, "2027-01-04T00:00:00Z"},
		{"Europe/Berlin", "2026-03-29T12:00:00Z", Time{Base: StartOfWeek}, "2026-03-23T00:00:00+01:00"},
		{"Asia/Tokyo", "2026-11-29T15:00:00Z", Time{Base: StartOfWeek}, "2026-11-30T00:00:00+09:00"},
		// Months, quarters and years.
		{"UTC", "2026-02-28T23:59:59Z", Time{Base: StartOfMonth}, "2026-02-01T00:00:00Z"},
		{"UTC", "2026-02-28T23:59:59Z", Time{StartOfMonth, -1, Day}, "2026-01-31T00:00:00Z"},
		{"UTC", "2026-03-31T00:00:00Z", Time{Base: StartOfQuarter}, "2026-01-01T00:00:00Z"},
		{"UTC", "2026-04-01T00:00:00Z", Time{Base: StartOfQuarter}, "2026-04-01T00:00:00Z"},
		{"UTC", "2026-12-31T00:00:00Z", Time{Base: StartOfQuarter}, "2026-10-01T00:00:00Z"},
		{"UTC", "2026-12-31T00:00:00Z", Time{StartOfQuarter, 1, Quarter}, "2027-01-01T00:00:00Z"},
		{"UTC", "2026-01-15T00:00:00Z", Time{StartOfQuarter, -1, Quarter}, "2025-10-01T00:00:00Z"},
		{"UTC", "2024-12-31T23:00:00Z", Time{Base: StartOfYear}, "2024-01-01T00:00:00Z"},
		{"UTC", "2024-12-31T23:00:00Z", Time{StartOfYear, -1, Year}, "2023-01-01T00:00:00Z"},
		// Shorter months (T1).
		{"UTC", "2026-01-31T10:00:00Z", Time{StartOfDay, 1, Month}, "2026-02-28T00:00:00Z"},
		{"UTC", "2024-01-31T10:00:00Z", Time{Now, 1, Month}, "2024-02-29T10:00:00Z"},
		{"UTC", "2024-02-29T10:00:00Z", Time{Now, 1, Year}, "2025-02-28T10:00:00Z"},
		{"UTC", "2024-02-29T10:00:00Z", Time{Now, -4, Year}, "2020-02-29T10:00:00Z"},
		{"UTC", "2026-03-31T10:00:00Z", Time{StartOfDay, -1, Month}, "2026-02-28T00:00:00Z"},
		{"UTC", "2025-11-30T10:00:00Z", Time{StartOfDay, 1, Quarter}, "2026-02-28T00:00:00Z"},
		// Days of 23 and 25 hours (T1): a day is not 24 hours.
		{"Europe/Berlin", "2026-03-28T11:00:00Z", Time{Now, 1, Day}, "2026-03-29T12:00:00+02:00"},
		{"Europe/Berlin", "2026-03-28T11:00:00Z", Time{Now, 24, Hour}, "2026-03-29T13:00:00+02:00"},
		{"Europe/Berlin", "2026-10-24T10:00:00Z", Time{Now, 1, Day}, "2026-10-25T12:00:00+01:00"},
		{"Europe/Berlin", "2026-10-25T10:00:00Z", Time{StartOfDay, 1, Day}, "2026-10-26T00:00:00+01:00"},
		{"Europe/Berlin", "2026-10-25T10:00:00Z", Time{StartOfDay, 24, Hour}, "2026-10-25T23:00:00+01:00"},
		{"Europe/Berlin", "2026-03-29T10:00:00Z", Time{StartOfDay, 24, Hour}, "2026-03-30T01:00:00+02:00"},
		{"America/New_York", "2026-11-01T12:00:00Z", Time{Now, -1, Week}, "2026-10-25T07:00:00-04:00"},
		{"Australia/Lord_Howe", "2026-10-03T12:00:00Z", Time{StartOfDay, 2, Day},
			"2026-10-05T00:00:00+11:00"},
		// A local time that is left out is later, and one that is repeated is the first (T3).
		{"Europe/Berlin", "2026-03-28T01:30:00Z", Time{Now, 1, Day}, "2026-03-29T03:30:00+02:00"},
		{"Europe/Berlin", "2026-10-24T00:30:00Z", Time{Now, 1, Day}, "2026-10-25T02:30:00+02:00"},
		{"Europe/Berlin", "2026-10-26T01:30:00Z", Time{Now, -1, Day}, "2026-10-25T02:30:00+02:00"},
		// Midnights that are left out or repeated (T3).
		{"America/Sao_Paulo", "2018-11-04T12:00:00Z", Time{Base: StartOfDay}, "2018-11-04T01:00:00-02:00"},
		{"Africa/Cairo", "2024-04-26T12:00:00Z", Time{Base: StartOfDay}, "2024-04-26T01:00:00+03:00"},
		{"Africa/Cairo", "2024-04-25T12:00:00Z", Time{StartOfDay, 1, Day}, "2024-04-26T01:00:00+03:00"},
		{"America/Havana", "2024-11-03T12:00:00Z", Time{Base: StartOfDay}, "2024-11-03T00:00:00-04:00"},
		{"America/Havana", "2024-11-03T04:30:00Z", Time{Base: StartOfDay}, "2024-11-03T00:00:00-04:00"},
		{"America/Havana", "2024-11-03T05:30:00Z", Time{Base: StartOfDay}, "2024-11-03T00:00:00-04:00"},
		{"America/Toronto", "1919-03-31T12:00:00Z", Time{Base: StartOfDay}, "1919-03-31T00:30:00-04:00"},
		{"Pacific/Apia", "2011-12-30T01:00:00Z", Time{StartOfDay, 1, Day}, "2011-12-31T00:00:00+14:00"},
		// Other offsets.
		{"UTC", "2026-11-25T10:00:00Z", Time{Base: Now}, "2026-11-25T10:00:00Z"},
		{"UTC", "2026-11-25T10:00:00.123456Z", Time{Now, -90, Minute}, "2026-11-25T08:30:00.123456Z"},
		{"UTC", "2026-11-25T10:00:00Z", Time{StartOfDay, -1_000_000, Hour}, "1912-10-27T08:00:00Z"},
		{"UTC", "2026-11-25T10:00:00Z", Time{StartOfYear, 7973, Year}, "9999-01-01T00:00:00Z"},
		{"UTC", "2026-11-25T10:00:00Z", Time{StartOfYear, -2025, Year}, "0001-01-01T00:00:00Z"},
	} {
		t.Run(fmt.Sprint(test.zone, test.now, test.at), func(t *testing.T) {
			now := in(t, test.zone, test.now)
			got, err := test.at.Instant(now)
			if err != nil || got.Format(time.RFC3339Nano) != test.want {
				t.Errorf("the instant is %s, %v, want %s", got.Format(time.RFC3339Nano), err, test.want)
			}
			day, _, _ := strings.Cut(test.want, "T")
			if test.zone == "Pacific/Apia" {
				day = "2011-12-30" // a date that the zone did not have
			}
			if date, err := test.at.Date(now); err != nil || date != day {
				t.Errorf("the date is %s, %v, want %s", date, err, day)
			}
		})
	}
}

// TestRefused checks offsets that are too large, and times that no value can have.
func TestRefused(t *testing.T) {
	now := in(t, "UTC", "2026-11-25T10:00:00Z")
	for _, test := range []struct {
		at   Time
		want string
	}{
		{Time{Now, MaxOffset + 1, Minute}, "1000001; the limit is 1000000 in either direction"},
		{Time{Now, -MaxOffset - 1, Year}, "-1000001; the limit is 1000000 in either direction"},
		{Time{Now, MaxOffset, Year}, "the time is not in the years 0001 to 9999"},
		{Time{Now, -MaxOffset, Month}, "the time is not in the years 0001 to 9999"},
		{Time{StartOfYear, 7974, Year}, "the time is not in the years 0001 to 9999"},
		{Time{StartOfYear, -2026, Year}, "the time is not in the years 0001 to 9999"},
	} {
		_, err := test.at.Instant(now)
		_, dateErr := test.at.Date(now)
		for _, err := range []error{err, dateErr} {
			if tracker.CodeOf(err) != tracker.BadInput || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%+v: %v, want %s", test.at, err, test.want)
			}
		}
	}
}

// clockZones are time zones with all kinds of changes of the clocks.
var clockZones = []string{"UTC", "Europe/Berlin", "America/Sao_Paulo", "America/Havana", "Africa/Cairo",
	"Asia/Beirut", "Australia/Lord_Howe", "America/Halifax", "Africa/Casablanca", "Asia/Tehran",
	"Pacific/Apia", "America/Asuncion", "Antarctica/Troll", "Europe/Dublin"}

// TestPeriods checks at random instants of zones with all kinds of clock changes that a period begins at the
// first instant of its first day, at or before now, and ends after it (F6). A case is an instant.
func TestPeriods(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	lengths := map[Base]Unit{StartOfDay: Day, StartOfWeek: Week, StartOfMonth: Month, StartOfQuarter: Quarter,
		StartOfYear: Year}
	for range tier.Cases(20_000, 100_000) {
		loc, err := time.LoadLocation(clockZones[r.IntN(len(clockZones))])
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(r.Int64N(68*365*86_400), 0).In(loc)
		if _, end := now.ZoneBounds(); !end.IsZero() && r.IntN(2) == 0 { // around a change of the clocks
			now = end.Add(time.Duration(r.IntN(100)-50) * time.Hour / 2)
		}
		for base, unit := range lengths {
			start, err := Time{Base: base}.Instant(now)
			end, endErr := Time{base, 1, unit}.Instant(now)
			if err != nil || endErr != nil {
				t.Fatal(err, endErr)
			}
			date, err := Time{Base: base}.Date(now)
			if err != nil || start.Format(time.DateOnly) != date {
				t.Fatalf("%v: base %d begins at %v, on %s, %v", now, base, start, date, err)
			}
			if start.After(now) || !now.Before(end) {
				t.Fatalf("%v: base %d is from %v to %v", now, base, start, end)
			}
			if y := start.Add(-time.Microsecond).Format(time.DateOnly); y >= date {
				t.Fatalf("%v: base %d begins at %v, after its first instant", now, base, start)
			}
		}
	}
}

// TestLater checks at random instants that days, weeks, months, quarters and years later or earlier the
// clocks show the same time. If they never do, it is as much later as they were set forward, and if they do
// twice, it is the first time (F6). A case is an instant and an offset.
func TestLater(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	skipped, repeated := 0, 0
	for range tier.Cases(2_000, 100_000) {
		zone, err := time.LoadLocation(clockZones[r.IntN(len(clockZones))])
		if err != nil {
			t.Fatal(err)
		}
		unit := []Unit{Day, Week, Month, Quarter, Year}[r.IntN(5)]
		plus := r.IntN(41) - 20
		now := time.Unix(r.Int64N(68*365*86_400), 0).In(zone)
		if _, end := now.ZoneBounds(); !end.IsZero() && r.IntN(2) == 0 { // leads to a change of the clocks
			plus, unit = 1-2*r.IntN(2), Day
			now = end.Add(time.Duration(plus*-24)*time.Hour + time.Duration(r.IntN(12)-6)*time.Hour/2)
		}
		clock := clocks.Shown(now)
		day := clock.Day()
		switch unit {
		case Day:
			clock = clock.AddDate(0, 0, plus)
		case Week:
			clock = clock.AddDate(0, 0, 7*plus)
		default: // the last day of a month that does not have the day
			months := map[Unit]int{Month: 1, Quarter: 3, Year: 12}[unit] * plus
			clock = clock.AddDate(0, 0, 1-day).AddDate(0, months, 0)
			clock = clock.AddDate(0, 0, min(day, clock.AddDate(0, 1, -1).Day())-1)
		}
		want, times := clocks.First(clock, zone)
		if times == 0 {
			skipped++
		} else if times > 1 {
			repeated++
		}
		got, err := Time{Now, plus, unit}.Instant(now)
		if err != nil || plus != 0 && !got.Equal(want) {
			t.Fatalf("%v %+d of unit %d is %v, %v, want %v", now, plus, unit, got, err, want)
		}
	}
	if skipped < 10 || repeated < 10 {
		t.Errorf("%d times were left out, %d were repeated", skipped, repeated)
	}
}
