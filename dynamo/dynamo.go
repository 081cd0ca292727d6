// Package dynamo is the single table: its keys, items and index, and every read and write of it. Start with
// Open, then DB.Tenant, which hands out a handle that reaches the data of one tenant and of no other.
//
// No package but it and those in its folder imports the AWS SDK, and whatever the SDK says leaves it as a
// *tracker.Error. It speaks no GraphQL, and does not know which engine answers behind the endpoint.
//
// Below it are internal/layout, which is what the items are, and internal/client, which is how calls reach
// the engine. Above it is check, which verifies the invariants.
//
// Invariants of the table, cited in code and tests:
//
//	I1  every partition key, the table's and the index's, begins with the tenant (but for the index
//	    partition of tenants)
//	I2  every sort string is unique in its index partition: it ends in the number or in an id
//	I3  the issue item is the truth; every index entry can be derived from it, and from the long texts that
//	    it refers to
//	I4  `has` of an issue item is the set of the keys of its `values`
//	I5  the entries are what I3 says, unless the issue has a marker (layout.Keys.Marker); then it says
//	    `indexing`, and both have the same version
//	I6  a long text that a document refers to is there in full, and does not expire
package dynamo

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/smithy-go/logging"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// Settings say which table of which engine to use.
type Settings struct {
	Table string
	// Endpoint is the URL of something that speaks DynamoDB's API; empty for Amazon's own in Region.
	Endpoint string
	// Region is an AWS region; empty takes it from the standard configuration chain.
	Region string
	// Embedded tells that the engine takes any credentials, so that the standard chain need not have some.
	Embedded bool
	// GroupWrites makes bulk writes go in transactions of up to 100 items instead of batches of 25. It is for
	// an engine that brings each item of a batch to the disk by itself and a transaction as one; Amazon bills
	// a transaction double.
	GroupWrites bool
	// NoStream makes CreateTable leave out the stream. It is for an engine whose stream makes every write
	// dearer the more there were; nothing of this server reads it.
	NoStream bool
	// Transport wraps the HTTP transport to the engine, to count requests or to inject faults; nil leaves it
	// as it is.
	Transport func(http.RoundTripper) http.RoundTripper
	// DefinitionTTL is how long the definition of a project is used without reading it again; 0 is 5 seconds.
	DefinitionTTL time.Duration
	// DefinitionBytes is how many bytes of memory the definitions may take that are remembered; 0 is
	// DefaultDefinitionBytes.
	DefinitionBytes int64
	// KeepHistory is how long the history of an issue goes back, and a long text that was replaced stays; 0
	// is DefaultKeepHistory.
	KeepHistory time.Duration
	// KeepTrash is how long an issue that was deleted can be restored; 0 is DefaultKeepTrash.
	KeepTrash time.Duration
	// WriteTime bounds how long a change may take after the definition that it was checked with was read; 0
	// is 30 seconds. With DefinitionTTL it says when no server can use an older definition any more, which
	// jobs wait for.
	WriteTime time.Duration
	// Observe gets each call of DynamoDB's API when it has ended, for metrics and traces, in the context of
	// the call, whose goroutine waits for it; calls in parallel call it in parallel. Nil costs nothing.
	Observe func(context.Context, client.Call)
	// Spent gets what each call of a tenant's jobs in the background has cost, in the call's goroutine. Pace
	// returns when they may go on, or with the error of ctx when that ends; each step of them begins with it,
	// holding nothing that others could wait for. Nil bounds nothing.
	Spent func(tracker.TenantID, client.Cost)
	Pace  func(ctx context.Context, t tracker.TenantID) error
	// Now is the clock; nil is the system's.
	Now func() time.Time
}

// What Settings stand for when they say nothing.
const (
	DefaultKeepHistory = 365 * 24 * time.Hour
	DefaultKeepTrash   = 30 * 24 * time.Hour

	defaultDefinitionTTL = 5 * time.Second
	defaultWriteTime     = 30 * time.Second
)

// DB is a table. It is safe for concurrent use.
type DB struct {
	client      client.Client
	table       string
	groupWrites bool
	noStream    bool
	definitions *definitions
	sizes       *sizes
	jobs        *jobRunner
	spent       func(tracker.TenantID, client.Cost)                 // may be nil
	pace        func(ctx context.Context, t tracker.TenantID) error // may be nil
	ttl         time.Duration                                       // of definitions
	writeTime   time.Duration
	keepHistory time.Duration
	keepTrash   time.Duration
	now         func() time.Time
	random      io.Reader
}

// Open makes the client; it sends nothing. It fails when the standard configuration chain does.
func Open(ctx context.Context, s Settings) (*DB, error) {
	cfg := aws.Config{
		Region:      s.Region,
		Credentials: credentials.NewStaticCredentialsProvider("embedded", "embedded", ""),
	}
	if !s.Embedded {
		var err error
		if cfg, err = config.LoadDefaultConfig(ctx, config.WithRegion(s.Region)); err != nil {
			return nil, tracker.Internal("the AWS configuration can't be loaded", err)
		}
		cfg.Logger = logging.Nop{}
	}
	if cfg.Region == "" {
		if s.Endpoint == "" {
			return nil, tracker.Bad("", "no AWS region: give --region, or set AWS_REGION")
		}
		cfg.Region = "us-east-1" // an engine at an endpoint of its own does not care
	}
	// Asked for here, so that who has none learns it in one sentence and not from every call.
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return nil, client.Unavailable(
			"there are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "+
				"AWS_SECRET_ACCESS_KEY, or run where a role gives them", err)
	}
	ttl := cmp.Or(s.DefinitionTTL, defaultDefinitionTTL)
	db := &DB{
		client: client.New(cfg, client.Settings{Endpoint: s.Endpoint, Transport: s.Transport,
			Observe: s.Observe}),
		table: s.Table, groupWrites: s.GroupWrites, noStream: s.NoStream, ttl: ttl,
		definitions: newDefinitions(ttl, cmp.Or(s.DefinitionBytes, DefaultDefinitionBytes)),
		sizes:       newSizes(), jobs: &jobRunner{}, spent: s.Spent, pace: s.Pace,
		writeTime:   cmp.Or(s.WriteTime, defaultWriteTime),
		keepHistory: cmp.Or(s.KeepHistory, DefaultKeepHistory),
		keepTrash:   cmp.Or(s.KeepTrash, DefaultKeepTrash),
		now:         s.Now, random: rand.Reader,
	}
	if db.now == nil {
		db.now = time.Now
	}
	return db, nil
}

// Close closes connections on which nothing is under way. It is for who is done with the table and all
// handles on it.
func (db *DB) Close() { db.client.CloseIdle() }

// Metered returns the same table with another meter for what its calls cost.
func (db *DB) Metered(m *client.Meter) *DB {
	metered := *db
	metered.client = db.client.Metered(m)
	return &metered
}

// Key is the primary key of an item.
type Key = layout.Key
