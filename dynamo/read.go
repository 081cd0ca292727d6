package dynamo

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
	"issuegrid/tracker"
)

// MaxBatch is DynamoDB's limit on the number of keys of a BatchGetItem call.
const MaxBatch = 100

// Issues returns the documents of ids in their order, nil for those that do not exist. It uses parallel
// BatchGetItem calls of up to 100 keys.
func (t *Tenant) Issues(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	return reader(t.scope).issues(ctx, ids, false)
}

// Heads is Issues with only the built-in columns; the issues are Partial. It consumes the same read units,
// because DynamoDB charges for what it reads, not for what it returns, but it saves the CPU time and memory
// of the values.
func (t *Tenant) Heads(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	return decodeAll(ctx, t.db, reader(t.scope).issueKeys(ids),
		reading{attributes: headAttributes}, func(m layout.Item) (*tracker.Issue, error) {
			i, err := t.keys.DecodeIssue(m)
			if i != nil {
				i.Partial = true
			}
			return i, err
		})
}

// headAttributes are the key attributes and those of the built-in columns of an issue.
var headAttributes = []string{layout.AttrPK, layout.AttrSK, "num", "name", "state", "created", "updated",
	"createdby", "updatedby", "assignees", "watchers", "author", "version", "description", "indexing"}

// IssuesConsistent is Issues with consistent reads, at twice the read units.
func (t *Tenant) IssuesConsistent(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	return reader(t.scope).issues(ctx, ids, true)
}

func (t reader) issues(ctx context.Context, ids []tracker.IssueID, consistent bool) ([]*tracker.Issue,
	error) {
	return decodeAll(ctx, t.db, t.issueKeys(ids), reading{consistent: consistent, documents: true},
		t.keys.DecodeIssue)
}

func (t reader) issueKeys(ids []tracker.IssueID) []layout.Key {
	all := make([]layout.Key, len(ids))
	for i, id := range ids {
		if id.Valid() {
			all[i] = t.keys.IssueItem(id)
		}
	}
	return all
}

// Projects returns projects without their fields, in the order of ids, nil for those that do not exist.
func (t *Tenant) Projects(ctx context.Context, ids []tracker.ProjectID) ([]*tracker.Project, error) {
	all := reader(t.scope).projectKeys(ids)
	return decodeAll(ctx, t.db, all, reading{}, func(m layout.Item) (*tracker.Project, error) {
		p, err := t.keys.DecodeProject(m)
		if err != nil || p.Hidden() {
			return nil, err
		}
		return p, nil
	})
}

func (t reader) projectKeys(ids []tracker.ProjectID) []layout.Key {
	all := make([]layout.Key, len(ids))
	for i, id := range ids {
		if tracker.ValidID(string(id)) {
			all[i] = t.keys.ProjectItem(id)
		}
	}
	return all
}

// ProjectByKey returns the id of the project with a key, as stored in the guard of the key. The project may
// be in the trash. It returns NotFound if there is none.
func (t *Tenant) ProjectByKey(ctx context.Context, key string) (tracker.ProjectID, error) {
	if tracker.CheckProjectKey("", key) != nil { // the key of another item could be built from it (I1)
		return "", tracker.Missing("project")
	}
	found, err := t.db.batchGet(ctx, []layout.Key{t.keys.ProjectKeyGuard(key)}, true)
	if err != nil {
		return "", err
	}
	if found[0] == nil {
		return "", tracker.Missing("project")
	}
	return tracker.ProjectID(layout.GetS(found[0], "owner")), nil
}

// Get returns the tenant. It returns NotFound if it does not exist.
func (t *Tenant) Get(ctx context.Context) (*tracker.Tenant, error) {
	found, err := decodeAll(ctx, t.db, []layout.Key{t.keys.TenantItem()}, reading{consistent: true},
		layout.DecodeActiveTenant)
	if err != nil {
		return nil, err
	}
	if found[0] == nil {
		return nil, tracker.Missing("tenant")
	}
	return found[0], nil
}

// reading specifies how items are read by their keys.
type reading struct {
	consistent bool
	documents  bool     // issue documents, whose sizes are learned
	attributes []string // attributes to return, including the key; nil for all
}

// request returns the BatchGetItem request for keys.
func (r reading) request(keys []layout.Key) types.KeysAndAttributes {
	request := types.KeysAndAttributes{Keys: make([]layout.Item, len(keys)),
		ConsistentRead: aws.Bool(r.consistent)}
	for i, k := range keys {
		request.Keys[i] = layout.KeyItem(k)
	}
	if r.attributes != nil {
		// some of the names are reserved words
		request.ExpressionAttributeNames = make(map[string]string, len(r.attributes))
		names := make([]string, len(r.attributes))
		for i, name := range r.attributes {
			names[i] = "#" + strconv.Itoa(i)
			request.ExpressionAttributeNames[names[i]] = name
		}
		request.ProjectionExpression = aws.String(strings.Join(names, ","))
	}
	return request
}

func decodeAll[T any](ctx context.Context, db *DB, all []layout.Key, how reading,
	decode func(layout.Item) (*T, error)) ([]*T, error) {
	items, err := db.get(ctx, all, how)
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

// batchGet is get for whole items.
func (db *DB) batchGet(ctx context.Context, all []layout.Key, consistent bool) ([]layout.Item, error) {
	return db.get(ctx, all, reading{consistent: consistent})
}

// get returns the items with the keys all in their order, nil for those that do not exist. A repeated key is
// requested once. The zero Key stands for an invalid id and is not requested.
func (db *DB) get(ctx context.Context, all []layout.Key, how reading) ([]layout.Item, error) {
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
func (db *DB) getChunk(ctx context.Context, chunk []layout.Key, how reading, put func([]layout.Item)) error {
	if len(chunk) == 0 {
		return nil
	}
	request := how.request(chunk)
	if how.documents {
		expected, err := account.From(ctx).Expect(ctx,
			int64(float64(len(chunk))*db.sizes.of(db.client.Tenant())*client.Decoding))
		if err != nil {
			return err
		}
		defer expected()
	}
	for stuck := 0; ; {
		out, err := db.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems:           map[string]types.KeysAndAttributes{db.table: request},
			ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		})
		if err != nil {
			return client.Translate(err)
		}
		items := out.Responses[db.table]
		put(items)
		if how.documents && len(out.ConsumedCapacity) > 0 && out.ConsumedCapacity[0].CapacityUnits != nil {
			db.sizes.learn(db.client.Tenant(), len(items), *out.ConsumedCapacity[0].CapacityUnits,
				how.consistent)
		}
		left, ok := out.UnprocessedKeys[db.table]
		if !ok || len(left.Keys) == 0 {
			return nil
		}
		request.Keys = left.Keys
		if len(items) >= minFullResponse {
			stuck = 0
		} else if err := db.client.RestOfBatch(ctx, len(items), &stuck); err != nil {
			return err
		}
	}
}
