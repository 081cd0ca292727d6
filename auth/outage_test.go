package auth_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"issuegrid/auth"
	"issuegrid/tracker"
)

// TestOutage has answers that are of no use. The last keys stay (and the new key stays unknown); when the issuer is back, so is rotation.
func TestOutage(t *testing.T) {
	t.Parallel()
	var c clock
	fresh := edKey()
	freshSet := jwks(jwk(fresh.public, "fresh", nil))
	p := newPublisher(t, issuerSet())
	v := p.verifier(t, &c)
	elsewhere := newPublisher(t, freshSet)
	for name, answer := range map[string]http.HandlerFunc{
		"error": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			w.Write(freshSet)
		},
		"not OK":         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted); w.Write(freshSet) },
		"redirect":       func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) },
		"empty":          func(http.ResponseWriter, *http.Request) {},
		"no keys":        func(w http.ResponseWriter, _ *http.Request) { w.Write(jwks()) },
		"no usable keys": func(w http.ResponseWriter, _ *http.Request) { w.Write(jwks(unusable()["symmetric"].jwk)) },
		"cut off":        func(w http.ResponseWriter, _ *http.Request) { w.Write(freshSet[:len(freshSet)-2]) },
		"too long":       func(w http.ResponseWriter, _ *http.Request) { w.Write(freshSet); w.Write(make([]byte, 1<<20)) },
		"broken off":     func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		p.set(answer)
		before := p.asked.Load()
		refused(t, v, fresh.issue(change{"kid": "fresh"}, nil), saysUnknownKey)
		if p.asked.Load() == before {
			t.Errorf("%s: the JWK set was not asked for", name)
		}
		for id, k := range issuerKeys() {
			accepted(t, v, k.issue(change{"kid": id}, nil), ann)
		}
		c.advance(time.Minute)
	}
	elsewhere.wasAsked(t, 0)
	p.publish(freshSet)
	accepted(t, v, fresh.issue(change{"kid": "fresh"}, change{"exp": c.now().Add(time.Hour).Unix()}), ann)
}

// TestNoKeysNoStart has JWK sets that can't be read at the start, and what the operator is told.
func TestNoKeysNoStart(t *testing.T) {
	t.Parallel()
	closed := newPublisher(t, nil)
	closed.Close()
	failing := newPublisher(t, nil)
	failing.fails(http.StatusNotFound)
	moved := newPublisher(t, nil)
	moved.set(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusMovedPermanently)
	})
	silent := newPublisher(t, nil)
	silent.blocked(t, nil)
	dripping := newPublisher(t, nil)
	dripping.set(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("{"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	missing := t.TempDir() + "/keys.json"
	for _, test := range []struct {
		name, jwks string
		timeout    time.Duration
		want       string
	}{
		{"nobody listens", closed.URL, time.Minute, "connection refused"},
		{"not found", failing.URL, time.Minute, "the answer has the status 404"},
		{"moved", moved.URL, time.Minute, "it redirects (status 301), which is not followed; set the URL to which it leads"},
		{"silent", silent.URL, 10 * time.Millisecond, "there was no answer within 10ms"},
		{"never at its end", dripping.URL, 50 * time.Millisecond, "there was no answer within 50ms"},
		{"no file", missing, time.Minute, "open " + missing + ": no such file or directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := settings()
			s.JWKS, s.Timeout = test.jwks, test.timeout
			_, err := auth.New(t.Context(), s)
			e, _ := err.(*tracker.Error)
			if e == nil || e.Code != tracker.Unavailable || e.Path != "JWKS" || !strings.HasPrefix(e.Message, "the JWK set of "+test.jwks+" can't be used: ") ||
				!strings.HasSuffix(e.Message, test.want) {
				t.Errorf("got %v\nwant ... %s", err, test.want)
			}
		})
	}
}

// TestReadingsAreTold: of each reading somebody learns whether it succeeded.
func TestReadingsAreTold(t *testing.T) {
	t.Parallel()
	var c clock
	p := newPublisher(t, issuerSet())
	var told []error
	s := settings()
	s.JWKS, s.Now, s.Read = p.URL, c.now, func(err error) { told = append(told, err) }
	v := newVerifier(t, s)
	p.fails(http.StatusInternalServerError)
	refused(t, v, edKey().issue(change{"kid": "fresh"}, nil), saysUnknownKey)
	p.publish(issuerSet())
	c.advance(time.Minute)
	refused(t, v, edKey().issue(change{"kid": "fresh"}, change{"exp": c.now().Add(time.Hour).Unix()}), saysUnknownKey)
	if len(told) != 3 || told[0] != nil || told[1] == nil || told[2] != nil {
		t.Errorf("told %v", told)
	}
}
