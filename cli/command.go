// Package cli is the command line: the commands, their flags and settings, what they print, and how a server
// starts and ends.
//
// Start here: this file has the command line and the console. The others have one concept each:
//
//	serve.go lambda.go table.go                      the commands, with
//	import.go check.go settings.go                   their flags
//	definitions.go origin.go                         what flags are, and where their values come from
//	api.go auth.go schema.go                         settings of the API, of sign-in, and of the schema
//	edge.go traffic.go memory.go                     limits of connections, tenants and memory
//	observe.go log.go progress.go                    metrics and traces, the log, progress bars
//	store.go join.go version.go                      the table, how commands share an engine, the version
//
// HTTP is package httpd. This package has no rules of the product, no expressions of DynamoDB, no resolvers
// and no HTTP handlers.
//
// Exit codes: 0 the work is done, or the server was asked to stop and did so in order; 1 it failed, or a
// check has left something wrong, and one sentence on stderr says what to do; 2 the command line can't be
// understood; 130 or 143 Ctrl-C or SIGTERM ended a command other than serve before it was done. Serve exits
// with 0 at whatever moment it is asked to stop, because stopping when asked is how a server's work ends: `go
// run .` and supervisors then report nothing odd.
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
	"issuegrid/local"
	"issuegrid/tracker"
)

const (
	exitFailed = 1
	exitUsage  = 2
	// exitSignal and the number of a signal is what a shell reports for a program that the signal has ended.
	exitSignal = 128
)

// commandLine is what the program understands. Every flag has an environment variable, which --help names.
type commandLine struct {
	Version kong.VersionFlag `help:"Tell the version." env:"-"`

	Serve  serveCmd  `cmd:"" default:"withargs" help:"Serve the GraphQL API (the default command)."`
	Lambda lambdaCmd `cmd:"" help:"Serve the GraphQL API as a function of AWS Lambda."`
	Table  tableCmd  `cmd:"" help:"Make the DynamoDB table."`
	Import importCmd `cmd:"" help:"Import issues from a CSV or JSON Lines file."`
	Check  checkCmd  `cmd:"" help:"Look for anything wrong with the table, and mend it."`

	Settings settingsCmd `cmd:"" help:"Show all settings of serve: variables, defaults, ranges, values."`
}

// Main executes the command line of the process, by a program that the build calls version, which may be "",
// and returns the exit code.
func Main(version string) int {
	clearEmptyVariables()
	return run(untilSignal(), version, os.Args[1:], os.Stdout, os.Stderr)
}

// stopped is the cause of the end of a command's context: a signal.
type stopped struct{ signal os.Signal }

func (s stopped) Error() string { return "stopped by a signal: " + s.signal.String() }

// untilSignal is a context that the first Ctrl-C or SIGTERM ends, so that the work is ended in order. A
// second one ends the process at once, and the engine with it (law L1 of package local).
func untilSignal() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := <-signals
		signal.Stop(signals)
		cancel(stopped{s})
	}()
	return ctx
}

// variables begins the names of the environment variables of all flags.
const variables = "ISSUEGRID"

// clearEmptyVariables makes a variable that is set to nothing as good as none. Whoever writes ISSUEGRID_ADDR=
// in a compose file wants the default, not an address that means any port of any interface.
func clearEmptyVariables() {
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); value == "" &&
			(strings.HasPrefix(name, variables+"_") || strings.HasPrefix(name, samplerVariable)) {
			os.Unsetenv(name)
		}
	}
}

// run executes a command line and returns the exit code.
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
	shown := false // --help or --version was, which kong goes on after
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
		return fail(exitUsage, "%s; `%s --help` tells more", sentence(err), commandOf(args, err))
	}
	for _, name := range strangeVariables(parser, os.Environ()) {
		to.warn("The environment variable %s stands for no flag and is not used; is it misspelt?", name)
	}
	err = command.Run(to)
	if err == nil {
		return 0
	}
	if s, ok := errors.AsType[stopped](context.Cause(ctx)); ok {
		number, _ := s.signal.(syscall.Signal)
		return fail(exitSignal+int(number), "stopped before it was done: %s", sentence(err))
	}
	return fail(exitFailed, "%s", sentence(err))
}

// newParser knows the command line, and the environment variables that stand for its flags.
func newParser(c *commandLine, version string, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(c, append(options, kong.Name("issuegrid"),
		kong.Description("A GraphQL grid of issues over one DynamoDB table. Without a command and flags: a "+
			"server with an embedded engine and "+
			"sample data. Every flag can also be set by the environment variable that stands beside it."),
		kong.DefaultEnvars(variables), kong.Vars{"version": version},
		kong.PostBuild(define), kong.WithAfterApply(checkValues),
		kong.Help(printHelp), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))...)
}

// commandOf names the command whose help explains why a command line can't be understood.
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

// console is what a command talks to.
type console struct {
	ctx      context.Context // ends when the user wants the command to end
	out, err *os.File
	getenv   func(string) string
	version  string       // of the program
	log      *slog.Logger // what notes go to instead of err, if it is not nil
}

// say tells a result, on stdout.
func (c *console) say(format string, args ...any) { fmt.Fprintf(c.out, format+"\n", args...) }

// note tells what goes on, on stderr.
func (c *console) note(format string, args ...any) {
	if c.log != nil {
		c.log.Info(fmt.Sprintf(format, args...))
		return
	}
	fmt.Fprintf(c.err, format+"\n", args...)
}

// warn tells what somebody should look into, on stderr.
func (c *console) warn(format string, args ...any) {
	if c.log != nil {
		c.log.Warn(fmt.Sprintf(format, args...))
		return
	}
	c.note(format, args...)
}

// hints name the flag that an error of package local, which knows none, can be answered with.
var hints = map[local.Kind]string{
	local.KindUnsupported: " (--table NAME, --endpoint URL)",
	local.KindNoNPM:       " (--engine FILE names one elsewhere)",
	local.KindFetch:       " (--engine FILE names one elsewhere)",
	local.KindBinary:      " (--engine FILE)",
	local.KindDataDir:     " (--data DIR)",
	local.KindLocked:      " (--data DIR)",
}

// sentence is an error for people: what is wrong and what to do, in one line, without the chain of everything
// that has passed it on.
func sentence(err error) string {
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok {
		return err.Error() + hints[local.KindOf(err)]
	}
	text := e.Message
	if setup, ok := errors.AsType[*dynamo.SetupError](e.Cause); ok {
		text = setup.Message // which is for whoever reads this
	}
	if e.Path != "" {
		text = e.Path + ": " + text
	}
	if why := reason(e); why != "" {
		text += " (" + why + ")"
	}
	return text
}

// reason is what an engine or the network has said, when that is news: a network's own words when nothing has
// answered, an engine's when the product has none for what it said.
func reason(e *tracker.Error) string {
	var said interface {
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
	if errors.As(e.Cause, &said) {
		return said.ErrorCode() + ": " + said.ErrorMessage()
	}
	return strings.Join(strings.Fields(e.Cause.Error()), " ")
}
