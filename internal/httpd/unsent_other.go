//go:build !linux

package httpd

import "net"

// boundUnsent does nothing: on other systems the kernel decides how much it buffers for a slow client.
func boundUnsent(*net.TCPConn) {}
