package notes

import (
	"fmt"
	"net/netip"
	"strings"
)

func domainFamily() []Function {
	return []Function{
		{
			Name: "domainHost", Signature: "s", Result: "text", Code: func(s any) string { return domainHost(Text(s)) },
			Doc:      "the host of a URL: without white space, scheme and path",
			Examples: []Example{{"{{ domainHost .spec.domain }}", "www.shop.example.com"}},
		},
		{
			Name: "domainBare", Signature: "s", Result: "text", Doc: "as `domainHost`, and without a leading `www.`, in whatever case",
			Code:     func(s any) string { return domainBare(Text(s)) },
			Examples: []Example{{"{{ domainBare .spec.domain }}", "shop.example.com"}},
		},
		{
			Name: "cidrContains", Signature: "cidr ip", Result: "bool", Code: cidrContains, Doc: "whether the address is in the network",
			Examples: []Example{{`{{ cidrContains "10.0.0.0/8" "10.1.2.3" }}`, "true"}},
		},
		{
			Name: "ipValid", Signature: "s", Result: "bool", Doc: "whether it is an IPv4 or IPv6 address",
			Code: func(s any) bool {
				_, err := netip.ParseAddr(Text(s))
				return err == nil
			},
			Examples: []Example{{`{{ ipValid "10.1.2.300" }}`, "false"}},
		},
		{
			Name: "ipIsPrivate", Signature: "s", Result: "bool", Doc: "whether it is an address for private networks (RFC 1918, RFC 4193)",
			Code: func(s any) bool {
				ip, err := netip.ParseAddr(Text(s))
				return err == nil && ip.Unmap().IsPrivate()
			},
			Examples: []Example{{`{{ ipIsPrivate "192.168.1.1" }}`, "true"}},
		},
	}
}

func domainHost(text string) string {
	text = strings.TrimSpace(text)
	if _, rest, found := strings.Cut(text, "://"); found {
		text = rest
	}
	host, _, _ := strings.Cut(text, "/")
	return host
}

// domainBare takes a prefix off that is the same in any case, as all of a domain is.
func domainBare(text string) string {
	const prefix = "www."
	host := domainHost(text)
	if len(host) >= len(prefix) && strings.EqualFold(host[:len(prefix)], prefix) {
		return host[len(prefix):]
	}
	return host
}

func cidrContains(cidr, ip any) (bool, error) {
	network, address := Text(cidr), Text(ip)
	if network == "" || address == "" {
		return false, nil
	}
	prefix, err := netip.ParsePrefix(network)
	if err != nil {
		return false, fmt.Errorf("cidrContains: %s is not a network: use an address and a length, such as 10.0.0.0/8", quote(cidr))
	}
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		return false, fmt.Errorf("cidrContains: %s is not an IP address", quote(ip))
	}
	return prefix.Contains(parsed.Unmap()), nil
}
