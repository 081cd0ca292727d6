//go:build realdata

package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// nastyProject is the project of which TestRealDataNasty makes a copy, unless there is only another one, and
// nastyRows and nastySmokeRows are how many of its rows.
const (
	nastyProject   = "ALOY"
	nastyRows      = 1499
	nastySmokeRows = 300
)

// nastyKey is the column that identifies the rows of a nasty file; it keeps its cells.
const (
	nastyKey  = "jira_id"
	nastyName = "Jira id" // its field
)

// nastyRow is a row of a nasty file and what the import must make of it.
type nastyRow struct {
	cells []string
	line  int               // in the file
	fault string            // the column for which the row is rejected, "-" for the whole row, or ""
	want  map[string]string // the values in an export by the names of its columns, as nastyCell.want
}

// nastyFile is a copy of rows of the data set with nasty cells.
type nastyFile struct {
	path    string
	columns []column
	header  []string
	rows    []*nastyRow
	blank   int64 // rows without content
}

// TestRealDataNasty imports a part of the real data in which cells are replaced by nasty ones. Rows are
// rejected for these cells alone, the export has the other cells, and importing it again and again changes no
// byte of it. The cells are the same in each run.
func TestRealDataNasty(t *testing.T) {
	file := readTable(t)
	rows, key := nastyRows, nastyProject
	if only := os.Getenv(projectVariable); only != "" {
		rows, key = nastySmokeRows, only
	}
	db, _ := dynamotest.Open(t, func(s *dynamo.Settings) { s.GroupWrites, s.Transport = true, nil })
	n := nastyCopy(t, file, file.rows[key][:min(rows, len(file.rows[key]))])
	t.Run("mapped", func(t *testing.T) { n.mapped(t, db, key) })
	if os.Getenv(projectVariable) == "" {
		t.Run("inferred", func(t *testing.T) { n.inferred(t, db, "inferred", key) })
		t.Run("tempting", func(t *testing.T) { checkTempting(t, db, n, key) })
	}
}

// exportName is the name of a column of the mapping in an export, or "" if it has none.
func (c column) exportName() string {
	switch c.To {
	case "num":
		return "number"
	case "name", "state", "description":
		return c.To
	case "createdAt":
		return "created"
	case "updatedAt":
		return "updated"
	}
	if c.Name == "Key" { // an export has a column with this name
		return "Key (field)"
	}
	return c.Name
}

// kept is the value that an ordinary cell of the file has in an export.
func (c column) kept(cell string) string {
	if c.Separator != "" {
		return strings.ReplaceAll(cell, c.Separator, "\n")
	}
	return cell
}

