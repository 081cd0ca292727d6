// Package store reads and writes the items of the table for the packages that store entities: by keys, in
// ranges of a partition, in lists of the index, and in transactions. It has what they share: the handle on
// the items of one tenant, changes that are made at most once, the activity of a project, the conditions that
// an issue or a project exists, and the clock.
package store

import (
	"context"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/account"
	"issuegrid/internal/cache"
	"issuegrid/tracker"
)

// DB is the table. Its fields do not change. Most are described in dynamo.Settings, PaceOf as Pace.
type DB struct {
	Client      client.Client // of a tenant, it cannot access the keys of others
	Table       string
	GroupWrites bool
	KeepHistory time.Duration
	KeepTrash   time.Duration
	WriteTime   time.Duration
	Spent       func(tracker.TenantID, account.Cost)                // may be nil
	PaceOf      func(ctx context.Context, t tracker.TenantID) error // may be nil
	Began       time.Time                                           // of the request; zero if unknown
	Now         func() time.Time
	Random      io.Reader // of ids

	sizes *sizes
	// Listed has the times at which this server wrote tags into lists, by their projects and keys.
	Listed *cache.Cache[time.Time]
}

// maxListed limits the tags that a server keeps, and maxListedBytes their memory.
const (
	maxListed      = 50_000
	maxListedBytes = 8 << 20
)

// New returns a table with the fields of db.
func New(db DB) *DB {
	db.sizes, db.Listed = newSizes(), cache.New[time.Time](maxListed, maxListedBytes)
	return &db
}

// Metered returns a handle on the same table, for one request, that records the cost of its calls in m.
func (db *DB) Metered(m *account.Meter) *DB {
	metered := *db
	metered.Client = db.Client.Metered(m)
	metered.Began = db.Now()
	return &metered
}

// Time returns the time of the table's clock with the precision of stored times.
func (db *DB) Time() time.Time { return db.Now().UTC().Truncate(time.Microsecond) }

// Expiry returns the value of AttrExpires for an item that expires after in.
func (db *DB) Expiry(in time.Duration) types.AttributeValue { return layout.N(db.Now().Add(in).Unix()) }

// Expired reports whether an item has expired, even if DynamoDB has not removed it.
func (db *DB) Expired(m layout.Item) bool {
	at := layout.GetN(m, layout.AttrExpires)
	return at > 0 && at <= db.Now().Unix()
}

// HistoryStart returns the time before which histories and activity have expired.
func (db *DB) HistoryStart() time.Time { return db.Time().Add(-db.KeepHistory) }

// NewID returns a random id for a new object.
func (db *DB) NewID() (string, error) { return tracker.NewID(db.Random) }

// Taken returns the error of a new object whose id is in use. what is the object with its article.
func Taken(what string) error {
	return &tracker.Error{Code: tracker.Conflict, Message: "there is " + what + " already"}
}

// CheckID rejects an id that contains separators, from which the key of another item could be built (I1).
func CheckID(what, id string) error {
	if !tracker.ValidID(id) {
		return tracker.Bad("id", "the id of a new %s is 1 to %d characters from a-z and 0-9; got %q", what,
			tracker.MaxID, id)
	}
	return nil
}
