package graph

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/tracker"
)

const (
	mediaJSON     = "application/json"
	mediaResponse = "application/graphql-response+json"
)

// postJSON is GraphQL over HTTP POST, as the specification of that name has it: 200 for whatever a well-formed request comes to when the
// client takes application/json, 400 for a request error when it takes application/graphql-response+json, no `data` beside a
// request error, and 400 or 413 for a body that is no GraphQL request. gqlgen's own transport also parses the answer once more
// before it sends it.
type postJSON struct{}

// Supports takes JSON; other media types are refused by the server.
func (postJSON) Supports(r *http.Request) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && r.Method == http.MethodPost && media == mediaJSON && r.Header.Get("Upgrade") == ""
}

// Do executes the operation of the body.
func (postJSON) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	media := mediaJSON
	if accepts(r, mediaResponse) {
		media = mediaResponse
	}
	w.Header().Set("Content-Type", media+"; charset=utf-8")
	params := &graphql.RawParams{Headers: r.Header, ReadTime: graphql.TraceTiming{Start: graphql.Now()}}
	if status, err := decodeBody(r, params); err != nil {
		refuse(w, status, gqlerror.List{{Message: err.Error(), Extensions: map[string]any{"code": tracker.BadInput}}})
		return
	}
	params.ReadTime.End = graphql.Now()
	ctx := r.Context()
	op, errs := exec.CreateOperationContext(ctx, params)
	if errs != nil {
		status := http.StatusOK
		if media == mediaResponse {
			status = http.StatusBadRequest
		}
		refuse(w, status, exec.DispatchError(graphql.WithOperationContext(ctx, op), errs).Errors)
		return
	}
	responses, ctx := exec.DispatchOperation(ctx, op)
	send(w, responses(ctx))
}

// accepts tells whether the client names a media type that it takes.
func accepts(r *http.Request, media string) bool {
	for _, header := range r.Header.Values("Accept") {
		for one := range strings.SplitSeq(header, ",") {
			if name, _, err := mime.ParseMediaType(one); err == nil && name == media {
				return true
			}
		}
	}
	return false
}

// decodeBody reads the request. The error is for the client and repeats nothing of the body.
func decodeBody(r *http.Request, params *graphql.RawParams) (status int, err error) {
	decoder := json.NewDecoder(r.Body)
	decoder.UseNumber()
	err = decoder.Decode(params)
	if err == nil && decoder.More() {
		err = errors.New("trailing data")
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return http.StatusRequestEntityTooLarge, tracker.Bad("", "the body of the request is too large; the limit is %d bytes", maxBody)
	}
	if err != nil {
		return http.StatusBadRequest, tracker.Bad("", "the body of the request is not a JSON object with a query, and optionally variables, operationName and extensions")
	}
	if params.Query == "" {
		return http.StatusBadRequest, tracker.Bad("", "the body of the request has no query")
	}
	return 0, nil
}

// refuse answers a request that was not executed.
func refuse(w http.ResponseWriter, status int, errs gqlerror.List) {
	body, err := json.Marshal(struct {
		Errors gqlerror.List `json:"errors"`
	}{errs})
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"errors":[{"message":"internal error"}]}`)
	}
	w.WriteHeader(status)
	w.Write(body)
}

// send writes an answer; its data is JSON already.
func send(w http.ResponseWriter, response *graphql.Response) {
	around, err := json.Marshal(struct {
		Errors     gqlerror.List  `json:"errors,omitempty"`
		Extensions map[string]any `json:"extensions,omitempty"`
	}{response.Errors, response.Extensions})
	if err != nil {
		refuse(w, http.StatusInternalServerError, gqlerror.List{{Message: "internal error"}})
		return
	}
	data := response.Data
	if len(data) == 0 {
		data = []byte("null")
	}
	head := []byte(`{"data":`)
	w.Write(head)
	w.Write(data)
	if len(around) > len("{}") {
		around[0] = ','
	} else {
		around = around[1:]
	}
	w.Write(around)
}
