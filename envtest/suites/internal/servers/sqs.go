package servers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// SQS is a double of Amazon's queue service, in this process: it keeps queues with their attributes and tags, checks signatures, and has no
// messages. No server that speaks SQS's present protocol, or knows tags, can be had as a module.
type SQS struct {
	// Address is host:port, URL the endpoint.
	Address, URL string
	// Region is the one that requests are signed for.
	Region string
	// AccessKeyID and SecretAccessKey are what is let in.
	AccessKeyID, SecretAccessKey string

	t      T
	server *http.Server
	ended  chan struct{}

	mu       sync.Mutex // guards the rest
	queues   map[string]*queue
	requests []string
}

type queue struct{ attributes, tags map[string]string }

// StartSQS starts an SQS without queues.
func StartSQS(t T) *SQS {
	t.Helper()
	address := local(reserve(t))
	s := &SQS{
		Address: address, URL: "http://" + address, Region: "us-east-1",
		AccessKeyID: "suite-access", SecretAccessKey: "suite-secret", t: t, queues: map[string]*queue{},
	}
	t.Cleanup(s.Stop)
	s.Start()
	return s
}

// Start starts the server where it was, with the queues that it has. One that runs is left alone.
func (s *SQS) Start() {
	s.t.Helper()
	if s.server != nil {
		return
	}
	listener, err := net.Listen("tcp", s.Address) //nolint:noctx // it lives until it is closed
	if err != nil {
		s.t.Fatalf("start the double of SQS: %v", err)
	}
	s.server, s.ended = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}, make(chan struct{})
	go func() {
		defer close(s.ended)
		_ = s.server.Serve(listener) // it ends by being closed
	}()
}

// Stop ends the server.
func (s *SQS) Stop() {
	if s.server == nil {
		return
	}
	_ = s.server.Close()
	<-s.ended
	s.server = nil
}

// Requests are the names of the actions that were asked for, such as CreateQueue, since the last call.
func (s *SQS) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.requests
	s.requests = nil
	return asked
}

// Queues are the names of the queues that there are, sorted.
func (s *SQS) Queues() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.queues))
}

// sqsRequest has the fields of all actions, as the protocol writes them.
type sqsRequest struct {
	QueueName  string            `json:"QueueName"`  //nolint:tagliatelle // the protocol's
	QueueURL   string            `json:"QueueUrl"`   //nolint:tagliatelle // the protocol's
	Attributes map[string]string `json:"Attributes"` //nolint:tagliatelle // the protocol's
	// Tags of CreateQueue and of TagQueue have different names.
	CreateTags map[string]string `json:"tags"`
	Tags       map[string]string `json:"Tags"`    //nolint:tagliatelle // the protocol's
	TagKeys    []string          `json:"TagKeys"` //nolint:tagliatelle // the protocol's
}

// failure is an error of the protocol.
type failure struct{ code, query, message string }

func (f *failure) Error() string { return f.code }

var errNoQueue = &failure{"QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist."}

func invalid(message string) error {
	return &failure{"InvalidAttributeValue", "InvalidAttributeValue", message}
}

// ServeHTTP answers one request of AWS' JSON protocol.
func (s *SQS) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	answer, err := s.answer(r, body)
	if err != nil {
		failed := &failure{"InternalFailure", "InternalFailure", err.Error()}
		if known, ok := err.(*failure); ok { //nolint:errorlint // it is never wrapped
			failed = known
		}
		w.Header().Set("X-Amzn-Query-Error", failed.query+";Sender")
		w.WriteHeader(http.StatusBadRequest)
		answer = map[string]string{"__type": "com.amazonaws.sqs#" + failed.code, "message": failed.message}
	}
	_ = json.NewEncoder(w).Encode(answer) //nolint:errchkjson // texts in maps; and who does not listen any more does not care
}

