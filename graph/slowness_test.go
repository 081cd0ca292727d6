package graph_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// usualTime is the CPU time for which cpuLimit allows the work of slowness.
const usualTime = 7 * time.Millisecond

// lately is the last result of slowness, which is valid for a second.
var lately struct {
	at       time.Time
	slowness float64
}

// slowness returns how much longer than usual the machine now takes for the same work, at least 1: machines
// differ, and other virtual machines on the same processor slow this one down. The work is to decode 450 KB
// of JSON with the standard library.
func slowness(t testing.TB) float64 {
	t.Helper()
	if time.Since(lately.at) < time.Second {
		return lately.slowness
	}
	least := time.Duration(0)
	for n := range 5 {
		var v map[string]any
		before := cpu(t)
		if err := json.Unmarshal(slownessJSON, &v); err != nil {
			t.Fatal(err)
		}
		if took := cpu(t) - before; n == 0 || took < least {
			least = took
		}
	}
	lately.at, lately.slowness = time.Now(), max(1, float64(least)/float64(usualTime))
	return lately.slowness
}

// usual converts a CPU time that was just measured to what it usually is.
func usual(t testing.TB, took time.Duration) time.Duration {
	t.Helper()
	return time.Duration(float64(took) / slowness(t))
}

var slownessJSON = func() []byte {
	m := map[string]any{}
	for n := range 10_000 {
		m[fmt.Sprint("key", n)] = []any{n, "a text of some words", true}
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}()
