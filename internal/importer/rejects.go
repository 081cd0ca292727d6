package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"issuegrid/tracker"
)

// Columns that precede the cells of a rejected row, and the one that holds a line that is not a JSON object.
// An import ignores them, so that a rejects file with repaired rows can be imported unchanged; it rejects a
// line that is not repaired again.
const (
	rejectLine   = "reject_line"
	rejectIn     = "reject_column"
	rejectReason = "reject_reason"
	rejectRecord = "reject_record"
)

// rejectColumn reports whether one of the names of a file's columns is of such a column. A file that has only
// some of them is no rejects file, and they are its own.
func rejectColumn(names []string, name string) bool {
	all := []string{rejectLine, rejectIn, rejectReason}
	return (name == rejectRecord || slices.Contains(all, name)) &&
		!slices.ContainsFunc(all, func(one string) bool { return !slices.Contains(names, one) })
}

// rejects writes the rejected rows to a file in the format of the imported one. It is safe for concurrent
// use.
type rejects struct {
	mu     sync.Mutex
	path   string // actual or future path
	free   bool   // path is only a suggestion; a free name beginning with it is used
	form   *form
	names  []string
	header func(i int) string                   // the name of a column in the header of the imported file
	guard  bool                                 // as Options.RemoveApostrophes
	create func(string) (io.WriteCloser, error) // nil: a file
	file   io.WriteCloser
	out    *bufio.Writer
	dry    bool // only counted
	count  int64
	counts map[reasonIn]int64
	first  []Reject // the faults of the first lines, at least maxShown if there are so many
}

// maxShown is the maximum number of faults of rejected rows in a summary.
const maxShown = 20

// newRejects creates the file immediately if it is known that there are rejected rows, so that an import that
// could not report them does not start. A dry run creates none.
func newRejects(opts Options, in *input, s *survey, dry bool) (*rejects, error) {
	r := &rejects{
		path:   opts.Rejects,
		create: opts.OpenRejects,
		names:  s.columns,
		header: func(i int) string {
			if s.repeats != nil {
				i = s.repeats[i]
			}
			return s.columns[i]
		},
		form:   in.read,
		guard:  opts.RemoveApostrophes,
		dry:    dry,
		counts: map[reasonIn]int64{},
	}
	if r.path == "" || r.create != nil {
		r.path, r.free = rejectsName(in.path, in.read.Format), true
	} else if _, err := os.Lstat(r.path); err == nil {
		return nil, tracker.Bad("rejects", "%s exists; rejected rows do not overwrite a file", r.path)
	}
	if s.rejected > 0 && !dry {
		return r, r.open()
	}
	return r, nil
}

// rejectsName returns issues.rejects.csv for issues.csv.gz. For a device it is a name in the working
// directory.
func rejectsName(path string, f Format) string {
	if strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/") {
		path = "import"
	}
	base := strings.TrimSuffix(path, ".gz")
	base = strings.TrimSuffix(base, filepath.Ext(base))
	if f == JSONLines {
		return base + ".rejects.jsonl"
	}
	return base + ".rejects.csv"
}

// open creates the file with a name that is not in use.
func (r *rejects) open() error {
	path := r.path
	for n := 2; ; n++ {
		if r.create != nil {
			f, err := r.create(r.path)
			if err != nil {
				return err
			}
			r.file, r.out = f, bufio.NewWriter(f)
			break
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil {
			r.path, r.file, r.out = path, f, bufio.NewWriter(f)
			break
		}
		if !r.free || !errors.Is(err, fs.ErrExist) {
			return tracker.Bad("rejects", "cannot create the file for rejected rows: %v", err)
		}
		ext := filepath.Ext(r.path)
		path = strings.TrimSuffix(r.path, ext) + "-" + strconv.Itoa(n) + ext
	}
	// Rejects are in UTF-8, whatever the mapping says of the file.
	if !r.form.broken && (r.form.Format == CSV || r.form.Encoding != UTF8) {
		r.out.WriteString(ByteOrderMark)
	}
	if r.form.Format == CSV {
		return r.csv(append([]string{rejectLine, rejectIn, rejectReason}, r.kept(r.header, len(r.names))...))
	}
	return nil
}

// add writes a row with all its faults. An error of the file ends the import.
func (r *rejects) add(rec *record, f *fault) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	for _, one := range f.all() {
		r.counts[reasonIn{one.column, one.reason}]++
		r.first = append(r.first, *rejected(rec, one))
	}
	if len(r.first) >= 2*maxShown {
		r.first = r.shown()
	}
	if r.dry {
		return nil
	}
	if r.file == nil {
		if err := r.open(); err != nil {
			return err
		}
	}
	line := strconv.Itoa(rec.line)
	column, reason := f.described()
	if r.form.Format == CSV {
		return r.csv(append([]string{line, column, reason}, r.kept(func(i int) string {
			return rec.cells[i].text
		}, len(rec.cells))...))
	}
	return r.object(rec, line, column, reason)
}

