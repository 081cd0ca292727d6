package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"issuegrid/tracker"
)

// The columns that stand before the cells of a rejected row, and the one that holds a line that is no JSON object. An import leaves
// them out, so that a rejects file, when its rows are repaired, can be imported as it is.
const (
	rejectLine   = "reject_line"
	rejectIn     = "reject_column"
	rejectReason = "reject_reason"
	rejectRecord = "reject_record"
)

func rejectColumn(name string) bool {
	return name == rejectLine || name == rejectIn || name == rejectReason || name == rejectRecord
}

// rejects writes the rejected rows to a file of the same format as the one imported. It is safe for concurrent use.
type rejects struct {
	mu     sync.Mutex
	path   string // where it is or will be
	free   bool   // a free name is to be found, beginning with path
	format Format
	names  []string
	comma  byte
	file   *os.File
	out    *bufio.Writer
	count  int64
	counts map[reasonIn]int64
}

// newRejects makes the file at once when it is known that there are rejected rows, so that an import that could not report
// them does not start.
func newRejects(opts Options, in *input, s *survey) (*rejects, error) {
	r := &rejects{path: opts.Rejects, names: s.columns, format: s.format, comma: s.comma, counts: map[reasonIn]int64{}}
	if r.path == "" {
		r.path, r.free = rejectsName(in.path, s.format), true
	} else if _, err := os.Lstat(r.path); err == nil {
		return nil, tracker.Bad("rejects", "%s exists; rejected rows are never written over a file", r.path)
	}
	if len(s.rejected) > 0 {
		return r, r.open()
	}
	return r, nil
}

// rejectsName makes issues.rejects.csv of issues.csv.gz. What comes from a device goes into the working directory.
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

// open makes the file, under a name that no file has.
func (r *rejects) open() error {
	path := r.path
	for n := 2; ; n++ {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil {
			r.path, r.file, r.out = path, f, bufio.NewWriter(f)
			break
		}
		if !r.free || !errors.Is(err, fs.ErrExist) {
			return tracker.Bad("rejects", "the file for rejected rows can't be made: %v", err)
		}
		ext := filepath.Ext(r.path)
		path = strings.TrimSuffix(r.path, ext) + "-" + strconv.Itoa(n) + ext
	}
	if r.format == CSV {
		return r.csv(append([]string{rejectLine, rejectIn, rejectReason}, r.kept(func(i int) string { return r.names[i] }, len(r.names))...))
	}
	return nil
}

// add writes a row. The error is that of the file, which ends the import.
func (r *rejects) add(rec *record, f *fault) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	r.counts[reasonIn{f.column, f.reason}]++
	if r.file == nil {
		if err := r.open(); err != nil {
			return err
		}
	}
	line, reason := strconv.Itoa(rec.line), string(f.reason)+": "+f.detail
	if r.format == CSV {
		return r.csv(append([]string{line, f.column, reason}, r.kept(func(i int) string { return rec.cells[i].text }, len(rec.cells))...))
	}
	return r.object(rec, line, f.column, reason)
}

// kept are the cells of a row but those of the columns that an earlier rejects file has put before them.
func (r *rejects) kept(cell func(int) string, n int) []string {
	var out []string
	for i := range n {
		if i >= len(r.names) || !rejectColumn(r.names[i]) {
			out = append(out, cell(i))
		}
	}
	return out
}

// csv writes a record. encoding/csv is not used because it changes line ends inside cells.
func (r *rejects) csv(cells []string) error {
	for i, c := range cells {
		if i > 0 {
			r.out.WriteByte(r.comma)
		}
		if strings.ContainsAny(c, "\"\r\n"+string(rune(r.comma))) {
			c = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
		}
		r.out.WriteString(c)
	}
	_, err := r.out.WriteString("\r\n")
	return r.failed(err)
}

// object writes a line of JSON: the members of the row behind those that say why it was rejected, or, when it is no object, as a text.
func (r *rejects) object(rec *record, line, column, reason string) error {
	head := "{" + quote(rejectLine) + ":" + line + "," + quote(rejectIn) + ":" + quote(column) + "," + quote(rejectReason) + ":" + quote(reason)
	row := bytes.TrimSpace(rec.raw)
	if json.Valid(row) && row[0] == '{' {
		row = withoutRejectMembers(row)
	} else {
		row = []byte(quote(rejectRecord) + ":" + quote(string(row)))
	}
	if len(row) > 0 {
		head += ","
	}
	_, err := fmt.Fprintf(r.out, "%s%s}\n", head, row)
	return r.failed(err)
}

// withoutRejectMembers returns the members of a JSON object as they are written, but for those that an earlier rejects
// file has put before them.
func withoutRejectMembers(object []byte) []byte {
	var out []byte
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.Token()
	for dec.More() {
		start := dec.InputOffset()
		key, _ := dec.Token()
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return object[1 : len(object)-1] // it is known to be JSON: this cannot happen
		}
		if name, _ := key.(string); rejectColumn(name) && name != rejectRecord {
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

// close writes what is left. Its error tells that the file is not complete.
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

// discard removes the file of an import that did not begin.
func (r *rejects) discard() {
	if r.file != nil {
		r.file.Close()
		os.Remove(r.file.Name())
	}
}

func (r *rejects) failed(err error) error {
	if err == nil {
		return nil
	}
	return tracker.Internal("the rejected rows can't be written to "+r.path, err)
}
