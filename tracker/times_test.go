package tracker_test

import (
	"testing"

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
		"2026-02-28":              `"2026-02-28"` + dateTimeForm,
		"2026-02-28 10:00:00Z":    `"2026-02-28 10:00:00Z"` + dateTimeForm,
		"2026-02-28T10:00:00 CET": `"2026-02-28T10:00:00 CET"` + dateTimeForm,
		"0001-01-01T00:00:00+01:00": "0001-01-01T00:00:00+01:00 is out of range: in UTC, its year must be " +
			"0001 to 9999",
	} {
		if _, err := tracker.ParseDateTime(s); err == nil || err.Error() != want {
			t.Errorf("ParseDateTime(%q): %v, want %s", s, err, want)
		}
	}
}
