package dynamotest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// Tape records BatchWriteItem requests, so that a benchmark can repeat them as bare calls, without what it
// measures: lookups, encoding, signing. It is switched on and off only while no request is under way.
type Tape struct {
	next     http.RoundTripper
	on       bool
	mu       sync.Mutex
	requests []recorded
}

type recorded struct {
	header http.Header
	body   []byte
}

// Around is a dynamo.Settings.Transport.
func (t *Tape) Around(next http.RoundTripper) http.RoundTripper {
	t.next = next
	return t
}

// RoundTrip implements http.RoundTripper.
func (t *Tape) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.on && strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".BatchWriteItem") {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		t.mu.Lock()
		t.requests = append(t.requests, recorded{header: r.Header.Clone(), body: body})
		t.mu.Unlock()
	}
	return t.next.RoundTrip(r)
}

// Record starts the recording.
func (t *Tape) Record() { t.on = true }

// Stop ends the recording, and returns the number of items that the recorded requests write.
func (t *Tape) Stop() (items int) {
	t.on = false
	for _, r := range t.requests {
		items += bytes.Count(r.body, []byte(`"PutRequest"`))
	}
	return items
}

// bareClients is the number of parallel calls, the maximum of an import.
const bareClients = 16

// Rename replaces a part of the keys in the recorded requests by another of the same length, so that Replay
// writes other items.
func (t *Tape) Rename(from, to string) {
	for i := range t.requests {
		t.requests[i].body = bytes.ReplaceAll(t.requests[i].body, []byte(from), []byte(to))
	}
}

// Replay sends the recorded requests to an engine. It fails the benchmark if an item was not written.
func (t *Tape) Replay(b *testing.B, endpoint string) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: bareClients}}
	defer client.CloseIdleConnections()
	next := make(chan recorded)
	var group sync.WaitGroup
	for range bareClients {
		group.Go(func() {
			for r := range next {
				request, err := http.NewRequest(http.MethodPost, endpoint, bytes.NewReader(r.body))
				if err != nil {
					b.Error(err)
					continue
				}
				request.Header = r.header
				answer, err := client.Do(request)
				if err != nil {
					b.Error(err)
					continue
				}
				body, err := io.ReadAll(answer.Body)
				answer.Body.Close()
				if err != nil || answer.StatusCode != http.StatusOK ||
					bytes.Contains(body, []byte(`"PutRequest"`)) {
					b.Errorf("a bare call failed: %d %v %s", answer.StatusCode, err, body)
				}
			}
		})
	}
	for _, r := range t.requests {
		next <- r
	}
	close(next)
	group.Wait()
}
