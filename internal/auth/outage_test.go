package auth_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"issuegrid/internal/auth"
	"issuegrid/tracker"
)

// TestOutage checks that the last keys stay, and a new key stays unknown, while the issuer's responses are
// not usable, and that new keys are found when it works again.
func TestOutage(t *testing.T) {
	t.Parallel()
	var c clock
	fresh := edKey()
	freshSet := jwks(jwk(fresh.public, "fresh", nil))
	p := newPublisher(t, issuerSet())
	v := p.verifier(t, &c)
	elsewhere := newPublisher(t, freshSet)
	for name, response := range map[string]http.HandlerFunc{
		"error": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			w.Write(freshSet)
		},
		"not OK": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			w.Write(freshSet)
		},
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusFound)
		},
		"empty":   func(http.ResponseWriter, *http.Request) {},
		"no keys": func(w http.ResponseWriter, _ *http.Request) { w.Write(jwks()) },
		"no usable keys": func(w http.ResponseWriter, _ *http.Request) {
			w.Write(jwks(unusable()["symmetric"].jwk))
		},
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Write(freshSet[:len(freshSet)-2])
		},
		"too long": func(w http.ResponseWriter, _ *http.Request) {
			w.Write(freshSet)
			w.Write(make([]byte, 1<<20))
		},
		"broken off": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		p.set(response)
		before := p.requests.Load()
		checkRejected(t, v, fresh.issue(change{"kid": "fresh"}, nil), msgUnknownKey)
		if p.requests.Load() == before {
			t.Errorf("%s: the JWK set was not requested", name)
		}
		for id, k := range issuerKeys() {
			checkAccepted(t, v, k.issue(change{"kid": id}, nil), ann)
		}
		c.advance(time.Minute)
	}
	elsewhere.checkRequests(t, 0)
	p.publish(freshSet)
	checkAccepted(t, v, fresh.issue(change{"kid": "fresh"}, change{"exp": c.now().Add(time.Hour).Unix()}),
		ann)
}

// TestNoKeysNoStart checks that a verifier cannot start if the JWK set cannot be read, and checks the
// messages.
func TestNoKeysNoStart(t *testing.T) {
	t.Parallel()
	// Nothing listens on port 1, and unlike the port of a server that was closed, no other server gets it.
	const closed = "http://127.0.0.1:1/keys"
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
		{"connection refused", closed, time.Minute, "connection refused"},
		{"not found", failing.URL, time.Minute, "the response has status 404"},
		{"moved", moved.URL, time.Minute,
			"it redirects (status 301), and redirects are not followed; set the final URL"},
		{"silent", silent.URL, 10 * time.Millisecond, "there was no response within 10ms"},
		{"never ends", dripping.URL, 50 * time.Millisecond, "there was no response within 50ms"},
		{"no file", missing, time.Minute, "open " + missing + ": no such file or directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := settings()
			s.JWKS, s.Timeout = test.jwks, test.timeout
			_, err := auth.New(t.Context(), s)
			e, _ := err.(*tracker.Error)
			if e == nil || e.Code != tracker.Unavailable || e.Path != "JWKS" ||
				!strings.HasPrefix(e.Message, "the JWK set of "+test.jwks+" can't be used: ") ||
				!strings.HasSuffix(e.Message, test.want) {
				t.Errorf("got %v\nwant ... %s", err, test.want)
			}
		})
	}
}

// TestReadCallback checks that Settings.Read receives the result of each read.
func TestReadCallback(t *testing.T) {
	t.Parallel()
	var c clock
	p := newPublisher(t, issuerSet())
	var results []error
	s := settings()
	s.JWKS, s.Now, s.Read = p.URL, c.now, func(err error) { results = append(results, err) }
	v := newVerifier(t, s)
	p.fails(http.StatusInternalServerError)
	checkRejected(t, v, edKey().issue(change{"kid": "fresh"}, nil), msgUnknownKey)
	p.publish(issuerSet())
	c.advance(time.Minute)
	checkRejected(t, v, edKey().issue(change{"kid": "fresh"}, change{"exp": c.now().Add(time.Hour).Unix()}),
		msgUnknownKey)
	if len(results) != 3 || results[0] != nil || results[1] == nil || results[2] != nil {
		t.Errorf("results %v", results)
	}
}
