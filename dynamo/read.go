package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"issuegrid/tracker"
)

// MaxBatch is the most keys of one BatchGetItem call, because DynamoDB takes no more.
const MaxBatch = 100

// Issues returns the documents of ids in their order, nil where there is none, in BatchGetItem calls of up to 100 side by side.
func (t *Tenant) Issues(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	return t.issues(ctx, ids, false)
}

// IssuesNow does the same consistently, at twice the read units: what was written before is seen.
func (t *Tenant) IssuesNow(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	return t.issues(ctx, ids, true)
}

func (t *Tenant) issues(ctx context.Context, ids []tracker.IssueID, consistent bool) ([]*tracker.Issue, error) {
	all := make([]Key, len(ids))
	for i, id := range ids {
		if id.Valid() {
			all[i] = t.keys.issueItem(id)
		}
	}
	return decodeAll(ctx, t.db, all, consistent, t.keys.decodeIssue)
}

// Projects returns projects without their fields, in the order of ids, nil where there is none.
func (t *Tenant) Projects(ctx context.Context, ids []tracker.ProjectID) ([]*tracker.Project, error) {
	all := make([]Key, len(ids))
	for i, id := range ids {
		if tracker.ValidID(string(id)) {
			all[i] = t.keys.projectItem(id)
		}
	}
	return decodeAll(ctx, t.db, all, false, func(m item) (*tracker.Project, error) {
		p, err := t.keys.decodeProject(m)
		if err != nil || p.Deleted {
			return nil, err
		}
		return p, nil
	})
}

// Get returns the tenant itself; NotFound if it does not exist.
func (t *Tenant) Get(ctx context.Context) (*tracker.Tenant, error) {
	found, err := decodeAll(ctx, t.db, []Key{t.keys.tenantItem()}, true, decodeTenant)
	if err != nil {
		return nil, err
	}
	if found[0] == nil {
		return nil, tracker.Missing("tenant")
	}
	return found[0], nil
}

func decodeAll[T any](ctx context.Context, db *DB, all []Key, consistent bool, decode func(item) (*T, error)) ([]*T, error) {
	items, err := db.batchGet(ctx, all, consistent)
	if err != nil {
		return nil, err
	}
	out := make([]*T, len(items))
	for i, m := range items {
		if m == nil {
			continue
		}
		if out[i], err = decode(m); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// batchGet returns the items of all in their order, nil where there is none. Keys may repeat; each is asked once. The zero Key stands
// for an id that nothing can have, and is not asked.
func (db *DB) batchGet(ctx context.Context, all []Key, consistent bool) ([]item, error) {
	found := make([]item, len(all))
	places := make(map[Key][]int, len(all))
	unique := make([]Key, 0, len(all))
	for i, k := range all {
		if k == (Key{}) {
			continue
		}
		if places[k] == nil {
			unique = append(unique, k)
		}
		places[k] = append(places[k], i)
	}
	put := func(items []item) {
		for _, m := range items {
			for _, i := range places[keyOf(m)] {
				found[i] = m
			}
		}
	}
	if len(unique) <= MaxBatch {
		return found, db.getChunk(ctx, unique, consistent, put)
	}
	group, ctx := errgroup.WithContext(ctx)
	for len(unique) > 0 {
		n := min(len(unique), MaxBatch)
		chunk := unique[:n]
		unique = unique[n:]
		// Each item is put into places that no other chunk has.
		group.Go(func() error { return db.getChunk(ctx, chunk, consistent, put) })
	}
	return found, group.Wait()
}

// fullAnswer is the least number of items in an answer that was cut off at DynamoDB's 16 MB, because none is larger than 400 KB. An answer with fewer of them
// was cut off because it was throttled.
const fullAnswer = 40

// getChunk reads up to MaxBatch keys. DynamoDB leaves keys out of an answer that would exceed 16 MB, and when it is throttled; they are
// asked again, after a pause if they were throttled.
func (db *DB) getChunk(ctx context.Context, chunk []Key, consistent bool, put func([]item)) error {
	if len(chunk) == 0 {
		return nil
	}
	ask := types.KeysAndAttributes{Keys: make([]item, len(chunk)), ConsistentRead: aws.Bool(consistent)}
	for i, k := range chunk {
		ask.Keys[i] = keyItem(k)
	}
	for stuck := 0; ; {
		out, err := db.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems:           map[string]types.KeysAndAttributes{db.table: ask},
			ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		})
		if err != nil {
			return translate(err)
		}
		items := out.Responses[db.table]
		put(items)
		left, ok := out.UnprocessedKeys[db.table]
		if !ok || len(left.Keys) == 0 {
			return nil
		}
		ask.Keys = left.Keys
		if len(items) >= fullAnswer {
			stuck = 0
		} else if err := db.retries.rest(ctx, len(items), &stuck); err != nil {
			return err
		}
	}
}
