package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"issuegrid/tracker"
)

// plan is a mapping bound to the columns of a file.
type plan struct {
	mapping *Mapping
	project string // key of the project for rows without one
	// inferred is as in Options.
	inferred bool
	// columns are the mapped columns, in the order of the mapping, in which they are checked.
	columns  []bound
	builtins map[Target]bound
	fields   []bound // in the order of the mapping; of those with members of one field, the first
	sources  [][]int // by index of fields: the columns of the file, several for members of one field
	created  *timeForms
	updated  *timeForms
	states   *names
	meter    *meter
	// broken is the column of a rejects file with lines that are not JSON objects; -1 if there is none.
	broken int
	// content are the mapped columns, in an order independent of the file, from which the row key is derived
	// if the mapping says so.
	content []bound
}

// bound is a column of the mapping with its index in the records.
type bound struct {
	spec    *Column
	at      int
	field   int       // index in the plan's fields
	convert converter // custom fields only
	formats int       // of the dates of the column; 0 if it has none
	trims   bool      // see Column.trims
	texts   bool      // see Column.texts
	name    string    // however the mapping spells it
	// content is the name of the column in row keys that are made of the cells: that of the built-in column
	// which it becomes, or else its own, ignoring case. Fields may be renamed.
	content string
}

// origin is the name of the column of which the plan makes a field. It is empty if the name is too long, or
// if the column is a built-in column, too: in a file without a mapping, it is rather this.
func (p *plan) origin(field int) string {
	b := p.fields[field]
	for to, builtin := range p.builtins {
		if to != ToRowKey && builtin.at == b.at {
			return ""
		}
	}
	if len(b.name) > maxColumnName {
		return ""
	}
	return exportedField(b.name)
}

// row is a record to be written, with names instead of ids.
type row struct {
	rec         *record
	project     string // its key
	projectName string
	key         string
	num         int64 // 0 means the next free one
	// may be empty, unlike in the API: files contain such names, and their rows must not be lost
	name        string
	cleaned     bool   // the name had characters that are not allowed
	state       string // empty means the project's first open state
	created     time.Time
	updated     time.Time
	description tracker.Value
	values      []fieldValue // by index of the plan's fields
}

// newPlan binds a valid mapping to the columns of a file. Columns added by a rejects file need no mapping.
func newPlan(opts Options, names []string) (*plan, error) {
	m := opts.Mapping
	p := &plan{mapping: m, project: opts.Project, inferred: opts.inferred, builtins: map[Target]bound{},
		meter: opts.meter}
	mapped, index := map[string]bool{}, newColumnIndex(names)
	if p.broken = -1; rejectColumn(names, rejectRecord) {
		p.broken = index.at(rejectRecord)
	}
	fields := map[string]int{} // indexes by folded name
	for i := range m.Columns {
		c := m.Columns[i]
		c.NewOptions = c.NewOptions || opts.NewOptions
		at := index.at(c.Column)
		if at < 0 {
			return nil, tracker.At(place(i), m.noColumn(c.Column, names))
		}
		b := bound{spec: &c, at: at, formats: len(c.Formats), name: headerName(c.Column), trims: c.trims(),
			texts: c.texts()}
		if b.content = string(c.To); c.To == ToField {
			b.content = "field " + folded(b.name)
		}
		mapped[names[at]] = true
		var err error
		switch c.To {
		case ToSkip:
			continue
		case ToField:
			b.convert, err = newConverter(&c)
			if u := opts.units[i]; u != nil {
				b.convert = withUnits(u, c.Type, b.convert)
			}
			field, known := fields[folded(c.Name)]
			if b.field = field; !known {
				b.field = len(p.fields)
				fields[folded(c.Name)] = b.field
				p.fields, p.sources = append(p.fields, b), append(p.sources, nil)
			}
			p.sources[b.field] = append(p.sources[b.field], at)
		case ToCreated:
			p.created, err = newTimeForms(&c)
		case ToUpdated:
			p.updated, err = newTimeForms(&c)
		case ToState:
			p.states = newNames(&c)
		}
		if err != nil {
			return nil, tracker.At(place(i), err)
		}
		if c.To != ToField {
			p.builtins[c.To] = b
		}
		p.columns = append(p.columns, b)
	}
	if n := len(p.fields); n > tracker.MaxFields {
		return nil, tracker.Bad("mapping", "the mapping makes %d custom fields; the limit is %d", n,
			tracker.MaxFields)
	}
	p.content = slices.Clone(p.columns)
	slices.SortStableFunc(p.content, func(a, b bound) int {
		return strings.Compare(a.content, b.content)
	})
	if opts.Project == "" && m.first(ToProjectKey) == nil {
		return nil, tracker.Bad("project",
			"no column names the project of a row: name the project, or map a column to %q", ToProjectKey)
	}
	return p, m.checkRest(names, mapped)
}

