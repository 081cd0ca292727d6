package export_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/internal/export"
	"issuegrid/internal/importer"
	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

// slow calls a function before each page but the first.
type slow struct {
	export.Source
	between func()
	pages   int
}

func (s *slow) Page(ctx context.Context, accept func(*tracker.Definition) error) (*tracker.Definition,
	[]*tracker.Issue, bool, error) {
	if s.pages++; s.pages > 1 {
		s.between()
	}
	return s.Source.Page(ctx, accept)
}

// TestChangesMeanwhile: a file has one meaning (E4). What is added meanwhile is in the mapping.
func TestChangesMeanwhile(t *testing.T) {
	p := sample.Generated()
	p.Issues = p.Issues[:250]
	f := load(t, p)
	field := func(id tracker.FieldID, change func(*tracker.Field)) func() {
		return func() {
			_, err := f.tenant.UpdateField(t.Context(), p.Project.ID, id, func(f *tracker.Field) error {
				f.Options = slices.Clone(f.Options)
				change(f)
				return nil
			})
			f.must(err)
		}
	}
	n := 0
	for _, tt := range []struct {
		what    string
		change  func()
		columns string
		code    tracker.Code
	}{
		{"a new option", field("f08", func(f *tracker.Field) {
			n++
			f.Options = append(f.Options, tracker.Option{ID: tracker.OptionID(fmt.Sprint("new", n)),
				Name: fmt.Sprint("New ", n)})
		}), "", ""},
		{"a renamed option", field("f08", func(f *tracker.Field) { f.Options[0].Name += "!" }), "",
			tracker.Conflict},
		{"a renamed option of another column",
			field("f08", func(f *tracker.Field) { f.Options[0].Name += "!" }), "name,Tags", ""},
		{"a renamed field", field("f08", func(f *tracker.Field) { f.Name += "!" }), "", ""},
		{"a renamed state", func() {
			_, err := f.tenant.UpdateProject(t.Context(), p.Project.ID, func(p *tracker.Project) error {
				p.States = slices.Clone(p.States)
				p.States[0].Name += "!"
				return nil
			})
			f.must(err)
		}, "", tracker.Conflict},
		{"a deleted field", func() {
			f.must(f.tenant.DeleteField(t.Context(), p.Project.ID, "f01", nil))
		}, "",
			tracker.Conflict},
	} {
		source := &slow{Source: f.grid(p.Project.ID), between: func() {}}
		source.between = func() {
			if source.pages == 2 {
				tt.change()
			}
		}
		m, err := export.Write(t.Context(), io.Discard, source, csvOf(tt.columns))
		if tracker.CodeOf(err) != tt.code {
			t.Errorf("%s: %v, want %q", tt.what, err, tt.code)
		}
		if tt.what == "a new option" && !strings.Contains(m.String(), `"New 1"`) {
			t.Errorf("the mapping lacks the new option: %s", m)
		}
	}
}

