package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"sync/atomic"
)

// Static knows tokens that are secrets. Its zero value knows none. It is safe for concurrent use.
type Static struct{ known atomic.Pointer[[]digest] }

// digest is the hash of a token, and whose it is.
type digest struct {
	name string
	sum  [sha256.Size]byte
}

// Tokens are the valid tokens of an entry: the current one, and those before it that are still accepted.
type Tokens struct {
	Name   string
	Values []string
	// Unread tells that they could not be read: those that were known before are accepted on.
	Unread bool
	// Fixed tells that they can't change while the process runs. Another entry that comes to have one of them is the one in the wrong.
	Fixed bool
}

// Set replaces what is known. Two entries with one value are an error, for it would not be known which of them calls, and so is an empty value: of those entries
// what was known before stays, but for one that is fixed beside one that is not. All others change.
func (s *Static) Set(all []Tokens) error {
	owner, stays, fixed := map[[sha256.Size]byte]string{}, map[string]bool{}, map[string]bool{}
	var errs []error
	for _, entry := range all {
		fixed[entry.Name] = entry.Fixed
		if entry.Unread {
			stays[entry.Name] = true
			continue
		}
		for _, value := range entry.Values {
			sum := sha256.Sum256([]byte(value))
			switch other, taken := owner[sum]; {
			case value == "":
				stays[entry.Name] = true
				errs = append(errs, fmt.Errorf("token %s is empty", entry.Name))
			case taken && other != entry.Name:
				both := fixed[other] == entry.Fixed
				stays[entry.Name] = stays[entry.Name] || both || fixed[other]
				stays[other] = stays[other] || both || entry.Fixed
				if entry.Fixed && !both {
					owner[sum] = entry.Name
				}
				errs = append(errs, fmt.Errorf("tokens %s and %s have the same value", other, entry.Name))
			default:
				owner[sum] = entry.Name
			}
		}
	}
	var known []digest
	for sum, name := range owner {
		if !stays[name] {
			known = append(known, digest{name: name, sum: sum})
		}
	}
	if before := s.known.Load(); before != nil {
		for _, one := range *before {
			if other, taken := owner[one.sum]; stays[one.name] && (!taken || other == one.name || stays[other]) {
				known = append(known, one)
			}
		}
	}
	s.known.Store(&known)
	return errors.Join(errs...)
}

// Authenticate compares the token with all that are known, in a time that does not depend on what they are.
func (s *Static) Authenticate(_ context.Context, token string) (*Caller, error) {
	known := s.known.Load()
	if known == nil {
		return nil, ErrUnknown
	}
	sum := sha256.Sum256([]byte(token))
	found := -1
	for i := range *known {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], (*known)[i].sum[:]), i, found)
	}
	if found < 0 {
		return nil, ErrUnknown
	}
	return &Caller{Name: (*known)[found].name}, nil
}
