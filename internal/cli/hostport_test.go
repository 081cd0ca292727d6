package cli

import (
	"fmt"
	"net"
	"testing"
)

func TestHostPort(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{":0": "localhost:", "0.0.0.0:0": "localhost:",
		"127.0.0.1:0": "127.0.0.1:"} {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		if got := hostPort(l.Addr()); got != fmt.Sprint(want, l.Addr().(*net.TCPAddr).Port) {
			t.Errorf("%s, listening on %s: hostPort = %s, want %s and the port", addr, l.Addr(), got, want)
		}
	}
}
