package git

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"

	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/orkestra-runtime/orkestra/providers/checkout"
)

// defaultUser is that of SSH, and the one beside a token, which servers do not look at.
const defaultUser = "git"

// identity tells credentials apart without telling what they are.
func identity(auth checkout.Auth) string {
	hash := sha256.New()
	for _, part := range [][]byte{[]byte(auth.Username), []byte(auth.Password), auth.PrivateKey, auth.KnownHosts} {
		fmt.Fprintf(hash, "%d:", len(part))
		hash.Write(part)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// fits tells whether a credential is one of the protocol.
func fits(r *checkout.Remote, auth checkout.Auth) error {
	switch {
	case r.Scheme != checkout.SchemeSSH && len(auth.PrivateKey) > 0:
		return wrong("the credential is an SSH key, and the repository is reached by %s: name a Secret with username and password, or with token", r.Scheme)
	case r.Scheme == checkout.SchemeSSH && len(auth.PrivateKey) == 0:
		return wrong("a repository is reached by SSH with a key alone: name a Secret with ssh-privatekey and known_hosts in auth.secretRef")
	}
	return nil
}

// sshConfig is who connects, and to whom. The host's key is always checked.
func (f *Fetcher) sshConfig(r *checkout.Remote, auth checkout.Auth) (*ssh.ClientConfig, error) {
	signer, err := ssh.ParsePrivateKey(auth.PrivateKey)
	if _, locked := errors.AsType[*ssh.PassphraseMissingError](err); locked {
		return nil, wrong("the SSH key has a passphrase: store one without in the Secret")
	}
	if err != nil {
		return nil, wrong("ssh-privatekey is no key that can be read")
	}
	known := bytes.TrimSpace(auth.KnownHosts)
	if len(known) == 0 {
		known = bytes.TrimSpace(f.knownHosts)
	}
	if len(known) == 0 {
		return nil, wrong("the key of %s is not known: add known_hosts to the Secret, as ssh-keyscan prints it, or start the operator with --git-known-hosts", r.Host)
	}
	// It is read from files alone.
	file, err := os.CreateTemp(f.cache.dir, temporary+"*")
	if err != nil {
		return nil, fmt.Errorf("write known_hosts: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.Write(append(bytes.Clone(known), '\n'))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("write known_hosts: %w", err)
	}
	hosts, err := gitssh.NewKnownHostsDb(file.Name())
	if err != nil {
		return nil, wrong("known_hosts is not valid: it must hold lines as ssh-keyscan prints them")
	}
	check := hosts.HostKeyCallback()
	return &ssh.ClientConfig{
		User: cmp.Or(r.User, auth.Username, defaultUser),
		Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)},
		HostKeyCallback: func(host string, address net.Addr, key ssh.PublicKey) error {
			err := check(host, address, key)
			unknown, ok := errors.AsType[*knownhosts.KeyError](err)
			switch {
			case !ok:
				return err
			case len(unknown.Want) == 0:
				return wrong("known_hosts does not have %s", host)
			}
			return wrong("the key of %s is another one than known_hosts has: somebody may be in between, or the host has a new key", host)
		},
		HostKeyAlgorithms: hosts.HostKeyAlgorithms(r.Address()),
	}, nil
}
