package importer

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"issuegrid/dynamo"
	"issuegrid/internal/importer/forms"
	"issuegrid/tracker"
)

// Report is the result of a dry run: what the import would do, and what the columns would become.
type Report struct {
	// Summary is that of the import (R6), nil if there is a Problem.
	Summary *Summary
	// Mapping is the given or the inferred mapping.
	Mapping  *Mapping
	Inferred bool
	Columns  []ColumnReport
	// Reading is how the file was read.
	Reading Reading
	// Problem is the error with which the import would end, or nil.
	Problem error
}

// ColumnReport describes a column of the file.
type ColumnReport struct {
	Column string
	// Type is the type that a custom field for its cells would have, whatever the mapping.
	Type string
	// Decimal and Formats are those that its cells need as numbers and as datetimes, if that is clear.
	Decimal string
	Formats []string
	// Choices are what its cells can be, if that is not clear.
	Choices []forms.Choice
	// Empty is the number of empty cells, Samples are some of the others.
	Empty   int64
	Samples []string
	// Becomes describes what the mapping makes of the column.
	Becomes string
}

// Inspect is the dry run: it reads the whole file and compares it with the projects of the tenant, but writes
// nothing. Without a tenant, which is then nil, or for one that does not exist, there are no projects; nil
// also skips the check of the size of issues. If the import would fail, Inspect returns no error but sets the
// report's Problem, so that the columns can be shown with it.
func Inspect(ctx context.Context, t *dynamo.Tenant, opts Options) (*Report, error) {
	opts.meter = newMeter(&opts)
	in, err := openInput(opts)
	if err != nil {
		return nil, err
	}
	defer in.close()
	p, err := profileFile(ctx, in, opts)
	if in.read != nil && tracker.CodeOf(err) == tracker.BadInput { // it can be read otherwise, perhaps
		return &Report{Reading: in.read.Reading, Mapping: opts.Mapping, Problem: err}, nil
	}
	if err != nil {
		return nil, err
	}
	r, have := &Report{Reading: in.read.Reading}, newStored(t)
	if opts.infers() {
		r.Inferred = true
		if err := p.infer(ctx, have, &opts); err != nil {
			return nil, err
		}
	}
	r.Mapping = opts.Mapping
	switch r.Summary, err = work(ctx, in, opts, have, true); tracker.CodeOf(err) {
	case tracker.Unavailable, tracker.InternalErr:
		return nil, err
	default:
		if r.Problem = err; err != nil {
			r.Summary = nil
		}
	}
	for _, name := range p.names {
		opts.meter.grow(columnMemory + len(name))
	}
	if err := opts.meter.hold(ctx); err != nil {
		return nil, err
	}
	mapped := opts.Mapping.of(p.names)
	for i, c := range p.columns {
		number, at := &Column{Type: tracker.TypeNumber}, &Column{Type: tracker.TypeDateTime}
		c.settle(number)
		c.settle(at)
		r.Columns = append(r.Columns, ColumnReport{Column: p.names[i], Type: string(c.fieldType()),
			Decimal: number.Decimal, Formats: at.Formats, Choices: c.openAs(mapped[i]),
			Empty:   p.rows - p.broken - c.filled,
			Samples: c.samples, Becomes: becomes(mapped[i])})
	}
	return r, nil
}

// of returns, for each column of a file, those of the mapping that are made of it.
func (m *Mapping) of(names []string) [][]*Column {
	out, index := make([][]*Column, len(names)), newColumnIndex(names)
	for i := range m.Columns {
		if at := index.at(m.Columns[i].Column); at >= 0 {
			out[at] = append(out[at], &m.Columns[i])
		}
	}
	return out
}

// becomes describes what a mapping makes of a column.
func becomes(mapped []*Column) string {
	var all []string
	for _, c := range mapped {
		if c.To == ToField {
			all = append(all, fmt.Sprintf("%s %q", c.Type, c.Name))
		} else {
			all = append(all, string(c.To))
		}
	}
	if all == nil {
		return "-"
	}
	return strings.Join(all, " + ")
}

// String returns the summary, the columns as a table, and the mapping if it was inferred.
func (r *Report) String() string {
	var b strings.Builder
	if r.Summary != nil {
		fmt.Fprintf(&b, "%s\n\n", r.Summary)
	}
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
	for _, c := range r.Columns {
		c.describe(&b)
	}
	if r.Problem != nil {
		fmt.Fprintf(&b, "\nThe import would fail: %v\n", r.Problem)
	}
	if r.Inferred {
		fmt.Fprintf(&b, "\nThis mapping was inferred; edit it and give it with --mapping:\n%s", r.Mapping)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// describe writes the choices of a column.
func (c *ColumnReport) describe(b *strings.Builder) {
	if len(c.Choices) == 0 {
		return
	}
	fmt.Fprintf(b, "\nThe column %q is not clear: %q could be\n", c.Column, c.Choices[0].Cell)
	for _, choice := range c.Choices {
		value := choice.Value
		choice.Cell, choice.Value = "", ""
		fmt.Fprintf(b, "  %s with %s\n", value, quote(choice))
	}
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
