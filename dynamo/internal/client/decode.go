package client

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"issuegrid/dynamo/internal/decode"
	"issuegrid/internal/account"
)

// decodeItems makes a client decode the items in responses to BatchGetItem and Query itself. The SDK's
// deserializer does not check the context while it works, and allocates many times the size of the response.
//
// The SDK still decodes everything else: the other members of these responses, all errors, and all other
// operations.
func decodeItems(stack *middleware.Stack) error {
	member, ok := membersOfItems[stack.ID()]
	if !ok {
		return nil
	}
	checksum, err := stack.Deserialize.Remove("DynamoDB:ResponseChecksumValidation")
	if err != nil {
		return err
	}
	own := &itemDeserializer{member: member, checksum: checksum}
	own.sdk, err = stack.Deserialize.Swap(own.ID(), own)
	return err
}

// membersOfItems maps an operation to the member of its response that has the items.
var membersOfItems = map[string]string{"BatchGetItem": decode.Tables, "Query": decode.Items}

// itemDeserializer replaces the OperationDeserializer of one call.
type itemDeserializer struct {
	member        string // of the response that has the items
	sdk, checksum middleware.DeserializeMiddleware
}

// ID returns the ID of the SDK's deserializer: other middleware is placed relative to it.
func (*itemDeserializer) ID() string { return "OperationDeserializer" }

// HandleDeserialize decodes a response with status 200. It passes the response without its items to the SDK's
// deserializer.
func (d *itemDeserializer) HandleDeserialize(
	ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler,
) (middleware.DeserializeOutput, middleware.Metadata, error) {
	out, metadata, err := next.HandleDeserialize(ctx, in)
	received := middleware.DeserializeHandlerFunc(
		func(context.Context, middleware.DeserializeInput) (
			middleware.DeserializeOutput, middleware.Metadata, error) {
			return out, metadata, err
		})
	response, ok := out.RawResponse.(*smithyhttp.Response)
	if err != nil || !ok || response.StatusCode != http.StatusOK {
		return d.sdk.HandleDeserialize(ctx, in, checksummed{d.checksum, received})
	}
	page, size, err := decodeResponse(ctx, d.member, response)
	if err != nil {
		return out, metadata, err
	}
	response.Body = io.NopCloser(bytes.NewReader(page.Rest))
	out, metadata, err = d.sdk.HandleDeserialize(ctx, in, received)
	if err == nil && page.Unwanted {
		return out, metadata, unwantedError(usedBy(nil, out.Result).Capacity, size)
	}
	switch result := out.Result.(type) {
	case *dynamodb.BatchGetItemOutput:
		result.Responses = page.Tables
	case *dynamodb.QueryOutput:
		result.Items = page.Items
	}
	return out, metadata, err
}

// unwantedError returns the error of a call whose caller has gone. It carries the reported capacity, or else
// the number of bytes.
func unwantedError(reported account.Capacity, bytes int) error {
	e := &unreadError{cause: Unavailable("the request was canceled or timed out", nil),
		reported: reported}
	if reported == (account.Capacity{}) {
		e.bytes = int64(bytes)
	}
	return e
}

// checksummed wraps a handler in the SDK's checksum middleware.
type checksummed struct {
	checksum middleware.DeserializeMiddleware
	next     middleware.DeserializeHandler
}

func (c checksummed) HandleDeserialize(ctx context.Context, in middleware.DeserializeInput) (
	middleware.DeserializeOutput, middleware.Metadata, error,
) {
	return c.checksum.HandleDeserialize(ctx, in, c.next)
}

// decodeResponse decodes the body of a response, and returns its size. The result does not refer to the body,
// so that decodeResponse can close it.
func decodeResponse(ctx context.Context, member string, response *smithyhttp.Response) (
	page *decode.Response, size int, err error,
) {
	defer response.Body.Close()
	body, err := bytesOf(response)
	if err != nil {
		return nil, 0, &smithy.DeserializationError{Err: err}
	}
	over, _ := ctx.Value(overKey{}).(*atomic.Bool)
	check := func() (unwanted bool, err error) {
		switch {
		case over != nil && over.Load(): // checked before ctx, because attempt lets the engine respond first
			return true, nil
		case ctx.Err() != nil:
			return false, &smithy.CanceledError{Err: ctx.Err()}
		}
		return false, nil
	}
	if err := verify(body, response.Header.Get("X-Amz-Crc32"), check); err != nil {
		return nil, 0, err
	}
	page, err = decode.Decode(body, member, check)
	return page, len(body), err
}

// bytesOf returns the whole body, without copying it if it is in memory.
func bytesOf(response *smithyhttp.Response) ([]byte, error) {
	if b, ok := response.Body.(interface{ Bytes() []byte }); ok {
		return b.Bytes(), nil
	}
	var b bytes.Buffer
	if response.ContentLength > 0 {
		b.Grow(int(response.ContentLength) + bytes.MinRead)
	}
	_, err := b.ReadFrom(response.Body)
	return b.Bytes(), err
}

// verify compares a body with the CRC-32 in the response, if there is one. The SDK's middleware only logs a
// difference (1.72.3).
func verify(body []byte, header string, check decode.Check) error {
	if header == "" {
		return nil
	}
	want, err := strconv.ParseUint(header, 10, 32)
	if err != nil {
		return &smithy.DeserializationError{Err: fmt.Errorf("the header X-Amz-Crc32: %w", err)}
	}
	var got uint32
	for rest := body; len(rest) > 0; {
		n := min(len(rest), decode.CheckBytes)
		got, rest = crc32.Update(got, crc32.IEEETable, rest[:n]), rest[n:]
		if _, err := check(); err != nil {
			return err
		}
	}
	if got != uint32(want) {
		return &smithy.DeserializationError{Err: damagedError{want: uint32(want), got: got}}
	}
	return nil
}

// damagedError reports a response with a wrong checksum. The request is retried.
type damagedError struct{ want, got uint32 }

func (e damagedError) Error() string {
	return fmt.Sprintf("the response has the CRC-32 %d, and was sent with %d", e.got, e.want)
}

// RetryableError implements the SDK's interface for retryable errors.
func (damagedError) RetryableError() bool { return true }
