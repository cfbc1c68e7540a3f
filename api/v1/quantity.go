package v1

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// The bounds of a quantity that is read: the parser computes with every digit that the text and its exponent stand for, and needs
// seconds for 1e-999999999. Nothing that Kubernetes counts comes near them.
const (
	maxQuantityText     = 1000 // bytes
	maxQuantityExponent = 1000 // of ten, in either direction
)

var errQuantityRange = fmt.Errorf("out of range (%d characters, exponents up to %d)", maxQuantityText, maxQuantityExponent)

// ParseQuantity reads a quantity as the API server does, and never takes long: it fails for one of more than 1000 characters
// or with an exponent beyond 1000 in either direction. Everybody who reads a quantity of a user calls it.
func ParseQuantity(text string) (resource.Quantity, error) {
	if !QuantityInRange(text) {
		return resource.Quantity{}, errQuantityRange
	}
	return resource.ParseQuantity(text) //nolint:wrapcheck // the caller says of what
}

// QuantityInRange tells whether a text, if it is a quantity, is one that ParseQuantity reads.
func QuantityInRange(text string) bool {
	if len(text) > maxQuantityText {
		return false
	}
	at := strings.LastIndexAny(text, "eE")
	if at < 0 {
		return true
	}
	exponent, err := strconv.Atoi(text[at+1:])
	if errors.Is(err, strconv.ErrRange) {
		return false
	}
	return err != nil || -maxQuantityExponent <= exponent && exponent <= maxQuantityExponent // an error: E is a unit here
}
