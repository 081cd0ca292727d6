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

// MaxResponse is the maximum size of a result in bytes, encoded: what Lambda accepts from a function that
// does not stream.
const MaxResponse = 6 << 20

// response collects what a handler writes.
type response struct {
	header http.Header
	sent   http.Header // the headers when the handler wrote the status
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *response) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter. Only the first status counts, and informational ones do not.
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status, w.sent = status, w.header.Clone()
	}
}

// Write implements http.ResponseWriter.
func (w *response) Write(p []byte) (int, error) {
	if w.sent == nil && w.header.Get("Content-Type") == "" && w.header.Get("Content-Encoding") == "" {
		w.header.Set("Content-Type", http.DetectContentType(p))
	}
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// result returns the response in the form that Lambda accepts: UTF-8 as it is, everything else in base64.
func (w *response) result(method string) ([]byte, error) {
	w.WriteHeader(http.StatusOK)
	out, err := w.encode(method)
	if err != nil || len(out) <= MaxResponse {
		return out, err
	}
	message := fmt.Sprintf("the response has %d bytes, and AWS Lambda accepts %d: request fewer rows "+
		"or fields, or send Accept-Encoding: gzip; changes that a mutation has made are kept", len(out),
		MaxResponse)
	text, err := json.Marshal(map[string]any{
		"errors": []any{map[string]any{"message": message,
			"extensions": map[string]any{"code": tracker.BadInput}}}})
	if err != nil {
		return nil, err
	}
	for _, about := range []string{"Content-Encoding", "Content-Length", "ETag"} {
		w.sent.Del(about)
	}
	w.sent.Set("Content-Type", "application/json")
	w.status = http.StatusBadRequest
	w.body.Reset()
	w.body.Write(text)
	return w.encode(method)
}

func (w *response) encode(method string) ([]byte, error) {
	out := events.APIGatewayV2HTTPResponse{StatusCode: w.status, Headers: map[string]string{}}
	for name, values := range w.sent {
		if name == "Set-Cookie" { // each cookie is a header of its own, because dates contain commas
			out.Cookies = values
			continue
		}
		out.Headers[name] = strings.Join(values, ", ")
	}
	body := w.body.Bytes()
	if method == http.MethodHead || w.status == http.StatusNoContent || w.status == http.StatusNotModified {
		body = nil
	}
	if w.sent.Get("Content-Encoding") != "" || !utf8.Valid(body) {
		out.Body, out.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	} else {
		out.Body = string(body)
	}
	return json.Marshal(out)
}