// noColumn is the error of a column of the mapping that the file does not have.
func (m *Mapping) noColumn(name string, names []string) error {
	hint := ""
	if len(names) == 1 && m.Delimiter != "" {
		hint = fmt.Sprintf("; remove the delimiter %q from the mapping to have it detected", m.Delimiter)
	}
	return tracker.Bad("column", "the file has no column %q; it has %s%s", name, quoted(names), hint)
}

// absent reports whether a record has none of the columns of a field.
func (p *plan) absent(rec *record, field int) bool {
	return !slices.ContainsFunc(p.sources[field], func(at int) bool { return !rec.at(at).absent })
}

// checkRest returns an error if there are columns that the mapping does not mention.
func (m *Mapping) checkRest(names []string, mapped map[string]bool) error {
	if m.Rest == restSkip {
		return nil
	}
	var forgotten []string
	for _, name := range names {
		if !mapped[name] && !rejectColumn(names, name) {
			forgotten = append(forgotten, name)
		}
	}
	if forgotten == nil {
		return nil
	}
	return tracker.Bad("columns", "the mapping has no entry for %s; add one for each (\"to\": %q skips "+
		"a column), or set \"rest\": %q",
		quoted(forgotten), ToSkip, restSkip)
}

// quoted lists names for a message, which is short however many there are.
func quoted(names []string) string {
	const most, longest = 20, 100 // bytes
	var out []string
	for _, n := range names[:min(len(names), most)] {
		if len(n) > longest {
			n = n[:longest] + "..."
		}
		out = append(out, strconv.Quote(n))
	}
	if more := len(names) - most; more > 0 {
		out = append(out, fmt.Sprintf("and %d others", more))
	}
	return strings.Join(out, ", ")
}

// row converts a record to a row. If it returns faults, which are those of all columns, the row has what
// could be converted, or is nil if the record cannot be read. It is deterministic: every pass has the same
// result.
func (p *plan) row(rec *record) (*row, *fault) {
	if rec.fault != nil {
		return nil, rec.fault
	}
	if p.broken >= 0 && rec.at(p.broken).text != "" {
		return nil, badJSON("", "the line is not a JSON object")
	}
	r := &row{rec: rec, values: make([]fieldValue, len(p.fields))}
	var wrong *fault
	for _, b := range p.columns {
		c := rec.at(b.at)
		if c.text == "" {
			continue
		}
		f := sound(c)
		if trimmed := strings.TrimSpace(c.text); f == nil && !b.texts && trimmed == "" {
			continue
		} else if f == nil && b.trims {
			c.text, c.bytes = trimmed, len(trimmed)
		}
		p.meter.spend(time.Duration(b.formats) * formatCPU)
		switch {
		case f != nil:
		case b.spec.To == ToField:
			var v fieldValue
			if v, f = b.convert(c); f == nil {
				r.values[b.field], f = r.values[b.field].with(v, b.spec)
			}
		default:
			f = p.builtin(r, b.spec.To, c.text)
		}
		if f != nil {
			wrong = wrong.and(f.in(b))
		}
	}
	if wrong != nil {
		p.identify(r) // a key that is missing may be one that could not be converted
		return r, wrong
	}
	return r, p.identify(r)
}

