package cli

import (
	"cmp"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/internal/export"
	"issuegrid/internal/importer"
	"issuegrid/internal/session"
	"issuegrid/internal/setting"
	"issuegrid/tracker"
)

type exportCmd struct {
	storeFlags
	Tenant   string
	Project  string
	Filter   string
	Order    string
	TimeZone string
	Columns  string
	Format   string
	Mapping  string `type:"path"`
	Output   string `type:"path" short:"o"`
}

func (e *exportCmd) definitions() []setting.Definition {
	return append(e.storeFlags.definitions(), []setting.Definition{
		{Name: "tenant", Placeholder: "T",
			Help: "The tenant that owns the project: its name, or its id in GraphQL."},
		{Name: "project", Placeholder: "P",
			Help: "The project to export: its key, with --tenant, or its id in GraphQL."},
		{Name: "filter", Placeholder: "JSON", UnsetMeans: "all issues",
			Help: "The issues to export: the argument `where` of the API, such as " +
				`{"open": true}.`},
		{Name: "order", Placeholder: "JSON", UnsetMeans: "by number",
			Help: "The order of the issues: the argument `orderBy` of the API, such as " +
				`{"column": {"builtin": "NAME"}}.`},
		{Name: "time-zone", Placeholder: "ZONE", Default: "UTC",
			Help: "The time zone of relative times in the filter, such as Europe/Berlin."},
		{Name: "columns", Placeholder: "LIST", UnsetMeans: "all columns",
			Help: "The columns to export, in this order: their names, separated by commas. A name " +
				"that contains a comma is written in double quotes."},
		{Name: "format", Placeholder: "FORMAT", Default: export.Formats[0], OneOf: export.Formats,
			Help: "Format of the export: csv or jsonl (JSON Lines)."},
		{Name: "mapping", Placeholder: "M", UnsetMeans: "none is written",
			Help: "File for the mapping with which `issuegrid import` reproduces the issues."},
		{Name: "output", Placeholder: "FILE", UnsetMeans: "standard output",
			Help: "File for the export, which replaces an existing file when it is complete."},
	}...)
}

// AfterApply validates the command line.
func (e *exportCmd) AfterApply(line *kong.Context) error {
	if e.Project == "" {
		return tracker.Bad("--project", "name the project to export, by its key or id")
	}
	if _, err := model.ParseProjectID(e.Project); e.Tenant == "" && err != nil {
		return tracker.Bad("--project", "%s is not an id from GraphQL; a project's key also needs --tenant",
			e.Project)
	}
	return e.storeFlags.check(line)
}

// Run writes the export.
func (e *exportCmd) Run(c *console) (err error) {
	s, err := e.join(c.ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	tenant, project, err := findScope(c, s, e.Tenant, e.Project)
	if err != nil {
		return err
	}
	grid, err := graph.NewExports(session.NewFactory(s.db, session.Anonymous, nil)).Open(c.ctx,
		graph.ExportedGrid{Project: model.ProjectNodeID(tenant, project), Where: e.Filter, OrderBy: e.Order,
			TimeZone: e.TimeZone})
	if err == nil {
		err = e.export(c, grid)
	}
	return ofFlags(err)
}

// export writes the grid, and the mapping when the export is complete.
func (e *exportCmd) export(c *console, grid *graph.Export) (err error) {
	defer grid.Close()
	rows, options := 0, export.Options{Columns: e.Columns}
	options.Progress = func(n int) { rows = n }
	if options.Format, err = export.ParseFormat(e.Format); err != nil {
		return err
	}
	if err = e.checkMapping(c, grid, options); err != nil {
		return err
	}
	var mapping *importer.Mapping
	err = toFile(c, e.Output, func(w io.Writer) (err error) {
		mapping, err = export.Write(c.ctx, w, grid, options)
		return err
	})
	if err == nil && e.Mapping != "" {
		err = os.WriteFile(e.Mapping, []byte(mapping.String()), 0o644)
	}
	if err != nil {
		return err
	}
	c.note("Exported %d issues for %.0f read capacity units.", rows, grid.Cost().RCU)
	return nil
}

// checkMapping returns an error if a mapping is requested and the columns do not suffice for an import.
func (e *exportCmd) checkMapping(c *console, grid *graph.Export, o export.Options) error {
	if e.Mapping == "" {
		return nil
	}
	return grid.Definition(c.ctx, func(d *tracker.Definition) error {
		_, err := export.Mapping(d, o)
		return err
	})
}

// toFile calls write with a file that gets its name only when it is complete. If name is "", it is standard
// output; a device or a pipe is written directly.
func toFile(c *console, name string, write func(io.Writer) error) error {
	if name == "" {
		return write(c.out)
	}
	part := name + ".part"
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		part = name
	}
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return tracker.Bad("--output", "cannot write the file: %v", err)
	}
	err = write(file)
	if closed := file.Close(); err == nil {
		err = closed
	}
	switch {
	case part == name:
		return err
	case err != nil:
		os.Remove(part)
		return err
	}
	return os.Rename(part, name)
}

// flagsOf are the flags of the arguments of an export.
var flagsOf = map[string]string{"where": "--filter", "orderBy": "--order", "timeZone": "--time-zone",
	"columns": "--columns"}

// ofFlags returns an error of an export with the names of flags instead of arguments.
func ofFlags(err error) error {
	all := tracker.AllOf(err)
	if len(all) == 0 {
		return err
	}
	var texts []string
	first := *all[0]
	for i, e := range all {
		end := strings.IndexAny(e.Path+".", ".[")
		path := cmp.Or(flagsOf[e.Path[:end]], e.Path[:end]) + e.Path[end:]
		if i == 0 {
			first.Path = path
			texts = append(texts, e.Message)
			continue
		}
		texts = append(texts, path+": "+e.Message)
	}
	first.Message = strings.Join(texts, "; ")
	return &first
}
