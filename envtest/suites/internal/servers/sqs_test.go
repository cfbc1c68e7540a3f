package servers_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
)

func TestSQS(t *testing.T) {
	t.Parallel()
	s := servers.StartSQS(t)
	with := func(secret string) *sqs.Client {
		return sqs.New(sqs.Options{
			BaseEndpoint: &s.URL, Region: s.Region, RetryMaxAttempts: 1,
			Credentials: credentials.NewStaticCredentialsProvider(s.AccessKeyID, secret, ""),
		})
	}
	name := "kept"
	made, err := with(s.SecretAccessKey).CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name, Tags: map[string]string{"a": "b"}})
	if err != nil {
		t.Fatal(err)
	}
	s.Stop()
	if _, err := with(s.SecretAccessKey).GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{QueueName: &name}); err == nil {
		t.Fatal("a stopped server answers")
	}
	s.Start()
	tags, err := with(s.SecretAccessKey).ListQueueTags(t.Context(), &sqs.ListQueueTagsInput{QueueUrl: made.QueueUrl})
	if err != nil || tags.Tags["a"] != "b" {
		t.Errorf("a server that was started again has what it had: %v, %v", tags, err)
	}
	if _, err := with("wrong").GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{QueueName: &name}); err == nil {
		t.Error("a wrong secret is let in")
	}
}
