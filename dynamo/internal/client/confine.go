package client

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// Confine returns a context in which no request can access a key of another tenant (I1). It is for a session
// that knows its tenant before it makes any handle. A request for another tenant's key is a defect: it is not
// sent and fails with an internal error.
func Confine(ctx context.Context, t tracker.TenantID) context.Context {
	return context.WithValue(ctx, confinedKey{}, t)
}

type confinedKey struct{}

// confineRequests makes a client check the keys of every request in a confined context before sending it.
func confineRequests(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("ConfineToTenant",
		func(ctx context.Context, in middleware.InitializeInput,
			next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			if t, ok := ctx.Value(confinedKey{}).(tracker.TenantID); ok && !within(t, in.Parameters) {
				return middleware.InitializeOutput{}, middleware.Metadata{},
					tracker.Internal("a request of the tenant "+string(t)+" reaches beyond it: "+
						middleware.GetOperationName(ctx), nil)
			}
			return next.HandleInitialize(ctx, in)
		}), middleware.Before)
}

// within reports whether all keys of a request belong to a tenant. It returns false for unknown operations
// and for operations on the whole table, except DescribeTable.
func within(t tracker.TenantID, request any) bool {
	own := func(av types.AttributeValue) bool {
		s, ok := av.(*types.AttributeValueMemberS)
		return ok && strings.HasPrefix(s.Value, string(t)+"/")
	}
	key := func(k layout.Item) bool { return own(k[layout.AttrPK]) }
	put := func(m layout.Item) bool { // an item with a sort string is also in an index partition
		_, indexed := m[layout.AttrSS]
		return key(m) && (!indexed || own(m[layout.AttrSK]) ||
			layout.GetS(m, layout.AttrSK) == layout.TenantsPartition)
	}
	switch in := request.(type) {
	case *dynamodb.QueryInput:
		words := strings.Fields(*in.KeyConditionExpression) // PK = :pk ...
		return len(words) > 2 && (words[0] == layout.AttrPK || words[0] == layout.AttrSK) &&
			words[1] == "=" && own(in.ExpressionAttributeValues[words[2]])
	case *dynamodb.UpdateItemInput:
		return key(in.Key)
	case *dynamodb.BatchGetItemInput:
		for _, table := range in.RequestItems {
			for _, k := range table.Keys {
				if !key(k) {
					return false
				}
			}
		}
		return true
	case *dynamodb.BatchWriteItemInput:
		for _, writes := range in.RequestItems {
			for _, w := range writes {
				if w.PutRequest != nil && !put(w.PutRequest.Item) ||
					w.DeleteRequest != nil && !key(w.DeleteRequest.Key) {
					return false
				}
			}
		}
		return true
	case *dynamodb.TransactWriteItemsInput:
		for _, w := range in.TransactItems {
			if w.Put != nil && !put(w.Put.Item) || w.Delete != nil && !key(w.Delete.Key) ||
				w.Update != nil && !key(w.Update.Key) ||
				w.ConditionCheck != nil && !key(w.ConditionCheck.Key) {
				return false
			}
		}
		return true
	case *dynamodb.DescribeTableInput:
		return true
	}
	return false
}
