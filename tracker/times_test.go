package tracker_test

import (
	"math/rand/v2"
	"testing"
	"time"
	_ "time/tzdata"

	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestTimeMessages checks that the error about a date or datetime says what is wrong with it.
func TestTimeMessages(t *testing.T) {
	const (
		dateForm     = " is not a date: the form is YYYY-MM-DD, such as 2026-01-31"
		dateTimeForm = " is not a date and time: the form is YYYY-MM-DDThh:mm:ss with an offset from UTC, " +
			"such as 2026-01-31T09:30:00Z"
	)
	for s, want := range map[string]string{
		"2026-02-29": "2026-02-29: February 2026 has 28 days",
		"2024-02-30": "2024-02-30: February 2024 has 29 days",
		"1900-02-29": "1900-02-29: February 1900 has 28 days",
		"2026-04-31": "2026-04-31: April 2026 has 30 days",
		"2026-01-00": "2026-01-00: a day is 01 to 31",
		"2026-13-01": "2026-13-01: a month is 01 to 12",
		"2026-00-01": "2026-00-01: a month is 01 to 12",
		"0000-01-01": "0000-01-01: a year is 0001 to 9999",
		"12/24/2026": `"12/24/2026"` + dateForm,
		"2026-1-31":  `"2026-1-31"` + dateForm,
		"2026-+1-31": `"2026-+1-31"` + dateForm,
		"":           `""` + dateForm,
	} {
		if _, err := tracker.ParseDate(s); err == nil || err.Error() != want {
			t.Errorf("ParseDate(%q): %v, want %s", s, err, want)
		}
	}
	for s, want := range map[string]string{
		"2026-02-29T10:00:00Z": "2026-02-29: February 2026 has 28 days",
		"2026-02-28T24:00:00Z": `"24:00:00" is not a time of day from 00:00:00 to 23:59:59`,
		"2026-02-28T10:00:00": "2026-02-28T10:00:00 has no offset from UTC: append Z for UTC, or an " +
			"offset such as +02:00",
		"2026-02-28T10:00:00.25": "2026-02-28T10:00:00.25 has no offset from UTC: append Z for UTC, or " +
			"an offset such as +02:00",
		"2026-02-28":                `"2026-02-28"` + dateTimeForm,
		"2026-02-28 10:00:00Z":      `"2026-02-28 10:00:00Z"` + dateTimeForm,
		"2026-02-28T10:00:00 CET":   `"2026-02-28T10:00:00 CET"` + dateTimeForm,
		"2026-02-28T10:00:00+01:60": `"2026-02-28T10:00:00+01:60"` + dateTimeForm,
		"0001-01-01T00:00:00+01:00": "0001-01-01T00:00:00+01:00 is out of range: in UTC, its year must be " +
			"0001 to 9999",
	} {
		if _, err := tracker.ParseDateTime(s); err == nil || err.Error() != want {
			t.Errorf("ParseDateTime(%q): %v, want %s", s, err, want)
		}
	}
}

// TestDatesInZones changes values between DATE and DATETIME: a time becomes the date that it has in the time
// zone, and a date the beginning of its day there, which becomes the same date again (F6). A case is a time
// in a zone.
func TestDatesInZones(t *testing.T) {
	convert := func(from, to tracker.FieldType, zone, value string) string {
		t.Helper()
		old := tracker.Field{Name: "Due", Type: from}
		changed := old.As(tracker.Form{Type: to, Zone: zone})
		v, err := tracker.Convert(changed.From, &changed, tracker.Text(value), "")
		if err != nil {
			t.Fatalf("%s in %s: %v", value, zone, err)
		}
		return v.Text()
	}
	const date, dateTime = tracker.TypeDate, tracker.TypeDateTime
	random := rand.New(rand.NewPCG(1, 2))
	for range tier.Cases(2_000, 100_000) {
		zone := []string{"", "UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Asia/Kolkata",
			"Pacific/Apia", "Pacific/Kiritimati", "Africa/Monrovia", "Asia/Beirut"}[random.IntN(10)]
		location, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Unix(random.Int64N(4_000_000_000)-1_500_000_000, 0)
		day := at.In(location).Format(time.DateOnly)
		for _, from := range []tracker.FieldType{dateTime, tracker.TypeText} {
			if got := convert(from, date, zone, tracker.FormatDateTime(at)); got != day {
				t.Fatalf("%s in %q is the date %s, want %s", at.UTC(), zone, got, day)
			}
		}
		begin := convert(date, dateTime, zone, day)
		if again := convert(dateTime, date, zone, begin); again != day {
			t.Fatalf("%s in %q begins at %s, which is of %s", day, zone, begin, again)
		}
		begins, err := time.Parse(time.RFC3339, begin)
		if err != nil || begins.Add(-time.Second).In(location).Format(time.DateOnly) >= day {
			t.Fatalf("%s in %q begins at %s, %v, which is not its first second", day, zone, begin, err)
		}
	}
}
