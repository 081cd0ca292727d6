package client

import (
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"issuegrid/dynamo/internal/layout"
)

// What a call took is estimated from its request where the answer does not tell. DynamoDB bills a write whose condition failed, and each item of a
// transaction that was cancelled, twice as in one that was made; it bills nothing that was throttled, or that it refused for another reason. A call that has
// no answer is taken for one that was done, once, however often it was sent.
//
// Worked example: a transaction puts a document of 1.5 KB and a new index entry, and deletes another one. Cancelled, it is 2 for each item, and 4 for the
// document, which has two KB begun: 8. If its answer was lost, the index has taken 1 for each of the three besides: 11.
const (
	// documentBytes is taken for the size of an item that is read by its key, and rowBytes and keyBytes for those of a Query of the table and of the index.
	documentBytes = 4 << 10
	rowBytes      = 1 << 10
	keyBytes      = 110
	// openBytes is taken for the size of the answer to a Query without a limit, which may come to 1 MB and is mostly a definition or the entries of an issue.
	openBytes = 64 << 10
)

// bill notes what became of the attempts of a call.
type bill struct {
	sent   bool  // at all
	unsure bool  // an attempt may have acted, and has no answer
	denied int   // attempts that were answered, did nothing, and are billed
	unread int64 // bytes of a response that there was no room for
}

// attempt adds an attempt that failed.
func (b *bill) attempt(sent bool, why reason, err error) {
	b.sent = b.sent || sent
	if e, ok := errors.AsType[*unreadError](err); ok {
		b.unread = e.bytes
		return
	}
	switch {
	case !sent || why == throttled:
	case why == contended || isDenied(err):
		b.denied++
	case why == failed || !isAnswer(err):
		b.unsure = true
	}
}

// unreported is an estimate of what the call took beyond what its answer says, if it has one.
func (b *bill) unreported(in any, answered bool) Capacity {
	c := estimate(in, false).times(b.denied)
	if b.unread > 0 {
		c.RCU += readUnits(int(b.unread), consistent(in))
	}
	if b.unsure && !answered {
		done := estimate(in, true)
		c.RCU, c.WCU = c.RCU+done.RCU, c.WCU+done.WCU
	}
	return c
}

func (c Capacity) times(n int) Capacity { return Capacity{c.RCU * float64(n), c.WCU * float64(n)} }

// estimate is what a request takes that is done, or else denied.
func estimate(in any, done bool) (c Capacity) {
	switch in := in.(type) {
	case *dynamodb.QueryInput:
		size := rowBytes
		if in.IndexName != nil {
			size = keyBytes
		}
		bytes := openBytes
		if in.Limit != nil {
			bytes = int(*in.Limit) * size
		}
		c.RCU = readUnits(bytes, in.ConsistentRead)
	case *dynamodb.ScanInput:
		c.RCU = readUnits(1<<20, in.ConsistentRead)
	case *dynamodb.BatchGetItemInput:
		for _, ask := range in.RequestItems {
			c.RCU += float64(len(ask.Keys)) * readUnits(documentBytes, ask.ConsistentRead)
		}
	case *dynamodb.UpdateItemInput:
		c.WCU = 1 // of a counter, or of a mark on an issue in the trash
	case *dynamodb.BatchWriteItemInput:
		for _, writes := range in.RequestItems {
			for _, w := range writes {
				if w.PutRequest != nil {
					c.WCU += writeUnits(w.PutRequest.Item, 1, done)
				} else {
					c.WCU += writeUnits(nil, 1, done)
				}
			}
		}
	case *dynamodb.TransactWriteItemsInput:
		for _, w := range in.TransactItems {
			switch {
			case w.Put != nil:
				c.WCU += writeUnits(w.Put.Item, 2, done)
			case w.Delete != nil:
				c.WCU += writeUnits(nil, 2, done)
			default:
				c.WCU += 2
			}
		}
	}
	return c
}

// consistent reports whether a request reads consistently.
func consistent(in any) *bool {
	switch in := in.(type) {
	case *dynamodb.QueryInput:
		return in.ConsistentRead
	case *dynamodb.BatchGetItemInput:
		for _, ask := range in.RequestItems {
			return ask.ConsistentRead
		}
	}
	return nil
}

// readUnits are those of bytes that are read: a half for each 4 KB begun, and twice that if consistently.
func readUnits(bytes int, consistent *bool) float64 {
	n := 0.5 * float64(max(1, (bytes+4095)/4096))
	if aws.ToBool(consistent) {
		n *= 2
	}
	return n
}

// writeUnits are those of an item that is put, or of one that is deleted, whose size is not known, for nil: each KB begun so often, and if it is done once more for
// what the index has of it.
func writeUnits(m layout.Item, often float64, done bool) float64 {
	n := often * kilobytes(m)
	if _, indexed := m[layout.AttrSS]; done && (indexed || m == nil) {
		n += kilobytes(layout.Item{layout.AttrPK: m[layout.AttrPK], layout.AttrSK: m[layout.AttrSK], layout.AttrSS: m[layout.AttrSS], layout.AttrHas: m[layout.AttrHas]})
	}
	return n
}

func kilobytes(m layout.Item) float64 { return float64(max(1, (layout.ItemBytes(m)+1023)/1024)) }

// isDenied tells that the engine has looked at the items of a write and did not do it, which it bills.
func isDenied(err error) bool {
	if _, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		return true
	}
	_, ok := ConditionFailed(err)
	return ok
}

// isAnswer tells that the engine has said why it did not do something.
func isAnswer(err error) bool {
	_, ok := errors.AsType[smithy.APIError](err)
	return ok
}
