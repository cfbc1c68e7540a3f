package servers

import (
	"crypto/sha256"
	"encoding/hex"
)

// hash is how a signature has a body.
func hash(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
