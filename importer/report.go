package importer

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
)

// Report is the result of a dry run: the columns, what they would become, and which rows would be rejected.
// Conflicts with the database, such as a number that another issue has, are found only by the import.
type Report struct {
	// Mapping is the given or the inferred mapping.
	Mapping  *Mapping
	Inferred bool
	Columns  []ColumnReport
	Rows     int64
	// Projects are the project keys in the file and their numbers of rows.
	Projects []ProjectCount
	Rejected int64
	Reasons  []ReasonCount
	// Rejects are the first rows that would be rejected.
	Rejects []Reject
	// Problem is why the import would not start with this mapping, or nil.
	Problem error
}

// ColumnReport describes a column of the file.
type ColumnReport struct {
	Column string
	// Type is the type that a custom field for its cells would have, whatever the mapping.
	Type string
	// Empty is the number of empty cells, Samples are some of the others.
	Empty   int64
	Samples []string
	// Becomes describes what the mapping makes of the column.
	Becomes string
}

// Inspect is the dry run: it reads the whole file, writes nothing and needs no database. If the mapping does
// not fit, it returns no error but sets the report's Problem, so that the columns can be shown with it.
func Inspect(ctx context.Context, opts Options) (*Report, error) {
	in, err := openInput(opts)
	if err != nil {
		return nil, err
	}
	defer in.close()
	p, err := profileFile(ctx, in, opts)
	if err != nil {
		return nil, err
	}
	r := &Report{Mapping: opts.Mapping, Rows: p.rows}
	if r.Mapping == nil {
		r.Mapping, r.Inferred = p.mapping(), true
		opts.Mapping = r.Mapping
	}
	if opts, r.Problem = withMapping(ctx, in, opts); r.Problem == nil {
		r.Problem = r.check(ctx, in, opts)
	}
	if err := interrupted(ctx); err != nil {
		return nil, err
	}
	for i, c := range p.columns {
		r.Columns = append(r.Columns, ColumnReport{Column: p.names[i], Type: string(c.fieldType()),
			Empty:   p.rows - p.broken - c.filled,
			Samples: c.samples, Becomes: opts.Mapping.becomes(p.names[i])})
	}
	return r, nil
}

func (r *Report) check(ctx context.Context, in *input, opts Options) error {
	s, err := check(ctx, in, opts)
	if err != nil {
		return err
	}
	for _, key := range s.order {
		r.Projects = append(r.Projects, ProjectCount{Key: key, Added: s.projects[key].rows})
	}
	r.Rejects, r.Reasons = s.rejects, reasonCounts(s.rejected)
	for _, n := range s.rejected {
		r.Rejected += n
	}
	return nil
}

// becomes describes what the mapping makes of a column.
func (m *Mapping) becomes(column string) string {
	var all []string
	for _, c := range m.Columns {
		switch {
		case c.Column != column:
		case c.To == ToField:
			all = append(all, fmt.Sprintf("%s %q", c.Type, c.Name))
		default:
			all = append(all, string(c.To))
		}
	}
	if all == nil {
		return "-"
	}
	return strings.Join(all, " + ")
}

// String returns the report as a table, and the mapping if it was inferred.
func (r *Report) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "COLUMN\tTYPE\tEMPTY\tBECOMES\tSAMPLES")
	for _, c := range r.Columns {
		samples := make([]string, len(c.Samples))
		for i, s := range c.Samples {
			samples[i] = sample(s)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", sampleName(c.Column), c.Type, c.Empty, c.Becomes,
			strings.Join(samples, ", "))
	}
	w.Flush()
	fmt.Fprintf(&b, "\n%s", plural(r.Rows, "row"))
	for _, p := range r.Projects {
		fmt.Fprintf(&b, "\n  %-10s %8d", p.Key, p.Added)
	}
	fmt.Fprintf(&b, "\n%d would be rejected", r.Rejected)
	for _, reason := range r.Reasons {
		fmt.Fprintf(&b, "\n  %s", reason)
	}
	for _, reject := range r.Rejects {
		fmt.Fprintf(&b, "\n  %s", reject)
	}
	if r.Problem != nil {
		fmt.Fprintf(&b, "\n\nThe import would not start: %v", r.Problem)
	}
	if r.Inferred {
		fmt.Fprintf(&b, "\n\nThis mapping was inferred; edit it and give it with --mapping:\n%s", r.Mapping)
	}
	return b.String()
}

// sample returns a cell for a table: quoted, with control characters escaped, and cut.
func sample(s string) string {
	const most = 24
	runes := []rune(strings.ToValidUTF8(s, "\ufffd"))
	if len(runes) > most {
		return fmt.Sprintf("%q", string(runes[:most])+"…")
	}
	return fmt.Sprintf("%q", string(runes))
}

// sampleName returns the name of a column for a table. A name can contain any characters.
func sampleName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return fmt.Sprintf("%q", name)
	}
	return name
}
