// Package entry compiles Katalogs to what the gateway does by them: the rules of admission, conversions, protections, and what of them the API
// server must be told.
package entry
