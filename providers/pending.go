//go:build pending

package providers

import (
	_ "github.com/aws/aws-sdk-go-v2/aws"
	_ "github.com/aws/aws-sdk-go-v2/config"
	_ "github.com/aws/aws-sdk-go-v2/credentials"
	_ "github.com/aws/aws-sdk-go-v2/service/s3"
	_ "github.com/aws/aws-sdk-go-v2/service/sqs"
	_ "github.com/aws/smithy-go"
	_ "github.com/gliderlabs/ssh"
	_ "github.com/go-git/go-billy/v5/osfs"
	_ "github.com/go-git/go-git/v5"
	_ "github.com/google/go-containerregistry/pkg/registry"
	_ "github.com/google/go-containerregistry/pkg/v1/remote"
	_ "github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/moby/buildkit/client"
	_ "github.com/moby/buildkit/session/auth/authprovider"
	_ "github.com/moby/moby/client"
	_ "github.com/redis/go-redis/v9"
	_ "github.com/tonistiigi/fsutil"
	_ "github.com/twmb/franz-go/pkg/kadm"
	_ "github.com/twmb/franz-go/pkg/kfake"
	_ "github.com/twmb/franz-go/pkg/kgo"
	_ "go.mongodb.org/mongo-driver/v2/mongo"
	_ "golang.org/x/crypto/ssh"
)
