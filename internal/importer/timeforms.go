package importer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"issuegrid/internal/importer/forms"
	"issuegrid/tracker"
)

// timeForms are the formats of the dates or datetimes of a column.
type timeForms struct {
	forms []timeForm
	zone  *time.Location
}

// timeForm parses one format. It returns false if the string has another format.
type timeForm func(s string, zone *time.Location) (time.Time, bool)

// Names of formats that are not layouts.
const (
	// an ISO 8601 date; for datetimes, optionally with time, seconds, fraction and offset
	formISO       = forms.ISO
	formUnix      = "UNIX"    // seconds since 1970
	formUnixMilli = "UNIX_MS" // milliseconds since 1970
)

// newTimeForms parses the formats and the zone of a column. The default format is ISO.
func newTimeForms(c *Column) (*timeForms, error) {
	zone, err := time.LoadLocation(c.Zone) // UTC without a name
	if err != nil || c.Zone != "" && !tracker.IsZoneName(c.Zone) {
		return nil, tracker.Bad("zone", "unknown time zone %q; it is a name such as Europe/Berlin", c.Zone)
	}
	out, iso := &timeForms{zone: zone}, timeForm(parseISO)
	if c.Type == tracker.TypeDate {
		iso = parseISODate
	}
	for i, name := range c.Formats {
		form, ok := newTimeForm(name, iso)
		if !ok {
			return nil, tracker.Bad("formats["+strconv.Itoa(i)+"]",
				"the format %q does not name year, month and day: it is %s, %s, %s, a pattern of "+
					"YYYY M MM MMM MMMM D DD hh mm ss ZZ, or a layout of Go's time package", name, formISO,
				formUnix, formUnixMilli)
		}
		out.forms = append(out.forms, form)
	}
	if out.forms == nil {
		out.forms = []timeForm{iso}
	}
	return out, nil
}

func newTimeForm(name string, iso timeForm) (timeForm, bool) {
	switch name {
	case formISO:
		return iso, true
	case formUnix:
		return unixForm(time.Second), true
	case formUnixMilli:
		return unixForm(time.Millisecond), true
	}
	layout := name
	if strings.Contains(name, "YYYY") {
		layout = forms.Layout(name)
	}
	// A layout is valid if formatting and parsing a date returns the same date.
	sample := time.Date(2019, time.November, 23, 0, 0, 0, 0, time.UTC)
	back, err := time.Parse(layout, sample.Format(layout))
	ok := err == nil && back.Year() == sample.Year() && back.YearDay() == sample.YearDay()
	elsewhere := time.Date(2019, time.November, 23, 0, 0, 0, 0, time.FixedZone("AAA", 5*60*60))
	isLocal := sample.Format(layout) == elsewhere.Format(layout) // the layout has no offset
	named := strings.Contains(layout, "MST") && !strings.Contains(layout, "07")
	day := slices.IndexFunc(lettersIn(layout), func(w string) bool { return w == "Mon" || w == "Monday" })
	return func(s string, zone *time.Location) (time.Time, bool) {
		t, ok := parseLayout(layout, isLocal, s, zone)
		if named && ok && t.Location() != zone {
			name, offset := t.Zone()
			ok = offset != 0 || name == "UTC" || name == "GMT" // time.Parse takes an unknown name for UTC
		}
		return t, ok && (day < 0 || isDay(t, lettersIn(s), day))
	}, ok
}

// lettersIn returns the parts of a layout, or of a time, that consist of letters.
func lettersIn(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
}

// isDay reports whether the word at an index is the weekday of a time. time.Parse takes any day.
func isDay(t time.Time, words []string, at int) bool {
	day := t.Weekday().String()
	return at < len(words) && (strings.EqualFold(words[at], day) || strings.EqualFold(words[at], day[:3]))
}

// parseLayout parses a time of a layout, whose local times are of a time zone. A change of the clocks may
// leave them out or repeat them; tracker.InZone says what they are then.
func parseLayout(layout string, isLocal bool, s string, zone *time.Location) (time.Time, bool) {
	if !isLocal {
		t, err := time.ParseInLocation(layout, s, zone)
		return t, err == nil && !(strings.Contains(s, "60") && sixtyMinutes.MatchString(s))
	}
	t, err := time.Parse(layout, s)
	if err == nil && zone != time.UTC {
		t = tracker.InZone(t, zone)
	}
	return t, err == nil
}

