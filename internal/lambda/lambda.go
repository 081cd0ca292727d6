// Package lambda serves an http.Handler on AWS Lambda, behind an HTTP API of API Gateway or a function URL.
// Start here: [Serve]. event.go converts an event into a request, and response.go converts a response into a
// result. This package must not contain anything of the product except its error codes.
//
// Existing adapters do not fit: aws-lambda-go's lambdaurl supports only function URLs that stream, and
// awslabs/aws-lambda-go-api-proxy, last released in 2024, depends on six web frameworks.
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
	// Variable is the environment variable with the address of the runtime API, which Lambda sets for a
	// function.
	Variable = "AWS_LAMBDA_RUNTIME_API"
	// margin is the time before the end of an invocation at which the request's context ends, so that the
	// client receives an error response.
	margin = 500 * time.Millisecond
)

// Serve handles events from Lambda's runtime API until ctx ends. If the runtime API fails, the process ends,
// as Lambda expects; Lambda then starts another one.
func Serve(ctx context.Context, h http.Handler) {
	go runtime.StartWithOptions(Adapter{h}, runtime.WithContext(ctx))
	<-ctx.Done()
}

// Adapter handles invocations with an http.Handler.
type Adapter struct{ Handler http.Handler }

// Invoke handles one event in payload format 2.0, the format of HTTP APIs and function URLs. Any other event
// is an error. The context of the request ends half a second before the invocation.
func (a Adapter) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var event events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(payload, &event); err != nil || event.Version != "2.0" {
		return nil, fmt.Errorf("not an event of an HTTP API or a function URL in payload format 2.0")
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
	w := response{header: http.Header{}}
	a.Handler.ServeHTTP(&w, r)
	return w.result(r.Method)
}
