// Package auth tells who makes a request of the gateway's API, by the bearer token that comes with it: one that the Katalog names, one of a
// Secret, or one that an OpenID provider or the API server vouches for.
//
// Whoever is not known gets one and the same answer, whatever the reason. What a caller may do is known elsewhere.
package auth
