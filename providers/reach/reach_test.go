package reach_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/providers/reach"
)

func TestAllow(t *testing.T) {
	for _, wrong := range []string{"", "http://example.com", "example.com:80", "10.0.0.0/99", "*.example.com"} {
		if _, err := reach.New(reach.Options{Allow: []string{wrong}}); err == nil {
			t.Errorf("New(Allow: %q): want an error", wrong)
		}
	}
	for _, right := range []string{"example.com", "10.0.0.1", "[::1]", "fd00::/8", "LOCALHOST"} {
		if _, err := reach.New(reach.Options{Allow: []string{right}}); err != nil {
			t.Errorf("New(Allow: %q): %v", right, err)
		}
	}
}

// why is what a host is refused as, empty where it is not.
func why(t *testing.T, host string, opts reach.Options) string {
	t.Helper()
	dialer, err := reach.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	err = dialer.CheckHost(host)
	refused, ok := errors.AsType[*reach.AddressError](err)
	if !ok && err != nil {
		t.Fatalf("CheckHost(%s): %v, want an AddressError", host, err)
	}
	if !ok {
		return ""
	}
	return refused.Why
}

// Each range that IANA keeps for a purpose has its row: what is refused of it always, and what more where only the public network may be
// reached.
func TestDefect98SpecialAddresses(t *testing.T) {
	const translation = "of a translation that only its network knows"
	cases := map[string]struct {
		reason        string
		first, last   string
		always, where string
	}{
		"ThisNetwork":       {"a host takes it for itself", "0.0.0.0", "0.255.255.255", "unspecified", "unspecified"},
		"Private10":         {"services of clusters", "10.0.0.0", "10.255.255.255", "", "private"},
		"SharedAddress":     {"those of providers, and pods of some clouds", "100.64.0.0", "100.127.255.255", "", "private, shared by the networks of a provider"},
		"Loopback":          {"the operator itself", "127.0.0.0", "127.255.255.255", "loopback", "loopback"},
		"LinkLocal":         {"metadata of clouds", "169.254.0.0", "169.254.255.255", "link-local", "link-local"},
		"Private172":        {"services of clusters", "172.16.0.0", "172.31.255.255", "", "private"},
		"Protocols":         {"DS-Lite, NAT64 discovery and others", "192.0.0.0", "192.0.0.255", "", "private, kept for protocols"},
		"Documentation1":    {"nobody has it", "192.0.2.0", "192.0.2.255", "", "private, kept for documentation"},
		"AS112":             {"is public", "192.31.196.0", "192.31.196.255", "", ""},
		"AMT":               {"is public", "192.52.193.0", "192.52.193.255", "", ""},
		"Relay6to4":         {"given up, so that whoever answers is not who was meant", "192.88.99.0", "192.88.99.255", "", "private, kept for protocols"},
		"Private192":        {"services of clusters", "192.168.0.0", "192.168.255.255", "", "private"},
		"AS112Direct":       {"is public", "192.175.48.0", "192.175.48.255", "", ""},
		"Benchmarks":        {"networks under test", "198.18.0.0", "198.19.255.255", "", "private, kept for measurements"},
		"Documentation2":    {"nobody has it", "198.51.100.0", "198.51.100.255", "", "private, kept for documentation"},
		"Documentation3":    {"nobody has it", "203.0.113.0", "203.0.113.255", "", "private, kept for documentation"},
		"Multicast":         {"nobody in particular", "224.0.0.0", "239.255.255.255", "multicast", "multicast"},
		"Later":             {"some clusters use it", "240.0.0.0", "255.255.255.254", "", "private, kept for later"},
		"Broadcast":         {"everybody", "255.255.255.255", "255.255.255.255", "broadcast", "broadcast"},
		"Public":            {"the public network", "93.184.216.34", "8.8.8.8", "", ""},
		"AlibabaMetadata":   {"a cloud's", "100.100.100.200", "100.100.100.200", "a cloud's metadata service", "a cloud's metadata service"},
		"AzureMetadata":     {"a cloud's", "168.63.129.16", "168.63.129.16", "a cloud's metadata service", "a cloud's metadata service"},
		"OracleMetadata":    {"a cloud's", "192.0.0.192", "192.0.0.192", "a cloud's metadata service", "a cloud's metadata service"},
		"Unspecified6":      {"a host takes it for itself", "::", "::", "unspecified", "unspecified"},
		"Loopback6":         {"the operator itself", "::1", "[::1]", "loopback", "loopback"},
		"Mapped":            {"is the one of version 4", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "loopback|link-local", "loopback|link-local"},
		"MappedPrivate":     {"is the one of version 4", "::ffff:10.0.0.1", "::ffff:100.64.0.1", "", "private|private, shared by the networks of a provider"},
		"Compatible":        {"leads to the one of version 4", "::127.0.0.1", "::169.254.169.254", "loopback|link-local", "loopback|link-local"},
		"Translated":        {"leads to the one of version 4", "::ffff:0:127.0.0.1", "::ffff:0:10.0.0.1", "loopback|", "loopback|private"},
		"NAT64":             {"leads to the one of version 4", "64:ff9b::7f00:1", "64:ff9b::a00:1", "loopback|", "loopback|private"},
		"NAT64Public":       {"leads to the one of version 4", "64:ff9b::808:808", "64:ff9b::808:404", "", ""},
		"NAT64OfItsOwn":     {"where it leads, only its network knows", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", translation, translation},
		"Discarded":         {"nobody answers", "100::", "100::ffff:ffff:ffff:ffff", "discarded", "discarded"},
		"Dummy":             {"nobody answers", "100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff", "discarded", "discarded"},
		"Protocols6":        {"ORCHID, benchmarks, port control", "2001:2::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "", "private, kept for protocols"},
		"Teredo":            {"leads to the one of version 4, which stands in it turned around", "2001::80ff:fffe", "2001:0:808:808::f5ff:fffe", "loopback|", "loopback|private"},
		"Documentation6":    {"nobody has it", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "", "private, kept for documentation"},
		"6to4":              {"leads to the one of version 4", "2002:7f00:1::", "2002:a00:1::1", "loopback|", "loopback|private"},
		"6to4Metadata":      {"leads to the one of version 4", "2002:a9fe:a9fe::", "2002:6464:64c8::", "link-local|a cloud's metadata service", "link-local|a cloud's metadata service"},
		"AS112Direct6":      {"is public", "2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", "", ""},
		"Documentation62":   {"nobody has it", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "", "private, kept for documentation"},
		"SegmentRouting":    {"of one network", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", "private, kept for protocols"},
		"UniqueLocal":       {"services of clusters", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", "private"},
		"AWSMetadata6":      {"a cloud's", "fd00:ec2::254", "fd00:ec2::254", "a cloud's metadata service", "a cloud's metadata service"},
		"GoogleMetadata6":   {"a cloud's", "fd20:ce::254", "fd20:ce::254", "a cloud's metadata service", "a cloud's metadata service"},
		"LinkLocal6":        {"neighbours", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local", "link-local"},
		"LinkLocalWithZone": {"neighbours of one interface", "fe80::1%eth0", "fe80::1%1", "link-local", "link-local"},
		"SiteLocal":         {"given up, and still of one network", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", "private"},
		"Multicast6":        {"nobody in particular", "ff00::", "ff0e::1", "multicast", "multicast"},
		"Public6":           {"the public network", "2606:4700::1111", "2a00:1450:4001::200e", "", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for i, host := range []string{tc.first, tc.last} {
				if got, want := why(t, host, reach.Options{}), nth(tc.always, i); got != want {
					t.Errorf("\n%s\n%s is refused as %q, want %q", tc.reason, host, got, want)
				}
				if got, want := why(t, host, reach.Options{RefusePrivate: true}), nth(tc.where, i); got != want {
					t.Errorf("\n%s\n%s is refused as %q where private ones are, want %q", tc.reason, host, got, want)
				}
			}
		})
	}
}

// nth is one of two texts with a bar between, or else the text.
func nth(text string, i int) string {
	first, second, two := strings.Cut(text, "|")
	if two && i == 1 {
		return second
	}
	return first
}

func TestCheckHost(t *testing.T) {
	cases := map[string]struct {
		reason, host string
		allow        []string
		want         string
	}{
		"Name":        {"where a name leads, whoever connects knows", "registry.example.com", nil, ""},
		"NumbersName": {"which may begin with numbers", "10.example.com", nil, ""},
		"HexName":     {"or look like one", "0xab.dead.beef.example.com", nil, ""},
		"Localhost":   {"the machine itself", "localhost", nil, "loopback"},
		"Upper":       {"in any case", "LocalHost.", nil, "loopback"},
		"Below":       {"as are names below it", "registry.localhost", nil, "loopback"},
		"Domain":      {"by its long name", "localhost.localdomain", nil, "loopback"},
		"Version6":    {"by what Debian calls it", "ip6-localhost", nil, "loopback"},
		"Brackets":    {"as a URL has it", "[::1]", nil, "loopback"},
		"Decimal":     {"one number is an address for old libraries", "2130706433", nil, "loopback"},
		"Hexadecimal": {"also a hexadecimal one", "0x7f000001", nil, "loopback"},
		"Octal":       {"also octal ones", "0177.0.0.01", nil, "loopback"},
		"Two":         {"also two", "127.1", nil, "loopback"},
		"Three":       {"also three", "169.254.43518", nil, "link-local"},
		"TooLarge":    {"a number that no address has is a name", "4294967296", nil, ""},
		"ByName":      {"an exception", "localhost", []string{"localhost"}, ""},
		"ByRange":     {"an exception for the address of the name", "localhost", []string{"127.0.0.0/8"}, ""},
		"ByMapped":    {"a range in the clothes of version 6", "127.0.0.1", []string{"::ffff:127.0.0.0/104"}, ""},
		"ByAddress":   {"an exception", "127.1", []string{"127.0.0.1"}, ""},
		"Other":       {"an exception is for one alone", "127.0.0.2", []string{"127.0.0.1"}, "loopback"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := why(t, tc.host, reach.Options{Allow: tc.allow}); got != tc.want {
				t.Errorf("\n%s\n%s is refused as %q, want %q", tc.reason, tc.host, got, tc.want)
			}
		})
	}
}
