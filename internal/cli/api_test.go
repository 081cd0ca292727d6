package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/tracker"
)

func TestParseOrigins(t *testing.T) {
	t.Parallel()
	got, err := parseOrigins([]string{"*", "HTTPS://A.example:443", "http://b.example:80",
		"capacitor://localhost", "http://a.example:443", "http://[::1]:80", "http://[::1]:8080"})
	if diff := cmp.Diff([]string{"*", "https://a.example", "http://b.example", "capacitor://localhost",
		"http://a.example:443", "http://[::1]", "http://[::1]:8080"}, got); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	for _, origin := range []string{"", "a.example", "a.example:443", "https://", "https://a.example/",
		"https://a.example/x", "https://a.example?q", "https://*.a.example",
		"https://u@a.example", "https://a.example:port", "//a.example", "null"} {
		if got, err := parseOrigins([]string{origin}); tracker.CodeOf(err) != tracker.BadInput {
			t.Errorf("parseOrigins(%q) = %v, %v; want BadInput", origin, got, err)
		}
	}
}
