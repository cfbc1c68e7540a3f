package reach

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
)

// guard tells which addresses may be connected to.
type guard struct {
	hosts         map[string]bool
	ranges        []netip.Prefix
	refusePrivate bool
}

// newGuard reads the exceptions: host names, addresses and CIDR ranges.
func newGuard(opts Options) (*guard, error) {
	g := &guard{hosts: map[string]bool{}, refusePrivate: opts.RefusePrivate}
	for _, one := range opts.Allow {
		one = strings.ToLower(strings.TrimSpace(one))
		if strings.Contains(one, "/") {
			prefix, err := netip.ParsePrefix(one)
			if err != nil {
				return nil, fmt.Errorf("%q is no CIDR range such as 10.0.0.0/8", one)
			}
			g.ranges = append(g.ranges, prefix.Masked())
			continue
		}
		if address, err := netip.ParseAddr(strings.Trim(one, "[]")); err == nil {
			g.ranges = append(g.ranges, netip.PrefixFrom(address.Unmap(), address.Unmap().BitLen()))
			continue
		}
		if one == "" || strings.ContainsAny(one, ":/@ *") {
			return nil, fmt.Errorf("%q is neither a host name nor an address nor a CIDR range: leave out scheme and port", one)
		}
		g.hosts[strings.TrimSuffix(one, ".")] = true
	}
	return g, nil
}

// trusts tells whether a host is an exception, whatever its addresses.
func (g *guard) trusts(host string) bool {
	return g.hosts[strings.TrimSuffix(strings.ToLower(host), ".")]
}

// control refuses a connection before it is made. It is a net.Dialer's Control.
func (g *guard) control(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return errNoAddress
	}
	parsed, err := netip.ParseAddr(host)
	if err != nil {
		return errNoAddress
	}
	return g.check(parsed)
}

// errNoAddress is a connection to what is not an address.
var errNoAddress = errors.New("connects to what is no address")

// check tells whether an address may be asked. One that stands for another one is judged as that.
func (g *guard) check(address netip.Addr) error {
	address = inner(address.WithZone("").Unmap())
	for _, one := range g.ranges {
		if one.Contains(address) {
			return nil
		}
	}
	if why := g.refusal(address); why != "" {
		return &AddressError{Address: address, Why: why}
	}
	return nil
}

// metadata are addresses at which clouds tell their machines secrets, besides those that are link-local.
var metadata = map[netip.Addr]bool{
	netip.MustParseAddr("fd00:ec2::254"):   true, // AWS
	netip.MustParseAddr("100.100.100.200"): true, // Alibaba
	netip.MustParseAddr("168.63.129.16"):   true, // Azure
	netip.MustParseAddr("192.0.0.192"):     true, // Oracle
	netip.MustParseAddr("fd20:ce::254"):    true, // Google
}

// thisNetwork are addresses that a host takes for itself.
var thisNetwork = netip.MustParsePrefix("0.0.0.0/8")

func (g *guard) refusal(address netip.Addr) string {
	switch {
	case address.IsLoopback():
		return "loopback"
	case address.IsUnspecified(), thisNetwork.Contains(address):
		return "unspecified"
	case address.IsLinkLocalUnicast():
		return "link-local"
	case address.IsMulticast():
		return "multicast"
	case metadata[address]:
		return "a cloud's metadata service"
	case g.refusePrivate && address.IsPrivate():
		return "private"
	}
	return ""
}

// Addresses of version 6 that lead to one of version 4, and where in them that stands.
var embedded = map[netip.Prefix]int{
	netip.MustParsePrefix("64:ff9b::/96"): 12, // NAT64
	netip.MustParsePrefix("::/96"):        12, // compatible
	netip.MustParsePrefix("2002::/16"):    2,  // 6to4
}

// inner is the address of version 4 that one of version 6 leads to, else the address itself.
func inner(address netip.Addr) netip.Addr {
	if address.Is4() || address.IsLoopback() || address.IsUnspecified() {
		return address
	}
	for prefix, at := range embedded {
		if prefix.Contains(address) {
			bytes := address.As16()
			return netip.AddrFrom4([4]byte(bytes[at : at+4]))
		}
	}
	return address
}
