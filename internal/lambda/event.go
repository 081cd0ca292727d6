package lambda

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// defaultStage is the stage of an HTTP API whose name is not part of the paths.
const defaultStage = "$default"

// request converts an event into an HTTP request. Values of repeated headers are joined by commas, as in the
// event; cookies are separate in events.
func request(ctx context.Context, e *events.APIGatewayV2HTTPRequest) (*http.Request, error) {
	body := []byte(e.Body)
	if e.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(e.Body); err != nil {
			return nil, fmt.Errorf("the event's body is not valid base64")
		}
	}
	about := e.RequestContext
	path := e.RawPath
	if about.Stage != "" && about.Stage != defaultStage {
		if rest, ok := strings.CutPrefix(path, "/"+about.Stage); ok && (rest == "" || rest[0] == '/') {
			path = rest
		}
	}
	target := &url.URL{Path: cmp.Or(path, "/"), RawQuery: e.RawQueryString}
	// Function URLs send the path as it was received, HTTP APIs decode it.
	if decoded, err := url.PathUnescape(target.Path); err == nil {
		target.Path, target.RawPath = decoded, target.Path
	}
	r, err := http.NewRequestWithContext(ctx, about.HTTP.Method, "/", bytes.NewReader(body))
	if err != nil || about.HTTP.Method == "" {
		return nil, fmt.Errorf("the event has no valid HTTP method")
	}
	// The path is not parsed, because one that begins with two slashes would be taken for a host.
	r.URL, r.RequestURI = target, target.RequestURI()
	for name, value := range e.Headers {
		r.Header.Set(name, value)
	}
	if len(e.Cookies) > 0 {
		r.Header.Set("Cookie", strings.Join(e.Cookies, "; "))
	}
	r.Host = r.Header.Get("Host") // as net/http does for requests that it receives
	r.Header.Del("Host")
	if r.Host == "" {
		r.Host = about.DomainName
	}
	r.RemoteAddr = net.JoinHostPort(about.HTTP.SourceIP, "0")
	return r, nil
}