// maxDescribed is the maximum number of faults of a row that the file describes, so that it does not become
// many times as large as the imported one.
const maxDescribed = 10

// described returns the columns and the reasons of a row's faults.
func (f *fault) described() (column, reason string) {
	if f.also == nil {
		return f.column, string(f.reason) + ": " + f.detail
	}
	var columns, reasons []string
	all := f.all()
	for _, one := range all[:min(len(all), maxDescribed)] {
		columns = append(columns, one.column)
		reasons = append(reasons, one.column+": "+string(one.reason)+": "+one.detail)
	}
	if more := len(all) - maxDescribed; more > 0 {
		reasons = append(reasons, plural(int64(more), "other column"))
	}
	return strings.Join(columns, "; "), strings.Join(reasons, "; ")
}

// shown returns the faults of the rejected rows of the first lines. Rows are rejected in almost any order.
func (r *rejects) shown() []Reject {
	slices.SortStableFunc(r.first, func(a, b Reject) int { return cmp.Compare(a.Line, b.Line) })
	return slices.Clone(r.first[:min(len(r.first), maxShown)])
}

// kept returns the cells of a row without the columns added by an earlier rejects file.
func (r *rejects) kept(cell func(int) string, n int) []string {
	var out []string
	for i := range n {
		if i >= len(r.names) || !rejectColumn(r.names, r.names[i]) {
			out = append(out, cell(i))
		}
	}
	return out
}

// csv writes a record. It does not use encoding/csv, which changes line ends inside cells.
func (r *rejects) csv(cells []string) error {
	for i, c := range cells {
		if i > 0 {
			r.out.WriteString(r.form.Delimiter)
		}
		if r.guard {
			c = withGuard(c)
		}
		if strings.ContainsAny(c, "\"\r\n"+r.form.Delimiter) {
			c = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
		}
		r.out.WriteString(c)
	}
	_, err := r.out.WriteString("\r\n")
	return r.failed(err)
}

// object writes a line of JSON: the reasons, then the members of the row, or the line as a string if it is
// not an object.
func (r *rejects) object(rec *record, line, column, reason string) error {
	head := "{" + quote(rejectLine) + ":" + line + "," + quote(rejectIn) + ":" + quote(column) + "," +
		quote(rejectReason) + ":" + quote(reason)
	row := bytes.TrimSpace(rec.raw)
	if json.Valid(row) && row[0] == '{' {
		row = r.withoutRejectMembers(row)
	} else {
		row = []byte(quote(rejectRecord) + ":" + quote(string(row)))
	}
	if len(row) > 0 {
		head += ","
	}
	_, err := fmt.Fprintf(r.out, "%s%s}\n", head, row)
	return r.failed(err)
}

// withoutRejectMembers returns the members of a JSON object as written, without those added by an earlier
// rejects file.
func (r *rejects) withoutRejectMembers(object []byte) []byte {
	var out []byte
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.Token()
	for dec.More() {
		start := dec.InputOffset()
		key, _ := dec.Token()
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return object[1 : len(object)-1] // cannot happen: it is valid JSON
		}
		if name, _ := key.(string); rejectColumn(r.names, name) && name != rejectRecord {
			continue
		}
		member := bytes.TrimLeft(object[start:dec.InputOffset()], ", \t\r\n")
		if out != nil {
			out = append(out, ',')
		}
		out = append(out, member...)
	}
	return out
}

// close flushes the file. If it returns an error, the file is incomplete.
func (r *rejects) close() error {
	if r.file == nil {
		return nil
	}
	err := r.out.Flush()
	if closed := r.file.Close(); err == nil {
		err = closed
	}
	return r.failed(err)
}

// discard removes the file of an import that was not started.
func (r *rejects) discard() {
	if r.file != nil && r.create == nil {
		r.file.Close()
		os.Remove(r.path)
	}
}

func (r *rejects) failed(err error) error {
	if _, ours := errors.AsType[*tracker.Error](err); err == nil || ours {
		return err
	}
	return tracker.Internal("the rejected rows can't be written to "+r.path, err)
}
