package dynamo

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

const (
	// maxBatchWrite is DynamoDB's limit on the number of items of a BatchWriteItem call.
	maxBatchWrite = 25
	// maxBatchBytes limits the size of a call. It is well below DynamoDB's limit of 16 MB.
	maxBatchBytes = 4 << 20
	// bulkParallel is the number of parallel BatchWriteItem calls of a PutIssues.
	bulkParallel = 4
)

// PutIssues writes many new issues quickly. It uses no transactions, but writes the entries and long texts of
// a document before it: a crash can leave entries without a document, which readers skip, but no document
// without its entries. Writing the same issues again, with the same ids, completes an interrupted call. The
// ids and numbers must be set, and the values checked. The caller must ensure that no issue with such an id
// exists under another number, and must raise the counter with RaiseCounter.
func (t *Tenant) PutIssues(ctx context.Context, d *tracker.Definition, issues []tracker.Issue) error {
	ctx, b, cancel := reader(t.scope).basedOn(ctx, d)
	defer cancel()
	if b != nil {
		if err := reader(t.scope).noteAdded(ctx, d.Project.ID); err != nil {
			return err
		}
	}
	var entries, docs []types.WriteRequest
	for _, i := range issues {
		if err := checkIssueID(d, i.ID); err != nil {
			return err
		}
		drafter(t.scope).stamp(&i)
		c := drafter(t.scope).newDocument(d, i, "") // the same texts get the same keys when repeated
		doc := t.keys.EncodeIssue(c.after)
		if err := checkFits(&i, doc); err != nil {
			return err
		}
		docs = append(docs, put(doc))
		for _, m := range c.parts {
			entries = append(entries, put(m))
		}
		for _, e := range committer(t.scope).entriesAfter(c) {
			entries = append(entries, put(e.Item(c.after.Version)))
		}
	}
	if err := t.db.batchWrite(ctx, entries); err != nil {
		return err
	}
	return t.db.batchWrite(ctx, docs)
}

func put(m layout.Item) types.WriteRequest {
	return types.WriteRequest{PutRequest: &types.PutRequest{Item: m}}
}

func deletes(all []layout.Key) []types.WriteRequest {
	out := make([]types.WriteRequest, len(all))
	for i, k := range all {
		out[i] = types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: layout.KeyItem(k)}}
	}
	return out
}

// batchWrite writes in parallel calls of up to 25 items, or with Settings.GroupWrites in transactions of up
// to 100. It is not atomic: on an error some of the items may have been written.
func (db *DB) batchWrite(ctx context.Context, requests []types.WriteRequest) error {
	size, bytes, write := maxBatchWrite, maxBatchBytes, db.writeChunk
	if db.groupWrites {
		size, bytes, write = client.MaxTransaction, client.MaxTransactionBytes, db.writeGroup
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(bulkParallel)
	for len(requests) > 0 {
		n, room := 0, bytes
		for n < len(requests) && n < size {
			if r := requests[n].PutRequest; r != nil {
				room -= layout.ItemBytes(r.Item)
			}
			if n > 0 && room < 0 {
				break
			}
			n++
		}
		chunk := requests[:n]
		requests = requests[n:]
		group.Go(func() error { return write(ctx, chunk) })
	}
	return group.Wait()
}

func (db *DB) writeGroup(ctx context.Context, chunk []types.WriteRequest) error {
	var x client.Transaction
	for _, r := range chunk {
		if r.PutRequest != nil {
			x.Put(db.table, r.PutRequest.Item, client.Condition{})
		} else {
			x.Add(types.TransactWriteItem{Delete: &types.Delete{TableName: &db.table,
				Key: r.DeleteRequest.Key}}, client.Condition{})
		}
	}
	return db.write(ctx, &x)
}

func (db *DB) writeChunk(ctx context.Context, chunk []types.WriteRequest) error {
	for stuck := 0; len(chunk) > 0; {
		out, err := db.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
			RequestItems:           map[string][]types.WriteRequest{db.table: chunk},
			ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		})
		if err != nil {
			return client.Translate(err)
		}
		left := out.UnprocessedItems[db.table]
		if len(left) == 0 {
			return nil
		}
		done := len(chunk) - len(left)
		chunk = left
		if err := db.client.RestOfBatch(ctx, done, &stuck); err != nil {
			return err
		}
	}
	return nil
}

// write sends a transaction (client.Transaction.Send).
func (db *DB) write(ctx context.Context, x *client.Transaction) error {
	return x.Send(ctx, db.client, db.random)
}

// maxGuards is the maximum number of items that a guard adds.
const maxGuards = 2

// writeGuarded sends unconditional writes in as many transactions as needed. guard adds conditions to each of
// them; it may be nil.
func (db *DB) writeGuarded(ctx context.Context, all *client.Transaction,
	guard func(*client.Transaction)) error {
	for chunk := range slices.Chunk(all.Writes, client.MaxTransaction-maxGuards) {
		x := client.Transaction{Writes: slices.Clip(chunk)}
		if guard != nil {
			guard(&x)
		}
		if err := db.write(ctx, &x); err != nil {
			return err
		}
	}
	return nil
}

// RaiseCounter makes the project's next number larger than num.
func (t *Tenant) RaiseCounter(ctx context.Context, p tracker.ProjectID, num int64) error {
	defer t.db.definitions.forget(t.keys.Project(p)) // the cached highest number is outdated
	_, err := t.db.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &t.db.table,
		Key:                       layout.KeyItem(t.keys.Counter(p)),
		UpdateExpression:          aws.String("SET n = :num"),
		ConditionExpression:       aws.String("n < :num"),
		ExpressionAttributeValues: layout.Item{":num": layout.N(num)},
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	})
	if _, ok := client.ConditionFailed(err); ok {
		return nil
	}
	return client.Translate(err)
}

// Counter returns the highest number that the project has assigned to an issue. It returns NotFound if there
// is no such project.
func (t *Tenant) Counter(ctx context.Context, p tracker.ProjectID) (int64, error) {
	items, err := t.db.batchGet(ctx, []layout.Key{t.keys.Counter(p)}, true)
	if err != nil {
		return 0, err
	}
	if items[0] == nil {
		return 0, tracker.Missing("project")
	}
	return layout.GetN(items[0], "n"), nil
}
