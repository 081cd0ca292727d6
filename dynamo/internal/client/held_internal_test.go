package client

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"issuegrid/internal/account"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

// canned is a transport whose responses all have the same body, with or without its length.
type canned struct {
	body   string
	length int64
}

func (a canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(a.body)),
		ContentLength: a.length}, nil
}

// TestMemoryIsReservedFirst checks that a response is read only after its memory has been reserved, that
// closing it releases the memory for decoding, and that the end of the operation releases the rest. A
// response without enough memory is not read and keeps nothing reserved.
func TestMemoryIsReservedFirst(t *testing.T) {
	const size = 200 << 10
	text := strings.Repeat("x", size)
	for name, length := range map[string]int64{"length": size, "no length": -1} {
		t.Run(name, func(t *testing.T) {
			held := int64(size)
			if length < 0 {
				held = 4 * unknownLength // 200 KiB in steps
			}
			m := traffic.NewMemory(100 << 20)
			a := account.New("acme", account.Limits{Memory: Decoding * held}, m, nil)
			ctx := account.With(t.Context(), a)
			send := func() (*http.Response, error) {
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/", http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				return (&httpClient{canned{text, length}}).Do(r)
			}
			want := func(what string, bytes int64) {
				t.Helper()
				if now, _ := a.Held(); now != bytes {
					t.Errorf("%s: %d bytes reserved, want %d", what, now, bytes)
				}
			}
			response, err := send()
			if err != nil {
				t.Fatal(err)
			}
			want("while it is decoded", Decoding*held)
			_, err = send()
			if e, ok := errors.AsType[*unreadError](err); !ok || !errors.Is(err, account.ErrMemory) ||
				tracker.CodeOf(Translate(err)) != tracker.BadInput || e.bytes < unknownLength ||
				reasonOf(err) != refused {
				t.Errorf("%v", err)
			}
			want("after one that there was no room for", Decoding*held)
			var got bytes.Buffer
			if _, err := got.ReadFrom(response.Body); err != nil || got.String() != text {
				t.Errorf("%v, %d bytes", err, got.Len())
			}
			response.Body.Close()
			response.Body.Close()
			want("decoded", decoded*held)
			if a.CPU() < size*account.ByteCPU {
				t.Errorf("it took %s", a.CPU())
			}
			a.Close()
			if s := m.State(); s.Used != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestUnreadIsCharged checks that a response that was not read is charged.
func TestUnreadIsCharged(t *testing.T) {
	var b bill
	b.attempt(true, refused, &unreadError{cause: errors.New("x"), bytes: 1 << 20})
	if c := b.unreported(nil, false); c != (account.Capacity{RCU: 128}) {
		t.Errorf("%+v", c)
	}
}
