package servers_test

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
)

func TestKafka(t *testing.T) {
	t.Parallel()
	k := servers.StartKafka(t, "events")
	produce := func(password, topic string) error {
		client, err := kgo.NewClient(kgo.SeedBrokers(k.Address), kgo.RecordRetries(1), kgo.RecordDeliveryTimeout(3*time.Second),
			kgo.SASL(plain.Auth{User: k.User, Pass: password}.AsMechanism()))
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		return client.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte("value")}).FirstErr()
	}
	if err := produce(k.Password, "events"); err != nil {
		t.Fatal(err)
	}
	if err := produce("wrong", "events"); err == nil {
		t.Error("a wrong password is let in")
	}
	if err := produce(k.Password, "absent"); err == nil {
		t.Error("a topic is made by writing to it")
	}
	k.Stop()
	if err := produce(k.Password, "events"); err == nil {
		t.Fatal("a stopped broker answers")
	}
	k.Start()
	if err := produce(k.Password, "events"); err != nil {
		t.Errorf("a broker that was started again has its topics: %v", err)
	}
}