func (s *SQS) answer(r *http.Request, body []byte) (any, error) {
	if err := s.authenticate(r, body); err != nil {
		return nil, err
	}
	_, action, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	var in sqsRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, action)
	if action == "CreateQueue" {
		return s.createLocked(&in)
	}
	name := in.QueueName
	if name == "" {
		name = in.QueueURL[strings.LastIndex(in.QueueURL, "/")+1:]
	}
	q, ok := s.queues[name]
	if !ok {
		return nil, errNoQueue
	}
	switch action {
	case "GetQueueUrl":
		return map[string]string{"QueueUrl": s.url(name)}, nil
	case "GetQueueAttributes":
		return map[string]any{"Attributes": q.attributes}, nil
	case "ListQueueTags":
		return map[string]any{"Tags": q.tags}, nil
	case "SetQueueAttributes":
		if err := check(in.Attributes); err != nil {
			return nil, err
		}
		maps.Copy(q.attributes, in.Attributes)
	case "TagQueue":
		maps.Copy(q.tags, in.Tags)
	case "UntagQueue":
		for _, key := range in.TagKeys {
			delete(q.tags, key)
		}
	case "DeleteQueue":
		delete(s.queues, name)
	default:
		return nil, &failure{"InvalidAction", "InvalidAction", "The double has no action " + action}
	}
	return struct{}{}, nil
}

// createLocked makes a queue. One that is there is as good, when its attributes are those.
func (s *SQS) createLocked(in *sqsRequest) (any, error) {
	fifo := in.Attributes["FifoQueue"] == "true"
	if in.QueueName == "" || len(in.QueueName) > 80 || fifo != strings.HasSuffix(in.QueueName, ".fifo") ||
		strings.Trim(strings.TrimSuffix(in.QueueName, ".fifo"), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		return nil, &failure{"InvalidParameterValue", "InvalidParameterValue", "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length"}
	}
	if err := check(in.Attributes); err != nil {
		return nil, err
	}
	if q, ok := s.queues[in.QueueName]; ok {
		for key, value := range in.Attributes {
			if q.attributes[key] != value {
				return nil, &failure{"QueueNameExists", "QueueAlreadyExists", "A queue already exists with the same name and a different value for attribute " + key}
			}
		}
		return map[string]string{"QueueUrl": s.url(in.QueueName)}, nil
	}
	q := &queue{tags: map[string]string{}, attributes: map[string]string{
		"VisibilityTimeout": "30", "MessageRetentionPeriod": "345600", "DelaySeconds": "0", "MaximumMessageSize": "262144",
		"ReceiveMessageWaitTimeSeconds": "0", "QueueArn": fmt.Sprintf("arn:aws:sqs:%s:000000000000:%s", s.Region, in.QueueName),
	}}
	maps.Copy(q.attributes, in.Attributes)
	maps.Copy(q.tags, in.CreateTags)
	s.queues[in.QueueName] = q
	return map[string]string{"QueueUrl": s.url(in.QueueName)}, nil
}

// check refuses numbers that the service refuses.
func check(attributes map[string]string) error {
	most := map[string]int{
		"VisibilityTimeout": 43200, "MessageRetentionPeriod": 1209600, "DelaySeconds": 900, "MaximumMessageSize": 1048576,
		"ReceiveMessageWaitTimeSeconds": 20,
	}
	for key, value := range attributes {
		if limit, ok := most[key]; ok {
			if n, err := strconv.Atoi(value); err != nil || n < 0 || n > limit {
				return invalid("Invalid value for the parameter " + key + ".")
			}
		}
	}
	return nil
}

func (s *SQS) url(name string) string { return s.URL + "/000000000000/" + name }

// authenticate signs the request anew and compares.
func (s *SQS) authenticate(r *http.Request, body []byte) error {
	given := r.Header.Get("Authorization")
	if !strings.Contains(given, "Credential="+s.AccessKeyID+"/") {
		return &failure{"InvalidClientTokenId", "InvalidClientTokenId", "The security token included in the request is invalid."}
	}
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil {
		return &failure{"IncompleteSignature", "IncompleteSignature", "Authorization header requires 'X-Amz-Date'."}
	}
	_, signed, _ := strings.Cut(given, "SignedHeaders=")
	signed, _, _ = strings.Cut(signed, ",")
	again, err := http.NewRequest(r.Method, "http://"+r.Host+r.URL.RequestURI(), bytes.NewReader(body)) //nolint:noctx // it is not sent
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(signed, ";") {
		if value := r.Header.Get(name); value != "" {
			again.Header.Set(name, value)
		}
	}
	again.ContentLength = int64(len(body))
	secret := aws.Credentials{AccessKeyID: s.AccessKeyID, SecretAccessKey: s.SecretAccessKey}
	if err := v4.NewSigner().SignHTTP(r.Context(), secret, again, hash(body), "sqs", s.Region, at); err != nil {
		return err
	}
	if again.Header.Get("Authorization") != given {
		return &failure{"SignatureDoesNotMatch", "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided."}
	}
	return nil
}
