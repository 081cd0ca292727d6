package harness

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Scrape reads a page of metrics in the Prometheus format and returns the values of the series by their names
// and labels.
func Scrape(t testing.TB, url string) map[string]float64 {
	t.Helper()
	status, text := Get(t, url)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, text)
	}
	series := map[string]float64{}
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, "#") {
			continue
		}
		at := strings.LastIndex(l, " ")
		value, err := strconv.ParseFloat(strings.TrimSpace(l[at:]), 64)
		if err != nil {
			t.Fatalf("%q: %v", l, err)
		}
		series[l[:at]] = value
	}
	return series
}
