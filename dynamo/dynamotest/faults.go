package dynamotest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Refuse returns an Interceptor that responds to requests of an operation, or to all requests if operation is
// "", with an error of DynamoDB's API, such as ProvisionedThroughputExceededException. It sends other
// requests unchanged.
func Refuse(operation, code string) Interceptor {
	return func(r *Request, send Send) *Response {
		if operation != "" && r.Operation != operation {
			return send(r)
		}
		return Refusal(code, "internal-detail of "+code)
	}
}

// Instead returns an Interceptor that calls f for each request, and sends the request only if f returns nil.
func Instead(f func(*Request) *Response) Interceptor {
	return func(r *Request, send Send) *Response {
		if response := f(r); response != nil {
			return response
		}
		return send(r)
	}
}

// Refusal returns a response with an error of DynamoDB's API.
func Refusal(code, message string) *Response {
	body := fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":%q}`, code, message)
	status := http.StatusBadRequest
	if code == "InternalServerError" || code == "ServiceUnavailable" {
		status = http.StatusInternalServerError
	}
	return &Response{Status: status, Body: []byte(body)}
}

// Unprocessed returns an Interceptor that lets the engine process only the first keep(n) of the n entries of
// each BatchGetItem and BatchWriteItem request, and returns the others as UnprocessedKeys or
// UnprocessedItems, as DynamoDB does when it throttles or when a response would exceed 16 MB.
func Unprocessed(keep func(n int) int) Interceptor {
	return func(r *Request, send Send) *Response {
		switch r.Operation {
		case "BatchGetItem":
			return partOfGet(r, send, keep)
		case "BatchWriteItem":
			return partOfWrite(r, send, keep)
		}
		return send(r)
	}
}

type object = map[string]json.RawMessage

func partOfGet(r *Request, send Send, keep func(int) int) *Response {
	var request struct{ RequestItems map[string]object }
	parse(r.Body, &request)
	left, kept := map[string]object{}, 0
	for table, ask := range request.RequestItems {
		var all []json.RawMessage
		parse(ask["Keys"], &all)
		n := min(keep(len(all)), len(all))
		kept += n
		if n < len(all) {
			left[table] = replaced(ask, "Keys", all[n:])
		}
		request.RequestItems[table] = replaced(ask, "Keys", all[:n])
	}
	return part(r, send, kept, request.RequestItems, left, "UnprocessedKeys",
		object{"Responses": format(map[string][]object{})})
}

func partOfWrite(r *Request, send Send, keep func(int) int) *Response {
	var request struct {
		RequestItems map[string][]json.RawMessage
	}
	parse(r.Body, &request)
	left, kept := map[string][]json.RawMessage{}, 0
	for table, all := range request.RequestItems {
		n := min(keep(len(all)), len(all))
		kept += n
		if n < len(all) {
			left[table] = all[n:]
		}
		request.RequestItems[table] = all[:n]
	}
	return part(r, send, kept, request.RequestItems, left, "UnprocessedItems", object{})
}

// part sends the part of a request that is kept, if any, and adds the rest to the response.
func part(r *Request, send Send, kept int, items, left any, unprocessed string,
	nothing object) *Response {
	answer := &Response{Status: http.StatusOK}
	body := nothing
	if kept > 0 {
		var whole object
		parse(r.Body, &whole)
		r.Body = format(replaced(whole, "RequestItems", items))
		if answer = send(r); !answer.ok() {
			return answer
		}
		body = nil
		parse(answer.Body, &body)
	}
	answer.Body = format(replaced(body, unprocessed, left))
	return answer
}

func replaced(o object, name string, value any) object {
	out := object{name: format(value)}
	for n, v := range o {
		if n != name {
			out[n] = v
		}
	}
	return out
}

func parse(from []byte, into any) {
	if err := json.Unmarshal(from, into); err != nil {
		panic(fmt.Sprintf("dynamotest: unexpected JSON: %v: %.200s", err, from))
	}
}

func format(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot fail for maps and slices of JSON
	}
	return out
}
