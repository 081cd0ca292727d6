package dynamo

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/singleflight"

	"issuegrid/account"
	"issuegrid/cache"
	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// definitions caches the definitions of projects for a short time. A change made by this server is visible
// immediately, a change made by another server after the TTL. Tenants share the memory as described in
// package cache. Expired definitions are removed when another one is added, at most once per TTL.
type definitions struct {
	loading singleflight.Group
	ttl     time.Duration
	cache   *cache.Cache[*tracker.Definition] // by project partition

	mu    sync.Mutex
	swept time.Time
	// changes counts the changes made by this server. A definition whose read overlapped a change is not
	// cached.
	changes int64
}

const (
	// maxDefinitions is the maximum number of cached definitions.
	maxDefinitions = 1024
	// DefaultDefinitionBytes is the default limit on the memory of the cached definitions.
	DefaultDefinitionBytes = 64 << 20
)

func newDefinitions(ttl time.Duration, most int64) *definitions {
	return &definitions{ttl: ttl, cache: cache.New[*tracker.Definition](maxDefinitions, most)}
}

// get returns a definition that has not expired.
func (d *definitions) get(partition string, now time.Time) (*tracker.Definition, bool) {
	known, ok := d.cache.Get(partition)
	if !ok || now.Sub(known.Read) >= d.ttl {
		return nil, false
	}
	return known, true
}

func (d *definitions) forget(partition string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changes++
	d.loading.Forget(partition)
	d.cache.Remove(partition)
}

func (d *definitions) changed() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changes
}

// remember caches a definition of a tenant, unless the number of changes differs from before, its value at
// the start of the read.
func (d *definitions) remember(t tracker.TenantID, partition string, read *tracker.Definition, before int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.changes != before {
		return
	}
	d.sweep(read.Read)
	d.cache.Add(string(t), partition, read, read.Bytes())
}

// sweep removes expired definitions, at most once per TTL.
func (d *definitions) sweep(now time.Time) {
	if now.Sub(d.swept) < d.ttl {
		return
	}
	d.swept = now
	d.cache.RemoveFunc(func(known *tracker.Definition) bool { return now.Sub(known.Read) >= d.ttl })
}

// definitionTimeout limits the time of a read that several requests may share.
const definitionTimeout = 10 * time.Second

// Definition returns a project with all its fields, from the cache or with one Query. It returns NotFound if
// there is no such project.
func (t *Tenant) Definition(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, error) {
	if !tracker.ValidID(string(p)) {
		return nil, tracker.Missing("project")
	}
	known := t.db.definitions
	partition := t.keys.Project(p)
	if d, ok := known.get(partition, t.db.now()); ok {
		return d, holdDefinition(ctx, d)
	}
	// The read is shared, so that it must continue if one caller disconnects.
	result := known.loading.DoChan(partition, func() (any, error) {
		a := account.From(ctx).Detached() // may outlast the operation that started it
		defer func(first *account.Account) {
			first.Spend(a.CPU())
			a.Close()
		}(account.From(ctx))
		ctx, cancel := context.WithTimeout(account.With(context.WithoutCancel(ctx), a), definitionTimeout)
		defer cancel()
		before := known.changed()
		d, err := reader(t.scope).readDefinition(ctx, p)
		if err == nil {
			known.remember(t.id, partition, d, before)
		}
		return d, err
	})
	select {
	case <-ctx.Done():
		return nil, client.Translate(ctx.Err())
	case r := <-result:
		if r.Err != nil {
			return nil, r.Err
		}
		d := r.Val.(*tracker.Definition)
		return d, holdDefinition(ctx, d)
	}
}

// holdDefinition adds a definition to the memory held by the operation: it stays in memory while the
// operation uses it, cached or not.
func holdDefinition(ctx context.Context, d *tracker.Definition) error {
	return account.From(ctx).HoldOnce(ctx, d, d.Bytes())
}

// readDefinition reads the whole partition of a project: the project, its fields, its counter, its jobs. It
// returns NotFound if there is no such project, or if it was deleted.
func (t reader) readDefinition(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, error) {
	d, w, err := t.readProject(ctx, p)
	if err != nil {
		return nil, err
	}
	if w != nil && w.idle(t.db.now()) {
		t.db.jobs.kick(scope(t), p) // its server has stopped
	}
	if d.Project.Deleted {
		return nil, tracker.Missing("project")
	}
	return d, nil
}

// readProject is readDefinition, but also returns a deleted project, and the work of its jobs, which is nil
// if it never had a job.
func (t reader) readProject(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, *work, error) {
	if !tracker.ValidID(string(p)) {
		return nil, nil, tracker.Missing("project")
	}
	var (
		project *tracker.Project
		fields  []*tracker.Field
		highest int64
		w       *work
	)
	read := t.db.now()
	projectKey, counterKey, jobsKey, fieldPrefix := t.keys.ProjectItem(p), t.keys.Counter(p), t.keys.Jobs(p),
		t.keys.Field(p, "").SK
	err := t.db.partition(ctx, t.keys.Project(p), "", func(m layout.Item) (err error) {
		switch sk := layout.GetS(m, layout.AttrSK); {
		case sk == projectKey.SK:
			project, err = t.keys.DecodeProject(m)
		case sk == counterKey.SK:
			highest = layout.GetN(m, "n")
		case sk == jobsKey.SK:
			w = decodeWork(p, m)
		case strings.HasPrefix(sk, fieldPrefix):
			fields = append(fields, layout.DecodeField(m))
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if project == nil {
		return nil, nil, tracker.Missing("project")
	}
	slices.SortFunc(fields, func(a, b *tracker.Field) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.ID, b.ID))
	})
	d := tracker.NewDefinition(*project, fields)
	d.MaxIssueNum, d.Read = highest, read
	if w != nil {
		d.Jobs = w.jobs
	}
	return d, w, nil
}

// partition reads all items of a table partition consistently. A non-empty projection selects their
// attributes.
func (db *DB) partition(ctx context.Context, pk, projection string, each func(layout.Item) error) error {
	return db.queryPrefix(ctx, pk, "", projection, each)
}

// queryPrefix is partition for the items whose sort keys begin with prefix.
func (db *DB) queryPrefix(ctx context.Context, pk, prefix, projection string,
	each func(layout.Item) error) error {
	in := &dynamodb.QueryInput{
		TableName:                 &db.table,
		KeyConditionExpression:    aws.String(layout.AttrPK + " = :pk"),
		ExpressionAttributeValues: layout.Item{":pk": layout.S(pk)},
		ConsistentRead:            aws.Bool(true),
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	}
	if prefix != "" {
		*in.KeyConditionExpression += " AND begins_with(" + layout.AttrSK + ", :prefix)"
		in.ExpressionAttributeValues[":prefix"] = layout.S(prefix)
	}
	if projection != "" {
		in.ProjectionExpression = &projection
	}
	for {
		out, err := db.client.Query(ctx, in)
		if err != nil {
			return client.Translate(err)
		}
		for _, m := range out.Items {
			if err := each(m); err != nil {
				return err
			}
		}
		if out.LastEvaluatedKey == nil {
			return nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}
