package importer

import (
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

	"issuegrid/test/clocks"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestLocalTimes: a time without an offset is that of the column's zone. One that a change of the clocks
// leaves out is as much later as they are set forward, and one that is repeated is the first of the two
// (F6). A case is a local time.
func TestLocalTimes(t *testing.T) {
	zones := []string{"Europe/Berlin", "America/New_York", "America/Havana", "Australia/Lord_Howe",
		"Asia/Tokyo", "America/Sao_Paulo", "Africa/Casablanca", "Asia/Kathmandu", "UTC"}
	skipped, repeated := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		column := &Column{Type: tracker.TypeDateTime, Zone: rapid.SampledFrom(zones).Draw(t, "zone"),
			Formats: []string{"DD.MM.YYYY hh:mm", "ISO"}}
		forms, err := newTimeForms(column)
		if err != nil {
			t.Fatal(err)
		}
		zone := forms.zone
		for range tier.PerCheck(3_000, 100_000) {
			clock := time.Date(2000, 1, 1, 0, 30*rapid.IntRange(0, 2*24*365*30).Draw(t, "half hours"), 0, 0,
				time.UTC)
			if _, end := clock.In(zone).ZoneBounds(); !end.IsZero() && rapid.Bool().Draw(t, "at a change") {
				minutes := time.Duration(rapid.IntRange(-6, 6).Draw(t, "near")) * 30 * time.Minute
				_, offset := end.Add(-1).In(zone).Zone()
				clock = end.UTC().Add(time.Duration(offset)*time.Second + minutes).Truncate(time.Minute)
			}
			layout := rapid.SampledFrom([]string{"02.01.2006 15:04", "2006-01-02T15:04:05",
				"2006-01-02 15:04"})
			got, ok := forms.parse(clock.Format(layout.Draw(t, "layout")))
			want, times := clocks.First(clock, zone)
			if !ok || !got.Equal(want) {
				t.Fatalf("%s in %s: %v, want %v", clock.Format(time.DateTime), zone, got, want)
			}
			if times == 0 {
				skipped++
			} else if times > 1 {
				repeated++
			}
			if at, ok := forms.parse(clock.Format("2006-01-02T15:04:05") + "+02:00"); !ok ||
				!at.Equal(clock.Add(-2*time.Hour)) {
				t.Fatalf("%v with an offset: %v", clock, at)
			}
		}
	})
	if skipped == 0 || repeated == 0 {
		t.Errorf("%d times were left out, %d were repeated", skipped, repeated)
	}
}

// TestNamesOfZones checks that a name of a time zone that is not known in the zone of the column is not taken
// for UTC.
func TestNamesOfZones(t *testing.T) {
	for _, c := range []struct{ zone, cell, want string }{
		{"", "2024-01-01 10:00 EST", ""},
		{"", "2024-07-01 10:00 CEST", ""},
		{"", "2024-01-01 10:00 UTC", "2024-01-01T10:00:00Z"},
		{"", "2024-01-01 10:00 GMT", "2024-01-01T10:00:00Z"},
		{"America/New_York", "2024-01-01 10:00 EST", "2024-01-01T15:00:00Z"},
		{"America/New_York", "2024-01-01 10:00 UTC", "2024-01-01T10:00:00Z"},
		{"America/New_York", "2024-01-01 10:00 CET", ""},
		{"Europe/London", "2024-01-01 10:00 GMT", "2024-01-01T10:00:00Z"},
		{"Europe/Lisbon", "2024-01-01 10:00 WET", "2024-01-01T10:00:00Z"},
	} {
		convert, err := newConverter(&Column{Type: tracker.TypeDateTime, Zone: c.zone,
			Formats: []string{"2006-01-02 15:04 MST"}})
		if err != nil {
			t.Fatal(err)
		}
		v, f := convert(newCell(c.cell, nil))
		if (f == nil) != (c.want != "") || f == nil && v.value.Text() != c.want {
			t.Errorf("%s in %q is %+v, %v, want %q", c.cell, c.zone, v, f, c.want)
		}
	}
}

// TestOffsets reads a time with each offset that has at most 59 minutes, in each form.
func TestOffsets(t *testing.T) {
	forms, err := newTimeForms(&Column{Type: tracker.TypeDateTime,
		Formats: []string{"ISO", "D.M.YYYY hh:mm ZZ", "2006 -0700 02 Jan 15:04"}})
	if err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	for minutes := range 14 * 100 {
		hour, minute := minutes/100, minutes%100
		for sign, direction := range map[string]time.Duration{"+": -1, "-": 1} {
			want := noon.Add(direction * (time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute))
			for _, cell := range []string{
				fmt.Sprintf("2024-02-29T12:00:00%s%02d:%02d", sign, hour, minute),
				fmt.Sprintf("2024-02-29 12:00 %s%02d%02d", sign, hour, minute),
				fmt.Sprintf("29.2.2024 12:00 %s%02d%02d", sign, hour, minute),
				fmt.Sprintf("2024 %s%02d%02d 29 Feb 12:00", sign, hour, minute)} {
				if got, ok := forms.parse(cell); ok != (minute < 60) || ok && !got.Equal(want) {
					t.Fatalf("%s is %v, %t", cell, got, ok)
				}
			}
		}
	}
}

// TestWeekdays reads a date with its weekday only.
func TestWeekdays(t *testing.T) {
	for _, format := range []string{"Mon, 02 Jan 2006", "Monday 2.1.2006 15:04", "2006-01-02 (Mon)"} {
		forms, err := newTimeForms(&Column{Type: tracker.TypeDateTime, Formats: []string{format}})
		if err != nil {
			t.Fatal(err)
		}
		for day := range 400 {
			date := time.Date(2024, 1, 1+day, 0, 0, 0, 0, time.UTC)
			other := date.AddDate(0, 0, 1+day%6)
			right, name := date.Format(format), "Mon"
			if strings.Contains(format, "Monday") {
				name = "Monday"
			}
			wrong := strings.Replace(right, date.Format(name), other.Format(name), 1)
			if got, ok := forms.parse(strings.ToUpper(right)); !ok || !got.Equal(date) {
				t.Fatalf("%s is %v, %t", right, got, ok)
			}
			if got, ok := forms.parse(wrong); ok {
				t.Fatalf("%s is %v", wrong, got)
			}
		}
	}
}

// TestDatesWithTimes checks that a date loses no time.
func TestDatesWithTimes(t *testing.T) {
	convert, err := newConverter(&Column{Type: tracker.TypeDate, Formats: []string{"YYYY-MM-DD hh:mm"}})
	if err != nil {
		t.Fatal(err)
	}
	if v, f := convert(newCell("2024-01-01 00:00", nil)); f != nil || v.value.Text() != "2024-01-01" {
		t.Errorf("%+v, %v", v, f)
	}
	if v, f := convert(newCell("2024-01-01 23:59", nil)); f == nil || f.reason != NotDate {
		t.Errorf("%+v, %v", v, f)
	}
}
