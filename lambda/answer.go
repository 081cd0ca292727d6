package lambda

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"issuegrid/tracker"
)

// MaxAnswer is the most bytes of a result: what Lambda takes from a function that does not stream, with the
// encoding that the result has.
const MaxAnswer = 6 << 20

// answer collects what a handler writes.
type answer struct {
	header http.Header
	sent   http.Header // as it was when the handler wrote the status
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter. Only the first status counts, and informational ones do not.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status, a.sent = status, a.header.Clone()
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	if a.sent == nil && a.header.Get("Content-Type") == "" && a.header.Get("Content-Encoding") == "" {
		a.header.Set("Content-Type", http.DetectContentType(p))
	}
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// result is the answer as Lambda takes it: text as it is, everything else in base64.
func (a *answer) result(method string) ([]byte, error) {
	a.WriteHeader(http.StatusOK)
	out, err := a.encode(method)
	if err != nil || len(out) <= MaxAnswer {
		return out, err
	}
	message := fmt.Sprintf("the answer has %d bytes, and one of AWS Lambda may have %d: ask for fewer rows "+
		"or fields, or with Accept-Encoding: gzip; "+
		"if a change was asked for, it was made", len(out), MaxAnswer)
	text, err := json.Marshal(map[string]any{
		"errors": []any{map[string]any{"message": message,
			"extensions": map[string]any{"code": tracker.BadInput}}}})
	if err != nil {
		return nil, err
	}
	for _, about := range []string{"Content-Encoding", "Content-Length", "ETag"} {
		a.sent.Del(about)
	}
	a.sent.Set("Content-Type", "application/json")
	a.status = http.StatusBadRequest
	a.body.Reset()
	a.body.Write(text)
	return a.encode(method)
}

func (a *answer) encode(method string) ([]byte, error) {
	r := events.APIGatewayV2HTTPResponse{StatusCode: a.status, Headers: map[string]string{}}
	for name, values := range a.sent {
		if name == "Set-Cookie" { // of which each is one, as their dates have commas
			r.Cookies = values
			continue
		}
		r.Headers[name] = strings.Join(values, ", ")
	}
	body := a.body.Bytes()
	if method == http.MethodHead || a.status == http.StatusNoContent || a.status == http.StatusNotModified {
		body = nil
	}
	if a.sent.Get("Content-Encoding") != "" || !utf8.Valid(body) {
		r.Body, r.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	} else {
		r.Body = string(body)
	}
	return json.Marshal(r)
}
