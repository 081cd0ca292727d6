package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/account"
)

// Write sends a transaction (client.Transaction.Send).
func (db *DB) Write(ctx context.Context, x *client.Transaction) error {
	return x.Send(ctx, db.Client, db.Random)
}

// maxGuards is the maximum number of items that a guard adds.
const maxGuards = 2

// WriteGuarded sends unconditional writes in as many transactions as needed. guard adds conditions to each of
// them; it may be nil.
func (db *DB) WriteGuarded(ctx context.Context, all *client.Transaction,
	guard func(*client.Transaction)) error {
	for chunk := range slices.Chunk(all.Writes, client.MaxTransaction-maxGuards) {
		x := client.Transaction{Writes: slices.Clip(chunk)}
		if guard != nil {
			guard(&x)
		}
		if err := db.Write(ctx, &x); err != nil {
			return err
		}
	}
	return nil
}

// Again makes a change, and makes it again while it returns stale, because another one was made meanwhile.
func (db *DB) Again(ctx context.Context, stale error, make func() error) error {
	for try := 1; ; try++ {
		err := make()
		if !errors.Is(err, stale) {
			return err
		}
		if err := db.Client.AfterConflict(ctx, try, stale); err != nil {
			return err
		}
	}
}

// IndexTime limits the time of the steps that follow a change which is already visible. They continue if the
// client disconnects.
const IndexTime = time.Minute

// Completing returns a context for the steps that complete a visible change. It is not canceled when the
// client disconnects, and is not limited by the CPU time and memory that the operation has left. The memory
// that it holds comes from the memory shared by all operations. The steps do not depend on the definition
// being the current one.
func Completing(ctx context.Context) (context.Context, context.CancelFunc) {
	a := account.From(ctx).Unbounded()
	ctx = client.BeforeWrites(context.WithoutCancel(ctx), nil)
	ctx, cancel := context.WithTimeout(account.With(ctx, a), IndexTime)
	return ctx, func() {
		cancel()
		a.Close()
	}
}

const (
	// maxBatchWrite is DynamoDB's limit on the number of items of a BatchWriteItem call.
	maxBatchWrite = 25
	// maxBatchBytes limits the size of a call. It is well below DynamoDB's limit of 16 MB.
	maxBatchBytes = 4 << 20
	// bulkParallel is the number of parallel calls.
	bulkParallel = 4
)

// Put writes items in as many calls as needed. It is not atomic, and has no condition.
func (db *DB) Put(ctx context.Context, items ...layout.Item) error {
	requests := make([]types.WriteRequest, len(items))
	for n, m := range items {
		requests[n] = types.WriteRequest{PutRequest: &types.PutRequest{Item: m}}
	}
	return db.batchWrite(ctx, requests)
}

// Delete removes items in as many calls as needed. It is not atomic, and has no condition.
func (db *DB) Delete(ctx context.Context, all ...layout.Key) error {
	requests := make([]types.WriteRequest, len(all))
	for n, k := range all {
		requests[n] = types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: layout.KeyItem(k)}}
	}
	return db.batchWrite(ctx, requests)
}

// batchWrite writes in parallel calls of up to 25 items, or with GroupWrites in transactions of up to 100. It
// is not atomic: on an error some of the items may have been written.
func (db *DB) batchWrite(ctx context.Context, requests []types.WriteRequest) error {
	size, bytes, write := maxBatchWrite, maxBatchBytes, db.writeChunk
	if db.GroupWrites {
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
			x.Put(db.Table, r.PutRequest.Item, client.Condition{})
		} else {
			x.Add(types.TransactWriteItem{Delete: &types.Delete{TableName: &db.Table,
				Key: r.DeleteRequest.Key}}, client.Condition{})
		}
	}
	return db.Write(ctx, &x)
}

func (db *DB) writeChunk(ctx context.Context, chunk []types.WriteRequest) error {
	for stuck := 0; len(chunk) > 0; {
		out, err := db.Client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
			RequestItems:           map[string][]types.WriteRequest{db.Table: chunk},
			ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		})
		if err != nil {
			return client.Translate(err)
		}
		left := out.UnprocessedItems[db.Table]
		if len(left) == 0 {
			return nil
		}
		done := len(chunk) - len(left)
		chunk = left
		if err := db.Client.RestOfBatch(ctx, done, &stuck); err != nil {
			return err
		}
	}
	return nil
}
