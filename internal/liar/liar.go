// Package liar is a name server of tests that gives every name one address, as somebody would who wants to lead a client astray.
package liar

import (
	"context"
	"encoding/binary"
	"net"
	"testing"
)

// Resolver returns a resolver that gives every name one address, until the test ends.
func Resolver(tb testing.TB, address net.IP) *net.Resolver {
	tb.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0") //nolint:noctx // it is closed below
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = socket.Close() })
	go func() {
		question := make([]byte, 512)
		for {
			n, from, err := socket.ReadFrom(question)
			if err != nil {
				return
			}
			_, _ = socket.WriteTo(lie(question[:n], address), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
}

// lie answers a question of DNS: an A record for a question of that type, and nothing for any other.
func lie(question []byte, address net.IP) []byte {
	end := 12
	for question[end] != 0 {
		end += int(question[end]) + 1
	}
	end += 5
	answer := append([]byte(nil), question[:end]...)
	answer[2], answer[3] = 0x81, 0x80
	clear(answer[6:12])
	if binary.BigEndian.Uint16(question[end-4:]) != 1 {
		return answer
	}
	answer[7] = 1
	answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
	return append(answer, address.To4()...)
}
