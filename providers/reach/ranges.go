package reach

import "net/netip"

// special are ranges of addresses of one purpose. All of them are those of IANA's registries of special purposes, of versions 4 and 6, that
// are not reachable from everywhere, with multicast and those of clouds.
type special struct {
	what   string
	ranges []netip.Prefix
}

func ranges(what string, all ...string) special {
	one := special{what: what}
	for _, prefix := range all {
		one.ranges = append(one.ranges, netip.MustParsePrefix(prefix))
	}
	return one
}

// never are refused unless they are allowed: they lead to the machine itself, to its link, to nobody, or past this list.
var never = []special{
	ranges("loopback", "127.0.0.0/8", "::1/128"),
	ranges("unspecified", "0.0.0.0/8", "::/128"), // a host takes these for itself
	ranges("a cloud's metadata service",
		"fd00:ec2::254/128",  // AWS
		"100.100.100.200/32", // Alibaba
		"168.63.129.16/32",   // Azure
		"192.0.0.192/32",     // Oracle
		"fd20:ce::254/128",   // Google
	),
	ranges("link-local", "169.254.0.0/16", "fe80::/10"),
	ranges("multicast", "224.0.0.0/4", "ff00::/8"),
	ranges("broadcast", "255.255.255.255/32"),
	ranges("discarded", "100::/64", "100:0:0:1::/64"),
	// Where in them the address of version 4 stands is for the network to say, so that nobody can tell where they lead.
	ranges("of a translation that only its network knows", "64:ff9b:1::/48"),
}

// private are refused where only the public network may be reached: the services of clusters and of other networks that are not public.
var private = []special{
	ranges("private", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"),
	ranges("private, shared by the networks of a provider", "100.64.0.0/10"),
	ranges("private, kept for protocols", "192.0.0.0/24", "192.88.99.0/24", "2001::/23", "5f00::/16"),
	ranges("private, kept for measurements", "198.18.0.0/15"), // those of version 6 are among those for protocols
	ranges("private, kept for documentation", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"),
	ranges("private, kept for later", "240.0.0.0/4"), // some clusters use it
}

// whatOf is what an address is for, empty where none of the lists has it.
func whatOf(address netip.Addr, lists ...[]special) string {
	for _, list := range lists {
		for _, one := range list {
			for _, prefix := range one.ranges {
				if prefix.Contains(address) {
					return one.what
				}
			}
		}
	}
	return ""
}

// leading are addresses of version 6 that lead to one of version 4, and how that is had from the bytes of one.
var leading = []struct {
	prefix netip.Prefix
	inner  func([16]byte) [4]byte
}{
	{netip.MustParsePrefix("64:ff9b::/96"), last},                                             // NAT64
	{netip.MustParsePrefix("::ffff:0:0:0/96"), last},                                          // translated
	{netip.MustParsePrefix("::/96"), last},                                                    // compatible
	{netip.MustParsePrefix("2002::/16"), func(b [16]byte) [4]byte { return [4]byte(b[2:6]) }}, // 6to4
	{netip.MustParsePrefix("2001::/32"), func(b [16]byte) [4]byte { // Teredo: of the other end, turned around
		return [4]byte{^b[12], ^b[13], ^b[14], ^b[15]}
	}},
}

func last(b [16]byte) [4]byte { return [4]byte(b[12:]) }

// inner is the address of version 4 that one of version 6 leads to, else the address itself.
func inner(address netip.Addr) netip.Addr {
	address = address.WithZone("").Unmap()
	if address.Is4() || address.IsLoopback() || address.IsUnspecified() {
		return address
	}
	for _, one := range leading {
		if one.prefix.Contains(address) {
			return netip.AddrFrom4(one.inner(address.As16()))
		}
	}
	return address
}
