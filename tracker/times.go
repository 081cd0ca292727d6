package tracker

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// dateTimeForm is the canonical form of a datetime, used in the table and the API: UTC, without a fraction if
// it is zero, otherwise up to microseconds.
const dateTimeForm = "2006-01-02T15:04:05.999999Z"

// Examples of a date and a datetime in messages.
const (
	exampleDate     = "2026-01-31"
	exampleDateTime = "2026-01-31T09:30:00Z"
)

// FormatDateTime returns the canonical form of t.
func FormatDateTime(t time.Time) string { return t.UTC().Format(dateTimeForm) }

// ParseDateTime parses an RFC 3339 datetime and returns its canonical form, truncated to microseconds.
func ParseDateTime(s string) (string, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || strings.HasSuffix(s, ":60") { // time.Parse takes +01:60
		return "", badDateTime(s)
	}
	if t = t.UTC(); t.Year() < 1 || t.Year() > 9999 {
		return "", Bad("", "%s is out of range: in UTC, its year must be 0001 to 9999", shortened(s))
	}
	return FormatDateTime(t.Truncate(time.Microsecond)), nil
}

// badDateTime returns the error about a string that is not an RFC 3339 datetime.
func badDateTime(s string) error {
	form := Bad("", "%q is not a date and time: the form is YYYY-MM-DDThh:mm:ss with an offset from UTC, "+
		"such "+
		"as %s", shortened(s), exampleDateTime)
	if len(s) < len("YYYY-MM-DDThh:mm:ss") || s[10] != 'T' {
		return form
	}
	if _, err := ParseDate(s[:10]); err != nil {
		return err
	}
	clock, offset := s[11:19], s[19:]
	if _, err := time.Parse(time.TimeOnly, clock); err != nil {
		return Bad("", "%q is not a time of day from 00:00:00 to 23:59:59", clock)
	}
	if strings.Trim(offset, ".0123456789") == "" {
		return Bad("", "%s has no offset from UTC: append Z for UTC, or an offset such as +02:00",
			shortened(s))
	}
	return form
}

// IsZoneName reports whether a string that time.LoadLocation accepts is the name of a time zone in the IANA
// Time Zone Database. Their names begin with a capital letter, and those of other files in its folder do not.
func IsZoneName(name string) bool {
	return name != "Local" && name != "Factory" && name != "" && name[0] >= 'A' && name[0] <= 'Z'
}

// ParseDate parses a calendar date in the canonical form, such as 2026-01-31, and returns it.
func ParseDate(s string) (string, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err == nil && t.Year() >= 1 {
		return s, nil
	}
	year, month, day, ok := datePartsOf(s)
	switch {
	case !ok:
		return "", Bad("", "%q is not a date: the form is YYYY-MM-DD, such as %s", shortened(s), exampleDate)
	case year < 1:
		return "", Bad("", "%s: a year is 0001 to 9999", s)
	case month < 1 || month > 12:
		return "", Bad("", "%s: a month is 01 to 12", s)
	}
	first := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	if day < 1 {
		return "", Bad("", "%s: a day is 01 to %d", s, last)
	}
	return "", Bad("", "%s: %s %d has %d days", s, first.Month(), year, last)
}

// datePartsOf returns the numbers of a string of the form YYYY-MM-DD, in range or not.
func datePartsOf(s string) (year, month, day int, ok bool) {
	if len(s) != len(time.DateOnly) || s[4] != '-' || s[7] != '-' {
		return 0, 0, 0, false
	}
	for _, part := range []struct {
		to   *int
		text string
	}{{&year, s[:4]}, {&month, s[5:7]}, {&day, s[8:]}} {
		n, err := strconv.ParseUint(part.text, 10, 16)
		if err != nil {
			return 0, 0, 0, false
		}
		*part.to = int(n)
	}
	return year, month, day, true
}

// InZone returns the instant of a local time, given as a time in UTC, in a time zone. A time that a change of
// the clocks leaves out is as much later as the clocks are set forward, and one that it repeats is the first
// of the two.
func InZone(clock time.Time, zone *time.Location) time.Time {
	// Clocks change at most once within two days, so the offset is the one before or the one after.
	_, before := clock.AddDate(0, 0, -1).In(zone).Zone()
	_, after := clock.AddDate(0, 0, 1).In(zone).Zone()
	first := clock.Add(-time.Duration(max(before, after)) * time.Second).In(zone)
	if _, offset := first.Zone(); offset == max(before, after) {
		return first
	}
	return clock.Add(-time.Duration(min(before, after)) * time.Second).In(zone)
}

// zones are the time zones that zone has looked up. There are a few hundred names.
var zones sync.Map

// zone returns the time zone with a name, or UTC if there is none.
func zone(name string) *time.Location {
	if name == "" {
		return time.UTC
	}
	if known, ok := zones.Load(name); ok {
		return known.(*time.Location)
	}
	found, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	zones.Store(name, found)
	return found
}
