package servers_test

import (
	"context"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
)

func TestMongo(t *testing.T) {
	t.Parallel()
	m := servers.StartMongo(t)
	as := func(user, password, database string) *mongo.Client {
		client, err := mongo.Connect(options.Client().ApplyURI(m.URL(user, password, database)).SetServerSelectionTimeout(2 * time.Second))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
		return client
	}
	root := as(m.User, m.Password, "admin")
	if _, err := root.Database("kept").Collection("things").InsertOne(t.Context(), bson.M{"a": 1}); err != nil {
		t.Fatal(err)
	}
	create := bson.D{{Key: "createUser", Value: "app"}, {Key: "pwd", Value: "secret"}, {Key: "roles", Value: bson.A{}}}
	if err := root.Database("kept").RunCommand(t.Context(), create).Err(); err != nil {
		t.Fatal(err)
	}
	m.Stop()
	if err := as(m.User, m.Password, "admin").Ping(t.Context(), nil); err == nil {
		t.Fatal("a stopped server answers")
	}
	m.Start()
	if n, err := as("app", "secret", "kept").Database("kept").Collection("things").CountDocuments(t.Context(), bson.M{}); n != 1 {
		t.Errorf("a server that was started again has what it had, and its users: %d, %v", n, err)
	}
	if err := as("app", "wrong", "kept").Ping(t.Context(), nil); err == nil {
		t.Error("a wrong password is let in")
	}
}
