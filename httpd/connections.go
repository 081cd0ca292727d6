package httpd

import (
	"net"
	"net/netip"
	"sync"
)

// Connections is a listener that bounds the connections that are open.
//
// No client can keep others out by holding connections. One more of an address that has its share is closed as soon as it is accepted. When as
// many are open as there may be in all, nothing is accepted: the others wait in the kernel, where they take no file of this process.
type Connections struct {
	*net.TCPListener
	places *places
	room   chan struct{} // has one for each connection, and one for that which is waited for
	closed chan struct{}
	close  func() error
}

// Listen listens on an address for so many connections. Unshared addresses may have all of them.
func Listen(addr string, most int, unshared func(netip.Addr) bool) (*Connections, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	tcp := l.(*net.TCPListener)
	closed := make(chan struct{})
	return &Connections{TCPListener: tcp, places: newPlaces("connections", most, unshared), room: make(chan struct{}, most), closed: closed, close: sync.OnceValue(func() error {
		close(closed)
		return tcp.Close()
	})}, nil
}

// Accept waits until there is room, and for a connection.
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
		leave, err := l.places.enter(c.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap())
		if err == nil {
			boundUnsent(c)
			return &connection{c, sync.OnceFunc(func() {
				leave()
				<-l.room
			})}, nil
		}
		c.SetLinger(0) // a reset, so that nothing of it remains here
		c.Close()
		<-l.room
	}
}

// Close ends a wait in Accept, too.
func (l *Connections) Close() error { return l.close() }

// connection gives its place back when it is closed.
type connection struct {
	*net.TCPConn
	leave func()
}

func (c *connection) Close() error {
	defer c.leave()
	return c.TCPConn.Close()
}
