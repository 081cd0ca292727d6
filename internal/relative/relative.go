// Package relative computes times that are relative to an instant, such as the start of the week before the
// last, in a time zone and its calendar.
//
// Start here: [Time.Instant] and [Time.Date].
//
// The laws that code and tests cite:
//
//	T1  Days and longer units are those of the calendar: a day may have 23 or 25 hours, and the day of the
//	    month is reduced to the last one of a shorter month.
//	T2  Weeks begin on Monday, as in ISO 8601.
//	T3  A period begins at its first instant, even on a day whose midnight a change of the clocks leaves
//	    out or repeats. Any other local time that is left out is as much later as the clocks are set
//	    forward, and one that is repeated is the first of the two.
//
// This package must not do input or output, and must not read the clock.
package relative

import (
	"time"

	"issuegrid/tracker"
)

// Base is what an offset is added to.
type Base uint8

const (
	Now Base = iota
	StartOfDay
	StartOfWeek
	StartOfMonth
	StartOfQuarter
	StartOfYear
)

// Unit is a unit of an offset.
type Unit uint8

const (
	Minute Unit = iota
	Hour
	Day
	Week
	Month
	Quarter
	Year
)

// MaxOffset is the maximum number of units of an offset, in either direction.
const MaxOffset = 1_000_000

// Time is a base and an offset: Offset times Unit.
type Time struct {
	Base   Base
	Offset int
	Unit   Unit
}

// Instant returns the instant, relative to now in the time zone of now. It returns BadInput, without a path,
// if it is not in the years 0001 to 9999 of UTC or the offset is too large.
func (t Time) Instant(now time.Time) (time.Time, error) {
	l, err := t.local(now)
	if err != nil {
		return time.Time{}, err
	}
	at := now
	switch {
	case t.Base != Now:
		at = l.begin(now.Location())
	case t.calendar() && t.Offset != 0: // else now, which may be the second of two equal local times
		at = l.in(now.Location())
	}
	if !t.calendar() {
		at = at.Add(time.Duration(t.Offset) * clockUnits[t.Unit])
	}
	if y := at.UTC().Year(); y < 1 || y > 9999 {
		return time.Time{}, outOfRange()
	}
	return at, nil
}

// Date returns the calendar date, relative to now in the time zone of now, as in 2026-01-31. It returns
// BadInput, without a path, if it is not in the years 0001 to 9999 or the offset is too large.
func (t Time) Date(now time.Time) (string, error) {
	l, err := t.local(now)
	if err != nil {
		return "", err
	}
	if !t.calendar() {
		at, err := t.Instant(now)
		if err != nil {
			return "", err
		}
		l = localOf(at)
	}
	if l.Year() < 1 || l.Year() > 9999 {
		return "", outOfRange()
	}
	return l.Format(time.DateOnly), nil
}

func outOfRange() error { return tracker.Bad("", "the time is not in the years 0001 to 9999") }

var clockUnits = map[Unit]time.Duration{Minute: time.Minute, Hour: time.Hour}

// calendar reports whether the offset is in units of the calendar.
func (t Time) calendar() bool { return t.Unit >= Day }

// local is a date and time of day of some time zone, as a time in UTC.
type local struct{ time.Time }

func localOf(t time.Time) local {
	_, offset := t.Zone()
	return local{t.Add(time.Duration(offset) * time.Second).UTC()}
}

// local returns the local time of t, without an offset in units of the clock.
func (t Time) local(now time.Time) (local, error) {
	if t.Offset > MaxOffset || t.Offset < -MaxOffset {
		return local{}, tracker.Bad("offset", "%d; the limit is %d in either direction", t.Offset, MaxOffset)
	}
	l := localOf(now)
	if t.Base != Now {
		l = l.startOf(t.Base)
	}
	if t.calendar() {
		l = l.plus(t.Offset, t.Unit)
	}
	return l, nil
}

// startOf returns the midnight at which a period begins that l is in.
func (l local) startOf(b Base) local {
	y, m, d := l.Date()
	switch b {
	case StartOfWeek:
		d -= (int(l.Weekday()) + 6) % 7
	case StartOfMonth:
		d = 1
	case StartOfQuarter:
		m, d = m-(m-1)%3, 1
	case StartOfYear:
		m, d = 1, 1
	}
	return local{time.Date(y, m, d, 0, 0, 0, 0, time.UTC)}
}

// plus adds units of the calendar (T1).
func (l local) plus(n int, u Unit) local {
	switch u {
	case Day:
		return local{l.AddDate(0, 0, n)}
	case Week:
		return local{l.AddDate(0, 0, 7*n)}
	case Quarter:
		n *= 3
	case Year:
		n *= 12
	}
	y, m, d := l.Date()
	first := time.Date(y, m+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	clock := l.Sub(time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
	return local{first.AddDate(0, 0, min(d, last)-1).Add(clock)}
}

// in returns the instant of a local time in a time zone (T3).
func (l local) in(zone *time.Location) time.Time { return tracker.InZone(l.Time, zone) }

// begin returns the first instant of a day, of which l is the midnight, in a time zone (T3).
func (l local) begin(zone *time.Location) time.Time {
	at := l.in(zone)
	if start, _ := at.ZoneBounds(); !localOf(at).Equal(l.Time) && !start.IsZero() {
		return start // when the clocks were set forward past midnight
	}
	return at
}
