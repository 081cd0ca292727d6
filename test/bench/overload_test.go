package bench

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

const (
	// healthRate is how many health checks a load contains each second.
	healthRate = 100
	// places is the number of operations that the server runs concurrently.
	places = 16
	// sharers is the number of tenants that share the server.
	sharers = 4
)

// loadTime returns the duration of each load in each round.
func loadTime() time.Duration {
	if testing.Short() {
		return 2 * time.Second
	}
	return 4 * time.Second
}

// shared is a server with several tenants, each of which has the same grid.
type shared struct {
	*server
	db             *dynamo.DB
	table          string
	tokens, bodies []string
}

func newShared(b *testing.B, flags ...string) *shared {
	db, _ := dynamotest.Open(b, grouped)
	secret, file := bytes.Repeat([]byte("s"), 32), filepath.Join(b.TempDir(), "secret")
	check(b, os.WriteFile(file, secret, 0o600))
	s := &shared{db: db, table: db.Table()}
	for n := range sharers {
		id := tracker.TenantID(fmt.Sprint(tenant, n))
		fillTenant(b, db, id, 300, benchFields)
		claims := jwt.MapClaims{"exp": time.Now().Add(time.Hour).Unix(), "iss": "bench", "aud": "grid",
			"tenant": string(id), "sub": "bench", "role": "reader"}
		token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(secret)
		check(b, err)
		s.tokens, s.bodies = append(s.tokens, token),
			append(s.bodies, fmt.Sprintf(`{"query":%q}`, gridQueryOf(id)))
	}
	s.server = startServer(b, s.table,
		append([]string{"--auth-secret-file", file, "--auth-issuer", "bench", "--auth-audience", "grid",
			"--log-format", "text", "--log-level", "error"}, flags...)...)
	s.client.Transport.(*http.Transport).MaxIdleConnsPerHost = 4096
	return s
}

// outcome is the outcome of a request.
type outcome struct {
	status int
	took   time.Duration
}

// load collects the outcomes of requests by tenant, and the latencies of the health checks between them.
type load struct {
	mu     sync.Mutex
	all    [sharers][]outcome
	health []time.Duration
}

// isAlive requests /livez once. No limit applies to it, and it does no work, so that its latency is what the
// machine adds to that of any request.
func (s *shared) isAlive(b *testing.B, l *load) {
	start := time.Now()
	response, err := s.client.Get(s.url + "/livez")
	if err != nil {
		b.Error(err)
		return
	}
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.health = append(l.health, time.Since(start))
}

// ask requests a page of tenant n once.
func (s *shared) ask(b *testing.B, l *load, n int) {
	start := time.Now()
	request, err := http.NewRequest(http.MethodPost, s.url+"/graphql", strings.NewReader(s.bodies[n]))
	if err != nil {
		b.Error(err)
		return
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+s.tokens[n])
	response, err := s.client.Do(request)
	if err != nil {
		b.Error(err)
		return
	}
	answer, err := io.ReadAll(response.Body)
	response.Body.Close()
	took := time.Since(start)
	if ok := bytes.Count(answer, []byte(`"num":`)) == 100; err != nil ||
		ok != (response.StatusCode == http.StatusOK) {
		b.Errorf("%s, %v: %.300s", response.Status, err, answer)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all[n] = append(l.all[n], outcome{response.StatusCode, took})
}

// clients runs each[n] clients of tenant n, which request one page after the other. In addition, it sends
// rates[n] requests per second for tenant n, regardless of their outcome.
func (s *shared) clients(b *testing.B, each [sharers]int, rates [sharers]float64) *load {
	l, end := &load{}, time.Now().Add(loadTime())
	var all sync.WaitGroup
	atRate := func(rate float64, request func()) {
		begun, tick := time.Now(), time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for sent := 0; time.Now().Before(end); <-tick.C {
			for due := int(rate * time.Since(begun).Seconds()); sent < due; sent++ {
				all.Go(request)
			}
		}
	}
	all.Go(func() { atRate(healthRate, func() { s.isAlive(b, l) }) })
	for n := range sharers {
		for range each[n] {
			all.Go(func() {
				for time.Now().Before(end) {
					s.ask(b, l, n)
				}
			})
		}
		if rates[n] > 0 {
			all.Go(func() { atRate(rates[n], func() { s.ask(b, l, n) }) })
		}
	}
	all.Wait()
	slices.Sort(l.health)
	return l
}

// latencies returns the sorted latencies of the requests of the given tenants that ended with the status.
func (l *load) latencies(status int, tenants ...int) (out []time.Duration) {
	for _, n := range tenants {
		for _, t := range l.all[n] {
			if t.status == status {
				out = append(out, t.took)
			}
		}
	}
	slices.Sort(out)
	return out
}

func at(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// BenchmarkOverload prints how the server behaves at ten times the load that it can serve, and how tenants
// fare while another tenant requests ten times its share. It fails if the p99 of rejections is too far above
// that of health checks under the same load, or if the p99 of tenants rises too much because of another one.
func BenchmarkOverload(b *testing.B) {
	s := newShared(b, "--concurrency", fmt.Sprint(places), "--tenant-rcu", "0")
	everybody, others := []int{0, 1, 2, 3}, []int{1, 2, 3}
	share := [sharers]int{places / sharers, places / sharers, places / sharers, places / sharers}
	s.clients(b, share, [sharers]float64{}) // warm up
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\tload\tanswered/s\tp50\tp99\trejected/s\tp50\tp99\tmost\t/livez p99\tMB\t\n")
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }
	row := func(name string, l *load, tenants []int) (ok []time.Duration) {
		ok = l.latencies(http.StatusOK, tenants...)
		no := l.latencies(http.StatusServiceUnavailable, tenants...)
		fmt.Fprintf(w, "%s\t%.0f\t%s\t%s\t%.0f\t%s\t%s\t%s\t%s\t%d\t\n", name,
			float64(len(ok))/loadTime().Seconds(), ms(at(ok, 0.5)), ms(at(ok, 0.99)),
			float64(len(no))/loadTime().Seconds(), ms(at(no, 0.5)), ms(at(no, 0.99)), ms(at(no, 1)),
			ms(at(l.health, 0.99)), s.PeakResident()>>20)
		return ok
	}
	p99 := func(l []time.Duration) float64 { return float64(at(l, 0.99)) }
	rejected := newRatio("rejected/health-p99")
	neighbors := newRatio("neighbors-p99")
	half, slowest := newRatio("accepted-p50"), newRatio("accepted-p99")
	for b.Loop() {
		hold(b, 3, func() {
			normal := row("all it can do", s.clients(b, share, [sharers]float64{}), everybody)
			rate := 10 * float64(len(normal)) / loadTime().Seconds() / sharers
			overloaded := s.clients(b, [sharers]int{}, [sharers]float64{rate, rate, rate, rate})
			over := row("ten times that", overloaded, everybody)
			quiet := row("the others of one", s.clients(b, share, [sharers]float64{}), others)
			noisy := row("at ten times its share",
				s.clients(b, [sharers]int{0, share[1], share[2], share[3]}, [sharers]float64{rate}), others)
			no := overloaded.latencies(http.StatusServiceUnavailable, everybody...)
			if len(no) == 0 {
				b.Error("ten times the load, and nothing was rejected")
			}
			rejected.add(p99(no) / p99(overloaded.health))
			neighbors.add(p99(noisy) / p99(quiet))
			half.add(float64(at(over, 0.5)) / float64(at(normal, 0.5)))
			slowest.add(p99(over) / p99(normal))
		}, rejected, neighbors, half, slowest)
	}
	check(b, w.Flush())
}
