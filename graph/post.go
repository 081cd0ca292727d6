package graph

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
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
	params := &graphql.RawParams{ReadTime: graphql.TraceTiming{Start: graphql.Now()}}
	if status, err := decodeBody(r, params); err != nil {
		refuseAs(w, r, status, err)
		return
	}
	execute(w, r, exec, params)
}

// execute answers a request that was read.
func execute(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor, params *graphql.RawParams) {
	media := answerType(w, r)
	params.Headers = r.Header
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
	if r.Method == http.MethodGet && op.Operation.Operation != ast.Query {
		w.Header().Set("Allow", http.MethodPost)
		refuseAs(w, r, http.StatusMethodNotAllowed, tracker.Bad("", "a GET request takes queries only; send a mutation by POST"))
		return
	}
	responses, ctx := exec.DispatchOperation(ctx, op)
	if response := responses(ctx); response != nil { // nil when the client has gone
		send(w, response)
	}
}

// answerType sets the media type of the answer: the one that the client asks for, or JSON.
func answerType(w http.ResponseWriter, r *http.Request) string {
	media := mediaJSON
	if accepts(r, mediaResponse) {
		media = mediaResponse
	}
	w.Header().Set("Content-Type", media+"; charset=utf-8")
	return media
}

// accepts tells whether the client names a media type that it takes.
func accepts(r *http.Request, media string) bool {
	for _, header := range r.Header.Values("Accept") {
		for one := range strings.SplitSeq(header, ",") {
			name, parameters, err := mime.ParseMediaType(one)
			q := parameters["q"]
			if err == nil && name == media && (q == "" || strings.Trim(q, "0.") != "") { // q=0 is what it does not take
				return true
			}
		}
	}
	return false
}

// decodeBody reads the request. The error is for the client and repeats nothing of the body.
func decodeBody(r *http.Request, params *graphql.RawParams) (status int, err error) {
	err = decodeWhole(r.Body, params)
	if e, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return http.StatusRequestEntityTooLarge, tracker.Bad("", "the body of the request is too large; the limit (Body) is %d bytes", e.Limit)
	}
	if _, beyondLimit := errors.AsType[*tracker.Error](err); beyondLimit {
		return http.StatusBadRequest, err
	}
	if err != nil {
		return http.StatusBadRequest, tracker.Bad("", "the body of the request is not a JSON object with a query, and optionally variables, operationName and extensions")
	}
	if params.Query == "" && params.Extensions[persistedKey] == nil {
		return http.StatusBadRequest, tracker.Bad("", "the body of the request has no query")
	}
	return 0, nil
}

// decodeWhole reads JSON to its end, numbers as they are written.
func decodeWhole(r io.Reader, into any) error {
	decoder := json.NewDecoder(r)
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return cmp.Or(err, errors.New("more behind it"))
	}
	return nil
}

// refuseAs refuses a request that is no GraphQL request that this server takes.
func refuseAs(w http.ResponseWriter, r *http.Request, status int, err error) {
	answerType(w, r)
	refuse(w, status, gqlerror.List{{Message: err.Error(), Extensions: map[string]any{"code": tracker.BadInput}}})
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