// sixtyMinutes matches an offset that time.Parse takes for the next hour.
var sixtyMinutes = regexp.MustCompile(`[+-](0[0-9]|1[0-4]):?60\b`)

func unixForm(unit time.Duration) timeForm {
	return func(s string, _ *time.Location) (time.Time, bool) {
		n, ok := forms.ParseInteger(s)
		if unit == time.Millisecond {
			return time.UnixMilli(n).UTC(), ok
		}
		return time.Unix(n, 0).UTC(), ok
	}
}

// parse parses a date or datetime in the years 0001 to 9999, cut to the microsecond.
func (f *timeForms) parse(s string) (time.Time, bool) {
	for _, form := range f.forms {
		if t, ok := form(s, f.zone); ok {
			// The year is checked in UTC, because an offset can move a time out of the range that can be
			// written.
			if y := t.UTC().Year(); y < 1 || y > 9999 {
				return time.Time{}, false
			}
			return t.Truncate(time.Microsecond), true
		}
	}
	return time.Time{}, false
}

// notDate is the fault of a cell that is no date in any of the formats.
func notDate(s string) *fault {
	return &fault{reason: NotDate, detail: shown(s) + " is not a date in any of the column's formats" +
		otherFormats(s, true)}
}

// notDateTime is the fault of a cell that is no datetime in any of the formats.
func notDateTime(s string) *fault {
	return &fault{reason: NotDateTime, detail: shown(s) +
		" is not a datetime in any of the column's formats" + otherFormats(s, false)}
}

// otherFormats describes, for a message, what a cell would be with other formats.
func otherFormats(s string, dates bool) string {
	var would []string
	for _, r := range forms.Readings(s) {
		if dates && r.DateOnly {
			would = append(would, r.At.Format(time.DateOnly)+" with the format "+r.Format)
		} else if !dates {
			would = append(would, r.At.Format("2006-01-02 15:04:05")+" with the format "+r.Format)
		}
	}
	if would == nil {
		return ""
	}
	return "; it would be " + strings.Join(would, ", and ")
}

// parseISO parses 2011-04-15, or 2011-04-15T02:22 with optional seconds and fraction, or a blank for the T.
// It may be followed by Z, UTC, +02, +0200 or +02:00, optionally after a blank.
func parseISO(s string, zone *time.Location) (time.Time, bool) {
	layout, ok := isoLayout(s)
	if !ok {
		return time.Time{}, false
	}
	return parseLayout(layout, !strings.Contains(layout, "07") && !strings.Contains(layout, "MST"), s, zone)
}

// parseISODate parses only dates such as 2011-04-15: taking the date of a datetime would lose the time (R2).
func parseISODate(s string, _ *time.Location) (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, s)
	return t, err == nil
}

// isoLayout returns the layout that s seems to have. Go accepts a fraction after the seconds without it.
func isoLayout(s string) (string, bool) {
	const date, clock = len("2006-01-02"), len("2006-01-02T15:04")
	if len(s) == date {
		return time.DateOnly, true
	}
	if len(s) < clock || s[date] != 'T' && s[date] != ' ' {
		return "", false
	}
	layout, rest := time.DateOnly+s[date:date+1]+"15:04", s[clock:]
	if strings.HasPrefix(rest, ":") {
		layout += ":05"
		rest = strings.TrimLeft(rest, ":0123456789.,")
	}
	if offset, blank := strings.CutPrefix(rest, " "); blank {
		layout, rest = layout+" ", offset
	}
	switch {
	case rest == "":
		return layout, !strings.HasSuffix(layout, " ")
	case rest == "Z":
		return layout + "Z07:00", true
	case rest == "UTC":
		return layout + "MST", true
	case rest[0] != '+' && rest[0] != '-':
		return "", false
	case len(rest) == len("+02"):
		return layout + "-07", true
	case len(rest) == len("+0200"):
		return layout + "-0700", true
	}
	return layout + "-07:00", true
}

// isDate reports whether s is an ISO date without a time.
func isDate(s string) bool {
	_, err := tracker.ParseDate(s)
	return err == nil
}
