// Package cli implements the command line: the commands, their flags and settings, their output, and the
// start and shutdown of a server.
//
// Start here: this file has the command line and the console. Each other file has one topic:
//
//	serve.go lambda.go table.go                      commands and
//	import.go export.go check.go settings.go         their flags
//	definitions.go origin.go                         definitions of flags, and sources of their values
//	api.go auth.go schema.go                         settings of the API, authentication and the schema
//	edge.go traffic.go memory.go                     limits on connections, tenants and memory
//	observe.go log.go progress.go                    metrics and traces, the log, progress bars
//	store.go join.go version.go                      the table, sharing an embedded engine, the version
//
// HTTP is in package httpd. This package must not contain rules of the product, DynamoDB expressions,
// resolvers or HTTP handlers.
//
// Exit codes:
//
//   - 0: the command succeeded, or the server was stopped by a signal and shut down gracefully.
//   - 1: the command failed, or a check left findings. A sentence on stderr says what to do.
//   - 2: the command line is invalid.
//   - 130, 143: Ctrl-C or SIGTERM stopped a command before it finished, or a server before the requests in
//     progress had ended.
//
// Serve normally exits with 0 when a signal stops it, because that is how a server ends. `go run .` and
// supervisors then report no failure.
package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"issuegrid/dynamo"
	"issuegrid/internal/local"
	"issuegrid/tracker"
)

const (
	exitFailed = 1
	exitUsage  = 2
	// exitSignal plus the number of a signal is the status that a shell reports for a program that the signal
	// terminated.
	exitSignal = 128
)

// commandLine defines the commands for kong. Each flag has an environment variable, which --help shows.
type commandLine struct {
	Version kong.VersionFlag `help:"Print the version." env:"-"`

	Serve  serveCmd  `cmd:"" default:"withargs" help:"Serve the GraphQL API (the default command)."`
	Lambda lambdaCmd `cmd:"" help:"Serve the GraphQL API as a function of AWS Lambda."`
	Table  tableCmd  `cmd:"" help:"Create the DynamoDB table."`
	Import importCmd `cmd:"" help:"Import issues from a CSV or JSON Lines file."`
	Export exportCmd `cmd:"" help:"Export issues as CSV or JSON Lines."`
	Check  checkCmd  `cmd:"" help:"Find damage in the table, and repair it."`

	Settings settingsCmd `cmd:"" help:"Show all settings of serve: variables, defaults, ranges, values."`
}

// Main runs the command line of the process and returns the exit code. version is the version that the build
// sets; it may be empty.
func Main(version string) int {
	clearEmptyVariables()
	return run(untilSignal(), version, os.Args[1:], os.Stdout, os.Stderr)
}

// stopSignal is the cause of the context's cancellation when a signal stops a command.
type stopSignal struct{ signal os.Signal }

func (s stopSignal) Error() string { return "stopped by a signal: " + s.signal.String() }

// untilSignal returns a context that the first Ctrl-C or SIGTERM cancels, for a graceful shutdown. A second
// signal terminates the process at once, and with it the engine (law L1 of package local).
func untilSignal() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := <-signals
		signal.Stop(signals)
		cancel(stopSignal{s})
	}()
	return ctx
}

// envPrefix is the prefix of the environment variables of all flags.
const envPrefix = "ISSUEGRID"

// clearEmptyVariables unsets variables that are set to the empty string. For example, ISSUEGRID_ADDR= in a
// compose file means the default, and not an address with any port on any interface.
func clearEmptyVariables() {
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); value == "" &&
			(strings.HasPrefix(name, envPrefix+"_") || strings.HasPrefix(name, samplerVariable)) {
			os.Unsetenv(name)
		}
	}
}