// nastyCopy writes a file of rows of the data set with nasty cells. In three of five rows, one cell
// must be rejected, and in all rows but the first about each third cell is one that must be kept.
func nastyCopy(t *testing.T, file *table, rows [][]string) *nastyFile {
	rng := rand.New(rand.NewPCG(randomSeed, 36))
	n := &nastyFile{path: t.TempDir() + "/nasty.csv", columns: file.columns,
		header: make([]string, len(file.header))}
	for name, at := range file.header {
		n.header[at] = name
	}
	type fault struct {
		column
		cell nastyCell
	}
	var faults []fault
	good := make([][]nastyCell, len(n.header))
	kinds := map[string][]column{}
	bad := map[string][]nastyCell{}
	for _, c := range n.columns {
		if c.Column == nastyKey || c.Column == "issue_key" && c.To != "rowKey" {
			continue
		}
		kind := fmt.Sprint(c.To, c.Type, c.Options, c.Separator)
		kinds[kind] = append(kinds[kind], c)
		good[c.place], bad[kind] = c.nasty(rng)
		rng.Shuffle(len(good[c.place]), func(i, j int) {
			good[c.place][i], good[c.place][j] = good[c.place][j], good[c.place][i]
		})
		faults = append(faults, fault{c, refuses(noUTF8[c.place%len(noUTF8)])[0]})
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) { // each cell in one of the columns
		for i, cell := range bad[kind] {
			faults = append(faults, fault{kinds[kind][i%len(kinds[kind])], cell})
		}
	}
	rng.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	for i, cells := range rows {
		r := &nastyRow{cells: slices.Clone(cells), want: map[string]string{}}
		nasty := map[int]nastyCell{}
		faulty := i > 0 && i%5 < 3 && len(faults) > 0
		for place := range n.header {
			if cells := good[place]; i > 0 && len(cells) > 0 && rng.IntN(3) == 0 {
				if nasty[place] = cells[0]; !faulty { // so that each cell is in a row that is kept
					good[place] = append(cells[1:], cells[0])
				}
			}
		}
		at := file.header["issue_key"]
		if i > 0 && rng.IntN(3) == 0 { // a row key, which must be unique
			key := texts(rng, unchanged)[i%100+len(wholes)].text + cells[at] + pieces()[i%len(pieces())].text
			nasty[at] = nastyCell{text: key, want: key}
		}
		if at := file.header["number"]; i > 0 && rng.IntN(3) == 0 {
			nasty[at] = nastyCell{want: cells[at],
				text: []string{" ", "+", "00", "\u3000", "\t\r\n"}[rng.IntN(5)] + cells[at]}
		}
		if i == 0 { // the spelling of options
			for _, c := range n.columns {
				if c.Options == nil && (c.Type == "SELECT" || c.Type == "MULTI_SELECT") {
					nasty[c.place] = keeps(spelling)[0]
				}
			}
		}
		if faulty {
			f := faults[0]
			faults = faults[1:]
			nasty[f.place], r.fault = f.cell, f.Column
		}
		for place, cell := range nasty {
			r.cells[place] = cell.text
		}
		for _, c := range n.columns {
			if name := c.exportName(); name != "" {
				cell, ok := nasty[c.place]
				if !ok {
					cell.want = c.kept(r.cells[c.place])
				}
				if !cell.unknown {
					r.want[name] = cell.want
				}
			}
		}
		if i%200 == 4 { // too few cells or too many
			r.cells, r.fault = append(r.cells, "more")[:len(r.cells)-1+i/200%2*2], "-"
		}
		n.rows = append(n.rows, r)
	}
	n.write(t)
	t.Logf("%d rows; %d faults were not used", len(n.rows), len(faults))
	return n
}

// write writes the file, and sets the lines of the rows. Between the rows are some without content.
func (n *nastyFile) write(t *testing.T) {
	n.blank = 0
	text := join([][]string{n.header})
	line := 1 + bytes.Count(text, []byte("\n"))
	for i, r := range n.rows {
		record := join([][]string{r.cells})
		r.line = line
		if i%100 == 7 {
			record = append(record, strings.Repeat(", ", len(n.header)-1)+"\r\n"...)
			n.blank++
		}
		text, line = append(text, record...), line+bytes.Count(record, []byte("\n"))
	}
	must(t, os.WriteFile(n.path, text, 0o600))
}

// mapped imports the file with the mapping of the data set.
func (n *nastyFile) mapped(t *testing.T, db *dynamo.DB, key string) {
	mapping, err := importer.ReadMapping(mappingFile)
	must(t, err)
	tenant := newTenant(t, db, "mapped")
	s := imported(t, tenant, importer.Options{File: n.path, Mapping: mapping, Project: key})
	if s.Rows != int64(len(n.rows)) || s.Added+s.Unchanged+s.Rejected != s.Rows || s.Blank != n.blank {
		t.Errorf("%d rows and %d blank ones became %s", len(n.rows), n.blank, s)
	}
	t.Logf("%d rows added, %d rejected", s.Added+s.Unchanged, s.Rejected)
	rejects := n.rejects(t, s)
	for _, r := range n.rows {
		got, ok := rejects[r.line]
		cell := ""
		if at := slices.Index(n.header, r.fault); at >= 0 {
			cell = r.cells[at]
		}
		switch {
		case ok && r.fault == "":
			t.Errorf("line %d is rejected: %.300q", r.line, got)
		case !ok && r.fault != "":
			t.Errorf("line %d, column %s: %.100q is not rejected", r.line, r.fault, cell)
		case ok && got[0] != strings.TrimPrefix(r.fault, "-"):
			t.Errorf("line %d, column %s: %.100q is rejected otherwise: %.300q", r.line, r.fault, cell, got)
		}
	}
	first := exportOf(t, db, tenant, key)
	for _, format := range formats {
		n.checkValues(t, first, format)
	}
	for _, format := range formats {
		again := first.copied(t, db, newTenant(t, db, "mapped"+tenantOf[format]), format,
			first.mappings[format])
		for _, other := range formats {
			first.same(t, "a copy from "+string(format), again, other)
		}
	}
	again := first.copied(t, db, newTenant(t, db, "mappedagain"), importer.CSV, nil)
	n.checkWords(t, first, again)
}

