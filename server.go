// Command issuegrid serves a multi-tenant GraphQL grid of issues over one DynamoDB table. Without arguments
// it starts an embedded engine with sample data; `issuegrid --help` lists the commands and flags.
//
// Start here, from the command line to the table; in general a package imports only packages below it. All
// but graph, loaders, grid, dynamo, tracker, web and test are below internal:
//
//	cli          commands, flags and settings; the start and the end of a server
//	httpd        HTTP: connections, routes, sign-in, admission, headers, in one chain of handlers
//	lambda       the same handlers as a function of AWS Lambda
//	session      the loaders, writes and meter of one request
//	graph        the schema's resolvers and errors; graph/model its values and ids, graph/guard the limits
//	             of one request, graph/transport GraphQL over HTTP
//	importer     CSV and JSON Lines to issues
//	importjob    imports of uploaded files, in the background
//	export       grids to CSV and JSON Lines
//	groups       the issues of a grid in groups, by the values of a column
//	summaries    sums, counts and bounds of a column over the issues of a grid
//	participation  issues of all projects in which users and teams take part
//	grid         pages of a grid: plans, ranges, cursors; grid/filter its conditions
//	loaders      reads of one request in batches
//	sample       the sample data
//	operation    the life of a piece of work: slot, capacity, memory, charge
//	refusal      responses to requests that are not executed
//	dynamo       the table: items, the index, transactions, jobs; dynamo/check finds and repairs damage,
//	             dynamo/uploads stores uploaded files
//	runner       work in the background, and leases between servers
//	traffic      admission: rates, queues, memory, CPU time
//	account      what one operation uses: CPU time, memory, calls of DynamoDB
//	auth         tokens
//	telemetry    log, metrics, traces
//	local        the embedded engine
//	cache        a cache whose capacity is shared by tenants
//	columns      how values are encoded in the index and in filters
//	sortkey      bytes that sort as values do
//	fold         folding: strings without their case and accents
//	relative     times relative to now, in a time zone
//	strictjson   JSON objects in which each name occurs once
//	setting      definitions of settings: name, default, range, description
//	tracker      tenants, projects, issues, fields, and their rules
//	web          the grid and the playground, built from web/src
//	test         tests of the whole program, and their harness
package main

import (
	"os"

	"issuegrid/internal/cli"
)

//go:generate go run github.com/99designs/gqlgen generate

// version is set by the build: go build -ldflags "-X main.version=v1.2.3".
var version string

func main() { os.Exit(cli.Main(version)) }
