package redis

import (
	"bytes"
	"errors"
	"net"
	"strconv"

	"github.com/orkestra-runtime/orkestra/providers/external"
)

// screen is a connection that ends at a reply which is longer than a call may have, or only says so: a client makes room for as much as a
// reply says that it has. It follows the frames of the protocol, of what comes after each request.
type screen struct {
	net.Conn
	// come and announced are the bytes and the elements since the last request.
	come, announced int
	// line is what there is of a line that is not complete, skip what is still to come of a text.
	line []byte
	skip int
	// wrong is why nothing more is read.
	wrong error
}

// Bounds of a reply. An element takes three bytes at least.
const (
	mostBytes    = external.MaxBody + 64<<10
	mostElements = external.MaxBody / 3
	longestLine  = 64 << 10
)

func screened(connection net.Conn, err error) (net.Conn, error) {
	if err != nil {
		return nil, err
	}
	return &screen{Conn: connection}, nil
}

// Write begins a request.
func (s *screen) Write(p []byte) (int, error) {
	s.come, s.announced = 0, 0
	return s.Conn.Write(p) //nolint:wrapcheck // as the connection
}

// Read reads what is within the bounds.
func (s *screen) Read(p []byte) (int, error) {
	if s.wrong != nil {
		return 0, s.wrong
	}
	n, err := s.Conn.Read(p)
	if s.wrong = s.look(p[:n]); s.wrong != nil {
		return 0, s.wrong
	}
	return n, err //nolint:wrapcheck // as the connection
}

var errNoRedis = errors.New("the answer is not one of Redis")

func (s *screen) look(p []byte) error {
	if s.come += len(p); s.come > mostBytes {
		return external.TooLong()
	}
	for len(p) > 0 {
		if s.skip > 0 {
			skipped := min(s.skip, len(p))
			s.skip, p = s.skip-skipped, p[skipped:]
			continue
		}
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			s.line = append(s.line, p...)
			if len(s.line) > longestLine {
				return errNoRedis
			}
			return nil
		}
		line := append(s.line, p[:end]...) //nolint:gocritic // it is emptied below
		s.line, p = s.line[:0], p[end+1:]
		if err := s.frame(bytes.TrimSuffix(line, []byte{'\r'})); err != nil {
			return err
		}
	}
	return nil
}

// frame looks at a line, which tells the length of what follows it.
func (s *screen) frame(line []byte) error {
	if len(line) == 0 {
		return errNoRedis
	}
	switch line[0] {
	case '$', '!', '=':
		n, err := strconv.Atoi(string(line[1:]))
		switch {
		case err != nil:
			return errNoRedis
		case n > external.MaxBody:
			return external.TooLong()
		case n >= 0:
			s.skip = n + len("\r\n")
		}
	case '*', '~', '>', '%', '|':
		n, err := strconv.Atoi(string(line[1:]))
		if err != nil {
			return errNoRedis
		}
		if n > mostElements || s.announced > mostElements {
			return external.TooLong()
		}
		s.announced += max(n, 0)
	case '+', '-', ':', '_', ',', '#', '(':
	default:
		return errNoRedis
	}
	return nil
}
