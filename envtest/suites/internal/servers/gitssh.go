package servers

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"io"
	"os/exec"
	"path/filepath"

	glssh "github.com/gliderlabs/ssh"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// startSSH starts the double of an SSH server. It runs git-upload-pack and nothing else.
func (g *Git) startSSH() {
	g.t.Helper()
	own, _ := g.key()
	allowed, private := g.key()
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		g.t.Fatalf("encode a key: %v", err)
	}
	g.Key = pem.EncodeToMemory(block)
	server := &glssh.Server{
		Handler:          g.serveSSH,
		PublicKeyHandler: func(_ glssh.Context, key glssh.PublicKey) bool { return glssh.KeysEqual(key, allowed.PublicKey()) },
	}
	server.AddHostKey(own)
	listener := g.listen()
	g.SSHAddress = listener.Addr().String()
	g.KnownHosts = []byte(knownhosts.Line([]string{knownhosts.Normalize(g.SSHAddress)}, own.PublicKey()) + "\n")
	go func() { _ = server.Serve(listener) }() // it ends when it is closed
	g.t.Cleanup(func() { _ = server.Close() })
}

func (g *Git) key() (ssh.Signer, ed25519.PrivateKey) {
	g.t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		g.t.Fatalf("make a key: %v", err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		g.t.Fatalf("make a key: %v", err)
	}
	return signer, private
}

func (g *Git) serveSSH(session glssh.Session) {
	asked := session.Command()
	if len(asked) != 2 || asked[0] != "git-upload-pack" {
		_, _ = io.WriteString(session.Stderr(), "only git-upload-pack is served\n")
		_ = session.Exit(128)
		return
	}
	cmd := exec.CommandContext(session.Context(), "git", "upload-pack", filepath.Join(g.root, filepath.Clean("/"+asked[1]))) //nolint:gosec // below the root
	cmd.Env, cmd.Stdout, cmd.Stderr = gitEnvironment(), session, session.Stderr()
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		_ = session.Exit(1)
		return
	}
	// By a pipe, for git may end before the client closes its side.
	go func() {
		_, _ = io.Copy(in, session)
		_ = in.Close()
	}()
	_ = cmd.Wait()
	_ = session.Exit(cmd.ProcessState.ExitCode())
}
