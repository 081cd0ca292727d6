//go:build !linux

package httpd

import "net"

// boundUnsent leaves it to the kernel what it keeps for a client that reads slowly.
func boundUnsent(*net.TCPConn) {}
