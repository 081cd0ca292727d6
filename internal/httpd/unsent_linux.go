package httpd

import (
	"net"

	"golang.org/x/sys/unix"
)

// maxUnsent is how many bytes of a response the kernel accepts in addition to those in transit.
const maxUnsent = 128 << 10

// boundUnsent limits what the kernel buffers for a client that reads slowly. Without a limit the kernel would
// take 3 MB for each connection, so the request would end, and return its slot, with a whole file still to be
// sent. Data in transit is limited by the client's window, so fast clients are not slowed down.
//
// The limit is set on the connection because connections accepted with Multipath TCP do not inherit it from
// the listener. Kernels before 6.10 reject it for Multipath TCP, which is harmless.
func boundUnsent(c *net.TCPConn) {
	if raw, err := c.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) {
			unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, maxUnsent)
		})
	}
}
