package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/providers/external"
)

// question is a query: about a topic, or about a group of its consumers.
type question struct{ topic, group string }

// names are what a topic and a group may be called in a query.
var names = map[string]func(*question) *string{
	"topic": func(q *question) *string { return &q.topic },
	"group": func(q *question) *string { return &q.group }, "consumergroup": func(q *question) *string { return &q.group },
}

// questionOf reads a query: topic=orders group=billing, also with colons, commas or braces as in YAML and JSON, or the names alone, that of
// the topic first.
func questionOf(query string) (*question, error) {
	query = strings.TrimSpace(query)
	q := &question{}
	var fields map[string]string
	if strings.Contains(query, ":") && yaml.Unmarshal([]byte(query), &fields) == nil {
		for name, value := range fields {
			if err := q.set(name, value); err != nil {
				return nil, err
			}
		}
		return q.checked()
	}
	for i, word := range strings.FieldsFunc(query, func(r rune) bool { return strings.ContainsRune(", \t\r\n;", r) }) {
		at := strings.IndexAny(word, "=:")
		switch {
		case at >= 0:
			if err := q.set(word[:at], word[at+1:]); err != nil {
				return nil, err
			}
		case i == 0:
			q.topic = word
		case i == 1:
			q.group = word
		default:
			return nil, &external.RequestError{Problem: fmt.Sprintf("the query has %.60q besides a topic and a group", word)}
		}
	}
	return q.checked()
}

// Check tells whether a query names a topic.
func (c *Caller) Check(query string, _ []string) error {
	_, err := questionOf(query)
	return err
}

func (q *question) set(name, value string) error {
	of, known := names[strings.ToLower(strings.TrimSpace(name))]
	if !known {
		return &external.RequestError{Problem: fmt.Sprintf("the query has %.40q (valid: topic, group)", name)}
	}
	*of(q) = strings.TrimSpace(value)
	return nil
}

func (q *question) checked() (*question, error) {
	if q.topic == "" {
		return nil, &external.RequestError{Problem: "the query names no topic: want topic=orders, or topic=orders group=billing for a lag"}
	}
	return q, nil
}

func (q *question) ask(ctx context.Context, cluster *kadm.Client) (map[string]any, error) {
	ends, err := cluster.ListEndOffsets(ctx, q.topic)
	if err != nil {
		return nil, err //nolint:wrapcheck // told does
	}
	if err := ends.Error(); err != nil {
		if errors.Is(err, kerr.UnknownTopicOrPartition) {
			return nil, &external.ServerError{Text: fmt.Sprintf("there is no topic %.250q", q.topic)}
		}
		return nil, err //nolint:wrapcheck // told does
	}
	partitions := ends[q.topic]
	if len(partitions) > external.MaxRows {
		return nil, external.TooMany("partitions", "ask for another topic")
	}
	if q.group == "" {
		n := int64(len(partitions))
		return map[string]any{"result": n, "partitionCount": n}, nil
	}
	return q.lag(ctx, cluster, partitions)
}

// lag is how many records of each partition the group has not committed: all of them where it has committed nothing.
func (q *question) lag(ctx context.Context, cluster *kadm.Client, ends map[int32]kadm.ListedOffset) (map[string]any, error) {
	starts, err := cluster.ListStartOffsets(ctx, q.topic)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // told does
	}
	committed, err := cluster.FetchOffsets(ctx, q.group)
	if err == nil {
		err = committed.Error()
	}
	if err != nil && !errors.Is(err, kerr.GroupIDNotFound) { // which it is before it commits
		return nil, err //nolint:wrapcheck // told does
	}
	total, list := int64(0), make([]any, 0, len(ends))
	numbers := make([]int32, 0, len(ends))
	for number := range ends {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	for _, number := range numbers {
		end, from := ends[number].Offset, int64(0)
		if start, ok := starts.Lookup(q.topic, number); ok {
			from = start.Offset
		}
		one := map[string]any{"partition": int64(number), "end": end, "committed": nil}
		if at, ok := committed.Lookup(q.topic, number); ok && at.At >= 0 {
			one["committed"] = at.At
			from = max(from, at.At) // older ones are gone
		}
		behind := max(end-from, 0)
		one["lag"] = behind
		total += behind
		list = append(list, one)
	}
	return map[string]any{"result": total, "lag": total, "partitions": list, "partitionCount": int64(len(list))}, nil
}
