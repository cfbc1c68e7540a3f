package servers

import (
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
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

// Refuse has the broker refuse the next credential with a message, as real brokers do. By itself the double closes the connection of whoever has a
// wrong one.
func (k *Kafka) Refuse(message string) {
	k.t.Helper()
	k.cluster.ControlKey(int16(kmsg.SASLAuthenticate), func(request kmsg.Request) (kmsg.Response, error, bool) {
		response, ok := request.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		if !ok {
			return nil, nil, false
		}
		response.ErrorCode, response.ErrorMessage = kerr.SaslAuthenticationFailed.Code, &message
		return response, nil, true
	})
}
