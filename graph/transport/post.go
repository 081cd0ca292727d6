package transport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/graph/guard"
	"issuegrid/internal/operation"
	"issuegrid/internal/refusal"
	"issuegrid/tracker"
)

// postJSON implements GraphQL over HTTP POST according to the GraphQL over HTTP specification. If the client
// accepts application/json, the status is 200 for all well-formed requests. If it accepts
// application/graphql-response+json, a request error has status 400. A response with a request error has no
// `data`. A body that is not a GraphQL request has status 400 or 413. Unlike gqlgen's transport, it does not
// parse the response before sending it.
type postJSON struct{ *transport }

// Supports accepts POST requests with JSON in UTF-8; otherRequests responds to all others. It ignores the
// Upgrade header, as HTTP allows: clients that support HTTP/2 may send it with every request.
func (postJSON) Supports(r *http.Request) bool {
	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset, encoding := parameters["charset"], r.Header.Get("Content-Encoding")
	return r.Method == http.MethodPost && err == nil && media == mediaJSON &&
		(charset == "" || strings.EqualFold(charset, "utf-8")) &&
		(encoding == "" || strings.EqualFold(encoding, "identity"))
}

// Do executes the operation of the body.
func (t postJSON) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	params := &graphql.RawParams{ReadTime: graphql.TraceTiming{Start: graphql.Now()}}
	if status, err := decodeBody(r, params); err != nil {
		setResponseType(w, cmp.Or(responseType(r), mediaJSON))
		refuse(w, status, err, gqlerror.List{t.present(r.Context(), err)})
		return
	}
	t.execute(w, r, exec, params)
}

// execute runs a decoded request and sends the response.
func (t *transport) execute(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor,
	params *graphql.RawParams) {
	media := responseType(r)
	if media == "" {
		refuseAs(w, r, http.StatusNotAcceptable,
			tracker.Bad("", "responses are %s or %s; the header `Accept` must allow one of them", mediaJSON,
				mediaResponse))
		return
	}
	setResponseType(w, media)
	params.Headers = r.Header
	params.ReadTime.End = graphql.Now()
	o := operation.From(r.Context())
	ctx, err := o.Enter(r.Context())
	switch {
	case err != nil && Gone(ctx):
		return
	case err != nil:
		refuse(w, http.StatusServiceUnavailable, err, gqlerror.List{t.present(ctx, err)})
		return
	}
	defer o.Done(0) // if the executor panics
	bytes, respond := t.dispatch(w, r.WithContext(ctx), exec, params, media)
	o.Done(int64(bytes))
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(sendTime +
		time.Duration(bytes/slowest)*time.Second))
	respond()
}

const (
	// sendTime, plus a second for every slowest bytes, is how long sending a response may take. The response
	// stays in memory until then.
	sendTime = 15 * time.Second
	slowest  = 64 << 10
	// sendPiece is how many bytes of a response are written at once.
	sendPiece = 256 << 10
)

// dispatch runs an operation. It returns the approximate size of the response and the function that sends it.
func (t *transport) dispatch(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor,
	params *graphql.RawParams, media string) (bytes int, respond func()) {
	ctx := r.Context()
	// does not refer to what the operation has read, so that its memory can be freed while the response is
	// sent
	outer := ctx
	op, errs := exec.CreateOperationContext(ctx, params)
	if errs != nil {
		response := exec.DispatchError(graphql.WithOperationContext(ctx, op), errs)
		return 0, func() { refuse(w, requestError(media), errs, response.Errors) }
	}
	if r.Method == http.MethodGet && op.Operation.Operation != ast.Query {
		return 0, func() {
			w.Header().Set("Allow", http.MethodPost)
			refuseAs(w, r, http.StatusMethodNotAllowed,
				tracker.Bad("", "GET is for queries only; send a mutation by POST"))
		}
	}
	responses, ctx := exec.DispatchOperation(ctx, op)
	response := responses(ctx)
	if Gone(ctx) {
		return 0, func() {}
	}
	refused := operation.From(ctx).Refused
	if response == nil { // no time was left to start it
		refused = &tracker.Error{Code: tracker.Unavailable, RetryAfter: time.Second, Cause: ctx.Err()}
		response = &graphql.Response{Errors: gqlerror.List{t.present(ctx, ctx.Err())}}
	}
	if refused != nil {
		return 0, func() { refuse(w, requestError(media), refused, response.Errors) }
	}
	return len(response.Data), func() { send(outer, w, response) }
}

