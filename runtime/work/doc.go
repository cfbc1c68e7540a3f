// Package work holds the noun that travels from the Kordinator to a reconciler, and what comes back.
package work
