package forms

import (
	"slices"
	"strings"
	"sync"
	"time"

	"issuegrid/tracker"
)

// ISO is the name of the ISO form of dates and datetimes.
const ISO = "ISO"

// pattern converts YYYY-MM-DD hh:mm:ss to Go's layout. Longer names come before their prefixes, and names in
// Go's layouts with a letter of a pattern before this letter.
var pattern = strings.NewReplacer("YYYY", "2006", "Monday", "Monday", "Mon", "Mon", "MST", "MST", "PM", "PM",
	"MMMM", "January", "MMM", "Jan", "MM", "01", "M", "1", "DD", "02", "D", "2", "hh", "15", "mm", "04",
	"ss", "05", "ZZ", "-0700")

// Layout returns Go's layout of a pattern such as D.M.YYYY hh:mm.
func Layout(s string) string { return pattern.Replace(s) }

// dateForms are the forms of dates that inference knows besides ISO. In each of them, a time may follow.
var dateForms = [...]string{"D.M.YYYY", "M/D/YYYY", "D/M/YYYY", "YYYY/M/D", "D-M-YYYY", "M-D-YYYY",
	"MMM D, YYYY", "D MMM YYYY", "D-MMM-YYYY", "MMMM D, YYYY", "D MMMM YYYY"}

// clocks are what may follow a date. Those of 12 hours have no pattern, but only a layout of Go.
var clocks = [...]struct{ pattern, layout string }{
	{"", ""}, {" hh:mm", ""}, {" hh:mm:ss", ""}, {", hh:mm", ""}, {", hh:mm:ss", ""},
	{"", " 3:04 PM"}, {"", " 3:04:05 PM"}, {"", ", 3:04 PM"}, {"", ", 3:04:05 PM"}}

// clearForm is a format that inference tries.
type clearForm struct {
	date, clock  int // indexes in dateForms and clocks
	name, layout string
}

func newClearForm(date, clock int) clearForm {
	f := clearForm{date: date, clock: clock, name: dateForms[date] + clocks[clock].pattern}
	f.layout = Layout(f.name) + clocks[clock].layout
	if clocks[clock].layout != "" {
		f.name = f.layout
	}
	return f
}

// clearForms returns the formats by the shape of what they write: few for each shape, none for most texts.
var clearForms = sync.OnceValue(func() map[shape][]clearForm {
	out := map[shape][]clearForm{}
	for date := range dateForms {
		for clock := range clocks {
			f := newClearForm(date, clock)
			s := shapeOf(time.Date(2019, time.November, 23, 15, 4, 5, 0, time.UTC).Format(f.layout))
			out[s] = append(out[s], f)
		}
	}
	return out
})

// shape is a short text with a 0 for each number and an A for each word.
type shape [16]byte

// shapeOf returns no shape, which no time has, for other texts.
func shapeOf(s string) (out shape) {
	n, last := 0, byte(0)
	for i := range len(s) {
		b := s[i]
		switch {
		case isLetter(b):
			b = 'A'
		case b >= '0' && b <= '9':
			b = '0'
		}
		if b == last && (b == 'A' || b == '0') {
			continue
		}
		if n == len(out) || b >= 0x80 {
			return shape{}
		}
		out[n], last = b, b
		n++
	}
	return out
}

// Reading is what a cell is in a format. DateOnly reports that it has no time.
type Reading struct {
	Format   string
	At       time.Time
	DateOnly bool
	form     clearForm
}

// Readings are what a cell can be in the formats that inference knows besides ISO. Years are 1800 to 2199:
// other numbers are rather parts of names.
func Readings(s string) (out []Reading) {
	if len(s) > maxClear {
		return nil
	}
	for _, f := range clearForms()[shapeOf(s)] {
		if at, err := time.Parse(f.layout, s); err == nil && at.Year() >= 1800 && at.Year() < 2200 {
			out = append(out, Reading{f.name, at, f.clock == 0, f})
		}
	}
	return out
}

// Times describes the cells of a column that are dates or datetimes.
type Times struct {
	isoDates, isoTimes int64
	// local reports a time in ISO form without an offset.
	local        bool
	dates, times formCells // in other forms: dates alone, and with a time
}

// formCells describes cells with dates in the forms of dateForms.
type formCells struct {
	some   int64
	read   [len(dateForms)]int64
	clocks [len(clocks)]bool
	// doubt is the first cell with several dates, which are in the order of dateForms, or else the first one.
	doubt *doubt
}

// Look adds a cell. isDate and isTime report whether it is a date, or a datetime, in ISO form.
func (c *Times) Look(s string, isDate, isTime func(string) bool) {
	if len(s) >= len(time.DateOnly) && s[4] == '-' && s[7] == '-' {
		if isDate(s) {
			c.isoDates++
		} else if isTime(s) {
			c.isoTimes++
			c.local = c.local || !strings.ContainsAny(s[len(time.DateOnly):], "ZC+-") // UTC
		}
		return
	}
	all := Readings(s)
	if all == nil {
		return
	}
	to := &c.times
	if all[0].DateOnly {
		to = &c.dates
	}
	to.some++
	d := doubt{cell: s}
	for _, r := range all {
		to.read[r.form.date]++
		to.clocks[r.form.clock] = true
		if r.DateOnly {
			d.values = append(d.values, r.At.Format(time.DateOnly))
		} else {
			d.values = append(d.values, tracker.FormatDateTime(r.At))
		}
	}
	if to.doubt == nil || d.differs() && !to.doubt.differs() {
		to.doubt = &d
	}
}

// Is reports whether all cells of a column are of a type, in forms that are clear.
func (c *Times) Is(t tracker.FieldType, filled int64) bool {
	return c.All(t, filled) && (c.dates.some+c.times.some == 0 || len(c.Choices(t)) == 1)
}

// All reports whether all cells of a column are dates, or all are datetimes, of which filled are not empty.
func (c *Times) All(t tracker.FieldType, filled int64) bool {
	if t == tracker.TypeDate {
		return filled > 0 && c.isoDates+c.dates.some == filled
	}
	return filled > 0 && c.isoTimes+c.times.some == filled
}

// Local reports whether times that are read have no offset: some in ISO form, and all others, which are read
// if their form is clear.
func (c *Times) Local(clear bool) bool { return c.local || clear && c.times.some > 0 }

// Choices are the formats of the dates, or the dates and datetimes, of a column: nothing if they need none,
// or no format reads all of them; one choice if it is clear; several if it is not.
func (c *Times) Choices(t tracker.FieldType) (out []Choice) {
	parts, iso := []*formCells{&c.dates, &c.times}, c.isoDates+c.isoTimes > 0
	if t == tracker.TypeDate {
		parts, iso = parts[:1], c.isoDates > 0
	}
	parts = slices.DeleteFunc(parts, func(p *formCells) bool { return p.some == 0 })
	var d *doubt
	for _, p := range parts {
		if d == nil || p.doubt.differs() && !d.differs() {
			d = p.doubt
		}
	}
	for date := range dateForms {
		all := len(parts) > 0
		choice := Choice{Type: t}
		for _, p := range parts {
			all = all && p.read[date] == p.some
			for clock, has := range p.clocks {
				if has {
					choice.Formats = append(choice.Formats, newClearForm(date, clock).name)
				}
			}
		}
		if !all || len(out) > 0 && strings.Contains(dateForms[date], "MMMM") { // May is also MMM
			continue
		}
		if iso {
			choice.Formats = append(choice.Formats, ISO)
		}
		out = append(out, choice)
	}
	return d.explain(out)
}