// TestChoicesChangeMeanwhile: if states or options that a file is sorted or filtered by are moved or merged
// while it is written, no row is missing from a file that is complete.
func TestChoicesChangeMeanwhile(t *testing.T) {
	p := sample.Generated()
	p.Issues = p.Issues[:350]
	f := load(t, p, func(s *dynamo.Settings) { // which jobs wait for
		s.DefinitionTTL, s.ReadTime, s.IndexLag = time.Millisecond, time.Millisecond, time.Millisecond
		s.WriteTime = 500 * time.Millisecond
	})
	priority := model.FieldNodeID(p.Tenant.ID, p.Project.ID, "f08")
	sorted := graph.ExportedGrid{OrderBy: fmt.Sprintf(`{"column": {"fieldId": %q}}`, priority)}
	filtered := graph.ExportedGrid{Where: fmt.Sprintf(
		`{"fields": [{"fieldId": %q, "option": {"in": ["High", "Medium"]}}]}`, priority)}
	options := func(change func(f *tracker.Field) error) error {
		_, err := f.tenant.UpdateField(t.Context(), p.Project.ID, "f08", func(f *tracker.Field) error {
			f.Options = slices.Clone(f.Options)
			return change(f)
		})
		return err
	}
	first := func(f *tracker.Field) tracker.OptionID { return f.Options[0].ID }
	last := func(f *tracker.Field) tracker.OptionID { return f.Options[len(f.Options)-1].ID }
	move := func() error {
		return options(func(f *tracker.Field) error { return f.MoveOption(last(f), first(f)) })
	}
	merge := func() error {
		return options(func(f *tracker.Field) error {
			return f.MergeOptions([]tracker.OptionID{first(f)}, last(f))
		})
	}
	mergeLast := func() error { // its rows pass those that were written
		return options(func(f *tracker.Field) error {
			return f.MergeOptions([]tracker.OptionID{last(f)}, first(f))
		})
	}
	add := func() error {
		return options(func(f *tracker.Field) error {
			return f.AddOption(tracker.Option{ID: "added", Name: "Added"})
		})
	}
	for _, tt := range []struct {
		what   string
		grid   graph.ExportedGrid
		change func() error
		runs   bool // the job ends before the next page
		code   tracker.Code
	}{
		{"an option is added to the order", sorted, add, false, ""},
		{"an option of the order is moved", sorted, move, true, tracker.Conflict},
		{"an option of the order is merged", sorted, mergeLast, false, tracker.Conflict},
		{"an option of no column is moved", graph.ExportedGrid{}, move, false, ""},
		{"an option of the filter is moved", filtered, move, false, tracker.Conflict},
		{"an option of the filter is merged", filtered, merge, false, tracker.Conflict},
	} {
		tt.grid.Project = model.ProjectNodeID(p.Tenant.ID, p.Project.ID)
		x, err := f.exports.Open(t.Context(), tt.grid)
		f.must(err)
		source := &slow{Source: x}
		source.between = func() {
			if source.pages != 2 {
				return
			}
			if f.must(tt.change()); tt.runs {
				f.must(f.tenant.RunJobs(t.Context(), p.Project.ID))
			}
		}
		_, err = export.Write(t.Context(), io.Discard, source, csvOf("number"))
		x.Close()
		if source.pages < 2 || tracker.CodeOf(err) != tt.code {
			t.Errorf("%s: after %d pages %v, want %q", tt.what, source.pages, err, tt.code)
		}
	}
	// The jobs of the last cases have not run.
	sorted.Project = model.ProjectNodeID(p.Tenant.ID, p.Project.ID)
	x, err := f.exports.Open(t.Context(), sorted)
	f.must(err)
	defer x.Close()
	if _, err = export.Write(t.Context(), io.Discard, x, csvOf("number")); tracker.CodeOf(err) !=
		tracker.Conflict || !strings.Contains(err.Error(), "a job is changing the order") {
		t.Errorf("an export that begins while the job waits: %v", err)
	}
}

// full is a writer that fails after some bytes.
type full struct{ left int }

var errFull = errors.New("no space left")

func (w *full) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestStops checks that an export reads nothing more after a write or a read has failed.
func TestStops(t *testing.T) {
	p := sample.Generated()
	p.Issues = p.Issues[:600]
	f := load(t, p)
	source := &slow{Source: f.grid(p.Project.ID), between: func() {}}
	_, err := export.Write(t.Context(), &full{left: 40_000}, source, csvOf(""))
	if !errors.Is(err, errFull) || source.pages > 4 {
		t.Errorf("after %d pages: %v", source.pages, err)
	}
	source = &slow{Source: f.grid(p.Project.ID), between: func() {}}
	ctx, cancel := context.WithCancel(t.Context())
	source.between = func() {
		if source.pages == 3 {
			cancel()
		}
	}
	if _, err := export.Write(ctx, io.Discard, source, csvOf("")); err == nil || source.pages != 3 {
		t.Errorf("after %d pages: %v", source.pages, err)
	}
}

// TestNewColumn exports a field that another server has just created.
func TestNewColumn(t *testing.T) {
	f := setup(t)
	d := f.project(everyType(t))
	f.export(d, csvOf("")) // from now on the definition is cached
	other, err := dynamo.Open(t.Context(), f.settings)
	f.must(err)
	tenant, err := other.Tenant("acme")
	f.must(err)
	_, err = tenant.CreateField(t.Context(), d.Project.ID, tracker.Field{ID: "new", Name: "Brand new",
		Type: tracker.TypeText})
	f.must(err)
	file, _ := f.export(d, csvOf("number,Brand new"))
	if !strings.HasPrefix(file, importer.ByteOrderMark+"number,Brand new\r\n1,\r\n") {
		t.Errorf("%.100q", file)
	}
}