// checkWords compares a copy that was imported without a mapping. A column of few words becomes one of
// options, in which white space at the ends of a word and its form in Unicode make no difference
// (docs/import.md).
func (n *nastyFile) checkWords(t *testing.T, first, again *exported) {
	t.Helper()
	want, got := first.values(t, importer.CSV), again.values(t, importer.CSV)
	if len(got) != len(want) {
		t.Fatalf("%d rows became %d", len(want), len(got))
	}
	word := func(s string) string { return norm.NFC.String(strings.TrimSpace(s)) }
	for i, row := range want {
		for name, cell := range row {
			if word(got[i][name]) != word(cell) {
				t.Errorf("a copy without a mapping: %s of %s was %.200q and is %.200q", name, row["key"],
					cell,
					got[i][name])
			}
		}
	}
}

// rejects returns the columns and the reasons in the file of rejected rows, by lines. Each of its rows must
// be one of the imported file, with a reason and with all bytes.
func (n *nastyFile) rejects(t *testing.T, s *importer.Summary) map[int][]string {
	t.Helper()
	if s.RejectsFile == "" && s.Rejected == 0 {
		return nil
	}
	text, err := os.ReadFile(s.RejectsFile)
	must(t, err)
	records := split(t, bytes.TrimPrefix(text, []byte(importer.ByteOrderMark)))
	if want := append([]string{"reject_line", "reject_column", "reject_reason"}, n.header...); !slices.Equal(
		records[0], want) {
		t.Errorf("the header of the rejected rows is %q", records[0])
	}
	rejects := map[int][]string{}
	for _, record := range records[1:] {
		line := atoi(t, record[0])
		at := slices.IndexFunc(n.rows, func(r *nastyRow) bool { return r.line == line })
		if at < 0 || record[2] == "" || !slices.Equal(record[3:], n.rows[at].cells) {
			t.Errorf("a rejected row is not as in the file: %.2000q", record)
		}
		// A column that becomes two fields is named twice.
		columns := slices.Compact(strings.Split(record[1], "; "))
		rejects[line] = []string{strings.Join(columns, "; "), record[2]}
	}
	if int64(len(rejects)) != s.Rejected || len(rejects) != len(records)-1 {
		t.Errorf("%d rejected rows in the file, %d in the summary", len(records)-1, s.Rejected)
	}
	return rejects
}

// values are the rows of an export. The members of a set are separated by line ends in both formats.
func (e *exported) values(t *testing.T, format importer.Format) (rows []map[string]string) {
	t.Helper()
	if format == importer.CSV {
		records := split(t, bytes.TrimPrefix(e.files[format], []byte(importer.ByteOrderMark)))
		for _, r := range records[1:] {
			row := map[string]string{}
			for i, name := range records[0] {
				row[name] = r[i]
			}
			rows = append(rows, row)
		}
		return rows
	}
	decoder := json.NewDecoder(bytes.NewReader(e.files[format]))
	decoder.UseNumber()
	for {
		var object map[string]any
		if err := decoder.Decode(&object); err == io.EOF {
			return rows
		} else {
			must(t, err)
		}
		row := map[string]string{}
		for name, value := range object {
			switch v := value.(type) {
			case nil:
				row[name] = ""
			case []any:
				members := make([]string, len(v))
				for i, member := range v {
					members[i] = member.(string)
				}
				row[name] = strings.Join(members, "\n")
			default:
				row[name] = fmt.Sprint(v)
			}
		}
		rows = append(rows, row)
	}
}

