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

// ErrStale is the error of a derived write that was rejected because the document it derives from has
// changed. The request that changed the document makes the derived writes again.
var ErrStale = errors.New("the document has changed in the meantime")

const (
	// MaxTransaction is the maximum number of items of a transaction in DynamoDB.
	MaxTransaction = 100
	// MaxTransactionBytes keeps a transaction below DynamoDB's 4 MB, with a margin for what layout.ItemBytes
	// does not count.
	MaxTransactionBytes = 3_900_000
	// MaxItemBytes keeps an item below DynamoDB's 400 KB in the same way.
	MaxItemBytes = 395_000
)

// Transaction collects writes that are made atomically.
type Transaction struct {
	Writes []types.TransactWriteItem
	bytes  int
	// refused maps the index of a write to the error for a failed condition.
	refused map[int]error
	// TooBig is the error of an item that exceeds DynamoDB's limit, or nil.
	TooBig error
}

// Condition is a condition on an item before the write, and the error to return if it fails.
type Condition struct {
	// Expression and Values have DynamoDB's syntax. An empty Expression is always true.
	Expression string
	names      map[string]string
	Values     layout.Item
	Otherwise  error
}

// MustNotExist is the condition that the item does not exist.
func MustNotExist(otherwise error) Condition {
	return Condition{Expression: "attribute_not_exists(" + layout.AttrPK + ")", Otherwise: otherwise}
}

// MustExist is the condition that the item exists.
func MustExist(otherwise error) Condition {
	return Condition{Expression: "attribute_exists(" + layout.AttrPK + ")", Otherwise: otherwise}
}

// MustBeActive is the condition that the item of a tenant exists, and that the tenant was not deleted.
func MustBeActive() Condition {
	return Condition{Expression: "attribute_exists(" + layout.AttrPK + ") AND attribute_not_exists(deleted)",
		Otherwise: tracker.Missing("tenant")}
}

// MustHaveVersion is the condition that the item exists and has a version.
func MustHaveVersion(version int64, otherwise error) Condition {
	return Condition{Expression: "version = :version", Values: layout.Item{":version": layout.N(version)},
		Otherwise: otherwise}
}

// Expr returns the expression for a request, or nil if it is empty.
func (c Condition) Expr() *string {
	if c.Expression == "" {
		return nil
	}
	return &c.Expression
}

// Put replaces or creates an item.
func (x *Transaction) Put(table string, m layout.Item, c Condition) {
	x.Add(types.TransactWriteItem{Put: &types.Put{TableName: &table, Item: m, ConditionExpression: c.Expr(),
		ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.Values}}, c)
	n := layout.ItemBytes(m)
	x.bytes += n
	if n > MaxItemBytes {
		x.TooBig = tracker.Bad("", "the values have %d bytes, counting only the excerpts of long strings; "+
			"the limit is %d", n, MaxItemBytes)
	}
}

// Delete deletes an item. A missing item is not an error unless the condition requires it.
func (x *Transaction) Delete(table string, k layout.Key, c Condition) {
	x.Add(types.TransactWriteItem{Delete: &types.Delete{TableName: &table, Key: layout.KeyItem(k),
		ConditionExpression:      c.Expr(),
		ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.Values}}, c)
}

// Update changes an item by an update expression, and creates it if it does not exist.
func (x *Transaction) Update(table string, k layout.Key, expression string, values layout.Item) {
	x.Add(types.TransactWriteItem{Update: &types.Update{TableName: &table, Key: layout.KeyItem(k),
		UpdateExpression:          &expression,
		ExpressionAttributeValues: values}}, Condition{})
}

// Check adds a condition on an item that is not written.
func (x *Transaction) Check(table string, k layout.Key, c Condition) {
	x.Add(types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: &table,
		Key: layout.KeyItem(k), ConditionExpression: c.Expr(),
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

// Fits reports whether the writes are within DynamoDB's limits for one transaction.
func (x *Transaction) Fits() bool {
	return len(x.Writes) <= MaxTransaction && x.bytes <= MaxTransactionBytes
}

// Add adds any write. It does not count its bytes.
func (x *Transaction) Add(w types.TransactWriteItem, c Condition) {
	if c.Otherwise != nil {
		if x.refused == nil {
			x.refused = map[int]error{}
		}
		x.refused[len(x.Writes)] = c.Otherwise
	}
	x.Writes = append(x.Writes, w)
}

// Unchanged is the condition that the named attributes of an item are as read in m. If m is nil, it is the
// condition that the item does not exist.
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

// Rewrite sets and removes attributes of an item, on the condition that the named attributes are as read.
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
	x.Add(types.TransactWriteItem{Update: &types.Update{TableName: &table,
		Key: layout.KeyItem(layout.KeyOf(m)), UpdateExpression: &expression,
		ConditionExpression: c.Expr(), ExpressionAttributeNames: c.names,
		ExpressionAttributeValues: c.Values}}, c)
}

// Send makes the writes. It returns BadInput if an item is too large, the error of a condition that fails, or
// Conflict if there are still concurrent transactions after the maximum of retries. After Unavailable the
// writes may have been made.
func (x *Transaction) Send(ctx context.Context, c Client, random io.Reader) error {
	if x.TooBig != nil {
		return x.TooBig
	}
	if !x.Fits() {
		return tracker.Internal(fmt.Sprintf("a transaction of %d items and %d bytes is too large",
			len(x.Writes), x.bytes), nil)
	}
	// Attempts share the token, so that the engine recognizes a transaction that it has already made.
	token, err := tracker.NewID(random)
	if err != nil {
		return err
	}
	in := &dynamodb.TransactWriteItemsInput{TransactItems: x.Writes, ClientRequestToken: &token,
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}
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
