package cli

import (
	"cmp"
	"log/slog"
	"os"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"issuegrid/httpd"
	"issuegrid/setting"
	"issuegrid/telemetry"
)

// logFlags say what the log is like.
type logFlags struct {
	LogFormat string
	LogLevel  string
}

func (f *logFlags) definitions() []setting.Definition {
	return []setting.Definition{
		{Name: "log-format", Placeholder: "FORMAT", Default: "auto", OneOf: []string{"auto", "text", "json"},
			Unset: "text on a terminal and where nobody has to sign in, else json",
			Help:  "Format of the log on stderr: text or json."},
		{Name: "log-level", Placeholder: "LEVEL",
			Default: "info", OneOf: []string{"debug", "info", "warn", "error"},
			Help: "The least level that is logged: debug, info, warn or error."},
	}
}

// json tells whether the log is JSON.
func (f *logFlags) json(stderr *os.File, signIn bool) bool {
	// It is empty after a command line that can't be understood, of which the variable may be known all the
	// same.
	if format := cmp.Or(f.LogFormat, os.Getenv(variables+"_LOG_FORMAT"), "auto"); format != "auto" {
		return format == "json"
	}
	return signIn && !term.IsTerminal(int(stderr.Fd()))
}

// logger is that of a command whose log is JSON, for what is told outside of its work; nil where it is text.
func (f *logFlags) logger(stderr *os.File, signIn bool) *slog.Logger {
	if !f.json(stderr, signIn) {
		return nil
	}
	return slog.New(slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: f.level()}))
}

func (f *logFlags) level() (level slog.Level) {
	if level.UnmarshalText([]byte(f.LogLevel)) != nil {
		return slog.LevelInfo // of a command line that can't be understood
	}
	return level
}

// logger is that of the command which was asked for; nil if its log is text, or it has none. Without a
// command it is that of serve.
func (c *commandLine) logger(k *kong.Context, stderr *os.File) *slog.Logger {
	name := "serve"
	if k != nil && k.Selected() != nil {
		name = k.Selected().Name
	}
	switch name {
	case "serve":
		return c.Serve.logger(stderr, c.Serve.Auth.asks())
	case "lambda":
		return c.Lambda.logger(stderr, c.Lambda.Auth.asks())
	}
	return nil
}

// begin makes what tells of the requests to an API; Settings need only what the command adds. Its log is the
// process's from then on.
func (f *logFlags) begin(c *console, s telemetry.Settings) (*telemetry.Telemetry, error) {
	s.Log, s.JSON, s.Level, s.API, s.Paths, s.Version = c.err, c.log != nil, f.level(), httpd.APIPath,
		httpd.OtherPaths, c.version
	t, err := telemetry.New(c.ctx, s)
	if err != nil {
		return nil, err
	}
	slog.SetDefault(t.Log())
	if c.log != nil {
		c.log = t.Log()
	}
	return t, nil
}

// starting tells which program starts, over which table, and how one signs in.
func (c *console) starting(where, table string, f *authFlags) {
	if c.log != nil {
		c.log.Info("Starting"+where, "version", c.version, "table", table, "sign_in", f.how())
		return
	}
	c.note("Starting%s\nissuegrid %s, with %s; %s", where, c.version, table, f.how())
}

// how tells how one signs in.
func (f *authFlags) how() string {
	switch {
	case f.JWKS != "":
		return "tokens are verified by the JWK set " + f.JWKS
	case f.SecretFile != "":
		return "tokens are verified by the secret in " + f.SecretFile
	}
	return "nobody has to sign in"
}
