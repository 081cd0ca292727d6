package lambda_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"issuegrid/internal/lambda"
)

// event is AWS's documented example of payload format 2.0, with another method, path and body.
const event = `{
  "version": "2.0",
  "routeKey": "$default",
  "rawPath": "/path/to/resource",
  "rawQueryString": "parameter1=value1&parameter1=value2&parameter2=a%2Fb+c",
  "cookies": ["cookie1=a", "cookie2=b"],
  "headers": {"header1": "value1", "header2": "value1,value2", "host": "api.example.com", "content-type": "application/json"},
  "queryStringParameters": {"parameter1": "value1,value2", "parameter2": "a/b c"},
  "requestContext": {
    "accountId": "123456789012", "apiId": "api-id", "domainName": "id.execute-api.us-east-1.amazonaws.com", "domainPrefix": "id",
    "http": {"method": "POST", "path": "/path/to/resource", "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "agent"},
    "requestId": "id", "routeKey": "$default", "stage": "$default", "time": "12/Mar/2020:19:03:58 +0000", "timeEpoch": 1583348638390
  },
  "body": "SGVsbG8sIHfDtnJsZCE=",
  "isBase64Encoded": true
}`

type (
	request  = events.APIGatewayV2HTTPRequest
	response = events.APIGatewayV2HTTPResponse
)

// invoke alters the event and handles it with h.
func invoke(t *testing.T, alter func(*request), h http.HandlerFunc) (response, error) {
	t.Helper()
	e := parsed[request](t, []byte(event))
	alter(&e)
	payload, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	out, err := lambda.Adapter{Handler: h}.Invoke(t.Context(), payload)
	if err != nil {
		return response{}, err
	}
	return parsed[response](t, out), nil
}

func parsed[T any](t *testing.T, text []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// seen is what a handler receives of a request.
type seen struct {
	Method, Path, Query, Host, Remote, Body string
	Header                                  http.Header
	Length                                  int64
}

// see returns a handler that records the request.
func see(t *testing.T, into *seen) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		*into = seen{r.Method, r.URL.Path, r.URL.RawQuery, r.Host, r.RemoteAddr, string(body), r.Header,
			r.ContentLength}
	}
}

