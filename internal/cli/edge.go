package cli

import (
	"net/netip"

	"issuegrid/internal/httpd"
	"issuegrid/internal/setting"
	"issuegrid/tracker"
)

// edgeFlags limit what clients can use before they are authenticated.
type edgeFlags struct {
	Connections    int
	TrustedProxies []string

	trusted httpd.Proxies
}

func (f *edgeFlags) definitions() []setting.Definition {
	return []setting.Definition{
		{Name: "connections", Min: minConnections, Max: maxConnections, Rare: true,
			UnsetMeans: "4 for each of --requests, and at most three quarters of the files that the " +
				"process may " +
				"open",
			Help: "Maximum number of open connections; others wait. One address, or one IPv6 network " +
				"of 64 bits, may have a quarter of them, unless it is on this machine or a trusted " +
				"proxy."},
		{Name: "trusted-proxies", Placeholder: "CIDR",
			Help: "Addresses and networks of the proxies in front of this server, such as " +
				"10.0.0.0/8. Their X-Forwarded-For or Forwarded header names the client's address. " +
				"Without any, clients are identified by the address of their connection."},
	}
}

const (
	connectionsPerRequest = 4
	// The range of --connections.
	minConnections = 16
	maxConnections = 1_000_000
)

// maxConnectionsFor returns the maximum number of connections of a process that may open this many files. The
// rest is for the table's connections and for files.
func maxConnectionsFor(files int) int { return files / 4 * 3 }

// check validates the flags for a process that may open this many files.
func (f *edgeFlags) check(files int) (err error) {
	if f.Connections > maxConnectionsFor(files) {
		return tracker.Bad("--connections",
			"%d is too many for a process that may open %d files: connections may use at most three "+
				"quarters of them, %d; raise the limit (ulimit -n)", f.Connections, files,
			maxConnectionsFor(files))
	}
	f.trusted, err = parseProxies(f.TrustedProxies)
	return err
}

// connectionLimit returns the maximum number of connections of a server that handles this many requests at a
// time.
func (f *edgeFlags) connectionLimit(requests, files int) int {
	if f.Connections > 0 {
		return f.Connections
	}
	return max(minConnections, min(connectionsPerRequest*requests, maxConnectionsFor(files), maxConnections))
}

// parseProxies parses addresses and networks.
func parseProxies(texts []string) (all httpd.Proxies, err error) {
	for _, text := range texts {
		network, err := netip.ParsePrefix(text)
		if a, single := netip.ParseAddr(text); single == nil && a.Zone() == "" {
			network, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if a := network.Addr(); a.Is4In6() && network.Bits() >= 96 {
			network = netip.PrefixFrom(a.Unmap(), network.Bits()-96)
		}
		if err != nil || network.Bits() == 0 {
			return nil, tracker.Bad("--trusted-proxies",
				"%s is not an address such as 10.0.0.7 or a network such as 10.0.0.0/8; a network of all "+
					"addresses is refused", text)
		}
		all = append(all, network.Masked())
	}
	return all, nil
}
