// Package clocks finds by search what local times are, for tests of code that computes it. Only tests import
// it.
package clocks

import "time"

// Shown returns what the clocks of a time's zone show, as a time in UTC.
func Shown(at time.Time) time.Time {
	_, offset := at.Zone()
	return at.UTC().Add(time.Duration(offset) * time.Second)
}

// First returns the first instant at which the clocks of a zone show a time, and how often they do; or, if
// they never do, what they show as much later as they were set forward. The zone must be whole quarters of an
// hour away from UTC.
func First(clock time.Time, zone *time.Location) (first time.Time, times int) {
	for quarter := -30 * 4; quarter < 30*4; quarter++ {
		at := clock.Add(time.Duration(quarter) * 15 * time.Minute)
		if !Shown(at.In(zone)).Equal(clock) {
			continue
		}
		if times++; times == 1 {
			first = at
		}
	}
	if times > 0 {
		return first, times
	}
	_, before := clock.Add(-24 * time.Hour).In(zone).Zone()
	return clock.Add(-time.Duration(before) * time.Second), 0
}