// TestRequest checks how events are converted into requests.
func TestRequest(t *testing.T) {
	whole := seen{"POST", "/path/to/resource", "parameter1=value1&parameter1=value2&parameter2=a%2Fb+c",
		"api.example.com", "192.0.2.1:0", "Hello, wörld!",
		http.Header{"Header1": {"value1"}, "Header2": {"value1,value2"}, "Content-Type": {"application/json"},
			"Cookie": {"cookie1=a; cookie2=b"}}, 14}
	for name, test := range map[string]struct {
		alter func(*request)
		want  func(*seen)
	}{
		"as documented": {func(*request) {}, func(*seen) {}},
		"a plain body": {func(e *request) { e.Body, e.IsBase64Encoded = `{"query": "{a}"}`, false },
			func(s *seen) { s.Body, s.Length = `{"query": "{a}"}`, 16 }},
		"no body": {func(e *request) { e.Body = "" }, func(s *seen) { s.Body, s.Length = "", 0 }},
		"a method": {func(e *request) { e.RequestContext.HTTP.Method = "GET" },
			func(s *seen) { s.Method = "GET" }},
		"no query":        {func(e *request) { e.RawQueryString = "" }, func(s *seen) { s.Query = "" }},
		"no path":         {func(e *request) { e.RawPath = "" }, func(s *seen) { s.Path = "/" }},
		"an encoded path": {func(e *request) { e.RawPath = "/a%20b" }, func(s *seen) { s.Path = "/a b" }},
		"a decoded path":  {func(e *request) { e.RawPath = "/a b%" }, func(s *seen) { s.Path = "/a b%" }},
		"a path like a host": {func(e *request) { e.RawPath = "//evil.example/x" },
			func(s *seen) { s.Path = "//evil.example/x" }},
		"a stage": {func(e *request) { e.RequestContext.Stage, e.RawPath = "prod", "/prod/graphql" },
			func(s *seen) { s.Path = "/graphql" }},
		"a path that begins like a stage": {
			func(e *request) { e.RequestContext.Stage, e.RawPath = "prod", "/production" },
			func(s *seen) { s.Path = "/production" }},
		"no host": {func(e *request) { delete(e.Headers, "host") },
			func(s *seen) { s.Host = "id.execute-api.us-east-1.amazonaws.com" }},
		"no cookies": {func(e *request) { e.Cookies = nil }, func(s *seen) { s.Header.Del("Cookie") }},
		"IPv6": {func(e *request) { e.RequestContext.HTTP.SourceIP = "2001:db8::1" },
			func(s *seen) { s.Remote = "[2001:db8::1]:0" }},
	} {
		t.Run(name, func(t *testing.T) {
			want := whole
			want.Header = whole.Header.Clone()
			test.want(&want)
			var got seen
			if _, err := invoke(t, test.alter, see(t, &got)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNoRequest checks that invalid events are errors of the function and reach no handler.
func TestNoRequest(t *testing.T) {
	for name, payload := range map[string]string{
		"a schedule":   `{"version": "0", "source": "aws.events", "detail-type": "Scheduled Event"}`,
		"a REST API":   `{"resource": "/", "path": "/", "httpMethod": "GET", "headers": {}}`,
		"format 1.0":   strings.Replace(event, `"2.0"`, `"1.0"`, 1),
		"no object":    `"x"`,
		"nothing":      ``,
		"bad base64":   strings.Replace(event, "SGVsbG8", "%%%%", 1),
		"no method":    strings.Replace(event, `"method": "POST", `, "", 1),
		"a bad method": strings.Replace(event, `"POST"`, `"P OST"`, 1),
	} {
		out, err := lambda.Adapter{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			t.Errorf("%s was handled", name)
		})}.Invoke(t.Context(), []byte(payload))
		if err == nil || strings.Contains(err.Error(), "aws.events") {
			t.Errorf("%s: %s, %v", name, out, err)
		}
	}
}

// TestResponse checks how responses are converted into results.
func TestResponse(t *testing.T) {
	binary := []byte{0xff, 0x00, 0xfe}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, "text")
	z.Close()
	plain := map[string]string{"Content-Type": "text/plain; charset=utf-8"}
	for name, test := range map[string]struct {
		method string
		h      http.HandlerFunc
		want   response
	}{
		"text": {"GET", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "wörld")
			io.WriteString(w, "!")
		}, response{StatusCode: 200, Headers: plain, Body: "wörld!"}},
		"nothing": {"GET", func(http.ResponseWriter, *http.Request) {},
			response{StatusCode: 200}},
		"a status": {"GET", func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "no", http.StatusServiceUnavailable)
		}, response{StatusCode: 503,
			Headers: map[string]string{"Content-Type": "text/plain; charset=utf-8",
				"X-Content-Type-Options": "nosniff"}, Body: "no\n"}},
		"headers several times, and cookies": {"GET", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Add("Vary", "Origin")
			w.Header().Add("Vary", "Accept-Encoding")
			w.Header().Add("Set-Cookie", "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT")
			w.Header().Add("Set-Cookie", "b=2")
			w.WriteHeader(204)
			w.Header().Set("Too", "late")
			w.WriteHeader(500)
		}, response{StatusCode: 204,
			Headers: map[string]string{"Vary": "Origin, Accept-Encoding"},
			Cookies: []string{"a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "b=2"}}},
		"early hints": {"GET", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(103)
			w.WriteHeader(404)
		}, response{StatusCode: 404}},
		"binary": {"GET", func(w http.ResponseWriter, r *http.Request) {
			w.Write(binary)
		}, response{StatusCode: 200, Headers: plain,
			Body: base64.StdEncoding.EncodeToString(binary), IsBase64Encoded: true}},
		"compressed": {"GET", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(zipped.Bytes())
		}, response{StatusCode: 200,
			Headers: map[string]string{"Content-Encoding": "gzip"},
			Body:    base64.StdEncoding.EncodeToString(zipped.Bytes()), IsBase64Encoded: true}},
		"HEAD": {"HEAD", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "text")
		}, response{StatusCode: 200, Headers: plain}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := invoke(t, func(e *request) {
				e.RequestContext.HTTP.Method = test.method
			}, test.h)
			if err != nil {
				t.Fatal(err)
			}
			if test.want.Headers == nil {
				test.want.Headers = map[string]string{}
			}
			if name == "binary" {
				test.want.Headers = map[string]string{"Content-Type": http.DetectContentType(binary)}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("response (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLargeResponse checks a response that just fits into Lambda's limit, and responses that exceed it.
func TestLargeResponse(t *testing.T) {
	for _, test := range []struct {
		body string
		want int
	}{{strings.Repeat("x", lambda.MaxResponse-200), 200}, {strings.Repeat(`"`, lambda.MaxResponse/2), 400},
		{strings.Repeat("\xff", lambda.MaxResponse*3/4), 400}} {
		got, err := invoke(t, func(*request) {}, func(w http.ResponseWriter,
			r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Vary", "Origin")
			io.WriteString(w, test.body)
		})
		if err != nil || got.StatusCode != test.want || got.Headers["Vary"] != "Origin" {
			t.Errorf("%d bytes that begin with %q: status %d, %v, %v", len(test.body), test.body[:1],
				got.StatusCode, got.Headers, err)
		}
		if test.want == 200 {
			continue
		}
		var body struct {
			Errors []struct {
				Message    string
				Extensions struct{ Code string }
			}
		}
		if err := json.Unmarshal([]byte(got.Body), &body); err != nil || len(body.Errors) != 1 ||
			body.Errors[0].Extensions.Code != "BAD_USER_INPUT" ||
			!strings.Contains(body.Errors[0].Message, "6291456") ||
			got.Headers["Content-Type"] != "application/json" {
			t.Errorf("%v, %+v, %v", got.Headers, body, err)
		}
	}
}

// TestDeadline checks that the context of a request ends before its invocation.
func TestDeadline(t *testing.T) {
	end := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(t.Context(), end)
	defer cancel()
	handled := false
	_, err := lambda.Adapter{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handled = true
		if got, ok := r.Context().Deadline(); !ok || !got.Equal(end.Add(-500*time.Millisecond)) {
			t.Errorf("deadline %s, %t, of an invocation until %s", got, ok, end)
		}
	})}.Invoke(ctx, []byte(event))
	if err != nil || !handled {
		t.Errorf("%t, %v", handled, err)
	}
}
