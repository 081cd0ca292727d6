package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// ErrStale is the error of a write that follows from what was read, and was refused because that is not so
// any more: whoever has changed it sees to the rest.
var ErrStale = errors.New("the document has changed meanwhile")

const (
	// MaxTransaction is the most items of one transaction, because DynamoDB takes no more.
	MaxTransaction = 100
	// MaxTransactionBytes keeps a transaction below DynamoDB's 4 MB with room for what layout.ItemBytes does not count.
	MaxTransactionBytes = 3_900_000
	// MaxItemBytes keeps an item below DynamoDB's 400 KB likewise.
	MaxItemBytes = 395_000
)

// Transaction collects writes that happen all or not at all.
type Transaction struct {
	Writes []types.TransactWriteItem
	bytes  int
	// refused holds, by the place of a write, the error to give when its condition fails.
	refused map[int]error
	// TooBig is the error of an item that is larger than DynamoDB takes; nil if there is none.
	TooBig error
}

// Condition is a condition on the item as it is before the write, and the error to give when it fails.
type Condition struct {
	// Expression and Values are those of DynamoDB; the empty expression is always so.
	Expression string
	names      map[string]string
	Values     layout.Item
	Otherwise  error
}

// MustNotExist is the condition that there is no such item.
func MustNotExist(otherwise error) Condition {
	return Condition{Expression: "attribute_not_exists(" + layout.AttrPK + ")", Otherwise: otherwise}
}

// MustExist is the condition that there is such an item.
func MustExist(otherwise error) Condition {
	return Condition{Expression: "attribute_exists(" + layout.AttrPK + ")", Otherwise: otherwise}
}

// MustHaveVersion is the condition that there is such an item, of a version.
func MustHaveVersion(version int64, otherwise error) Condition {
	return Condition{Expression: "version = :version", Values: layout.Item{":version": layout.N(version)}, Otherwise: otherwise}
}

// Expr is the expression as a request takes it; nil for none.
func (c Condition) Expr() *string {
	if c.Expression == "" {
		return nil
	}
	return &c.Expression
}

// Put writes an item as a whole.
func (x *Transaction) Put(table string, m layout.Item, c Condition) {
	x.Add(types.TransactWriteItem{Put: &types.Put{TableName: &table, Item: m, ConditionExpression: c.Expr(),
		ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.Values}}, c)
	n := layout.ItemBytes(m)
	x.bytes += n
	if n > MaxItemBytes {
		x.TooBig = tracker.Bad("", "the values come to %d bytes; what is kept beside the long texts may have %d", n, MaxItemBytes)
	}
}

// Delete removes an item; none is no error unless the condition says so.
func (x *Transaction) Delete(table string, k layout.Key, c Condition) {
	x.Add(types.TransactWriteItem{Delete: &types.Delete{TableName: &table, Key: layout.KeyItem(k), ConditionExpression: c.Expr(),
		ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.Values}}, c)
}

// Update changes an item by an update expression, which makes it if there is none.
func (x *Transaction) Update(table string, k layout.Key, expression string, values layout.Item) {
	x.Add(types.TransactWriteItem{Update: &types.Update{TableName: &table, Key: layout.KeyItem(k), UpdateExpression: &expression,
		ExpressionAttributeValues: values}}, Condition{})
}

// Check is a condition on an item that is not written.
func (x *Transaction) Check(table string, k layout.Key, c Condition) {
	x.Add(types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: &table, Key: layout.KeyItem(k), ConditionExpression: c.Expr(),
		ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.Values}}, c)
}

// Append adds the writes of another transaction.
func (x *Transaction) Append(other *Transaction) {
	for i, w := range other.Writes {
		x.Add(w, Condition{Otherwise: other.refused[i]})
	}
	x.bytes += other.bytes
	x.TooBig = cmp.Or(x.TooBig, other.TooBig)
}

// Fits reports whether the writes are within DynamoDB's limits of one transaction.
func (x *Transaction) Fits() bool {
	return len(x.Writes) <= MaxTransaction && x.bytes <= MaxTransactionBytes
}

// Add adds any write. It does not count bytes.
func (x *Transaction) Add(w types.TransactWriteItem, c Condition) {
	if c.Otherwise != nil {
		if x.refused == nil {
			x.refused = map[int]error{}
		}
		x.refused[len(x.Writes)] = c.Otherwise
	}
	x.Writes = append(x.Writes, w)
}

// Unchanged is the condition that some attributes of an item are as they were read; of nil, that there is no item.
func Unchanged(m layout.Item, otherwise error, names ...string) Condition {
	if m == nil {
		return MustNotExist(otherwise)
	}
	c := Condition{names: map[string]string{}, Values: layout.Item{}, Otherwise: otherwise}
	all := []string{"attribute_exists(" + layout.AttrPK + ")"}
	for n, name := range names {
		at := "#was" + strconv.Itoa(n)
		c.names[at] = name
		if av := m[name]; av != nil {
			c.Values[":was"+strconv.Itoa(n)] = av
			all = append(all, at+" = :was"+strconv.Itoa(n))
		} else {
			all = append(all, "attribute_not_exists("+at+")")
		}
	}
	c.Expression = strings.Join(all, " AND ")
	if len(c.Values) == 0 {
		c.Values = nil
	}
	return c
}

// Rewrite sets and removes attributes of an item, if those that names tell are as they were read.
func (x *Transaction) Rewrite(table string, m, set layout.Item, remove []string, names ...string) {
	c := Unchanged(m, ErrStale, names...)
	var clauses, assign, drop []string
	for name, av := range set {
		n := strconv.Itoa(len(assign))
		c.names["#set"+n], assign = name, append(assign, "#set"+n+" = :set"+n)
		if c.Values == nil {
			c.Values = layout.Item{}
		}
		c.Values[":set"+n] = av
	}
	for n, name := range remove {
		at := "#gone" + strconv.Itoa(n)
		c.names[at], drop = name, append(drop, at)
	}
	if len(assign) > 0 {
		clauses = append(clauses, "SET "+strings.Join(assign, ", "))
	}
	if len(drop) > 0 {
		clauses = append(clauses, "REMOVE "+strings.Join(drop, ", "))
	}
	expression := strings.Join(clauses, " ")
	x.Add(types.TransactWriteItem{Update: &types.Update{TableName: &table, Key: layout.KeyItem(layout.KeyOf(m)), UpdateExpression: &expression,
		ConditionExpression: c.Expr(), ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.Values}}, c)
}

// Send makes the writes. It is BadInput when an item is larger than DynamoDB takes; when a condition fails, the error that
// came with the condition; Conflict when others are at the same items, however often it was tried. After Unavailable it may have been made.
func (x *Transaction) Send(ctx context.Context, c Client, random io.Reader) error {
	if x.TooBig != nil {
		return x.TooBig
	}
	if !x.Fits() {
		return tracker.Internal(fmt.Sprintf("a transaction of %d items and %d bytes is too large", len(x.Writes), x.bytes), nil)
	}
	// Attempts share the token, so that the engine takes one that was made already for what it is.
	token, err := tracker.NewID(random)
	if err != nil {
		return err
	}
	in := &dynamodb.TransactWriteItemsInput{TransactItems: x.Writes, ClientRequestToken: &token, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}
	_, err = c.TransactWriteItems(ctx, in)
	if err == nil {
		return nil
	}
	if items, ok := ConditionFailed(err); ok {
		for _, i := range items {
			if otherwise := x.refused[i]; otherwise != nil {
				return otherwise
			}
		}
	}
	return Translate(err)
}
