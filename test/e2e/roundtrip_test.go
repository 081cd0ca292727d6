//go:build realdata

package e2e

import (
	"bytes"
	"os"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/internal/export"
	"issuegrid/internal/importer"
	"issuegrid/internal/session"
	"issuegrid/tracker"
)

// exported is a project as files, and the mappings with which an import reproduces it, by format.
type exported struct {
	key      string
	files    map[importer.Format][]byte
	mappings map[importer.Format]*importer.Mapping
}

var formats = []importer.Format{importer.CSV, importer.JSONLines}

// exportOf exports a project in both formats, as the command does.
func exportOf(t *testing.T, db *dynamo.DB, tenant *dynamo.Tenant, key string) *exported {
	t.Helper()
	id, err := tenant.ProjectByKey(t.Context(), key)
	must(t, err)
	out := &exported{key, map[importer.Format][]byte{}, map[importer.Format]*importer.Mapping{}}
	for _, format := range formats {
		grid, err := graph.NewExports(session.NewFactory(db, session.Anonymous, nil)).Open(t.Context(),
			graph.ExportedGrid{Project: model.ProjectNodeID(tenant.ID(), id)})
		must(t, err)
		var b bytes.Buffer
		out.mappings[format], err = export.Write(t.Context(), &b, grid, export.Options{Format: format})
		grid.Close()
		must(t, err)
		out.files[format] = b.Bytes()
	}
	return out
}

// newTenant creates a tenant. A copy of a project in another tenant can have the same key, so that all bytes
// of its exports are the same.
func newTenant(t *testing.T, db *dynamo.DB, id tracker.TenantID) *dynamo.Tenant {
	t.Helper()
	must(t, db.CreateTenant(t.Context(), tracker.Tenant{ID: id, Name: "Tenant " + string(id)}))
	tenant, err := db.Tenant(id)
	must(t, err)
	return tenant
}

// copied imports an export into a new project of a tenant, which must take all rows, and exports the copy.
// Without a mapping, the import recognizes the export by its header.
func (e *exported) copied(t *testing.T, db *dynamo.DB, to *dynamo.Tenant, format importer.Format,
	mapping *importer.Mapping) *exported {
	t.Helper()
	path := t.TempDir() + "/export"
	must(t, os.WriteFile(path, e.files[format], 0o600))
	if mapping != nil {
		var err error
		mapping, err = importer.ParseMapping([]byte(mapping.String()))
		must(t, err)
	}
	s := imported(t, to, importer.Options{File: path, Project: e.key, Mapping: mapping})
	if s.Rejected > 0 || s.Added == 0 || s.Added+s.Unchanged != s.Rows { // unchanged after an interruption
		t.Errorf("an export of %s as %s was not imported completely: %s", e.key, format, s)
	}
	return exportOf(t, db, to, e.key)
}

// same requires that a copy has the same bytes in a format.
func (e *exported) same(t *testing.T, how string, copied *exported, format importer.Format) {
	t.Helper()
	want, got := e.files[format], copied.files[format]
	if bytes.Equal(want, got) {
		return
	}
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	part := func(b []byte) []byte { return b[max(0, min(at-100, len(b))):min(at+100, len(b))] }
	t.Errorf("%s: the export of %s as %s changed at byte %d, from\n%q (%d bytes) to\n%q (%d bytes)", how,
		e.key, format, at, part(want), len(want), part(got), len(got))
}

// linesRows is the maximum number of rows of projects that are also copied from JSON Lines. Larger ones would
// take minutes more, and each copy is exported in both formats.
const linesRows = 5000

// checkExports exports each project, imports the file into a new project, and exports this: the files have
// the same bytes (law E1 of package export).
func checkExports(t *testing.T, db *dynamo.DB, from *dynamo.Tenant, file *table) {
	csv, lines := newTenant(t, db, "csv"), newTenant(t, db, "lines")
	for key, rows := range file.rows {
		first := exportOf(t, db, from, key)
		check := func(to *dynamo.Tenant, format importer.Format) {
			again := first.copied(t, db, to, format, first.mappings[format])
			for _, other := range formats {
				first.same(t, "a copy from "+string(format), again, other)
			}
		}
		check(csv, importer.CSV)
		if len(rows) <= linesRows {
			check(lines, importer.JSONLines)
		}
		t.Logf("%s: %d and %d bytes", key, len(first.files[importer.CSV]),
			len(first.files[importer.JSONLines]))
	}
}
