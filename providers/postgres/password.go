package postgres

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// iterations and saltLength are those that a server itself has for a password.
const (
	iterations     = 4096
	mostIterations = 1 << 20
	saltLength     = 16
)

// verifier is what a server keeps of a password: enough to check it, not to use it. It is made here, so that no password is in a statement,
// which the server's log may show.
type verifier struct {
	iterations                 int
	salt, storedKey, serverKey []byte
}

// newVerifier makes one with a salt of its own.
func newVerifier(password string) *verifier {
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // it never fails
	return derive(password, salt, iterations)
}

// derive computes the keys of SCRAM-SHA-256.
func derive(password string, salt []byte, rounds int) *verifier {
	salted, err := pbkdf2.Key(sha256.New, password, salt, rounds, sha256.Size)
	if err != nil {
		return &verifier{} // only keys that are longer fail
	}
	code := func(text string) []byte {
		mac := hmac.New(sha256.New, salted)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	stored := sha256.Sum256(code("Client Key"))
	return &verifier{iterations: rounds, salt: salt, storedKey: stored[:], serverKey: code("Server Key")}
}

// String is the verifier as servers write it.
func (v *verifier) String() string {
	text := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", v.iterations, text(v.salt), text(v.storedKey), text(v.serverKey))
}

// verifies tells whether what a server keeps is of the password. What is kept in another form is not: the password is set anew.
func verifies(kept, password string) bool {
	rest, ok := strings.CutPrefix(kept, "SCRAM-SHA-256$")
	if !ok {
		return false
	}
	how, _, _ := strings.Cut(rest, "$")
	var rounds int
	var encoded string
	if n, err := fmt.Sscanf(how, "%d:%s", &rounds, &encoded); n != 2 || err != nil || rounds < 1 || rounds > mostIterations {
		return false
	}
	salt, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(kept), []byte(derive(password, salt, rounds).String())) == 1
}

// storable tells what is wrong with a password: clients do not agree on how to send what is not ASCII.
func storable(password string) error {
	for _, r := range password {
		switch {
		case r < ' ' || r == 0x7f:
			return errors.New("the password has a control character, perhaps a line's end: make the Secret without one")
		case r > 0x7f:
			return errors.New("the password has a character that is not ASCII: PostgreSQL's clients would not agree on it")
		}
	}
	return nil
}
