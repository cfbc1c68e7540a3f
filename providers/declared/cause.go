package declared

import (
	"errors"
	"fmt"
	"net"
)

// Cause is the innermost cause of an error of a client's, in words that are the same each time: clients tell of attempts, and the network of
// ports, that differ.
func Cause(err error) error {
	for {
		if network, ok := err.(*net.OpError); ok { //nolint:errorlint // each level is looked at
			where := ""
			if network.Addr != nil {
				where = " " + network.Addr.String()
			}
			return fmt.Errorf("%s%s: %w", network.Op, where, Cause(network.Err))
		}
		inner := errors.Unwrap(err)
		if several, ok := err.(interface{ Unwrap() []error }); ok && len(several.Unwrap()) > 0 { //nolint:errorlint // as above
			inner = several.Unwrap()[0]
		}
		if inner == nil {
			return err
		}
		err = inner
	}
}
