package client

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"testing"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"issuegrid/dynamo/internal/decode"
	"issuegrid/tracker"
)

// TestDecodeChecksum checks that a response with a wrong checksum is not used, and that the request is
// retried.
func TestDecodeChecksum(t *testing.T) {
	body := query(`{"S":"x"}`)
	for name, c := range map[string]struct {
		header  string
		failed  bool
		refused bool
	}{
		"right":   {header: fmt.Sprint(crc32.ChecksumIEEE([]byte(body)))},
		"none":    {},
		"wrong":   {header: "12345", failed: true},
		"no such": {header: "x", refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			engine := &reply{body: body, header: http.Header{"X-Amz-Crc32": {c.header}}}
			out, _, err := engine.ask(t.Context(), "Query", decodeItems)
			if (err != nil) != (c.failed || c.refused) || err != nil &&
				(reasonOf(err) == failed) != c.failed {
				t.Errorf("%v, %v", out, err)
			}
			if engine.closed == 0 {
				t.Error("the body is not closed")
			}
		})
	}
}

// TestDecodeStreamed checks that a body that is not in memory is read, whether or not its length is known.
func TestDecodeStreamed(t *testing.T) {
	body := query(`{"S":"x"}`)
	for _, length := range []int64{int64(len(body)), -1} {
		page, size, err := decodeResponse(t.Context(), decode.Items, &smithyhttp.Response{
			Response: &http.Response{ContentLength: length, Body: io.NopCloser(strings.NewReader(body))}})
		if err != nil || size != len(body) || len(page.Items) != 1 {
			t.Errorf("length %d: %d bytes, %+v, %v", length, size, page, err)
		}
	}
}

// TestDecodeErrorsOfSDK checks that error responses are decoded as the SDK does.
func TestDecodeErrorsOfSDK(t *testing.T) {
	for name, engine := range map[string]reply{
		"throttled": {status: 400,
			body: `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow"}`},
		"a missing table": {status: 400,
			body: `{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"none"}`},
		"internal":       {status: 500, body: `{"__type":"InternalServerError"}`},
		"a page of HTML": {status: 503, body: `<html>`},
		"a bad checksum": {status: 400, body: `{"__type":"ThrottlingException"}`,
			header: http.Header{"X-Amz-Crc32": {"x"}}},
		"another success": {status: 204, body: `[]`},
	} {
		for operation := range membersOfItems {
			ours, theirs := engine, engine
			_, _, err := ours.ask(t.Context(), operation, decodeItems)
			_, _, want := theirs.ask(t.Context(), operation)
			if err == nil || want == nil || err.Error() != want.Error() || reasonOf(err) != reasonOf(want) ||
				ours.closed == 0 {
				t.Errorf("%s of %s: %v, the SDK's %v; closed %d times", name, operation, err, want,
					ours.closed)
			}
		}
	}
}

// TestDecodeStack checks that other operations are not changed, that a stack with other middleware names is
// rejected, and that the metadata of a response is kept.
func TestDecodeStack(t *testing.T) {
	if err := decodeItems(middleware.NewStack("Scan", nil)); err != nil {
		t.Error(err)
	}
	for operation := range membersOfItems {
		if err := decodeItems(middleware.NewStack(operation, nil)); err == nil {
			t.Errorf("%s: a stack without the SDK's middleware is accepted", operation)
		}
		engine := &reply{body: `{}`}
		_, metadata, err := engine.ask(t.Context(), operation, decodeItems)
		if id, ok := awsmiddleware.GetRequestIDMetadata(metadata); err != nil || !ok || id != "the id" ||
			engine.closed != 1 {
			t.Errorf("%s: request id %q, closed %d times, %v", operation, id, engine.closed, err)
		}
	}
}

// TestDecodeCancelled checks that a call that is cancelled during decoding returns the same error as one
// cancelled during transfer.
func TestDecodeCancelled(t *testing.T) {
	for operation := range membersOfItems {
		ctx, cancel := context.WithCancel(t.Context())
		engine := &reply{body: `{"New":1}`, before: cancel}
		_, _, err := engine.ask(ctx, operation, decodeItems)
		if !errors.Is(err, context.Canceled) || reasonOf(err) != refused ||
			messageOf(err) != messageOf(context.Canceled) || engine.closed == 0 {
			t.Errorf("%s: %v", operation, err)
		}
		if _, ok := errors.AsType[*smithy.DeserializationError](err); ok {
			t.Errorf("%s: the error is that of a broken response: %v", operation, err)
		}
	}
}

// messageOf returns the message of an error for clients.
func messageOf(err error) string {
	e, _ := errors.AsType[*tracker.Error](Translate(err))
	return e.Message
}