func setResponseType(w http.ResponseWriter, media string) {
	w.Header().Set("Content-Type", media+"; charset=utf-8")
}

// requestError returns the status of a well-formed request that cannot be executed, for a media type of the
// response.
func requestError(media string) int {
	if media == mediaResponse {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// decodeBody decodes the request. Its errors are sent to the client and repeat nothing of the body. It
// rejects invalid UTF-8, which encoding/json would replace by U+FFFD.
func decodeBody(r *http.Request, params *graphql.RawParams) (status int, err error) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = guard.HoldValues(r.Context(), len(body))
	}
	if err == nil && !utf8.Valid(body) {
		err = errors.New("not UTF-8")
	}
	if err == nil {
		err = decodeWhole(bytes.NewReader(body), params)
	}
	if e, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		size := fmt.Sprint(r.ContentLength)
		if r.ContentLength <= e.Limit { // of unknown length
			size = fmt.Sprintf("more than %d", e.Limit)
		}
		return http.StatusRequestEntityTooLarge,
			tracker.Bad("", "bytes of the body: %s; the limit (Body) is %d, set by --limit-body: send fewer "+
				"values at once, or each long string on its own, and characters as UTF-8 rather than as \\u "+
				"escapes", size, e.Limit)
	}
	if _, beyondLimit := errors.AsType[*tracker.Error](err); beyondLimit {
		return http.StatusBadRequest, err
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		should := "a JSON object"
		if wrong.Type.Kind() == reflect.String {
			should = "a string"
		}
		return http.StatusBadRequest, tracker.Bad("", "`%s` of the request must be %s, or null", wrong.Field,
			should)
	}
	if err != nil {
		return http.StatusBadRequest, tracker.Bad("",
			"the body of the request is not a JSON object in UTF-8 with a query, and optionally "+
				"variables, operationName and extensions")
	}
	if params.Query == "" && params.Extensions[guard.PersistedKey] == nil {
		return http.StatusBadRequest, tracker.Bad("", "the body of the request has no query")
	}
	return 0, nil
}

// decodeWhole decodes JSON up to EOF. Numbers stay json.Number.
func decodeWhole(r io.Reader, into any) error {
	decoder := json.NewDecoder(r)
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return cmp.Or(err, errors.New("unexpected data after the JSON value"))
	}
	return nil
}

// refuse sends the errors of a request that is not executed because of err. If capacity is lacking, its
// status is that of the error's code instead of the given one, and the client learns when to retry.
func refuse(w http.ResponseWriter, status int, err error, shown gqlerror.List) {
	var after time.Duration
	if e, ok := errors.AsType[*tracker.Error](err); ok &&
		(e.Code == tracker.RateLimited || e.Code == tracker.Unavailable) {
		status, after = refusal.Status(e.Code), e.RetryAfter
	}
	refusal.WriteStatus(w, status, shown, after)
}

// refuseAs sends an error response with the given status.
func refuseAs(w http.ResponseWriter, r *http.Request, status int, err error) {
	setResponseType(w, cmp.Or(responseType(r), mediaJSON))
	refusal.WriteStatus(w, status, gqlerror.List{{Message: err.Error(),
		Extensions: map[string]any{"code": tracker.BadInput}}}, 0)
}

// send sends a response, whose data is already JSON.
func send(ctx context.Context, w http.ResponseWriter, response *graphql.Response) {
	around, err := json.Marshal(struct {
		Errors     gqlerror.List  `json:"errors,omitempty"`
		Extensions map[string]any `json:"extensions,omitempty"`
	}{response.Errors, response.Extensions})
	if err != nil {
		refusal.WriteStatus(w, http.StatusInternalServerError, gqlerror.List{{Message: "internal error"}}, 0)
		return
	}
	data := response.Data
	if len(data) == 0 {
		data = []byte("null")
	}
	head := []byte(`{"data":`)
	w.Write(head)
	for len(data) > 0 && !Gone(ctx) { // in pieces, to stop compressing when the client disconnects
		n := min(len(data), sendPiece)
		w.Write(data[:n])
		data = data[n:]
	}
	if len(around) > len("{}") {
		around[0] = ','
	} else {
		around = around[1:]
	}
	w.Write(around)
}
