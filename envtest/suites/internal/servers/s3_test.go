package servers_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
)

func TestS3(t *testing.T) {
	t.Parallel()
	s := servers.StartS3(t)
	with := func(secret string) *s3.Client {
		return s3.New(s3.Options{
			BaseEndpoint: &s.URL, UsePathStyle: true, Region: s.Region, RetryMaxAttempts: 1,
			Credentials: credentials.NewStaticCredentialsProvider(s.AccessKeyID, secret, ""),
		})
	}
	bucket := "kept"
	if _, err := with(s.SecretAccessKey).CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	if _, err := with(s.SecretAccessKey).HeadBucket(t.Context(), &s3.HeadBucketInput{Bucket: &bucket}); err == nil {
		t.Fatal("a stopped server answers")
	}
	s.Start()
	if _, err := with(s.SecretAccessKey).HeadBucket(t.Context(), &s3.HeadBucketInput{Bucket: &bucket}); err != nil {
		t.Errorf("a server that was started again has what it had: %v", err)
	}
	if _, err := with("wrong").HeadBucket(t.Context(), &s3.HeadBucketInput{Bucket: &bucket}); err == nil {
		t.Error("a wrong secret is let in")
	}
}
