package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/account"
)

// MaxBatch is DynamoDB's limit on the number of keys of a BatchGetItem call.
const MaxBatch = 100

// Reading specifies how items are read by their keys.
type Reading struct {
	Consistent bool
	Documents  bool     // issue documents, whose sizes are learned
	Attributes []string // attributes to return, including the key; nil for all
}

// Consistent reads whole items consistently, at twice the read units.
var Consistent = Reading{Consistent: true}

// request returns the BatchGetItem request for keys.
func (r Reading) request(keys []layout.Key) types.KeysAndAttributes {
	request := types.KeysAndAttributes{Keys: make([]layout.Item, len(keys)),
		ConsistentRead: aws.Bool(r.Consistent)}
	for i, k := range keys {
		request.Keys[i] = layout.KeyItem(k)
	}
	if r.Attributes != nil {
		// some of the names are reserved words
		request.ExpressionAttributeNames = make(map[string]string, len(r.Attributes))
		names := make([]string, len(r.Attributes))
		for i, name := range r.Attributes {
			names[i] = "#" + strconv.Itoa(i)
			request.ExpressionAttributeNames[names[i]] = name
		}
		request.ProjectionExpression = aws.String(strings.Join(names, ","))
	}
	return request
}

// Get is Read for whole items.
func (db *DB) Get(ctx context.Context, all []layout.Key, consistent bool) ([]layout.Item, error) {
	return db.Read(ctx, all, Reading{Consistent: consistent})
}

// DecodeAll returns decoded items in the order of their keys all, nil for those that do not exist.
func DecodeAll[T any](ctx context.Context, db *DB, all []layout.Key, how Reading,
	decode func(layout.Item) (*T, error)) ([]*T, error) {
	items, err := db.Read(ctx, all, how)
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

// Read returns the items with the keys all in their order, nil for those that do not exist. A repeated key is
// requested once. The zero Key stands for an invalid id and is not requested.
func (db *DB) Read(ctx context.Context, all []layout.Key, how Reading) ([]layout.Item, error) {
	found := make([]layout.Item, len(all))
	slots := make(map[layout.Key][]int, len(all))
	unique := make([]layout.Key, 0, len(all))
	for i, k := range all {
		if k == (layout.Key{}) {
			continue
		}
		if slots[k] == nil {
			unique = append(unique, k)
		}
		slots[k] = append(slots[k], i)
	}
	put := func(items []layout.Item) {
		for _, m := range items {
			for _, i := range slots[layout.KeyOf(m)] {
				found[i] = m
			}
		}
	}
	if len(unique) <= MaxBatch {
		return found, db.getChunk(ctx, unique, how, put)
	}
	group, ctx := errgroup.WithContext(ctx)
	for len(unique) > 0 {
		n := min(len(unique), MaxBatch)
		chunk := unique[:n]
		unique = unique[n:]
		// Each chunk writes to its own slots of found.
		group.Go(func() error { return db.getChunk(ctx, chunk, how, put) })
	}
	return found, group.Wait()
}

// minFullResponse is the minimum number of items in a response truncated at DynamoDB's limit of 16 MB, since
// no item is larger than 400 KB. A response with fewer items was truncated by throttling.
const minFullResponse = 40

// getChunk reads up to MaxBatch keys. DynamoDB returns keys unprocessed if the response would exceed 16 MB,
// or if it throttles. getChunk requests them again, after a pause if they were throttled.
func (db *DB) getChunk(ctx context.Context, chunk []layout.Key, how Reading, put func([]layout.Item)) error {
	if len(chunk) == 0 {
		return nil
	}
	request := how.request(chunk)
	if how.Documents {
		expected, err := account.From(ctx).Expect(ctx,
			int64(float64(len(chunk))*db.sizes.of(db.Client.Tenant())*client.Decoding))
		if err != nil {
			return err
		}
		defer expected()
	}
	for stuck := 0; ; {
		out, err := db.Client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems:           map[string]types.KeysAndAttributes{db.Table: request},
			ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		})
		if err != nil {
			return client.Translate(err)
		}
		items := out.Responses[db.Table]
		put(items)
		if how.Documents && len(out.ConsumedCapacity) > 0 && out.ConsumedCapacity[0].CapacityUnits != nil {
			db.sizes.learn(db.Client.Tenant(), len(items), *out.ConsumedCapacity[0].CapacityUnits,
				how.Consistent)
		}
		left, ok := out.UnprocessedKeys[db.Table]
		if !ok || len(left.Keys) == 0 {
			return nil
		}
		request.Keys = left.Keys
		if len(items) >= minFullResponse {
			stuck = 0
		} else if err := db.Client.RestOfBatch(ctx, len(items), &stuck); err != nil {
			return err
		}
	}
}

// Texts is Get for items with compressed texts, which have a number of bytes together. It reserves memory
// for them before they are read.
func (db *DB) Texts(ctx context.Context, all []layout.Key, bytes int) ([]layout.Item, error) {
	a := account.From(ctx)
	if err := a.Hold(ctx, int64(bytes)); err != nil {
		return nil, err
	}
	items, err := db.Get(ctx, all, true)
	if err == nil {
		err = client.Translate(a.Check(ctx))
	}
	if err != nil {
		a.Release(int64(bytes))
	}
	return items, err
}
