// Package hosts is a provider that keeps names and addresses in a file of the form of /etc/hosts.
package hosts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/orkestra-runtime/orkestra/providers"
)

// Provider keeps records in a file, each with its owner behind it.
type Provider struct {
	file string
	mu   sync.Mutex // held while the file is read and written: requests of different resources come at once
}

var _ providers.Checker = (*Provider)(nil)

// New returns a Provider for one file, which need not be there.
func New(file string) *Provider { return &Provider{file: file} }

// Name is the key of the provider's block in a Katalog.
func (p *Provider) Name() string { return "hosts" }

// Kinds are what a Katalog may declare.
func (p *Provider) Kinds() map[string]providers.Kind {
	return map[string]providers.Kind{"record": {Required: []string{"name", "address"}}}
}

// Reconcile has the declared names lead to their addresses. What is as it should be is not written again.
func (p *Provider) Reconcile(_ context.Context, r providers.ReconcileRequest) error {
	return p.change(func(records []record) ([]record, error) {
		for _, declared := range r.Declarations {
			wanted, err := recordOf(declared, r.Owner)
			if err != nil {
				return nil, err
			}
			at := slices.IndexFunc(records, func(one record) bool { return one.name == wanted.name })
			switch {
			case at < 0:
				records = append(records, wanted)
			case records[at].owner != r.Owner:
				return nil, declared.Failed(fmt.Errorf("%s belongs to %s", wanted.name, records[at].owner))
			default:
				records[at] = wanted
			}
		}
		return records, nil
	})
}

// Delete takes away every record of the resource, also one that it declared under another name before.
func (p *Provider) Delete(_ context.Context, r providers.DeleteRequest) error {
	return p.change(func(records []record) ([]record, error) {
		return slices.DeleteFunc(records, func(one record) bool { return one.owner == r.Owner }), nil
	})
}

// record is a line of the file.
type record struct{ name, address, owner string }

// recordOf reads a declaration. What no further try makes better is a FieldError.
func recordOf(declared providers.Declaration, owner string) (record, error) {
	name, err := declared.Require("name")
	if err != nil {
		return record{}, err //nolint:wrapcheck // names the field
	}
	if strings.ContainsAny(name, " \t\n#") {
		return record{}, &providers.FieldError{Kind: declared.Kind, Field: "name", Err: fmt.Errorf("is no name: %q", name)}
	}
	address, err := declared.Require("address")
	if err != nil {
		return record{}, err //nolint:wrapcheck // names the field
	}
	if _, err := netip.ParseAddr(address); err != nil {
		return record{}, &providers.FieldError{Kind: declared.Kind, Field: "address", Err: fmt.Errorf("is no IP address: %q", address)}
	}
	return record{name: name, address: address, owner: owner}, nil
}

// change writes the file if that makes a difference.
func (p *Provider) change(change func([]record) ([]record, error)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	records, err := p.read()
	if err != nil {
		return err
	}
	changed, err := change(slices.Clone(records))
	if err != nil || slices.Equal(records, changed) {
		return err
	}
	var text strings.Builder
	for _, one := range changed {
		fmt.Fprintf(&text, "%s\t%s\t# %s\n", one.address, one.name, one.owner)
	}
	if err := os.WriteFile(p.file, []byte(text.String()), 0o600); err != nil {
		return fmt.Errorf("write the records: %w", err)
	}
	return nil
}

func (p *Provider) read() ([]record, error) {
	text, err := os.ReadFile(p.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the records: %w", err)
	}
	var records []record
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 4 {
			records = append(records, record{address: fields[0], name: fields[1], owner: fields[3]})
		}
	}
	return records, nil
}
