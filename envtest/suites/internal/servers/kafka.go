package servers

import (
	"github.com/twmb/franz-go/pkg/kfake"
)

// Kafka is a double of a Kafka broker: franz-go's kfake, in this process, which speaks the protocol over TCP. No real broker runs here.
//
// It tells clients its own address, so that what goes through a Proxy has to be sent there by the client's dialer.
type Kafka struct {
	// Address is host:port.
	Address string
	// User and Password are a superuser's, by SASL/PLAIN and no other way.
	User, Password string

	t       T
	opts    []kfake.Opt
	cluster *kfake.Cluster
}

// StartKafka starts a broker with topics of one partition each. Topics that it has not are not made by asking for them.
func StartKafka(t T, topics ...string) *Kafka {
	t.Helper()
	port := reserve(t)
	k := &Kafka{Address: local(port), User: "kafka", Password: "kafka-secret", t: t}
	k.opts = []kfake.Opt{
		kfake.NumBrokers(1), kfake.Ports(port), kfake.EnableSASL(), kfake.Superuser("PLAIN", k.User, k.Password),
		kfake.SeedTopics(1, topics...), kfake.DataDir(folder(t, "kafka")),
	}
	t.Cleanup(k.Stop)
	k.Start()
	return k
}

// Start starts the broker where it was, with what it has stored. One that runs is left alone.
func (k *Kafka) Start() {
	k.t.Helper()
	if k.cluster != nil {
		return
	}
	cluster, err := kfake.NewCluster(k.opts...)
	if err != nil {
		k.t.Fatalf("start the double of Kafka: %v", err)
	}
	k.cluster = cluster
}

// Stop ends the broker.
func (k *Kafka) Stop() {
	if k.cluster != nil {
		k.cluster.Close()
		k.cluster = nil
	}
}
