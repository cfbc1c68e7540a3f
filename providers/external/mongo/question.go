package mongo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	mongodriver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/orkestra-runtime/orkestra/providers/external"
)

// question is a query: about a collection, or a command.
type question struct {
	database, collection         string
	filter, projection, ordering bson.D
	pipeline                     bson.A
	counting                     bool
	skip, limit                  int64
	command                      bson.D
}

// commands are those that read, and what they say is not long.
var commands = []string{
	"buildInfo", "collStats", "connectionStatus", "count", "dbStats", "distinct", "hello", "hostInfo", "isMaster", "listCollections",
	"listDatabases", "listIndexes", "ping", "replSetGetStatus", "serverStatus", "top",
}

// running are the operators that run code, or write.
var running = []string{"$where", "$function", "$accumulator", "$out", "$merge"}

// questionOf reads a query: {"collection": "orders", "filter": {...}}, or a command such as {"ping": 1}.
func questionOf(query string) (*question, error) {
	var document bson.D
	if strings.TrimSpace(query) == "" {
		return nil, &external.RequestError{Problem: `the query is empty: want JSON such as {"collection": "orders", "filter": {"state": "open"}}`}
	}
	if err := bson.UnmarshalExtJSON([]byte(query), false, &document); err != nil {
		return nil, &external.RequestError{Problem: `the query is not JSON of an object such as {"collection": "orders", "filter": {"state": "open"}}`}
	}
	if name := operator(document); name != "" {
		return nil, &external.RequestError{Problem: "the query has " + name + ", and a call only reads, and runs no code"}
	}
	q := &question{}
	if !slices.ContainsFunc(document, func(e bson.E) bool { return e.Key == "collection" }) {
		for _, e := range document {
			if name, ok := e.Value.(string); ok && e.Key == "database" {
				q.database = name
				continue
			}
			q.command = append(q.command, e)
		}
		err := q.check()
		return q, err
	}
	for _, e := range document {
		if err := q.set(e); err != nil {
			return nil, err
		}
	}
	switch {
	case q.collection == "":
		return nil, &external.RequestError{Problem: "the query names no collection"}
	case q.pipeline != nil && (q.filter != nil || q.projection != nil || q.ordering != nil || q.skip != 0 || q.limit != 0):
		return nil, &external.RequestError{Problem: "the query has a pipeline, which stands for filter, projection, sort, skip and limit: say it all there"}
	}
	return q, nil
}

// Check tells whether a query is one that reads.
func (c *Caller) Check(query string, _ []string) error {
	_, err := questionOf(query)
	return err
}

// check tells whether a command may be used.
func (q *question) check() error {
	if len(q.command) == 0 {
		return &external.RequestError{Problem: "the query is empty"}
	}
	if name := q.command[0].Key; !slices.ContainsFunc(commands, func(one string) bool { return strings.EqualFold(one, name) }) {
		return &external.RequestError{Problem: fmt.Sprintf(
			"the query has no collection, and %.40q is no command that a call may use, which only reads (valid: %s)", name, strings.Join(commands, ", "))}
	}
	return nil
}

func (q *question) set(e bson.E) error {
	var ok bool
	switch e.Key {
	case "collection":
		q.collection, ok = e.Value.(string)
	case "database":
		q.database, ok = e.Value.(string)
	case "filter":
		q.filter, ok = e.Value.(bson.D)
	case "projection":
		q.projection, ok = e.Value.(bson.D)
	case "sort":
		q.ordering, ok = e.Value.(bson.D)
	case "pipeline":
		q.pipeline, ok = e.Value.(bson.A)
	case "count":
		q.counting, ok = e.Value.(bool)
	case "skip":
		q.skip, ok = whole(e.Value)
	case "limit":
		q.limit, ok = whole(e.Value)
	default:
		return &external.RequestError{Problem: fmt.Sprintf(
			"the query has %.40q (valid: collection, filter, projection, sort, skip, limit, count, pipeline, database)", e.Key)}
	}
	if !ok {
		return &external.RequestError{Problem: fmt.Sprintf("%s of the query is of another type than it must be", e.Key)}
	}
	return nil
}

// whole is a number that is not negative.
func whole(value any) (int64, bool) {
	switch value := value.(type) {
	case int32:
		return int64(value), value >= 0
	case int64:
		return value, value >= 0
	}
	return 0, false
}

