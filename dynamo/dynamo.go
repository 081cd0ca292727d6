// Package dynamo, with the packages in its directory, stores all data in a single DynamoDB table: they define
// the keys, items and index, and contain every read and write. Start with Open, then call DB.Tenant for a
// handle that is confined to the data of one tenant.
//
// Only these packages may import the AWS SDK; every SDK error is returned as a *tracker.Error. They do not
// depend on GraphQL, nor on which engine serves the endpoint.
//
// The handle has the methods of the packages internal/definitions (projects), internal/issues and
// internal/jobs. They are built on internal/store, which reads and writes items, internal/layout, which
// defines them, and internal/client, which sends calls to the engine. Package check, built on top of all,
// verifies the invariants.
//
// Invariants of the table, cited in code and tests:
//
//	I1  every partition key, of the table and of the index, begins with the tenant, except those of the
//	    index partition of tenants and of the guards of their names
//	I2  every sort string is unique in its index partition: it ends in the number or in an id
//	I3  the issue item is the source of truth; every index entry can be derived from it and from the long
//	    texts that it refers to
//	I4  `has` of an issue item is the set of the keys of its `values`, and of its attributes createdby,
//	    updatedby, assignees and watchers
//	I5  the entries are those required by I3, unless the issue has a marker (layout.Keys.Marker); then the
//	    issue item has `indexing` set, and the item and the marker have the same version
//	I6  a long text that a document refers to is stored in full, and does not expire
//	I7  every tag of which the index has an entry is in the list of the tags of its field (layout.Tags)
package dynamo

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/smithy-go/logging"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/definitions"
	"issuegrid/dynamo/internal/jobs"
	"issuegrid/dynamo/internal/store"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// Settings specifies the table and the engine to use.
type Settings struct {
	Table string
	// Endpoint is the URL of a server of the DynamoDB API. If empty, it is Amazon's own endpoint in Region.
	Endpoint string
	// Region is an AWS region. If empty, it is taken from the standard configuration chain.
	Region string
	// Embedded is set for an engine that accepts any credentials: the standard chain need not provide any.
	Embedded bool
	// GroupWrites makes bulk writes use transactions of up to 100 items instead of batches of 25. It is for
	// an engine that syncs each item of a batch to disk separately but a transaction only once. Amazon
	// charges double for a transaction.
	GroupWrites bool
	// NoStream makes CreateTable leave out the stream. It is for an engine whose stream makes writes slower
	// as it grows. This server does not read the stream.
	NoStream bool
	// Transport wraps the HTTP transport to the engine, to count requests or to inject faults. It may be nil.
	Transport func(http.RoundTripper) http.RoundTripper
	// DefinitionTTL is how long the definition of a project is used before it is checked again. 0 means 1
	// second.
	DefinitionTTL time.Duration
	// RenewEvery is the minimum time between reads of a project's definition for requests that may have
	// failed because theirs was outdated. A read that finds a change does not count. 0 means 1 second.
	RenewEvery time.Duration
	// DefinitionBytes limits the memory of the definition cache, in bytes. 0 means DefaultDefinitionBytes.
	DefinitionBytes int64
	// KeepHistory is how long the history of an issue, and a long text that was replaced, is kept. 0 means
	// DefaultKeepHistory.
	KeepHistory time.Duration
	// KeepTrash is how long a deleted issue can be restored. 0 means DefaultKeepTrash.
	KeepTrash time.Duration
	// WriteTime is how long after a time at which the definition of a project was known to be the current one
	// a change of an issue may be sent to the engine. 0 means 1 second. Jobs wait for twice that.
	WriteTime time.Duration
	// ReadTime is how long after the definition of a project was read a request may still read the index by
	// it. 0 means 6 minutes, more than the maximum time of a request. A job that removes what requests read
	// waits for it.
	ReadTime time.Duration
	// IndexLag is how long after a write the index may not have it yet. 0 means 5 seconds.
	IndexLag time.Duration
	// Observe is called after each DynamoDB API call, for metrics and traces, with the context and in the
	// goroutine of the call. It must be safe for concurrent use. It may be nil.
	Observe func(context.Context, client.Call)
	// Turn waits until a tenant may send a call to the engine, and returns what is called when the call has
	// ended. Calls for all tenants have no turn. It fails with Unavailable when ctx ends. It may be nil.
	Turn func(ctx context.Context, t tracker.TenantID) (done func(), err error)
	// Spent receives the cost of each call made by a tenant's background jobs, in the goroutine of the call.
	// Pace blocks until the jobs may continue, or returns the error of ctx. Each step of a job calls Pace
	// first, while it holds nothing that others could wait for. Both may be nil.
	Spent func(tracker.TenantID, account.Cost)
	Pace  func(ctx context.Context, t tracker.TenantID) error
	// Now is the clock. If nil, it is time.Now.
	Now func() time.Time
}

