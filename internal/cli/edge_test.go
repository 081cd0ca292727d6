package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"issuegrid/tracker"
)

func TestConnectionLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, requests, files, want int }{
		{0, 1024, 20_000, 4096}, {0, 1024, 1024, 768}, {0, 4, 20_000, minConnections}, {0, 1024, 300, 225},
		{0, 10_000_000, 1 << 30, maxConnections}, {100, 1024, 20_000, 100},
	} {
		if got := (&edgeFlags{Connections: c.given}).connectionLimit(c.requests, c.files); got != c.want {
			t.Errorf("%+v: connectionLimit = %d", c, got)
		}
	}
	for _, c := range []struct {
		given, files int
		ok           bool
	}{{0, 20, true}, {16, 100, true}, {75, 100, true}, {76, 100, false}, {15, 100, false}, {-1, 100, false},
		{1_000_000, 1 << 30, true}, {1_000_001, 1 << 30, false}} {
		_, err := parser(t).Parse([]string{fmt.Sprint("--connections=", c.given)})
		if e, ok := errors.AsType[*tracker.Error](err); !ok || !strings.Contains(e.Message, "out of range") {
			err = (&edgeFlags{Connections: c.given}).check(c.files)
		}
		if e, ok := errors.AsType[*tracker.Error](err); (err == nil) != c.ok || err != nil &&
			(!ok || e.Path != "--connections" || e.Code != tracker.BadInput) {
			t.Errorf("%+v: got error %v", c, err)
		}
	}
}

func TestParseProxies(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"10.0.0.0/8": "10.0.0.0/8", "10.1.2.3/8": "10.0.0.0/8", "10.0.0.7": "10.0.0.7/32",
		"fd00::/8": "fd00::/8", "::1": "::1/128", "::ffff:10.0.0.0/104": "10.0.0.0/8",
		"": "", "10.0.0.0/33": "", "10.0.0": "", "proxy.example.com": "", "fe80::1%eth0": "", "0.0.0.0/0": "",
		"::/0": "", "::ffff:0.0.0.0/96": "", "10.0.0.0/8 ": "", "10.0.0.7:80": "",
	} {
		got, err := parseProxies([]string{text})
		if want == "" {
			if e, ok := errors.AsType[*tracker.Error](err); !ok || e.Code != tracker.BadInput ||
				e.Path != "--trusted-proxies" {
				t.Errorf("parseProxies(%q) = %v, %v; want BadInput", text, got, err)
			}
		} else if err != nil || len(got) != 1 || got[0].String() != want {
			t.Errorf("parseProxies(%q) = %v, %v; want %s", text, got, err, want)
		}
	}
}
