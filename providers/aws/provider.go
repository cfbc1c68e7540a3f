package aws

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/declared"
	"github.com/orkestra-runtime/orkestra/providers/pool"
)

// Options of a Provider.
type Options = declared.Options

// Provider keeps what is declared at AWS.
type Provider struct {
	declared.Provider

	clients *pool.Pool[account, *clients]
}

var _ providers.Checker = (*Provider)(nil)

// New returns a Provider, whose name is aws. Its kinds are s3Bucket and sqsQueue.
func New(opts Options) *Provider {
	p := &Provider{clients: pool.New[account](func(c *clients) { c.transport.CloseIdleConnections() })}
	p.Provider = declared.New("aws", opts, p.clients.Close)
	p.Add("s3Bucket", p.buckets())
	p.Add("sqsQueue", p.queues())
	return p
}

// account is all that makes clients different.
type account struct{ endpoint, region, id, secret, session string }

// clients of the services of an account.
type clients struct {
	s3        *s3.Client
	sqs       *sqs.Client
	region    string
	transport *http.Transport
}

// tries is how often a request is sent: the runtime tries again as well.
const tries = 2

// open makes the clients. Without a credential, the machine's own is used, as the SDK finds it.
func (p *Provider) open(a account) (*clients, error) {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		transport = &http.Transport{}
	}
	transport = transport.Clone()
	client := &http.Client{
		Transport: bounded{transport}, Timeout: p.Timeout(),
		// An endpoint that sends elsewhere would be given a signature for it.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	shared := aws.Config{Region: a.region, HTTPClient: client, RetryMaxAttempts: tries}
	if a.id != "" {
		shared.Credentials = aws.NewCredentialsCache(credentials.NewStaticCredentialsProvider(a.id, a.secret, a.session))
	} else {
		ctx, cancel := context.WithTimeout(context.Background(), p.Timeout())
		defer cancel()
		loaded, err := config.LoadDefaultConfig(ctx, config.WithRegion(a.region), config.WithHTTPClient(client), config.WithRetryMaxAttempts(tries))
		if err != nil {
			return nil, errors.New("the Katalog's claim has no accessKeyID, and the operator's environment no credential either")
		}
		shared = loaded
	}
	made := &clients{region: a.region, transport: transport}
	made.s3 = s3.NewFromConfig(shared, func(o *s3.Options) {
		if a.endpoint != "" {
			// Others than Amazon have no host name for each bucket, and not all its checksums.
			o.BaseEndpoint, o.UsePathStyle = &a.endpoint, true
			o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
			o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		}
	})
	made.sqs = sqs.NewFromConfig(shared, func(o *sqs.Options) {
		if a.endpoint != "" {
			o.BaseEndpoint = &a.endpoint
		}
	})
	return made, nil
}

// mostAnswer is how much of an answer is read, in bytes: what is asked for is short, and the SDK keeps all of it.
const mostAnswer = 8 << 20

// bounded ends answers that are longer.
type bounded struct{ http.RoundTripper }

// RoundTrip sends a request.
func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(request)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, mostAnswer)
	}
	return response, err //nolint:wrapcheck // a RoundTripper's error is passed on as it is
}

// defaultRegion is that of a thing for which nobody names one.
const defaultRegion = "us-east-1"

// use runs f with the clients of a thing. Endpoint is the key of the claim that may say where the service is, before the key endpoint.
func (p *Provider) use(ctx context.Context, t *declared.Thing, endpoint string, f func(*clients) error) error {
	auth, err := t.Auth(ctx, "accessKeyID", "secretAccessKey", "sessionToken")
	if err != nil {
		return err
	}
	claim := t.Request.Auth
	key := account{
		endpoint: cmp.Or(claim[endpoint], claim["endpoint"]), region: cmp.Or(t.Fields["region"], claim["region"], defaultRegion),
		id: auth["accessKeyID"], secret: auth["secretAccessKey"], session: auth["sessionToken"],
	}
	return p.clients.Use(key, p.open, func(c *clients) error { return p.told(f(c)) })
}

// told says what went wrong in few words: the SDK tells of operations, attempts and request numbers, which differ each time.
func (p *Provider) told(err error) error {
	if err == nil {
		return nil
	}
	if said, ok := errors.AsType[smithy.APIError](err); ok {
		text := said.ErrorCode()
		if said.ErrorMessage() != "" {
			text += ": " + said.ErrorMessage()
		}
		return &serviceError{text}
	}
	if late, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err); errors.Is(err, context.DeadlineExceeded) || ok && late.Timeout() {
		return fmt.Errorf("the service did not answer within %s: %w", p.Timeout(), context.DeadlineExceeded)
	}
	if sent, ok := errors.AsType[*smithy.OperationError](err); ok {
		return fmt.Errorf("%s: %w", sent.Operation(), declared.Cause(sent))
	}
	return err
}

// serviceError is what the service says.
type serviceError struct{ text string }

func (e *serviceError) Error() string { return e.text }

// Answered tells that the service is there.
func (e *serviceError) Answered() {}

// codes tells whether an error of the SDK is the service's with one of the codes.
func codes(err error, among ...string) bool {
	said, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return false
	}
	for _, one := range among {
		if said.ErrorCode() == one {
			return true
		}
	}
	return false
}
