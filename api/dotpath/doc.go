// Package dotpath reads and writes paths to fields: keys with dots between them, and keys that hold dots themselves in brackets and quotes.
// It knows nothing of what is there.
package dotpath