// Defaults of Settings.
const (
	DefaultKeepHistory = 365 * 24 * time.Hour
	DefaultKeepTrash   = 30 * 24 * time.Hour
	// DefaultDefinitionBytes is the default limit on the memory of the cached definitions.
	DefaultDefinitionBytes = 64 << 20

	defaultDefinitionTTL = time.Second
	defaultRenewEvery    = time.Second
	defaultWriteTime     = time.Second
	defaultReadTime      = 6 * time.Minute
	defaultRetryTime     = 30 * time.Second
	defaultIndexLag      = 5 * time.Second
)

// DB is a handle on the table. It is safe for concurrent use.
type DB struct {
	store       *store.DB
	definitions *definitions.Cache
	jobs        *jobs.Runner
	noStream    bool
	once        *tracker.Once // of the single change of a tenant that the handle is for; may be nil
}

// Open creates the client without sending any request. It returns an error if the standard configuration
// chain does.
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
		cfg.Region = "us-east-1" // an engine at a custom endpoint ignores the region
	}
	// Check here, so that missing credentials are reported once and not by every call.
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return nil, client.Unavailable(
			"there are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "+
				"AWS_SECRET_ACCESS_KEY, or run where a role gives them", err)
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	db := &DB{noStream: s.NoStream}
	db.store = store.New(store.DB{
		Client: client.New(cfg, client.Settings{Endpoint: s.Endpoint, Transport: s.Transport,
			Observe: s.Observe, Turn: s.Turn}),
		Table: s.Table, GroupWrites: s.GroupWrites, Spent: s.Spent, PaceOf: s.Pace,
		KeepHistory: cmp.Or(s.KeepHistory, DefaultKeepHistory),
		KeepTrash:   cmp.Or(s.KeepTrash, DefaultKeepTrash),
		WriteTime:   cmp.Or(s.WriteTime, defaultWriteTime),
		Now:         s.Now, Random: rand.Reader,
	})
	db.definitions = definitions.NewCache(cmp.Or(s.DefinitionTTL, defaultDefinitionTTL),
		cmp.Or(s.RenewEvery, defaultRenewEvery), cmp.Or(s.DefinitionBytes, DefaultDefinitionBytes))
	db.jobs = jobs.New(jobs.Settings{ReadTime: cmp.Or(s.ReadTime, defaultReadTime),
		IndexLag:  cmp.Or(s.IndexLag, defaultIndexLag),
		RetryTime: cmp.Or(s.WriteTime, defaultRetryTime),
		Settle:    client.Wait}, db.definitions)
	return db, nil
}

// Now returns the time of the table's clock.
func (db *DB) Now() time.Time { return db.store.Now() }

// Close closes idle connections. Call it when the table and all handles on it are no longer in use.
func (db *DB) Close() { db.store.Client.CloseIdle() }

// Metered returns a handle on the same table, for one request, that records the cost of its calls in m.
func (db *DB) Metered(m *account.Meter) *DB {
	metered := *db
	metered.store = db.store.Metered(m)
	return &metered
}

// Inside returns the table for the packages below dynamo. No other package may use it, which
// test/rooms_test.go enforces.
func (db *DB) Inside() *store.DB { return db.store }
