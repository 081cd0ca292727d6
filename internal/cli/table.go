package cli

import (
	"fmt"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

type tableCmd struct {
	Create tableCreateCmd `cmd:"" help:"Create the table with its index, stream, TTL and recovery."`
}

type tableCreateCmd struct {
	tableFlags
}

// Run creates the table, or completes an existing one.
func (t *tableCreateCmd) Run(c *console) error {
	db, err := dynamo.Open(c.ctx, t.settings(c.getenv))
	if err != nil {
		return err
	}
	c.note("Creating %s; on Amazon DynamoDB this takes about half a minute.", t.where())
	created, err := db.CreateTable(c.ctx)
	if err != nil {
		return fmt.Errorf("%s cannot be created: %s", t.where(), sentence(err))
	}
	if created {
		c.say("The table %s is ready.", db.Table())
	} else {
		c.say("The table %s already exists and is complete.", db.Table())
	}
	return nil
}

// AfterApply rejects a command line that names no table. An embedded engine creates its own.
func (t *tableCreateCmd) AfterApply() error {
	if t.embedded() {
		return tracker.Bad("--table", "name the table to create; the embedded engine creates its own "+
			"when it starts")
	}
	return t.tableFlags.AfterApply()
}