// checkValues compares all values of an export with the cells of the file.
func (n *nastyFile) checkValues(t *testing.T, e *exported, format importer.Format) {
	t.Helper()
	found := map[string]map[string]string{}
	nums, ids := []int{}, []string{}
	for _, row := range e.values(t, format) {
		nums, ids = append(nums, atoi(t, row["number"])), append(ids, row[nastyName])
		found[row[nastyName]] = row
		if row["key"] != e.key+"-"+row["number"] {
			t.Errorf("%s: issue %s has the key %s", format, row["number"], row["key"])
		}
	}
	spelled := map[string]string{} // options as their first rows spell them, by column and canonical name
	compared, rows := 0, 0
	for _, r := range n.rows {
		if r.fault != "" {
			continue
		}
		row, ok := found[r.want[nastyName]]
		if rows++; !ok {
			t.Errorf("%s: line %d is missing", format, r.line)
			continue
		}
		for _, c := range n.columns {
			name := c.exportName()
			want, ok := r.want[name]
			if !ok {
				continue
			}
			value := row[name]
			if c.Type == "SELECT" || c.Type == "MULTI_SELECT" {
				want = unify(spelled, c, want)
			}
			switch {
			case c.Type == "MULTI_SELECT" || c.Type == "TAGS":
				want, value = set(strings.Split(want, "\n")), set(strings.Split(value, "\n"))
			case (c.To == "createdAt" || c.To == "updatedAt" || c.Type == "DATETIME") && want != "" &&
				value != "":
				want, value = instant(t, want), instant(t, value)
			case c.Type == "NUMBER" && want != "" && value != "":
				want, value = normal(t, c, want), normal(t, c, value)
			}
			if value != want {
				t.Errorf("%s: line %d, column %s (%s): the cell %.200q became %.200q, want %.200q", format,
					r.line, c.Column, cmp.Or(c.Type, c.To), r.cells[c.place], value, want)
			}
			compared++
		}
	}
	if len(ids) != rows || len(found) != rows || !slices.IsSorted(nums) {
		t.Errorf("%s: %d rows of %d issues, want %d", format, len(ids), len(found), rows)
	}
	t.Logf("%s: %d values compared", format, compared)
}

// unify returns the options in a value as the first row spells those with the same characters.
func unify(spelled map[string]string, c column, value string) string {
	members := strings.Split(value, "\n")
	for i, m := range members {
		key := c.Column + "\n" + norm.NFC.String(m)
		if _, ok := spelled[key]; !ok {
			spelled[key] = m
		}
		members[i] = spelled[key]
	}
	return strings.Join(members, "\n")
}

// tenantOf are parts of the ids of tenants.
var tenantOf = map[importer.Format]tracker.TenantID{importer.CSV: "csv", importer.JSONLines: "lines"}

// inferred imports the file without a mapping. Whatever its columns become, no two cells become one value,
// and all bytes of texts are kept.
func (n *nastyFile) inferred(t *testing.T, db *dynamo.DB, id tracker.TenantID, key string) {
	n.rows = slices.DeleteFunc(n.rows, func(r *nastyRow) bool {
		return r.fault == "summary" // with which the file would have no names of issues
	})
	n.write(t)
	tenant := newTenant(t, db, id)
	s := imported(t, tenant, importer.Options{File: n.path, Project: key})
	if s.Rows != int64(len(n.rows)) || s.Added+s.Unchanged+s.Rejected != s.Rows || s.Blank != n.blank {
		t.Errorf("%d rows and %d blank ones became %s", len(n.rows), n.blank, s)
	}
	t.Logf("%d rows added, %d rejected", s.Added+s.Unchanged, s.Rejected)
	rejects := n.rejects(t, s)
	first := exportOf(t, db, tenant, key)
	for _, format := range formats {
		n.checkInferred(t, first, format, s.Mapping, rejects)
	}
	again := first.copied(t, db, newTenant(t, db, id+"copy"), importer.CSV, first.mappings[importer.CSV])
	for _, format := range formats {
		first.same(t, "a copy", again, format)
	}
	again = first.copied(t, db, newTenant(t, db, id+"again"), importer.CSV, nil)
	first.same(t, "a copy without a mapping", again, importer.CSV)
}

// temptingRows is the number of rows of a tempting file.
const temptingRows = 200

