package cli

import (
	"cmp"
	"log/slog"
	"os"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"issuegrid/internal/httpd"
	"issuegrid/internal/setting"
	"issuegrid/internal/telemetry"
)

// logFlags configure the log.
type logFlags struct {
	LogFormat string
	LogLevel  string
}

func (f *logFlags) definitions() []setting.Definition {
	return []setting.Definition{
		{Name: "log-format", Placeholder: "FORMAT", Default: "auto", OneOf: []string{"auto", "text", "json"},
			UnsetMeans: "text on a terminal or if no sign-in is required, otherwise json",
			Help:       "Format of the log on stderr: text or json."},
		{Name: "log-level", Placeholder: "LEVEL",
			Default: "info", OneOf: []string{"debug", "info", "warn", "error"},
			Help: "Minimum level of the log: debug, info, warn or error."},
	}
}

// json reports whether the log is JSON.
func (f *logFlags) json(stderr *os.File, signIn bool) bool {
	// LogFormat is empty if the command line is invalid. The variable may still be set.
	if format := cmp.Or(f.LogFormat, os.Getenv(envPrefix+"_LOG_FORMAT"), "auto"); format != "auto" {
		return format == "json"
	}
	return signIn && !term.IsTerminal(int(stderr.Fd()))
}

// logger returns the logger for messages that are not about requests, or nil if the log is text.
func (f *logFlags) logger(stderr *os.File, signIn bool) *slog.Logger {
	if !f.json(stderr, signIn) {
		return nil
	}
	return slog.New(slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: f.level()}))
}

func (f *logFlags) level() (level slog.Level) {
	if level.UnmarshalText([]byte(f.LogLevel)) != nil {
		return slog.LevelInfo // the command line is invalid
	}
	return level
}

// logger returns the logger of the chosen command, or nil if its log is text or it has none. If no command
// was chosen, the logger is that of serve.
func (c *commandLine) logger(k *kong.Context, stderr *os.File) *slog.Logger {
	name := "serve"
	if k != nil && k.Selected() != nil {
		name = k.Selected().Name
	}
	switch name {
	case "serve":
		return c.Serve.logger(stderr, c.Serve.Auth.enabled())
	case "lambda":
		return c.Lambda.logger(stderr, c.Lambda.Auth.enabled())
	}
	return nil
}

// begin starts the telemetry of an API. s contains only what is specific to the command. The log of the
// telemetry becomes the default logger of the process.
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

// starting logs the start of the program with its version, the table, and the authentication.
func (c *console) starting(where, table string, f *authFlags) {
	if c.log != nil {
		c.log.Info("Starting"+where, "version", c.version, "table", table, "sign_in", f.signIn())
		return
	}
	c.note("Starting%s\nissuegrid %s, with %s; %s", where, c.version, table, f.signIn())
}

// signIn describes how clients authenticate.
func (f *authFlags) signIn() string {
	switch {
	case f.JWKS != "":
		return "tokens are verified by the JWK set " + f.JWKS
	case f.SecretFile != "":
		return "tokens are verified by the secret in " + f.SecretFile
	}
	return "no sign-in is required"
}
