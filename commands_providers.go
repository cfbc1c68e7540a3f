//go:build !gateway

package main

import (
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/builtin"
)

// registry has the providers that come with ork.
func registry() *providers.Registry {
	registry, err := builtin.Registry()
	if err != nil {
		panic(err) // two providers of one name: a mistake of the program
	}
	return registry
}
