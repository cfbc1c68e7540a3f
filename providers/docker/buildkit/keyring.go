package buildkit

import (
	"context"

	"github.com/moby/buildkit/session"
	"github.com/moby/buildkit/session/auth"
	"google.golang.org/grpc"

	"github.com/orkestra-runtime/orkestra/providers/image"
)

// keyring hands the daemon the credentials of a build when it asks for one. It talks to no registry itself: where a registry has its tokens
// made is for the daemon to reach, not for the operator.
type keyring struct {
	auth.UnimplementedAuthServer

	credentials image.Credentials
}

var _ session.Attachable = keyring{}

// Register serves the keyring.
func (k keyring) Register(server *grpc.Server) { auth.RegisterAuthServer(server, k) }

// Credentials returns that of a registry, an empty one where there is none.
func (k keyring) Credentials(_ context.Context, r *auth.CredentialsRequest) (*auth.CredentialsResponse, error) {
	login, _ := k.credentials.For(r.GetHost())
	if login.IdentityToken != "" {
		return &auth.CredentialsResponse{Secret: login.IdentityToken}, nil
	}
	return &auth.CredentialsResponse{Username: login.Username, Secret: login.Password}, nil
}
