//go:build !gateway

package main

import (
	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/providers/git"
	"github.com/orkestra-runtime/orkestra/runtime/cli"
)

// checkouts fetches repositories.
func checkouts(opts cli.CheckoutOptions) (checkout.Fetcher, error) {
	return git.New(git.Options{
		Dialer: opts.Dialer, Dir: opts.Dir, KnownHosts: opts.KnownHosts, Timeout: opts.Timeout, MaxBytes: opts.MaxBytes, MaxTotal: opts.MaxTotal,
	})
}