// operator is one of those that a query must not have.
func operator(value any) string {
	switch value := value.(type) {
	case bson.D:
		for _, e := range value {
			if slices.Contains(running, e.Key) {
				return e.Key
			}
			if name := operator(e.Value); name != "" {
				return name
			}
		}
	case bson.A:
		for _, one := range value {
			if name := operator(one); name != "" {
				return name
			}
		}
	case bson.JavaScript, bson.CodeWithScope:
		return "code"
	}
	return ""
}

func (q *question) ask(ctx context.Context, c *client) (*found, error) {
	database, err := c.in(q.database)
	if err != nil {
		return nil, err
	}
	if q.command != nil {
		return q.run(ctx, database)
	}
	collection := database.Collection(q.collection)
	if q.filter == nil {
		q.filter = bson.D{}
	}
	if q.counting && q.pipeline == nil {
		return q.count(ctx, collection)
	}
	var cursor *mongodriver.Cursor
	if q.pipeline != nil {
		cursor, err = collection.Aggregate(ctx, q.pipeline, options.Aggregate().SetBatchSize(batch))
	} else {
		limit := int64(external.MaxRows + 1)
		if q.limit > 0 {
			limit = min(limit, q.limit)
		}
		opts := options.Find().SetSkip(q.skip).SetLimit(limit).SetBatchSize(batch)
		if q.projection != nil {
			opts.SetProjection(q.projection)
		}
		if q.ordering != nil {
			opts.SetSort(q.ordering)
		}
		cursor, err = collection.Find(ctx, q.filter, opts)
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // told does
	}
	return read(ctx, cursor)
}

// batch is how many documents are asked for at once.
const batch = 100

func read(ctx context.Context, cursor *mongodriver.Cursor) (*found, error) {
	defer func() { _ = cursor.Close(ctx) }() // the server forgets it
	f, size := &found{documents: []any{}, result: ""}, 0
	for cursor.Next(ctx) {
		if len(f.documents) == external.MaxRows {
			return nil, external.TooMany("documents", "give the query a limit")
		}
		if size += len(cursor.Current); size > external.MaxBody {
			return nil, external.TooLong()
		}
		if err := f.add(cursor.Current); err != nil {
			return nil, err
		}
	}
	if err := cursor.Err(); err != nil {
		return nil, err //nolint:wrapcheck // told does
	}
	if len(f.documents) > 0 {
		f.result = f.documents[0]
	}
	f.count, f.text = int64(len(f.documents)), f.documents
	return f, nil
}

func (q *question) count(ctx context.Context, collection *mongodriver.Collection) (*found, error) {
	opts := options.Count()
	if q.limit > 0 {
		opts.SetLimit(q.limit)
	}
	if q.skip > 0 {
		opts.SetSkip(q.skip)
	}
	n, err := collection.CountDocuments(ctx, q.filter, opts)
	if err != nil {
		return nil, err //nolint:wrapcheck // told does
	}
	return &found{documents: []any{}, result: n, count: n, text: n}, nil
}

// run is a command. Documents are what its reply lists, count is its n or how many they are.
func (q *question) run(ctx context.Context, database *mongodriver.Database) (*found, error) {
	raw, err := database.RunCommand(ctx, q.command).Raw()
	if err != nil {
		if errors.Is(err, mongodriver.ErrNoDocuments) {
			return nil, errors.New("the server replies with nothing")
		}
		return nil, err //nolint:wrapcheck // told does
	}
	if len(raw) > external.MaxBody {
		return nil, external.TooLong()
	}
	reply, err := plainDocument(raw)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"$clusterTime", "operationTime"} { // of the driver's own business
		delete(reply, name)
	}
	f := &found{result: reply, documents: listed(reply), text: reply}
	f.count = int64(len(f.documents))
	if n, ok := reply["n"].(int64); ok {
		f.count = n
	}
	return f, nil
}

// listed are the documents of a reply: those of a cursor, or the values that it lists.
func listed(reply map[string]any) []any {
	if cursor, ok := reply["cursor"].(map[string]any); ok {
		if list, ok := cursor["firstBatch"].([]any); ok {
			return list
		}
	}
	for _, name := range []string{"values", "databases"} {
		if list, ok := reply[name].([]any); ok {
			return list
		}
	}
	return []any{}
}
