package dynamo

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

const (
	// maxTransaction is the most items of one transaction, because DynamoDB takes no more.
	maxTransaction = 100
	// maxTransactionBytes keeps a transaction below DynamoDB's 4 MB with room for what layout.ItemBytes does not count.
	maxTransactionBytes = 3_900_000
	// maxItemBytes keeps an item below DynamoDB's 400 KB likewise.
	maxItemBytes = 395_000
)

// transaction collects writes that happen all or not at all.
type transaction struct {
	writes []types.TransactWriteItem
	bytes  int
	// refused holds, by the place of a write, the error to give when its condition fails.
	refused map[int]error
	tooBig  error
}

// condition is a condition on the item as it is before the write, and the error to give when it fails.
type condition struct {
	expression string
	names      map[string]string
	values     layout.Item
	otherwise  error
}

func mustNotExist(otherwise error) condition {
	return condition{expression: "attribute_not_exists(" + layout.AttrPK + ")", otherwise: otherwise}
}

func mustExist(otherwise error) condition {
	return condition{expression: "attribute_exists(" + layout.AttrPK + ")", otherwise: otherwise}
}

func mustHaveVersion(version int64, otherwise error) condition {
	return condition{expression: "version = :version", values: layout.Item{":version": layout.N(version)}, otherwise: otherwise}
}

func (c condition) expr() *string {
	if c.expression == "" {
		return nil
	}
	return &c.expression
}

func (x *transaction) put(db *DB, m layout.Item, c condition) {
	x.add(types.TransactWriteItem{Put: &types.Put{TableName: &db.table, Item: m, ConditionExpression: c.expr(),
		ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values}}, c)
	n := layout.ItemBytes(m)
	x.bytes += n
	if n > maxItemBytes {
		x.tooBig = tracker.Bad("", "the values come to %d bytes; what is kept beside the long texts may have %d", n, maxItemBytes)
	}
}

func (x *transaction) delete(db *DB, k layout.Key, c condition) {
	x.add(types.TransactWriteItem{Delete: &types.Delete{TableName: &db.table, Key: layout.KeyItem(k), ConditionExpression: c.expr(),
		ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values}}, c)
}

func (x *transaction) update(db *DB, k layout.Key, expression string, values layout.Item) {
	x.add(types.TransactWriteItem{Update: &types.Update{TableName: &db.table, Key: layout.KeyItem(k), UpdateExpression: &expression,
		ExpressionAttributeValues: values}}, condition{})
}

// check is a condition on an item that is not written.
func (x *transaction) check(db *DB, k layout.Key, c condition) {
	x.add(types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: &db.table, Key: layout.KeyItem(k), ConditionExpression: c.expr(),
		ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values}}, c)
}

// append adds the writes of another transaction.
func (x *transaction) append(other *transaction) {
	for i, w := range other.writes {
		x.add(w, condition{otherwise: other.refused[i]})
	}
	x.bytes += other.bytes
	x.tooBig = cmp.Or(x.tooBig, other.tooBig)
}

// fits tells that the writes are within DynamoDB's limits of one transaction.
func (x *transaction) fits() bool {
	return len(x.writes) <= maxTransaction && x.bytes <= maxTransactionBytes
}

func (x *transaction) add(w types.TransactWriteItem, c condition) {
	if c.otherwise != nil {
		if x.refused == nil {
			x.refused = map[int]error{}
		}
		x.refused[len(x.writes)] = c.otherwise
	}
	x.writes = append(x.writes, w)
}

// write sends a transaction. It is BadInput when an item is larger than DynamoDB takes; when a condition fails, the error that
// came with the condition; Conflict when others are at the same items, however often it was tried. After Unavailable it may have been made.
func (db *DB) write(ctx context.Context, x *transaction) error {
	if x.tooBig != nil {
		return x.tooBig
	}
	if !x.fits() {
		return tracker.Internal(fmt.Sprintf("a transaction of %d items and %d bytes is too large", len(x.writes), x.bytes), nil)
	}
	// Attempts share the token, so that the engine takes one that was made already for what it is.
	token, err := tracker.NewID(db.random)
	if err != nil {
		return err
	}
	in := &dynamodb.TransactWriteItemsInput{TransactItems: x.writes, ClientRequestToken: &token, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}
	_, err = db.client.TransactWriteItems(ctx, in)
	if err == nil {
		return nil
	}
	if items, ok := client.ConditionFailed(err); ok {
		for _, i := range items {
			if otherwise := x.refused[i]; otherwise != nil {
				return otherwise
			}
		}
	}
	return client.Translate(err)
}

// maxGuards is the most items that a guard adds.
const maxGuards = 2

// writeGuarded sends writes without conditions in as many transactions as they need, each with what guard adds; nil for none.
func (db *DB) writeGuarded(ctx context.Context, all *transaction, guard func(*transaction)) error {
	for chunk := range slices.Chunk(all.writes, maxTransaction-maxGuards) {
		x := transaction{writes: slices.Clip(chunk)}
		if guard != nil {
			guard(&x)
		}
		if err := db.write(ctx, &x); err != nil {
			return err
		}
	}
	return nil
}