// checkTempting imports, without a mapping, files whose columns have a few cells each that look like values
// of another type than a text.
func checkTempting(t *testing.T, db *dynamo.DB, of *nastyFile, key string) {
	rng := rand.New(rand.NewPCG(randomSeed, 37))
	var places []int // of the columns that identify no row
	for place, name := range of.header {
		if !slices.Contains([]string{nastyKey, "number", "issue_key", "summary", "description"}, name) {
			places = append(places, place)
		}
	}
	for pools := range slices.Chunk(tempting, len(places)) {
		n := &nastyFile{path: t.TempDir() + "/tempting.csv", header: of.header}
		for i := range temptingRows {
			r := &nastyRow{cells: make([]string, len(n.header)),
				want: map[string]string{"name": fmt.Sprint("row ", i)}}
			for place, name := range n.header {
				switch name {
				case nastyKey, "number", "issue_key":
					r.cells[place] = fmt.Sprint(i + 1)
				case "summary":
					r.cells[place] = r.want["name"]
				}
			}
			for p, pool := range pools {
				if rng.IntN(10) > 0 {
					r.cells[places[p]] = pool[rng.IntN(len(pool))]
				}
			}
			n.rows = append(n.rows, r)
		}
		n.inferred(t, db, tracker.TenantID(fmt.Sprintf("tempting%d", len(pools))), key)
	}
}

// checkInferred compares an export with the cells of the file, whose columns became what a mapping says.
func (n *nastyFile) checkInferred(t *testing.T, e *exported, format importer.Format, m *importer.Mapping,
	rejects map[int][]string) {
	t.Helper()
	found := map[string]map[string]string{}
	for _, row := range e.values(t, format) {
		found[row[nastyKey]] = row
	}
	cells := map[string]map[string]string{} // by the column and the value in the export
	for _, r := range n.rows {
		if rejects[r.line] != nil {
			continue
		}
		row, ok := found[r.cells[slices.Index(n.header, nastyKey)]]
		if !ok {
			t.Errorf("%s: line %d is neither rejected nor exported", format, r.line)
			continue
		}
		for _, c := range m.Columns {
			name := inferredName(c)
			if name == "" {
				continue
			}
			cell, value := r.cells[slices.Index(n.header, c.Column)], row[name]
			want := cell
			switch {
			case c.To == importer.ToName:
				want = r.want["name"]
			case c.To == importer.ToDescription || c.Type == tracker.TypeText ||
				c.Type == tracker.TypeLongText:
			case strings.TrimSpace(cell) == "": // a new issue has a state and times
				if want = ""; c.To != importer.ToField {
					want = value
				}
			case c.To == importer.ToState || c.Type == tracker.TypeSelect:
				want, value = norm.NFC.String(strings.TrimSpace(cell)), norm.NFC.String(value)
			case c.To == importer.ToCreated || c.To == importer.ToUpdated || c.Type == tracker.TypeDateTime:
				if want = value; value == "" { // two ways to write one time are one value
					t.Errorf("%s: line %d, column %s: the time %.200q is lost", format, r.line, c.Column,
						cell)
				}
			default:
				want = value
				if cells[name] == nil {
					cells[name] = map[string]string{}
				}
				if other, ok := cells[name][value]; ok && other != strings.TrimSpace(cell) || value == "" {
					t.Errorf("%s: line %d, column %s (%s): the cells %.200q and %.200q became %.200q", format,
						r.line, c.Column, c.Type, cell, other, value)
				}
				cells[name][value] = strings.TrimSpace(cell)
			}
			if value != want {
				t.Errorf("%s: line %d, column %s (%s): the cell %.200q became %.200q, want %.200q", format,
					r.line, c.Column, cmp.Or(string(c.Type), string(c.To)), cell, value, want)
			}
		}
	}
	if len(found) != len(n.rows)-len(rejects) {
		t.Errorf("%s: %d rows of %d, of which %d are rejected", format, len(found), len(n.rows),
			len(rejects))
	}
}

// inferredName is column.exportName for a column of an inferred mapping. The name of a field that is one of a
// built-in column has a suffix.
func inferredName(c importer.Column) string {
	name := column{To: string(c.To), Name: c.Name}.exportName()
	if c.To == importer.ToField && slices.Contains([]string{"number", "created", "updated"}, name) {
		name += importer.ExportedField
	}
	return name
}
