package cli

import (
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"issuegrid/graph"
	"issuegrid/graph/guard"
	"issuegrid/tracker"
)

// limitFlags bound what one request may ask for, as guard.Limits says. docs/limits.md has them with their reasons.
type limitFlags struct {
	Body             int `help:"Most bytes of a request's body, at most 8388608; ${default} if not set." default:"262144" placeholder:"N"`
	Cost             int `help:"Most capacity units that an operation may cost, as if all its pages were full; ${default} if not set." default:"20000" placeholder:"N"`
	Parallel         int `help:"Most rows and fields that an operation may have resolved side by side, ${default} if not set." default:"20000" placeholder:"N"`
	Answer           int `help:"Most bytes of an answer, ${default} if not set." default:"16777216" placeholder:"N"`
	AnswerFields     int `help:"Most fields of an answer, those of the rows of grids not counted; ${default} if not set." default:"50000" placeholder:"N"`
	Texts            int `help:"Most bytes of long texts that an answer may show, each counted as 4096 at least; ${default} if not set." default:"33554432" placeholder:"N"`
	Tokens           int `help:"Most tokens of a query, ${default} if not set." default:"15000" placeholder:"N"`
	Depth            int `help:"Most selection sets in each other, ${default} if not set." default:"30" placeholder:"N"`
	Fields           int `help:"Most fields of one selection set, ${default} if not set." default:"500" placeholder:"N"`
	Selections       int `help:"Most fields and fragments of a query, fragments counted where they are spread; ${default} if not set." default:"15000" placeholder:"N"`
	Aliases          int `help:"Most aliases of a query, ${default} if not set." default:"1000" placeholder:"N"`
	Directives       int `help:"Most directives of a query, ${default} if not set." default:"1000" placeholder:"N"`
	Operations       int `help:"Most operations of a query, ${default} if not set." default:"50" placeholder:"N"`
	Fragments        int `help:"Most fragments of a query, ${default} if not set." default:"100" placeholder:"N"`
	Variables        int `help:"Most variables of a query, ${default} if not set." default:"500" placeholder:"N"`
	Values           int `help:"Most values of a request's inputs, ${default} if not set." default:"15000" placeholder:"N"`
	Nesting          int `help:"Most lists and objects of an input in each other, ${default} if not set." default:"40" placeholder:"N"`
	Name             int `help:"Most characters of a name in a query, ${default} if not set." default:"255" placeholder:"N"`
	Introspection    int `help:"Most objects and fields of an answer about the schema, ${default} if not set." default:"18000" placeholder:"N"`
	Errors           int `help:"Most errors of an answer, ${default} if not set." default:"20" placeholder:"N"`
	PersistedQueries int `help:"How many queries are kept that clients send by their hash from then on, ${default} if not set; 0 switches that off." default:"1000" placeholder:"N"`
	PersistedBytes   int `help:"How many bytes of them are kept, ${default} if not set." default:"4194304" placeholder:"N"`
}

// check refuses a limit that is out of range.
func (f *limitFlags) check() error {
	err := f.limits().Check()
	if e, ok := err.(*tracker.Error); ok {
		named := *e
		named.Path = "--limit-" + hyphenated(e.Path)
		return &named
	}
	return err
}

func (f *limitFlags) limits() guard.Limits {
	return guard.Limits{Body: f.Body, Cost: f.Cost, Parallel: f.Parallel, Answer: f.Answer, AnswerFields: f.AnswerFields, Texts: f.Texts, Tokens: f.Tokens, Depth: f.Depth, Fields: f.Fields, Selections: f.Selections, Aliases: f.Aliases, Directives: f.Directives,
		Operations: f.Operations, Fragments: f.Fragments, Variables: f.Variables, Values: f.Values, Nesting: f.Nesting, Name: f.Name, Introspection: f.Introspection,
		Errors: f.Errors, PersistedQueries: f.PersistedQueries, PersistedBytes: f.PersistedBytes}
}

// hyphenated is a name as flags write it: PersistedBytes is persisted-bytes.
func hyphenated(name string) string {
	var out strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' && i > 0 {
			out.WriteByte('-')
		}
		out.WriteRune(r)
	}
	return strings.ToLower(out.String())
}

// schemaFlags say what of the schema is shown, and which operations run.
type schemaFlags struct {
	Introspection bool `help:"Answer questions about the schema; --no-introspection refuses them." default:"true" negatable:""`
	pageFlags
	Operations string `help:"File with the operations that clients may run, and no others: a manifest of persisted queries, as Apollo's and Relay's compilers write it." placeholder:"FILE"`
}

// pageFlags say which pages are served beside the API.
type pageFlags struct {
	Grid       bool `help:"Serve the grid; --no-grid leaves it out, and so does --operations where --grid is not set." default:"true" negatable:""`
	Playground bool `help:"Serve the playground; --no-playground leaves it out, and so do --no-introspection and --operations where --playground is not set." default:"true" negatable:""`
}

// settle leaves out the pages in which hardly anything could run, unless they are asked for: the playground completes by introspection, and sends queries
// that are in no manifest; the grid sends those that its own manifest has.
func (f *schemaFlags) settle(k *kong.Context) {
	if (!f.Introspection || f.Operations != "") && originOf(k, "playground") == byDefault {
		f.Playground = false
	}
	if f.Operations != "" && originOf(k, "grid") == byDefault {
		f.Grid = false
	}
}

// options are how the API treats those who ask. Suggestions of names are for who develops.
func (f *apiFlags) options() (guard.Options, error) {
	o := guard.Options{Limits: f.Limit.limits(), NoIntrospection: !f.schemaFlags.Introspection, Suggestions: !f.Auth.asks()}
	if f.schemaFlags.Operations == "" {
		return o, nil
	}
	text, err := os.ReadFile(f.schemaFlags.Operations)
	if err != nil {
		return o, tracker.Bad("--operations", "the manifest can't be read: %v", err)
	}
	if o.Allowed, err = guard.ParseManifest(text, graph.Schema(), o.Limits); err != nil {
		return o, tracker.Bad("--operations", "%s can't be used: %s", f.schemaFlags.Operations, sentence(err))
	}
	return o, nil
}
