package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/alecthomas/kong"

	"issuegrid/dynamo"
	"issuegrid/internal/httpd"
	"issuegrid/internal/lambda"
	"issuegrid/internal/setting"
	"issuegrid/internal/telemetry"
	"issuegrid/tracker"
)

// publicAddr stands for the address of a function in the checks of authentication: anyone can reach it.
const publicAddr = "0.0.0.0:443"

type lambdaCmd struct {
	apiFlags
	logFlags
	tableFlags
}

func (l *lambdaCmd) definitions() []setting.Definition {
	return slices.Concat(l.apiFlags.definitions(), l.logFlags.definitions(), l.tableFlags.definitions())
}

// Help returns the text that kong prints above the flags.
func (l *lambdaCmd) Help() string {
	return "For AWS Lambda functions behind an HTTP API or a function URL, configured by environment " +
		"variables. Background jobs also need a server, because Lambda freezes a function between " +
		"requests; see docs/production.md."
}

// AfterApply validates the command line.
func (l *lambdaCmd) AfterApply(k *kong.Context) error {
	if l.embedded() {
		return tracker.Bad("--table", "name the table; the embedded engine does not run on Lambda")
	}
	if !l.Auth.enabled() {
		return tracker.Bad("--auth-jwks",
			"the function can be reached from other machines, and no sign-in would be required: set "+
				"--auth-jwks or --auth-secret-file")
	}
	if err := l.check(k, publicAddr); err != nil {
		return err
	}
	return l.tableFlags.AfterApply()
}

// Run handles invocations until a signal stops the process.
func (l *lambdaCmd) Run(c *console) error {
	if c.getenv(lambda.Variable) == "" {
		return errors.New("this command runs on AWS Lambda only, which sets " + lambda.Variable +
			"; `issuegrid serve` runs anywhere")
	}
	tel, err := l.begin(c, telemetry.Settings{})
	if err != nil {
		return err
	}
	c.starting("", l.where(), &l.Auth)
	l.Auth.warn(c)
	options, err := l.options()
	if err != nil {
		return err
	}
	verifier, err := l.Auth.verifier(c.ctx, tel.OnKeys())
	if err != nil {
		return err
	}
	settings := l.settings(c.getenv)
	followContainer(c)
	l.setRetention(&settings)
	settings.DefinitionBytes = l.definitionBytes()
	db, err := dynamo.Open(c.ctx, settings)
	if err == nil {
		err = db.Ready(c.ctx)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be used: %s", l.where(), sentence(err))
	}
	chain := httpd.New(l.httpSettings(tel, l.control(), verifier, options))
	chain.Open(db, nil)
	slog.Info("ready for invocations", "table", db.Table())
	lambda.Serve(c.ctx, chain)
	return nil
}
