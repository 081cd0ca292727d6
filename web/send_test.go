package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"issuegrid/web"
)

// slow records the write deadline of a response, and the number of writes.
type slow struct {
	*httptest.ResponseRecorder
	deadline time.Time
	pieces   int
}

func (s *slow) SetWriteDeadline(at time.Time) error {
	s.deadline = at
	return nil
}

func (s *slow) Write(text []byte) (int, error) {
	s.pieces++
	return s.ResponseRecorder.Write(text)
}

// TestTimeToSend checks that a client has 15 seconds for a file plus 1 second for each 64 KiB sent, and that
// the file is written in one piece.
func TestTimeToSend(t *testing.T) {
	t.Parallel()
	mux := site()
	for _, p := range append(files(t), "/", "/playground") {
		for _, encoding := range []string{"identity", "gzip"} {
			r, w := httptest.NewRequest(http.MethodGet, p, nil),
				&slow{ResponseRecorder: httptest.NewRecorder()}
			r.Header.Set("Accept-Encoding", encoding)
			from := time.Now()
			mux.ServeHTTP(w, r)
			to, want := time.Now(), 15*time.Second+time.Duration(w.Body.Len()/65536)*time.Second
			if w.deadline.Before(from.Add(want)) || w.deadline.After(to.Add(want)) || w.pieces != 1 {
				t.Errorf("%s, %s: %d bytes in %d pieces, to be read within %s, want %s", p, encoding,
					w.Body.Len(), w.pieces, w.deadline.Sub(from), want)
			}
		}
	}
	w := &slow{ResponseRecorder: httptest.NewRecorder()}
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodHead, web.Licenses, nil))
	if !w.deadline.IsZero() || w.pieces != 0 {
		t.Errorf("HEAD has the deadline %s and %d writes, want none", w.deadline, w.pieces)
	}
}
