package client

import (
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/account"
)

// If a response does not report the consumed capacity, it is estimated from the request. DynamoDB bills a
// write whose condition failed. It bills each item of a cancelled transaction twice, as in a completed one.
// It does not bill throttled requests and those rejected for other reasons. A call without a response counts
// as one completed call, however often it was sent.
//
// Example: a transaction puts a document of 1.5 KB and a new index entry, and deletes an old entry. If it is
// cancelled, it costs 2 for each entry, and 4 for the document, which has two KB begun: 8. If its response
// was lost, 1 is added for the index for each of the three items: 11.
const (
	// documentBytes is the assumed size of an item read by its key. rowBytes and keyBytes are those of an
	// item in a Query of the table and of the index.
	documentBytes = 4 << 10
	rowBytes      = 1 << 10
	keyBytes      = 110
	// openBytes is the assumed size of the response to a Query without a limit: it can be 1 MB, but is
	// usually a definition or the entries of an issue.
	openBytes = 64 << 10
)

// bill records the attempts of a call.
type bill struct {
	sent   bool  // at least once
	unsure bool  // an attempt without a response may have acted
	denied int   // attempts with a response that did nothing and are billed
	unread int64 // size of a response that memory did not suffice for
}

// attempt records a failed attempt.
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

// unreported estimates what the call consumed in addition to what its response reports. answered is whether
// there is a response.
func (b *bill) unreported(in any, answered bool) account.Capacity {
	each, n := estimate(in, false), float64(b.denied)
	c := account.Capacity{RCU: each.RCU * n, WCU: each.WCU * n}
	if b.unread > 0 {
		c.RCU += readUnits(int(b.unread), consistent(in))
	}
	if b.unsure && !answered {
		done := estimate(in, true)
		c.RCU, c.WCU = c.RCU+done.RCU, c.WCU+done.WCU
	}
	return c
}

// estimate returns the capacity of a request that is made (done), or denied.
func estimate(in any, done bool) (c account.Capacity) {
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
		c.WCU = 1 // for a counter, or a mark on an issue in the trash
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

// consistent returns the request's ConsistentRead.
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

// readUnits returns the RCU of reading a number of bytes: a half for each 4 KB begun, or one if consistent.
func readUnits(bytes int, consistent *bool) float64 {
	n := 0.5 * float64(max(1, (bytes+4095)/4096))
	if aws.ToBool(consistent) {
		n *= 2
	}
	return n
}

// writeUnits returns the WCU of putting m, or of deleting an item of unknown size if m is nil: each KB begun
// counts often times, and once more for the index if done.
func writeUnits(m layout.Item, often float64, done bool) float64 {
	n := often * kilobytes(m)
	if _, indexed := m[layout.AttrSS]; done && (indexed || m == nil) {
		n += kilobytes(layout.Item{layout.AttrPK: m[layout.AttrPK], layout.AttrSK: m[layout.AttrSK],
			layout.AttrSS: m[layout.AttrSS], layout.AttrHas: m[layout.AttrHas]})
	}
	return n
}

func kilobytes(m layout.Item) float64 { return float64(max(1, (layout.ItemBytes(m)+1023)/1024)) }

// isDenied reports whether the engine has evaluated a write and rejected it, which it bills.
func isDenied(err error) bool {
	if _, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		return true
	}
	_, ok := ConditionFailed(err)
	return ok
}

// isAnswer reports whether err is a response of the engine.
func isAnswer(err error) bool {
	_, ok := errors.AsType[smithy.APIError](err)
	return ok
}
