package httpd

import (
	"net"

	"golang.org/x/sys/unix"
)

// maxUnsent is how many bytes of an answer the kernel takes beyond those that are on their way.
const maxUnsent = 128 << 10

// boundUnsent bounds what the kernel keeps for a client that reads slowly. It would take 3 MB for each connection, so that the request had ended, and left
// its place, with all of a file still to be sent. What is on its way is bounded by the client's window, so that fast clients lose nothing.
//
// It is set on the connection, because one that a listener of Multipath TCP has accepted does not inherit it. Kernels before 6.10 refuse it for Multipath
// TCP itself; the connection is as good without.
func boundUnsent(c *net.TCPConn) {
	if raw, err := c.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, maxUnsent) })
	}
}
