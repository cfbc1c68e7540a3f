// Package serve turns intents into resources: a caller sends a few fields by their own names, or a whole resource, and the gateway applies what
// comes of it, if the caller may. It answers what is there, and what a form has to ask for.
//
// It owns surfaces, the way from an intent to a resource, permissions and answers. Who the caller is, is known elsewhere; what may be stored
// is the API server's to say.
package serve
