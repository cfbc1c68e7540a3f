package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// CheckoutOptions are what run tells whoever fetches repositories.
type CheckoutOptions struct {
	// Dialer makes all connections.
	Dialer *reach.Dialer
	// Dir is the folder for working copies. Empty: one below the user's cache.
	Dir string
	// KnownHosts is a file with the keys of SSH servers. Empty: there is none.
	KnownHosts string
	// Timeout bounds one fetch.
	Timeout time.Duration
	// MaxBytes is how much one repository may take, and MaxTotal how much all of them.
	MaxBytes, MaxTotal int64
}

// gitFlags tell how repositories are fetched.
type gitFlags struct {
	cacheDir, cacheSize, maxSize, knownHosts string
	timeout                                  time.Duration
}

func (f *gitFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.cacheDir, "git-cache-dir", "", "folder for working copies of repositories; default: orkestra/git in the user's cache folder")
	flags.StringVar(&f.cacheSize, "git-cache-size", "2Gi", "how much all working copies may take; those that are not used go first")
	flags.StringVar(&f.maxSize, "git-max-size", "256Mi", "how much of one repository is fetched, and how much its files may take")
	flags.StringVar(&f.knownHosts, "git-known-hosts", "", "file with the keys of SSH servers, for Secrets without known_hosts")
	flags.DurationVar(&f.timeout, "git-timeout", time.Minute, "how long one fetch may take")
}

// options reads the flags. An error names the one that is wrong.
func (f *gitFlags) options(dialer *reach.Dialer) (CheckoutOptions, error) {
	opts := CheckoutOptions{Dialer: dialer, Dir: f.cacheDir, KnownHosts: f.knownHosts, Timeout: f.timeout}
	if f.timeout <= 0 {
		return opts, fmt.Errorf("--git-timeout must be positive, got %s", f.timeout)
	}
	for _, one := range []struct {
		flag, text string
		into       *int64
	}{{"--git-cache-size", f.cacheSize, &opts.MaxTotal}, {"--git-max-size", f.maxSize, &opts.MaxBytes}} {
		quantity, err := resource.ParseQuantity(one.text)
		if err != nil || quantity.Value() <= 0 {
			return opts, fmt.Errorf("%s must be a size such as 256Mi, got %q", one.flag, one.text)
		}
		*one.into = quantity.Value()
	}
	if opts.MaxTotal < opts.MaxBytes {
		return opts, fmt.Errorf("--git-cache-size %s has no room for one repository of --git-max-size %s", f.cacheSize, f.maxSize)
	}
	return opts, nil
}

// fetcher is what fetches repositories, nil where this binary has nothing that does. Stop ends it.
func (f *runFlags) fetcher(opts Options) (fetcher checkout.Fetcher, stop func() error, err error) {
	nothing := func() error { return nil }
	if opts.Checkouts == nil {
		return nil, nothing, nil
	}
	dialer, err := f.external.Dialer()
	if err != nil {
		return nil, nothing, err
	}
	told, err := f.git.options(dialer)
	if err != nil {
		return nil, nothing, err
	}
	if fetcher, err = opts.Checkouts(told); err != nil {
		return nil, nothing, fmt.Errorf("repositories: %w", err)
	}
	if closer, ok := fetcher.(interface{ Close() error }); ok {
		return fetcher, closer.Close, nil
	}
	return fetcher, nothing, nil
}
