package cli

import (
	"os"

	"github.com/alecthomas/kong"

	"issuegrid/graph"
	"issuegrid/graph/guard"
	"issuegrid/internal/setting"
	"issuegrid/tracker"
)

// schemaFlags configure introspection, the pages, and the operations that are allowed.
type schemaFlags struct {
	Introspection bool `negatable:""`
	pageFlags
	Operations string
}

// pageFlags select the pages to serve in addition to the API.
type pageFlags struct {
	Grid       bool `negatable:""`
	Playground bool `negatable:""`
}

func (f *schemaFlags) definitions() []setting.Definition {
	return []setting.Definition{
		{Name: "introspection", Default: true,
			Help: "Allow introspection of the schema."},
		{Name: "grid", Default: true, UnsetMeans: "on unless the server has --operations",
			Help: "Serve the grid."},
		{Name: "playground", Default: true,
			UnsetMeans: "on unless the server has --operations or no introspection",
			Help:       "Serve the playground."},
		{Name: "operations", Placeholder: "FILE",
			Help: "File with the only operations that clients may run: a manifest of persisted " +
				"queries, as written by the compilers of Apollo and Relay."},
	}
}

// settle disables pages that would be useless with the other flags, unless the user enabled them. The
// playground needs introspection, and sends queries that are not in a manifest. The grid sends only the
// operations of its own manifest.
func (f *schemaFlags) settle(k *kong.Context) {
	if (!f.Introspection || f.Operations != "") && originOf(k, "playground") == byDefault {
		f.Playground = false
	}
	if f.Operations != "" && originOf(k, "grid") == byDefault {
		f.Grid = false
	}
}

// limits returns the limits of a request: those that are settings, and the fixed ones.
func (f *apiFlags) limits() guard.Limits {
	l := f.Limit
	l.Fixed = guard.DefaultLimits().Fixed
	return l
}

// options returns the GraphQL settings. Suggestions of names are enabled in development mode only.
func (f *apiFlags) options() (guard.Options, error) {
	o := guard.Options{
		Limits: f.limits(), NoIntrospection: !f.schemaFlags.Introspection, Suggestions: !f.Auth.enabled(),
	}
	if f.schemaFlags.Operations == "" {
		return o, nil
	}
	text, err := os.ReadFile(f.schemaFlags.Operations)
	if err != nil {
		return o, tracker.Bad("--operations", "the manifest cannot be read: %v", err)
	}
	if o.Allowed, err = guard.ParseManifest(text, graph.Schema(), o.Limits); err != nil {
		return o, tracker.Bad("--operations", "%s cannot be used: %s", f.schemaFlags.Operations,
			sentence(err))
	}
	return o, nil
}
