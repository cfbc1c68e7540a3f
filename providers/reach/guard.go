package reach

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
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
			g.ranges = append(g.ranges, plain(prefix))
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

// plain is a range as addresses are compared with it: one of version 4 that is written as version 6 is one of version 4.
func plain(prefix netip.Prefix) netip.Prefix {
	if mapped := 96; prefix.Addr().Is4In6() && prefix.Bits() >= mapped {
		prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-mapped)
	}
	return prefix.Masked()
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
	address = inner(address)
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

func (g *guard) refusal(address netip.Addr) string {
	if g.refusePrivate {
		return whatOf(address, never, private)
	}
	return whatOf(address, never)
}

// localNames are what a machine calls itself, whoever is asked for them.
var localNames = []string{"localhost", "localhost.localdomain", "localhost6", "localhost6.localdomain6", "ip6-localhost", "ip6-loopback"}

// checkHost tells whether a host that somebody else connects to may be one: an address, however it is spelled, and the names of the
// machine itself are judged; where any other name leads, only whoever connects can know.
func (g *guard) checkHost(host string) error {
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if g.trusts(host) {
		return nil
	}
	if address, err := netip.ParseAddr(host); err == nil {
		return g.check(address)
	}
	if address, ok := loose(host); ok {
		return g.check(address)
	}
	if slices.Contains(localNames, host) || strings.HasSuffix(host, ".localhost") {
		return g.check(netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	}
	return nil
}

// loose reads an address of version 4 as old libraries do: in one to four numbers, octal and hexadecimal ones too.
func loose(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var all uint64
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts)) // the last one fills up
		}
		number, err := strconv.ParseUint(part, 0, bits)
		if err != nil || strings.Contains(part, "_") || strings.HasPrefix(part, "0o") || strings.HasPrefix(part, "0b") {
			return netip.Addr{}, false
		}
		all = all<<bits | number
	}
	return netip.AddrFrom4([4]byte{byte(all >> 24), byte(all >> 16), byte(all >> 8), byte(all)}), true
}
