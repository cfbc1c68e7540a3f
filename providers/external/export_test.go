package external

// CredentialOf is what a request is sent with.
func CredentialOf(r Request) string { return r.credential }
