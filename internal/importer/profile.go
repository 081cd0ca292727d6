package importer

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"issuegrid/internal/importer/forms"
	"issuegrid/tracker"
)

// profile describes the cells of a file, column by column.
type profile struct {
	names   []string
	columns []*columnProfile
	rows    int64
	broken  int64 // rows that cannot be read
	// repeats is that of a csvReader, or nil.
	repeats   []int
	projectAt int // index of the column whose name suggests the project's key, or -1
	times     *timeForms
	memory    lent
}

// columnMemory is the memory of the profile of a column, with its samples.
const columnMemory = 1000

// columnProfile describes the cells of one column that are not empty. A flag is true until a cell contradicts
// it.
type columnProfile struct {
	filled   int64
	samples  []string // the first distinct cells
	longest  int      // bytes
	overlong int64    // cells that are too long for the name of an issue
	newline  bool
	listed   bool // a cell has a listSeparator
	// distinct has the values while there are at most maxSelect and all can be options; otherwise it is nil.
	distinct map[string]bool

	integer, number bool
	numbers         forms.Numbers
	times           forms.Times

	tags bool // JSON arrays that TAGS can hold
	// nums reports numbers that an issue can have, padded one that begins with a zero.
	nums, padded bool
	keys         bool // keys that a project can have
	// seen has the cells, each with its project, of a column whose name suggests that they are unique. It is
	// nil if they are not, and for other columns.
	seen map[claim]struct{}
}

const (
	// maxSelect is the maximum number of distinct values of a column that becomes a SELECT. Each value must
	// occur in minRepeat rows on average.
	maxSelect = 50
	minRepeat = 2
	// maxOption is the maximum number of characters of a value of such a column.
	maxOption = 60
	// maxSampled is the number of distinct cells that are kept as samples, each with at most maxSampleBytes.
	maxSampled     = 3
	maxSampleBytes = 120
)

// profileFile returns the profile of a file, which it reads once.
func profileFile(ctx context.Context, in *input, opts Options) (*profile, error) {
	p, err := newProfile(opts.meter)
	if err != nil {
		return nil, err
	}
	end, err := eachRecord(ctx, in, opts, Inferring, nil, func(from *pass, rec *record) error {
		p.add(from.reader.columns(), rec)
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.meet(end.reader.columns())
	p.repeats = end.repeats
	return p, nil
}

func newProfile(m *meter) (*profile, error) {
	times, err := newTimeForms(&Column{})
	return &profile{projectAt: -1, times: times, memory: lent{meter: m}}, err
}

// meet adds new columns to the profile.
func (p *profile) meet(names []string) {
	for i := len(p.columns); i < len(names); i++ {
		c := &columnProfile{distinct: map[string]bool{}, integer: true, number: true,
			tags: true, nums: true, keys: true}
		switch to, _ := hint(names[i]); to {
		case ToProjectKey:
			p.projectAt = i
		case ToRowKey, ToNum:
			if p.rows <= 1 { // a column that first appears later is missing in the previous rows
				c.seen = map[claim]struct{}{}
			}
		}
		p.columns = append(p.columns, c)
		p.memory.grow(columnMemory)
	}
	p.names = names
}

func (p *profile) add(names []string, rec *record) {
	p.rows++
	if rec.fault != nil {
		p.broken++
		return
	}
	p.meet(names)
	project := rec.at(p.projectAt).text
	for i, c := range p.columns {
		v := rec.at(i)
		if strings.TrimSpace(v.text) == "" {
			c.seen = nil // a key must be present in every row
			continue
		}
		c.look(p, v)
		if c.seen != nil {
			k := newClaim(project, strings.TrimSpace(v.text))
			if _, twice := c.seen[k]; twice {
				c.seen = nil
				continue
			}
			c.seen[k] = struct{}{}
			p.memory.grow(claimMemory)
		}
	}
}

// look adds a cell to the profile of its column.
func (c *columnProfile) look(p *profile, v cell) {
	s := v.text
	c.filled++
	c.longest = max(c.longest, v.bytes)
	tooLong := func(s string) bool { return utf8.RuneCountInString(s) > tracker.MaxIssueName }
	if v.bytes > tracker.MaxIssueName && tooLong(s) && tooLong(tracker.Shown(s)) {
		c.overlong++
	}
	c.newline = c.newline || strings.ContainsAny(s, "\r\n")
	c.listed = c.listed || v.list == nil && strings.Contains(s, listSeparator)
	if len(c.samples) < maxSampled {
		if sample := s[:min(len(s), maxSampleBytes)]; !slices.Contains(c.samples, sample) {
			c.samples = append(c.samples, sample)
		}
	}
	if c.distinct != nil {
		if !c.distinct[s] {
			c.distinct[s] = true
			p.memory.grow(nameMemory + len(s))
		}
		if len(c.distinct) > maxSelect || c.newline || utf8.RuneCountInString(s) > maxOption ||
			strings.TrimSpace(s) == "" {
			c.distinct = nil
		}
	}
	c.tags = c.tags && v.list != nil && v.count <= tracker.MaxTags &&
		checked(&tracker.Field{Type: tracker.TypeTags}, tracker.Set(v.list)) == nil
	// White space around a number or a date is no part of it.
	text := s
	s = strings.TrimSpace(s)
	i, isInteger := forms.ParseInteger(s)
	// Digits that the product would format differently, such as 007, are text.
	c.integer = c.integer && isInteger && tracker.Int(i).Literal() == s
	if c.nums {
		n, ok := cell{text: s, literal: v.literal}.integer("")
		c.nums = ok && n >= 1 && n <= tracker.MaxGivenNum
		c.padded = c.padded || s[0] < '1' || s[0] > '9'
	}
	c.number = c.number && plainNumber(s)
	c.numbers.Look(s, v.literal)
	c.times.Look(s, isDate, p.isTime)
	c.keys = c.keys && tracker.CheckProjectKey("", text) == nil
}

// isTime reports whether s is an ISO datetime.
func (p *profile) isTime(s string) bool {
	_, ok := p.times.parse(s)
	return ok
}

// plainNumber reports whether s is a number that a NUMBER field can hold, without superfluous leading zeros.
func plainNumber(s string) bool {
	if !forms.Fits(s) {
		return false
	}
	digits := strings.TrimPrefix(s, "-")
	return digits[0] != '+' && (digits[0] != '0' || len(digits) == 1 || digits[1] == '.')
}
