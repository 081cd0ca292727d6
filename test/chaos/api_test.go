//go:build unix

package chaos_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"issuegrid/test/harness"
)

// api is a server that clients send requests to.
type api struct {
	client *http.Client
	// url waits until a server runs and returns its URL.
	url func() string
}

func newAPI(url func() string) *api {
	return &api{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64},
		Timeout: 2 * time.Minute}, url: url}
}

// failure is the reason why an operation, or a part of it, failed.
type failure struct {
	Code, Message string
	Conflict      struct{ CurrentVersion int64 }
}

func (f *failure) Error() string { return f.Code + ": " + f.Message }

// The codes of failures. lost means that there was no response.
const (
	lost        = "no answer"
	unavailable = "UNAVAILABLE"
	conflict    = "CONFLICT"
	notFound    = "NOT_FOUND"
	badInput    = "BAD_USER_INPUT"
)

// unknown reports whether the operation may have taken effect despite the failure.
func (f *failure) unknown() bool { return f.Code == lost || f.Code == unavailable }

// ask sends an operation and decodes its data.
func (a *api) ask(query string, variables map[string]any, into any) *failure {
	response, text, err := harness.Exchange(context.Background(), a.client, a.url(), "", query, variables)
	if response == nil || err != nil {
		return &failure{Code: lost, Message: err.Error()}
	}
	var answer struct {
		Data   json.RawMessage
		Errors []struct {
			Message    string
			Path       []any
			Extensions struct {
				Code     string
				Conflict struct{ CurrentVersion int64 }
			}
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return &failure{Code: "TEST", Message: fmt.Sprintf("%v: %.300s", err, text)}
	}
	if len(answer.Errors) > 0 {
		e := answer.Errors[0]
		return &failure{Code: e.Extensions.Code, Message: fmt.Sprintf("%s (at %v)", e.Message, e.Path),
			Conflict: e.Extensions.Conflict}
	}
	if err := json.Unmarshal(answer.Data, into); err != nil {
		return &failure{Code: "TEST", Message: fmt.Sprintf("%v: %.300s", err, answer.Data)}
	}
	return nil
}
