// Package lambda serves an http.Handler on AWS Lambda, behind an HTTP API of API Gateway or a function URL.
// Start with Serve; event.go makes the request of an event, answer.go the result of an answer. What may never
// be in this package: anything of the product beyond its errors.
//
// It is an adapter of its own because the known ones do not fit: aws-lambda-go's lambdaurl takes only
// function URLs that stream, and awslabs/aws-lambda-go-api-proxy, last released in 2024, brings six web
// frameworks along.
package lambda

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/events"
	runtime "github.com/aws/aws-lambda-go/lambda"
)

const (
	// Variable is the environment variable that Lambda sets for a function: where its runtime API is.
	Variable = "AWS_LAMBDA_RUNTIME_API"
	// margin is how long before Lambda ends an invocation its work is stopped, so that a client gets an
	// answer that says so.
	margin = 500 * time.Millisecond
)

// Serve takes events from Lambda's runtime API until ctx ends. A runtime API that fails ends the process, as
// Lambda expects; it then starts another.
func Serve(ctx context.Context, h http.Handler) {
	go runtime.StartWithOptions(Adapter{h}, runtime.WithContext(ctx))
	<-ctx.Done()
}

// Adapter answers invocations by an http.Handler.
type Adapter struct{ Handler http.Handler }

// Invoke answers one event of payload format 2.0, which HTTP APIs and function URLs have in common. An event
// of another kind is an error. The context of the request ends half a second before the invocation does.
func (a Adapter) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var event events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(payload, &event); err != nil || event.Version != "2.0" {
		return nil, fmt.Errorf("this is no event of an HTTP API or a function URL in payload format 2.0")
	}
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-margin))
		defer cancel()
	}
	r, err := request(ctx, &event)
	if err != nil {
		return nil, err
	}
	w := answer{header: http.Header{}}
	a.Handler.ServeHTTP(&w, r)
	return w.result(r.Method)
}
