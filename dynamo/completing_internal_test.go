package dynamo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	smithyhttp "github.com/aws/smithy-go/transport/http"

	"issuegrid/account"
	"issuegrid/traffic"
)

// TestNotDecodedForNobody: the response to a call whose caller has gone is not decoded, and is billed by its bytes; that to any other call is.
func TestNotDecodedForNobody(t *testing.T) {
	body := `{"Items":[` + strings.TrimSuffix(strings.Repeat(`{"a":{"S":"x"}},`, 20_000), ",") + `]}`
	for _, gone := range []bool{false, true} {
		var over atomic.Bool
		over.Store(gone)
		response := &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte(body)))}}
		page, err := decodeResponse(context.WithValue(t.Context(), overKey{}, &over), memberItems, response)
		unread, refusedAsUnread := errors.AsType[*unreadError](err)
		if refusedAsUnread != gone || gone && unread.bytes != int64(len(body)) || !gone && (err != nil || len(page.items) != 20_000) {
			t.Errorf("gone %t: %v", gone, err)
		}
	}
}

// TestCompleting: what completes a change goes on when its caller has gone and its operation has used all that it may, holds memory that all share, and gives it
// back.
func TestCompleting(t *testing.T) {
	m := traffic.NewMemory(100 << 20)
	a := account.New("acme", account.Limits{CPU: time.Millisecond, Memory: 10}, m, nil)
	a.Spend(time.Second)
	gone, leave := context.WithCancel(account.With(t.Context(), a))
	leave()
	ctx, end := completing(gone)
	of := account.From(ctx)
	if err := errors.Join(ctx.Err(), of.Check(ctx), of.Hold(ctx, 1<<20)); err != nil {
		t.Error(err)
	}
	if _, bounded := ctx.Deadline(); !bounded || m.State().Used != 1<<20 {
		t.Errorf("%+v", m.State())
	}
	end()
	if m.State().Used != 0 || ctx.Err() == nil {
		t.Errorf("in the end %+v, %v", m.State(), ctx.Err())
	}
}
