package mongo

import (
	"encoding/binary"
	"errors"
	"net"

	"github.com/orkestra-runtime/orkestra/providers/external"
)

// screen is a connection that ends at a message which says that it is longer than a call may have, for a client makes room for as much as
// that, or which is compressed, for then nobody knows.
type screen struct {
	net.Conn
	header [headerSize]byte
	// have is how much there is of a header, skip what is still to come of a message.
	have, skip int
	// wrong is why nothing more is read.
	wrong error
}

const (
	headerSize  = 16
	opcodeAt    = 12
	compressed  = 2012
	mostMessage = external.MaxBody + 64<<10
)

var errNoMongo = errors.New("the answer is not one of MongoDB")

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

func (s *screen) look(p []byte) error {
	for len(p) > 0 {
		if s.skip > 0 {
			skipped := min(s.skip, len(p))
			s.skip, p = s.skip-skipped, p[skipped:]
			continue
		}
		taken := copy(s.header[s.have:], p)
		s.have, p = s.have+taken, p[taken:]
		// The driver makes room for a message as soon as it knows its length.
		length := int64(int32(binary.LittleEndian.Uint32(s.header[:]))) //nolint:gosec // it is signed
		switch {
		case s.have < 4:
			return nil
		case length < headerSize:
			return errNoMongo
		case length > mostMessage:
			return external.TooLong()
		case s.have < headerSize:
			return nil
		case binary.LittleEndian.Uint32(s.header[opcodeAt:]) == compressed:
			return errNoMongo
		}
		s.have, s.skip = 0, int(length)-headerSize
	}
	return nil
}