func (f *fault) in(b bound) *fault {
	f.column = b.spec.Column
	return f
}

// builtin sets a built-in column of a row from a cell that is not empty.
func (p *plan) builtin(r *row, to Target, text string) *fault {
	var ok bool
	switch to {
	case ToProjectKey:
		r.project = text
	case ToProjectName:
		r.projectName = text
	case ToRowKey:
		r.key = text
	case ToName:
		r.name = tracker.Shown(text)
		r.cleaned = r.name != tracker.CleanName(text)
		if n := utf8.RuneCountInString(r.name); n > tracker.MaxIssueName {
			return &fault{reason: TooLong,
				detail: fmt.Sprintf("the name has %d characters; the limit is %d", n, tracker.MaxIssueName)}
		}
	case ToDescription:
		r.description = tracker.Text(text)
	case ToNum:
		if r.num, ok = (cell{text: text}).integer(""); !ok || r.num < 1 {
			return &fault{reason: NotInteger, detail: shown(text) + " is not the number of an issue"}
		}
		if r.num > tracker.MaxGivenNum {
			return &fault{reason: OutOfRange,
				detail: fmt.Sprintf("%s leaves too few numbers for new issues; the highest that a file can "+
					"give is %d", shown(text), tracker.MaxGivenNum)}
		}
	case ToState:
		names, f := p.states.take([]string{text})
		if f != nil {
			return f
		}
		r.state = names[0]
	case ToCreated:
		return writeTime(&r.created, p.created, text)
	case ToUpdated:
		return writeTime(&r.updated, p.updated, text)
	}
	return nil
}

// writeTime sets a time at which an issue was written. The zero time.Time, which several programs write for
// none, would be replaced by the time of the import.
func writeTime(to *time.Time, in *timeForms, text string) *fault {
	t, ok := in.parse(text)
	if !ok {
		return notDateTime(text)
	}
	if t.IsZero() {
		return &fault{reason: OutOfRange, detail: shown(text) + " is not a time at which an issue was " +
			"written; leave the cell empty"}
	}
	*to = t
	return nil
}

// identify sets the project and the key of a row.
func (p *plan) identify(r *row) *fault {
	if r.project == "" {
		r.project = p.project
	}
	if r.project == "" {
		return (&fault{reason: NoProject,
			detail: "the cell is empty, and no project is given for such rows"}).in(p.builtins[ToProjectKey])
	}
	if err := tracker.CheckProjectKey("", r.project); err != nil {
		return (&fault{reason: BadProject, detail: err.Error()}).in(p.builtins[ToProjectKey])
	}
	if b, ok := p.builtins[ToProjectName]; ok && r.projectName != "" {
		if err := tracker.CheckNewName("", r.projectName); err != nil {
			return (&fault{reason: BadName, detail: err.Error()}).in(b)
		}
	}
	b, keyed := p.builtins[ToRowKey]
	switch {
	case p.mapping.RowKey == contentKey:
		r.key = p.contentOf(r.rec)
	case !keyed && r.num > 0:
		r.key = "num " + strconv.FormatInt(r.num, 10)
	case !keyed:
		return (&fault{reason: NoRowKey,
			detail: "the number is empty, and no other column identifies the row"}).
			in(p.builtins[ToNum])
	case r.key == "":
		return (&fault{reason: NoRowKey, detail: "the cell is empty"}).in(b)
	}
	return nil
}

// contentOf returns a row key made of all mapped cells that are not empty, in an order independent of the
// file. White space that is no part of a value is no part of it.
func (p *plan) contentOf(rec *record) string {
	h := sha256.New()
	for _, b := range p.content {
		text := rec.at(b.at).text
		if !b.texts {
			text = strings.TrimSpace(text)
		}
		if text != "" {
			fmt.Fprintf(h, "%q %d ", b.content, len(text))
			io.WriteString(h, text)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
