package httpd

import (
	"net"
	"net/netip"
	"sync"
)

// Connections is a listener that limits the number of open connections.
//
// No client can block others by holding connections: a connection above the share of its address is closed as
// soon as it is accepted. At the total limit nothing is accepted; further connections wait in the kernel,
// where they take no file of this process.
type Connections struct {
	*net.TCPListener
	slots  *slots
	room   chan struct{} // one element for each connection, including the one that Accept waits for
	closed chan struct{}
	close  func() error
}

// Listen listens on an address, for at most the given number of connections. Unshared addresses may use all
// of them.
func Listen(addr string, most int, unshared func(netip.Addr) bool) (*Connections, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	tcp := l.(*net.TCPListener)
	closed := make(chan struct{})
	return &Connections{TCPListener: tcp, slots: newSlots("connections", most, unshared),
		room: make(chan struct{}, most), closed: closed, close: sync.OnceValue(func() error {
			close(closed)
			return tcp.Close()
		})}, nil
}

// Accept waits until another connection may be open, and then for one.
func (l *Connections) Accept() (net.Conn, error) {
	for {
		select {
		case l.room <- struct{}{}:
		case <-l.closed:
			return nil, net.ErrClosed
		}
		c, err := l.AcceptTCP()
		if err != nil {
			<-l.room
			return nil, err
		}
		leave, err := l.slots.enter(c.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap())
		if err == nil {
			boundUnsent(c)
			return &connection{c, sync.OnceFunc(func() {
				leave()
				<-l.room
			})}, nil
		}
		c.SetLinger(0) // sends a reset, so that no state remains here
		c.Close()
		<-l.room
	}
}

// Close closes the listener. A waiting Accept returns.
func (l *Connections) Close() error { return l.close() }

// connection returns its slot when it is closed.
type connection struct {
	*net.TCPConn
	leave func()
}

func (c *connection) Close() error {
	defer c.leave()
	return c.TCPConn.Close()
}
