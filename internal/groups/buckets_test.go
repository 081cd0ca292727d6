package groups

import (
	"bytes"
	"testing"
	"time"

	"issuegrid/internal/relative"
	"issuegrid/internal/sortkey"
)

// TestTimePeriods checks at instants around all changes of the clocks of some zones that each instant is in
// its period, and that the periods are a partition (Q1).
func TestTimePeriods(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu",
		"Pacific/Apia", "Australia/Lord_Howe",
		// Their clocks were set back across midnight.
		"America/St_Johns", "America/Goose_Bay", "America/Moncton", "Antarctica/Casey", "Pacific/Guam",
		"America/Phoenix", "America/Juneau"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range changes(zone) {
			for p := range periodBases {
				bucket := timePeriods(p, zone)
				for _, after := range around() {
					checkPeriod(t, bucket, p, change.Add(after).In(zone))
				}
			}
		}
	}
}

// changes returns the instants at which the clocks of a zone change, from 1860 to 2040.
func changes(zone *time.Location) []time.Time {
	out := []time.Time{time.Date(2024, 12, 31, 23, 0, 0, 0, zone)} // no change, but the end of all periods
	offset := func(at time.Time) int {
		_, seconds := at.In(zone).Zone()
		return seconds
	}
	const step = 24 * time.Hour
	for at := time.Date(1860, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2040; at = at.Add(step) {
		from, to := at, at.Add(step)
		if offset(from) == offset(to) {
			continue
		}
		for to.Sub(from) > time.Second {
			if middle := from.Add(to.Sub(from) / 2).Truncate(time.Second); offset(middle) == offset(from) {
				from = middle
			} else {
				to = middle
			}
		}
		out = append(out, to)
	}
	return out
}

// around returns distances from an instant: some days on both sides, and finer ones near to it.
func around() (out []time.Duration) {
	for hour := -50; hour <= 50; hour += 10 {
		out = append(out, time.Duration(hour)*time.Hour)
	}
	for minute := -130; minute <= 130; minute += 10 {
		after := time.Duration(minute) * time.Minute
		out = append(out, after, after-time.Microsecond)
	}
	return out
}

func checkPeriod(t *testing.T, bucket func(sortkey.Value) bucket, p relative.Unit, at time.Time) {
	t.Helper()
	v := sortkey.Time(at)
	b := bucket(v)
	if bytes.Compare(v, b.low) < 0 || bytes.Compare(v, b.next) >= 0 {
		t.Errorf("%s is not in its period of unit %v", at, p)
		return
	}
	micros, _ := sortkey.Decode(sortkey.KindInt, b.next)
	last := sortkey.Time(time.UnixMicro(micros.(int64) - 1))
	for _, other := range []sortkey.Value{b.low, last} {
		if o := bucket(other); !bytes.Equal(o.low, b.low) || !bytes.Equal(o.next, b.next) {
			t.Errorf("the first and the last instant of the period of unit %v with %s have another", p, at)
		}
	}
	if o := bucket(b.next); !bytes.Equal(o.low, b.next) {
		t.Errorf("the period of unit %v after that with %s begins later", p, at)
	}
}
