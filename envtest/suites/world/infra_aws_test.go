package world_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/aws"
)

// writes notes the requests to a server, over HTTP, that do more than read.
type writes struct {
	mu  sync.Mutex // guards all
	all []string
}

func (w *writes) since() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.all
	w.all = nil
	return all
}

// before stands before a server and notes.
func (w *writes) before(t *testing.T, address string) *servers.Proxy {
	t.Helper()
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		// The host is signed.
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", address, r.In.Host
	}}
	noting := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.mu.Lock()
			w.all = append(w.all, r.Method+" "+r.URL.RequestURI())
			w.mu.Unlock()
		}
		forward.ServeHTTP(rw, r)
	}))
	t.Cleanup(noting.Close)
	return servers.StartProxy(t, noting.Listener.Addr().String())
}

const policy = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":["s3:GetObject"],"Resource":["arn:aws:s3:::shop-files/*"]}]}`

func TestInfraS3(t *testing.T) {
	server := servers.StartS3(t)
	noted := &writes{}
	proxy := noted.before(t, server.Address)
	provider := aws.New(aws.Options{Timeout: 2 * time.Second})
	t.Cleanup(func() { _ = provider.Close() })
	all := &asker{provider: provider, secrets: &secrets{}, auth: map[string]string{
		"endpoint": "http://" + proxy.Address, "region": server.Region, "accessKeyID": server.AccessKeyID, "secretAccessKey": server.SecretAccessKey,
	}}
	client := s3.New(s3.Options{
		BaseEndpoint: &server.URL, UsePathStyle: true, Region: server.Region,
		Credentials: credentials.NewStaticCredentialsProvider(server.AccessKeyID, server.SecretAccessKey, ""),
	})
	put := func(t *testing.T, bucket, key string) {
		t.Helper()
		if _, err := client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader([]byte("text"))}); err != nil {
			t.Fatal(err)
		}
	}
	newBucket := func(t *testing.T, bucket string) {
		t.Helper()
		if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
			t.Fatal(err)
		}
	}
	buckets := func(t *testing.T) (names []string) {
		t.Helper()
		found, err := client.ListBuckets(t.Context(), &s3.ListBucketsInput{})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range found.Buckets {
			names = append(names, *one.Name)
		}
		return names
	}
	files := declare("s3Bucket", "name", "shop-files", "versioning", "true", "policy", policy, "tags.team", "shop", "tags.cost.center", "42")
	plain := declare("s3Bucket", "name", "shop.plain")
	name := "shop-files"

	t.Run("MakesWhatIsDeclaredAndNothingTwice", func(t *testing.T) {
		a := all.in(t)
		a.mustReconcile("shop", files, plain)
		noted.since()
		for range 3 {
			a.mustReconcile("shop", files, plain)
		}
		if diff := cmp.Diff([]string(nil), noted.since()); diff != "" {
			t.Errorf("nothing differs, and something was written:\n%s", diff)
		}
		versioning, err := client.GetBucketVersioning(t.Context(), &s3.GetBucketVersioningInput{Bucket: &name})
		if err != nil || versioning.Status != "Enabled" {
			t.Errorf("versioning is %v, %v", versioning, err)
		}
	})

	t.Run("RepairsDrift", func(t *testing.T) {
		a := all.in(t)
		_, err1 := client.DeleteBucketPolicy(t.Context(), &s3.DeleteBucketPolicyInput{Bucket: &name})
		changed := declare("s3Bucket", "name", "shop-files", "versioning", "false", "policy", strings.ReplaceAll(policy, `"*"`, `["*"]`), "tags.team", "other")
		if err1 != nil {
			t.Fatal(err1)
		}
		a.mustReconcile("shop", changed)
		got, err := client.GetBucketTagging(t.Context(), &s3.GetBucketTaggingInput{Bucket: &name})
		if err != nil {
			t.Fatal(err)
		}
		var tags []string
		for _, one := range got.TagSet {
			tags = append(tags, *one.Key+"="+*one.Value)
		}
		slices.Sort(tags)
		if diff := cmp.Diff([]string{"orkestra.konductor.io/owner=App.example.com/apps/shop", "team=other"}, tags); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
		versioning, err := client.GetBucketVersioning(t.Context(), &s3.GetBucketVersioningInput{Bucket: &name})
		if err != nil || versioning.Status != "Suspended" {
			t.Errorf("versioning is %v, %v", versioning, err)
		}
		if _, err := client.GetBucketPolicy(t.Context(), &s3.GetBucketPolicyInput{Bucket: &name}); err != nil {
			t.Errorf("the policy is not back: %v", err)
		}
		noted.since()
		a.mustReconcile("shop", changed)
		if wrote := noted.since(); len(wrote) > 0 {
			t.Errorf("nothing differs, and something was written: %v", wrote)
		}
		a.mustReconcile("shop", files)
	})

	t.Run("RefusesWhatIsNotTheOwners", func(t *testing.T) {
		a := all.in(t)
		newBucket(t, "legacy")
		foreign(t, "of another resource", a.reconcile("thief", declare("s3Bucket", "name", "shop-files", "adopt", "true")), "App.example.com/apps/shop")
		foreign(t, "of nobody", a.reconcile("thief", declare("s3Bucket", "name", "legacy")), "adopt")
		a.mustRemove("thief", declare("s3Bucket", "name", "shop-files", "forceDestroy", "true"), declare("s3Bucket", "name", "legacy"))
		if got := buckets(t); !slices.Contains(got, "shop-files") || !slices.Contains(got, "legacy") {
			t.Fatalf("a resource has removed what is not its own: %v are left", got)
		}
		a.mustReconcile("heir", declare("s3Bucket", "name", "legacy", "adopt", "true"))
		a.mustRemove("heir", declare("s3Bucket", "name", "legacy", "deletionPolicy", "Retain"))
		foreign(t, "kept as nobody's", a.reconcile("heir", declare("s3Bucket", "name", "legacy")), "adopt")
	})

	t.Run("MistakesAndHostileNames", func(t *testing.T) {
		a := all.in(t)
		for reason, d := range map[string]providers.Declaration{
			"no name": declare("s3Bucket"), "an unknown field": declare("s3Bucket", "name", "abc", "acl", "public"),
			"above": declare("s3Bucket", "name", "../shop"), "capitals": declare("s3Bucket", "name", "Shop"), "short": declare("s3Bucket", "name", "ab"),
			"long": declare("s3Bucket", "name", strings.Repeat("x", 1<<20)), "two points": declare("s3Bucket", "name", "a..b"),
			"an address": declare("s3Bucket", "name", "192.168.0.1"), "a query": declare("s3Bucket", "name", "shop?policy"),
			"quotes":        declare("s3Bucket", "name", `shop"; DROP`),
			"a host":        declare("s3Bucket", "name", "abc", "region", "evil.example.com/"),
			"no truth":      declare("s3Bucket", "name", "abc", "versioning", "Enabled"),
			"no JSON":       declare("s3Bucket", "name", "abc", "policy", "{"),
			"the owner's":   declare("s3Bucket", "name", "abc", "tags.orkestra.konductor.io/owner", "me"),
			"Amazon's":      declare("s3Bucket", "name", "abc", "tags.aws:x", "me"),
			"a strange tag": declare("s3Bucket", "name", "abc", "tags.x", "<script>"),
			"a long tag":    declare("s3Bucket", "name", "abc", "tags.x", strings.Repeat("x", 257)),
		} {
			err := a.reconcile("mistaken", d)
			permanent(t, reason, err)
			if err != nil && len(err.Error()) > 400 {
				t.Errorf("%s: the error is flooded: %d bytes", reason, len(err.Error()))
			}
			a.mustRemove("mistaken", d)
		}
		many := declare("s3Bucket", "name", "abc")
		for i := range 50 {
			many.Fields[fmt.Sprintf("tags.t%d", i)] = "x"
		}
		permanent(t, "too many tags", a.reconcile("mistaken", many), "49")
	})

	t.Run("WrongCredentials", func(t *testing.T) {
		a := all.in(t)
		a.secrets.set("wrong", "accessKeyID", server.AccessKeyID)
		a.secrets.set("wrong", "secretAccessKey", "very-wrong-secret")
		err := a.reconcile("shop", declare("s3Bucket", "name", "shop-files", "authSecret.name", "wrong"))
		says(t, "a wrong secret", err, "SignatureDoesNotMatch")
		keepsSecret(t, err, "very-wrong-secret", server.SecretAccessKey)
		a.secrets.set("wrong", "secretAccessKey", server.SecretAccessKey)
		a.mustReconcile("shop", declare("s3Bucket", "name", "shop.plain", "authSecret.name", "wrong"))
	})

	t.Run("DownSlowAndBack", func(t *testing.T) {
		a := all.in(t)
		t.Cleanup(func() { proxy.Set(servers.Pass) })
		proxy.Set(servers.Refuse)
		err := within(t, 5*time.Second, func() error { return a.reconcile("shop", files) })
		says(t, "down", err, "refused")
		keepsSecret(t, err, server.SecretAccessKey)
		says(t, "down", a.remove("shop", files))
		proxy.Set(servers.Hang)
		says(t, "silent", within(t, 10*time.Second, func() error { return a.reconcile("shop", files) }), "within 2s")
		proxy.CutAfter(10)
		says(t, "cut", within(t, 10*time.Second, func() error { return a.reconcile("shop", files) }))
		proxy.Delay(50 * time.Millisecond)
		a.mustReconcile("shop", files)
		proxy.Set(servers.Pass)
		a.mustReconcile("shop", files)
	})

	t.Run("RemovesEverythingTwice", func(t *testing.T) {
		a := all.in(t)
		put(t, "shop-files", "a/b")
		put(t, "shop-files", "a/b")
		says(t, "it holds something", a.remove("shop", files, plain), "not empty", "forceDestroy")
		forced := files
		forced.Fields = map[string]string{"name": "shop-files", "forceDestroy": "true"}
		a.mustRemove("shop", forced, plain)
		a.mustRemove("shop", forced, plain)
		if diff := cmp.Diff([]string{"legacy"}, buckets(t)); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	})
}

func TestInfraSQS(t *testing.T) {
	server := servers.StartSQS(t)
	proxy := servers.StartProxy(t, server.Address)
	provider := aws.New(aws.Options{Timeout: 2 * time.Second})
	t.Cleanup(func() { _ = provider.Close() })
	all := &asker{provider: provider, secrets: &secrets{}, auth: map[string]string{
		"sqsEndpoint": "http://" + proxy.Address, "endpoint": "http://127.0.0.1:1", "region": server.Region,
		"accessKeyID": server.AccessKeyID, "secretAccessKey": server.SecretAccessKey,
	}}
	client := sqs.New(sqs.Options{
		BaseEndpoint: &server.URL, Region: server.Region,
		Credentials: credentials.NewStaticCredentialsProvider(server.AccessKeyID, server.SecretAccessKey, ""),
	})
	wrote := func() []string {
		return slices.DeleteFunc(server.Requests(), func(one string) bool { return strings.HasPrefix(one, "Get") || strings.HasPrefix(one, "List") })
	}
	orders := declare("sqsQueue", "name", "orders", "fifo", "true", "contentBasedDeduplication", "true", "visibilityTimeout", "60", "tags.team", "shop")
	mails := declare("sqsQueue", "name", "mails", "receiveMessageWaitTime", "20")

	t.Run("MakesWhatIsDeclaredAndRepairsDrift", func(t *testing.T) {
		a := all.in(t)
		a.mustReconcile("shop", orders, mails)
		if diff := cmp.Diff([]string{"mails", "orders.fifo"}, server.Queues()); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
		server.Requests()
		a.mustReconcile("shop", orders, mails)
		if got := wrote(); len(got) > 0 {
			t.Errorf("nothing differs, and something was written: %v", got)
		}
		at := server.URL + "/000000000000/orders.fifo"
		_, err1 := client.SetQueueAttributes(t.Context(), &sqs.SetQueueAttributesInput{QueueUrl: &at, Attributes: map[string]string{"VisibilityTimeout": "1"}})
		_, err2 := client.TagQueue(t.Context(), &sqs.TagQueueInput{QueueUrl: &at, Tags: map[string]string{"team": "other", "more": "x"}})
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		server.Requests()
		a.mustReconcile("shop", orders, mails)
		if diff := cmp.Diff([]string{"TagQueue", "UntagQueue", "SetQueueAttributes"}, wrote()); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
		a.mustReconcile("shop", orders, mails)
		if got := wrote(); len(got) > 0 {
			t.Errorf("nothing differs, and something was written: %v", got)
		}
	})

	t.Run("RefusesWhatIsNotTheOwners", func(t *testing.T) {
		a := all.in(t)
		legacy := "legacy"
		if _, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &legacy}); err != nil {
			t.Fatal(err)
		}
		foreign(t, "of another resource", a.reconcile("thief", declare("sqsQueue", "name", "mails", "adopt", "true")), "App.example.com/apps/shop")
		foreign(t, "of nobody", a.reconcile("thief", declare("sqsQueue", "name", "legacy")), "adopt")
		a.mustRemove("thief", mails, orders, declare("sqsQueue", "name", "legacy"))
		a.mustReconcile("heir", declare("sqsQueue", "name", "legacy", "adopt", "true"))
		a.mustRemove("heir", declare("sqsQueue", "name", "legacy", "deletionPolicy", "Retain"))
		if diff := cmp.Diff([]string{"legacy", "mails", "orders.fifo"}, server.Queues()); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
		foreign(t, "kept as nobody's", a.reconcile("heir", declare("sqsQueue", "name", "legacy")), "adopt")
		a.mustReconcile("heir", declare("sqsQueue", "name", "legacy", "adopt", "true"))
		a.mustRemove("heir", declare("sqsQueue", "name", "legacy"))
	})

	t.Run("MistakesAndHostileNames", func(t *testing.T) {
		a := all.in(t)
		for reason, d := range map[string]providers.Declaration{
			"above": declare("sqsQueue", "name", "../orders"), "long": declare("sqsQueue", "name", strings.Repeat("x", 1<<20)),
			"too long with the ending": declare("sqsQueue", "name", strings.Repeat("x", 76), "fifo", "true"),
			"the ending alone":         declare("sqsQueue", "name", "orders.fifo"),
			"quotes":                   declare("sqsQueue", "name", `a"; DROP`),
			"too much":                 declare("sqsQueue", "name", "x", "visibilityTimeout", "43201"),
			"less than nothing":        declare("sqsQueue", "name", "x", "delaySeconds", "-1"),
			"no number":                declare("sqsQueue", "name", "x", "delaySeconds", "1s"),
			"no order":                 declare("sqsQueue", "name", "x", "contentBasedDeduplication", "true"),
		} {
			permanent(t, reason, a.reconcile("mistaken", d))
			a.mustRemove("mistaken", d)
		}
	})

	t.Run("WrongCredentialsDownSlowAndBack", func(t *testing.T) {
		a := all.in(t)
		t.Cleanup(func() { proxy.Set(servers.Pass) })
		a.secrets.set("wrong", "accessKeyID", server.AccessKeyID)
		a.secrets.set("wrong", "secretAccessKey", "very-wrong-secret")
		err := a.reconcile("shop", declare("sqsQueue", "name", "mails", "authSecret.name", "wrong"))
		says(t, "a wrong secret", err, "SignatureDoesNotMatch")
		keepsSecret(t, err, "very-wrong-secret")
		proxy.Set(servers.Refuse)
		says(t, "down", within(t, 5*time.Second, func() error { return a.reconcile("shop", mails) }), "refused")
		proxy.Set(servers.Hang)
		says(t, "silent", within(t, 10*time.Second, func() error { return a.reconcile("shop", mails) }), "within 2s")
		proxy.Delay(20 * time.Millisecond)
		a.mustReconcile("shop", mails)
		server.Stop()
		says(t, "stopped", within(t, 5*time.Second, func() error { return a.reconcile("shop", mails) }))
		server.Start()
		a.mustReconcile("shop", mails)
	})

	t.Run("ManyAndGoneTwice", func(t *testing.T) {
		a := all.in(t)
		many := []providers.Declaration{orders, mails}
		for i := range 300 {
			many = append(many, declare("sqsQueue", "name", fmt.Sprintf("q-%d", i), "delaySeconds", "1"))
		}
		a.mustReconcile("shop", many...)
		start := time.Now()
		a.mustReconcile("shop", many...)
		t.Logf("300 queues that are there: %s", time.Since(start))
		a.mustRemove("shop", many...)
		a.mustRemove("shop", many...)
		if left := server.Queues(); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}
