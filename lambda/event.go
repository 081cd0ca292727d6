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

// defaultStage is the stage of an HTTP API whose name is not in the paths.
const defaultStage = "$default"

// request is the request that an event is about, as a server would have it. Headers that were sent several
// times are one here, joined by commas, because that is how events have them; cookies are apart in events.
func request(ctx context.Context, e *events.APIGatewayV2HTTPRequest) (*http.Request, error) {
	body := []byte(e.Body)
	if e.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(e.Body); err != nil {
			return nil, fmt.Errorf("the event's body is not base64")
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
	// function URLs have the path as it was sent, HTTP APIs decoded
	if decoded, err := url.PathUnescape(target.Path); err == nil {
		target.Path, target.RawPath = decoded, target.Path
	}
	r, err := http.NewRequestWithContext(ctx, about.HTTP.Method, "/", bytes.NewReader(body))
	if err != nil || about.HTTP.Method == "" {
		return nil, fmt.Errorf("the event has no method that HTTP has")
	}
	// not parsed: a path that begins with two slashes would have a host
	r.URL, r.RequestURI = target, target.RequestURI()
	for name, value := range e.Headers {
		r.Header.Set(name, value)
	}
	if len(e.Cookies) > 0 {
		r.Header.Set("Cookie", strings.Join(e.Cookies, "; "))
	}
	r.Host = r.Header.Get("Host") // which net/http keeps apart, too
	r.Header.Del("Host")
	if r.Host == "" {
		r.Host = about.DomainName
	}
	r.RemoteAddr = net.JoinHostPort(about.HTTP.SourceIP, "0")
	return r, nil
}
