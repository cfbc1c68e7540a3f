package declared

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// OwnerKey is under which a thing outside of the cluster carries its owner.
const OwnerKey = "orkestra.konductor.io/owner"

// longestMark is how long a mark may be, in bytes: a tag of AWS takes no more.
const longestMark = 256

// Mark is the owner as a thing carries it: what Request.Owner says, unless that is very long.
func (t *Thing) Mark() string {
	owner := t.Request.Owner
	if len(owner) <= longestMark {
		return owner
	}
	sum := sha256.Sum256([]byte(owner))
	tail := ":" + hex.EncodeToString(sum[:])
	return owner[:longestMark-len(tail)] + tail
}

// OwnerError is a thing that is there and not the owner's. It is left as it is.
type OwnerError struct {
	// What it is, such as bucket.
	What string
	// Owner is empty where nobody is.
	Owner string
	// Never: it cannot be taken over.
	Never bool
}

func (e *OwnerError) Error() string {
	switch {
	case e.Owner != "":
		return fmt.Sprintf("the %s is there and belongs to %s", e.What, e.Owner)
	case e.Never:
		return fmt.Sprintf("the %s is there, was not made by Orkestra, and cannot be taken over", e.What)
	}
	return fmt.Sprintf(`the %s is there and was not made by Orkestra; adopt: "true" takes over what nobody owns`, e.What)
}

// Claim tells whether a thing that is there, with the mark that it carries, is to be marked: false where it is the owner's already. An
// OwnerError is one that is not the owner's to have.
func (t *Thing) Claim(what, mark string) (bool, error) {
	switch {
	case mark == t.Mark():
		return false, nil
	case mark == "" && t.Adopt:
		return true, nil
	}
	return false, &OwnerError{What: what, Owner: mark}
}
