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
	"issuegrid/tracker"
)

// postJSON is GraphQL over HTTP POST, as the specification of that name has it: 200 for whatever a well-formed request comes to when the
// client takes application/json, 400 for a request error when it takes application/graphql-response+json, no `data` beside a
// request error, and 400 or 413 for a body that is no GraphQL request. gqlgen's own transport also parses the answer once more
// before it sends it.
type postJSON struct{ *transport }

// Supports takes JSON in UTF-8; anything else is left to otherRequests. A header Upgrade is ignored, as HTTP allows: clients that would like to
// speak HTTP/2 send one with every request.
func (postJSON) Supports(r *http.Request) bool {
	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset, encoding := parameters["charset"], r.Header.Get("Content-Encoding")
	return r.Method == http.MethodPost && err == nil && media == mediaJSON && (charset == "" || strings.EqualFold(charset, "utf-8")) &&
		(encoding == "" || strings.EqualFold(encoding, "identity"))
}

// Do executes the operation of the body.
func (t postJSON) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	params := &graphql.RawParams{ReadTime: graphql.TraceTiming{Start: graphql.Now()}}
	if status, err := decodeBody(r, params); err != nil {
		if busy := busyBy(err); busy != nil {
			setAnswerType(w, cmp.Or(answerType(r), mediaJSON))
			busy.answer(w, 0, gqlerror.List{t.present(r.Context(), err)})
			return
		}
		refuseAs(w, r, status, err)
		return
	}
	t.execute(w, r, exec, params)
}

// execute answers a request that was read.
func (t *transport) execute(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor, params *graphql.RawParams) {
	media := answerType(r)
	if media == "" {
		refuseAs(w, r, http.StatusNotAcceptable, tracker.Bad("", "answers are %s or %s; the header `Accept` must take one of them", mediaJSON, mediaResponse))
		return
	}
	setAnswerType(w, media)
	params.Headers = r.Header
	params.ReadTime.End = graphql.Now()
	ctx := r.Context()
	answered := func(int) {}
	if t.options.Enter != nil {
		place, err := t.options.Enter(ctx)
		switch {
		case err != nil && Gone(ctx):
			return
		case err != nil:
			stopped := refusal{status: http.StatusServiceUnavailable, after: tracker.RetryAfter(err)}
			stopped.answer(w, 0, gqlerror.List{t.present(ctx, err)})
			return
		}
		defer place.Leave()
		answered = place.Answered
	}
	bytes, answer := t.dispatch(w, r, exec, params, media)
	answered(bytes)
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(sendTime + time.Duration(bytes/slowest)*time.Second))
	answer()
}

const (
	// sendTime and a second for each slowest bytes is how long a client may take for an answer, which is in memory until then.
	sendTime = 15 * time.Second
	slowest  = 64 << 10
	// sendPiece is how much of an answer is written at once.
	sendPiece = 256 << 10
)

// dispatch runs an operation, and returns what sends its answer, and about how many bytes that has.
func (t *transport) dispatch(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor, params *graphql.RawParams, media string) (bytes int, answer func()) {
	ctx := r.Context()
	outer := ctx // which does not lead to what the operation has read, so that it can go while the answer is sent
	op, errs := exec.CreateOperationContext(ctx, params)
	if errs != nil {
		response := exec.DispatchError(graphql.WithOperationContext(ctx, op), errs)
		if busy := busyBy(errs); busy != nil {
			return 0, func() { busy.answer(w, 0, response.Errors) }
		}
		return 0, func() { refuse(w, requestError(media), response.Errors) }
	}
	if r.Method == http.MethodGet && op.Operation.Operation != ast.Query {
		return 0, func() {
			w.Header().Set("Allow", http.MethodPost)
			refuseAs(w, r, http.StatusMethodNotAllowed, tracker.Bad("", "a GET request takes queries only; send a mutation by POST"))
		}
	}
	var stopped refusal
	responses, ctx := exec.DispatchOperation(context.WithValue(ctx, refusalKey{}, &stopped), op)
	response := responses(ctx)
	switch {
	case Gone(ctx):
		return 0, func() {}
	case response == nil: // there was no time left to begin with it
		stopped = refusal{refused: true, status: http.StatusServiceUnavailable, after: time.Second}
		response = &graphql.Response{Errors: gqlerror.List{t.present(ctx, ctx.Err())}}
		fallthrough
	case stopped.refused:
		return 0, func() { stopped.answer(w, requestError(media), response.Errors) }
	}
	return len(response.Data), func() { send(outer, w, response) }
}

func setAnswerType(w http.ResponseWriter, media string) {
	w.Header().Set("Content-Type", media+"; charset=utf-8")
}

// requestError is the status of a well-formed request that can't be executed, which depends on the media type of the answer.
func requestError(media string) int {
	if media == mediaResponse {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// decodeBody reads the request. The error is for the client and repeats nothing of the body. What is not UTF-8 is refused, because
// encoding/json would put U+FFFD in its place, which then is stored.
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
		if r.ContentLength <= e.Limit { // it was not told
			size = fmt.Sprintf("more than %d", e.Limit)
		}
		return http.StatusRequestEntityTooLarge, tracker.Bad("", "bytes of the body: %s; the limit (Body) is %d: send fewer values at once, or long texts each by themselves", size, e.Limit)
	}
	if _, beyondLimit := errors.AsType[*tracker.Error](err); beyondLimit {
		return http.StatusBadRequest, err
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		should := "a JSON object"
		if wrong.Type.Kind() == reflect.String {
			should = "a string"
		}
		return http.StatusBadRequest, tracker.Bad("", "`%s` of the request must be %s, or null", wrong.Field, should)
	}
	if err != nil {
		return http.StatusBadRequest, tracker.Bad("", "the body of the request is not a JSON object in UTF-8 with a query, and optionally "+
			"variables, operationName and extensions")
	}
	if params.Query == "" && params.Extensions[guard.PersistedKey] == nil {
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
	setAnswerType(w, cmp.Or(answerType(r), mediaJSON))
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
func send(ctx context.Context, w http.ResponseWriter, response *graphql.Response) {
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
	for len(data) > 0 && !Gone(ctx) { // in pieces, because they are compressed, which is of no use when the client has gone
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
