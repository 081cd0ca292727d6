package importer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Summary counts what an import did, or what it would do. After a complete import, Rows = Added + Changed +
// Unchanged + Rejected (R1).
type Summary struct {
	// Mapping is the given or the inferred mapping.
	Mapping   *Mapping
	Reading   Reading
	Dry       bool  // of a dry run
	Rows      int64 // without the header and blank rows
	Blank     int64 // rows without content, which are skipped
	Skipped   int64 // rows before the header
	Added     int64
	Changed   int64 // whose issue had other values
	Unchanged int64 // whose issue has the same values, or was not compared (Options.OnlyNew)
	Rejected  int64
	// of those not rejected: rows whose names had hidden characters, which were removed (R2)
	Cleaned  int64
	Projects []ProjectCount
	// Definitions describe what projects get before the rows: fields, options and states.
	Definitions []string
	// Notes are sentences on what was assumed where the mapping says nothing.
	Notes   []string
	Reasons []ReasonCount
	// Rejects are the first rejected rows.
	Rejects []Reject
	// RejectsFile is the path of the file with the rejected rows, or empty.
	RejectsFile string
	Elapsed     time.Duration
}

// ProjectCount counts the rows of one project that were not rejected. Projects are in order of appearance in
// the file.
type ProjectCount struct {
	Key string
	Counts
}

// Counts are numbers of rows.
type Counts struct{ Added, Changed, Unchanged int64 }

// Count adds rows with an outcome.
func (c *Counts) Count(o Outcome, rows int64) {
	switch o {
	case Unchanged:
		c.Unchanged += rows
	case Added:
		c.Added += rows
	case Changed:
		c.Changed += rows
	}
}

func (c Counts) plus(d Counts) Counts {
	return Counts{c.Added + d.Added, c.Changed + d.Changed, c.Unchanged + d.Unchanged}
}

// add adds the counts of a project. Rows that an earlier attempt has counted were read, too.
func (s *Summary) add(key string, c Counts) {
	s.Projects = append(s.Projects, ProjectCount{key, c})
	s.Added += c.Added
	s.Changed += c.Changed
	s.Unchanged += c.Unchanged
	s.Rows = max(s.Rows, s.Added+s.Changed+s.Unchanged+s.Rejected)
}

// Interrupted returns the summary of an import whose last attempt ended before it compared the first row:
// what the earlier ones have found, nil if this is nothing.
func Interrupted(j Journal) *Summary {
	rest := j.Rest()
	if len(rest) == 0 && len(j.Definitions()) == 0 {
		return nil
	}
	s := &Summary{Definitions: j.Definitions()}
	for _, key := range slices.Sorted(maps.Keys(rest)) {
		s.add(key, rest[key])
	}
	return s
}

// ReasonCount counts rejected rows by reason. The most frequent comes first.
type ReasonCount struct {
	Column string
	Reason Reason
	Rows   int64
}

// reasonIn is a reason and its column.
type reasonIn struct {
	column string
	reason Reason
}

func reasonCounts(counts map[reasonIn]int64) []ReasonCount {
	out := make([]ReasonCount, 0, len(counts))
	for k, n := range counts {
		out = append(out, ReasonCount{Column: k.column, Reason: k.reason, Rows: n})
	}
	slices.SortFunc(out, func(a, b ReasonCount) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// String returns the summary as several lines, without a final line end.
func (s *Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s read in %s", s.counts(), plural(s.Rows, "row"),
		s.Elapsed.Round(100*time.Millisecond))
	if s.Dry {
		b.WriteString("; this is a dry run, which writes nothing")
	}
	// What rejects a tenth of the rows is rather wrong with the mapping than with the rows: it comes first.
	reasons := s.Reasons
	for ; len(reasons) > 0 && reasons[0].Rows > 1 && 10*reasons[0].Rows >= s.Rows; reasons = reasons[1:] {
		fmt.Fprintf(&b, "\n%s", reasons[0])
	}
	for _, p := range s.Projects {
		fmt.Fprintf(&b, "\n  %-10s added %d, changed %d, unchanged %d", p.Key, p.Added, p.Changed,
			p.Unchanged)
	}
	for _, d := range s.Definitions {
		fmt.Fprintf(&b, "\n  %s", d)
	}
	for _, r := range reasons {
		fmt.Fprintf(&b, "\n  %s", r)
	}
	if s.Dry {
		for _, r := range s.Rejects {
			fmt.Fprintf(&b, "\n  %s", r)
		}
	}
	for _, note := range slices.Concat(s.Reading.notes(), s.Notes) {
		fmt.Fprintf(&b, "\n  %s", note)
	}
	if s.Skipped > 0 {
		fmt.Fprintf(&b, "\n  %s before the header skipped", plural(s.Skipped, "row"))
	}
	if s.Blank > 0 {
		fmt.Fprintf(&b, "\n  %s skipped", plural(s.Blank, "blank row"))
	}
	if s.Cleaned > 0 {
		fmt.Fprintf(&b, "\n  %s kept without invisible characters in the issue's name",
			plural(s.Cleaned, "row"))
	}
	if s.RejectsFile != "" {
		fmt.Fprintf(&b, "\nThe rejected rows are in %s; correct and import that file.", s.RejectsFile)
	}
	return b.String()
}

// progress describes how far an interrupted import came.
func (s *Summary) progress(total int64) string {
	return fmt.Sprintf("%d of %s (%s)", s.Added+s.Changed+s.Unchanged+s.Rejected, plural(total, "row"),
		s.counts())
}

// counts is the first line of every summary.
func (s *Summary) counts() string {
	return fmt.Sprintf("added %d, changed %d, unchanged %d, rejected %d", s.Added, s.Changed, s.Unchanged,
		s.Rejected)
}

// String returns one line.
func (r ReasonCount) String() string {
	line := fmt.Sprintf("%s rejected%s: %s", plural(r.Rows, "row"), inColumn(r.Column), r.Reason)
	if remedy := r.Reason.Remedy(); remedy != "" {
		line += "; " + strings.ReplaceAll(remedy, "newOptions", "--new-options")
	}
	return line
}

// String returns one line.
func (r Reject) String() string {
	return fmt.Sprintf("line %d%s: %s: %s", r.Line, inColumn(r.Column), r.Reason, r.Detail)
}

func inColumn(column string) string {
	if column == "" {
		return ""
	}
	return fmt.Sprintf(", column %q", column)
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
