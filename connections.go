package main

import (
	"net"
	"net/netip"
	"sync"

	"issuegrid/tracker"
)

// edgeFlags bound what clients take before it is known who they are.
type edgeFlags struct {
	Connections    int      `help:"How many connections may be open at a time; others wait. An address, or an IPv6 network of 64 bits, has at most a quarter of them, unless it is of this machine or a trusted proxy. If not set, 4 for each of --requests, and at most three quarters of the files that the process may open." placeholder:"N"`
	TrustedProxies []string `help:"Addresses and networks of the proxies before this server, such as 10.0.0.0/8, whose X-Forwarded-For or Forwarded tells the client's address. Without any, clients are told apart by the address of their connection." placeholder:"CIDR"`

	trusted proxies
}

const (
	perRequest = 4
	// leastConnections and mostConnections bound --connections.
	leastConnections = 16
	mostConnections  = 1_000_000
	// metricsConnections are for whatever scrapes metrics, which needs one.
	metricsConnections = 64
)

// mostOf is how many connections a process that may open so many files may have: the others are for the table's connections, files, and what comes up.
func mostOf(files int) int { return files / 4 * 3 }

// check refuses what can't be meant, by a process that may open so many files.
func (f *edgeFlags) check(files int) (err error) {
	if f.Connections != 0 && (f.Connections < leastConnections || f.Connections > mostConnections) {
		return tracker.Bad("--connections", "%d is out of range: %d to %d", f.Connections, leastConnections, mostConnections)
	}
	if f.Connections > mostOf(files) {
		return tracker.Bad("--connections", "%d is too many for a process that may open %d files, of which connections take at most three quarters: %d; raise its limit "+
			"(ulimit -n)", f.Connections, files, mostOf(files))
	}
	f.trusted, err = parseProxies(f.TrustedProxies)
	return err
}

// most is how many connections a server may have that takes so many requests at a time.
func (f *edgeFlags) most(requests, files int) int {
	if f.Connections > 0 {
		return f.Connections
	}
	return max(leastConnections, min(perRequest*requests, mostOf(files), mostConnections))
}

// connections is a listener that bounds the connections that are open.
//
// No client can keep others out by holding connections. One more of an address that has its share is closed as soon as it is accepted. When as
// many are open as there may be in all, nothing is accepted: the others wait in the kernel, where they take no file of this process.
type connections struct {
	*net.TCPListener
	places *places
	room   chan struct{} // has one for each connection, and one for that which is waited for
	closed chan struct{}
	close  func() error
}

// listen listens on an address for so many connections. Unshared addresses may have all of them.
func listen(addr string, most int, unshared func(netip.Addr) bool) (*connections, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	tcp := l.(*net.TCPListener)
	closed := make(chan struct{})
	return &connections{TCPListener: tcp, places: newPlaces("connections", most, unshared), room: make(chan struct{}, most), closed: closed, close: sync.OnceValue(func() error {
		close(closed)
		return tcp.Close()
	})}, nil
}

// Accept waits until there is room, and for a connection.
func (l *connections) Accept() (net.Conn, error) {
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
func (l *connections) Close() error { return l.close() }

// connection gives its place back when it is closed.
type connection struct {
	*net.TCPConn
	leave func()
}

func (c *connection) Close() error {
	defer c.leave()
	return c.TCPConn.Close()
}