// run runs a command line and returns the exit code.
func run(ctx context.Context, version string, args []string, stdout, stderr *os.File) int {
	var c commandLine
	to := &console{ctx: ctx, out: stdout, err: stderr, getenv: os.Getenv, version: versionOf(version)}
	fail := func(code int, format string, args ...any) int {
		if text := fmt.Sprintf(format, args...); to.log != nil {
			to.log.Error("fatal", "error", text, "exit_code", code, "version", to.version)
		} else {
			fmt.Fprintln(stderr, "issuegrid: "+text)
		}
		return code
	}
	shown := false // kong continues after --help and --version
	parser, err := newParser(&c, to.version, kong.Writers(stdout, stderr), kong.Exit(func(int) {
		shown = true
	}))
	if err != nil {
		return fail(exitFailed, "%v", err)
	}
	command, err := parser.Parse(args)
	if shown {
		return 0
	}
	if e, ok := errors.AsType[*kong.ParseError](err); ok {
		to.log = c.logger(e.Context, stderr)
	} else {
		to.log = c.logger(command, stderr)
	}
	if err != nil {
		return fail(exitUsage, "%s; see `%s --help`", sentence(err), commandOf(args, err))
	}
	for _, name := range unknownVariables(parser, os.Environ()) {
		to.warn("The environment variable %s belongs to no flag and is ignored; is it misspelled?", name)
	}
	err = command.Run(to)
	if err == nil {
		return 0
	}
	if s, ok := errors.AsType[stopSignal](context.Cause(ctx)); ok {
		number, _ := s.signal.(syscall.Signal)
		return fail(exitSignal+int(number), "stopped before it finished: %s", sentence(err))
	}
	return fail(exitFailed, "%s", sentence(err))
}

// newParser returns the parser of the command line and its environment variables.
func newParser(c *commandLine, version string, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(c, append(options, kong.Name("issuegrid"),
		kong.Description("A GraphQL grid of issues over one DynamoDB table. Without a command and "+
			"flags, it starts a server with an embedded engine and sample data. Every flag can also be "+
			"set by the environment variable in parentheses."),
		kong.DefaultEnvars(envPrefix), kong.Vars{"version": version},
		kong.PostBuild(define), kong.WithAfterApply(checkValues),
		kong.Help(printHelp), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))...)
}

// commandOf returns the command whose help explains why the command line is invalid.
func commandOf(args []string, err error) string {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return "issuegrid serve"
	}
	if e, ok := errors.AsType[*kong.ParseError](err); ok && e.Context != nil {
		if command := e.Context.Selected(); command != nil && slices.Contains(args, command.Name) {
			return command.FullPath()
		}
	}
	return "issuegrid"
}

// console is the environment of a command: its output, its context and its log.
type console struct {
	ctx      context.Context // canceled when the user stops the command
	out, err *os.File
	getenv   func(string) string
	version  string       // version of the program
	log      *slog.Logger // receives notes instead of err, unless nil
}

// say prints a result to stdout.
func (c *console) say(format string, args ...any) { fmt.Fprintf(c.out, format+"\n", args...) }

// note reports progress on stderr or in the log.
func (c *console) note(format string, args ...any) {
	if c.log != nil {
		c.log.Info(fmt.Sprintf(format, args...))
		return
	}
	fmt.Fprintf(c.err, format+"\n", args...)
}

// warn reports a condition that needs attention, on stderr or in the log.
func (c *console) warn(format string, args ...any) {
	if c.log != nil {
		c.log.Warn(fmt.Sprintf(format, args...))
		return
	}
	c.note(format, args...)
}

// hints name the flag that resolves an error of package local, which does not know the flags.
var hints = map[local.Kind]string{
	local.KindUnsupported: " (--table NAME, --endpoint URL)",
	local.KindNoNPM:       " (--engine FILE names one elsewhere)",
	local.KindFetch:       " (--engine FILE names one elsewhere)",
	local.KindBinary:      " (--engine FILE)",
	local.KindDataDir:     " (--data DIR)",
	local.KindLocked:      " (--data DIR)",
}

// sentence returns a one-line message for an error: what is wrong and what to do, without the chain of
// wrapped errors.
func sentence(err error) string {
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok {
		return err.Error() + hints[local.KindOf(err)]
	}
	text := e.Message
	if setup, ok := errors.AsType[*dynamo.SetupError](e.Cause); ok {
		text = setup.Message // it already addresses the user
	}
	if e.Path != "" {
		text = e.Path + ": " + text
	}
	if why := reason(e); why != "" {
		text += " (" + why + ")"
	}
	return text
}

// reason returns the message of the network if the table is unreachable, and that of the engine if the error
// is unexpected. Otherwise it returns "".
func reason(e *tracker.Error) string {
	var response interface {
		error
		ErrorCode() string
		ErrorMessage() string
	}
	if network, ok := errors.AsType[*net.OpError](e.Cause); ok && e.Code == tracker.Unavailable {
		return network.Error()
	}
	if e.Code != tracker.InternalErr || e.Cause == nil {
		return ""
	}
	if errors.As(e.Cause, &response) {
		return response.ErrorCode() + ": " + response.ErrorMessage()
	}
	return strings.Join(strings.Fields(e.Cause.Error()), " ")
}
