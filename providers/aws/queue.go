package aws

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/declared"
)

// number is a field of a queue that is one, the attribute of that name, and its bounds.
type number struct {
	field       string
	attribute   types.QueueAttributeName
	least, most int
}

var numbers = []number{
	{"visibilityTimeout", types.QueueAttributeNameVisibilityTimeout, 0, 43200},
	{"messageRetentionPeriod", types.QueueAttributeNameMessageRetentionPeriod, 60, 1209600},
	{"delaySeconds", types.QueueAttributeNameDelaySeconds, 0, 900},
	{"maximumMessageSize", types.QueueAttributeNameMaximumMessageSize, 1024, 1048576},
	{"receiveMessageWaitTime", types.QueueAttributeNameReceiveMessageWaitTimeSeconds, 0, 20},
}

// queues is the kind sqsQueue.
func (p *Provider) queues() declared.Kind {
	optional := []string{"region", "fifo", "contentBasedDeduplication", "tags.*"}
	for _, one := range numbers {
		optional = append(optional, one.field)
	}
	return declared.Kind{
		Identity: []string{"name"}, Optional: optional,
		Check: checkQueue,
		Ensure: func(ctx context.Context, t *declared.Thing) error {
			return p.use(ctx, t, "sqsEndpoint", func(c *clients) error { return c.ensureQueue(ctx, t) })
		},
		Remove: func(ctx context.Context, t *declared.Thing) error {
			if checkQueueName(t.Declaration) != nil || checkRegion(t.Declaration) != nil {
				return nil // it cannot have been made
			}
			return p.use(ctx, t, "sqsEndpoint", func(c *clients) error { return c.removeQueue(ctx, t) })
		},
	}
}

var queueName = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.fifo)?$`)

// fifo is how the name of a queue ends that keeps the order.
const fifo = ".fifo"

// longestQueue is how long the name of a queue may be.
const longestQueue = 80

// nameOf is the name of a queue as AWS wants it.
func nameOf(d providers.Declaration) string {
	name := d.Fields["name"]
	if d.Fields["fifo"] == "true" && !strings.HasSuffix(name, fifo) {
		name += fifo
	}
	return name
}

func checkQueueName(d providers.Declaration) error {
	name := nameOf(d)
	if !queueName.MatchString(name) || len(name) > longestQueue {
		return declared.Wrong(d, "name", "is %s: a queue's name has 1 to %d letters, digits, hyphens and underscores", declared.Name(name), longestQueue)
	}
	ordered, err := declared.Bool(d, "fifo")
	if err == nil && !ordered && strings.HasSuffix(name, fifo) {
		err = declared.Wrong(d, "name", `is %s: set fifo: "true" for a queue that keeps the order`, declared.Name(name))
	}
	return err
}

func checkQueue(d providers.Declaration) error {
	errs := []error{checkQueueName(d), checkRegion(d), checkTags(d)}
	for _, one := range numbers {
		_, err := declared.Int(d, one.field, one.least, one.most)
		errs = append(errs, err)
	}
	unique, err := declared.Bool(d, "contentBasedDeduplication")
	if unique && d.Fields["fifo"] != "true" {
		err = declared.Wrong(d, "contentBasedDeduplication", `is for queues that keep the order: set fifo: "true"`)
	}
	return errors.Join(append(errs, err)...)
}

// attributes are those that are declared. Those that are not are left as they are.
func attributesOf(d providers.Declaration) map[string]string {
	wanted := map[string]string{}
	for _, one := range numbers {
		if n, _ := declared.Int(d, one.field, one.least, one.most); n != nil { // it was checked
			wanted[string(one.attribute)] = strconv.Itoa(*n)
		}
	}
	if value := d.Fields["contentBasedDeduplication"]; value != "" && d.Fields["fifo"] == "true" {
		wanted[string(types.QueueAttributeNameContentBasedDeduplication)] = value
	}
	return wanted
}

// queue finds a queue by its name, nil where there is none.
func (c *clients) queue(ctx context.Context, name string) (*string, error) {
	found, err := c.sqs.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: &name})
	if isNoQueue(err) {
		return nil, nil //nolint:nilnil // see above
	}
	if err != nil {
		return nil, err
	}
	return found.QueueUrl, nil
}

// isNoQueue tells whether an error is that of a queue that is not there.
func isNoQueue(err error) bool {
	_, absent := errors.AsType[*types.QueueDoesNotExist](err)
	return absent || codes(err, "AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist")
}

func (c *clients) ensureQueue(ctx context.Context, t *declared.Thing) error {
	name, want := nameOf(t.Declaration), attributesOf(t.Declaration)
	at, err := c.queue(ctx, name)
	if err != nil {
		return err
	}
	if at == nil {
		if strings.HasSuffix(name, fifo) {
			want[string(types.QueueAttributeNameFifoQueue)] = "true"
		}
		_, err := c.sqs.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &name, Attributes: want, Tags: wantedTags(t)})
		return err
	}
	if err := c.ensureQueueTags(ctx, t, at); err != nil {
		return err
	}
	if len(want) == 0 {
		return nil
	}
	have, err := c.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: at, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll}})
	if err != nil {
		return err
	}
	maps.DeleteFunc(want, func(key, value string) bool { return have.Attributes[key] == value })
	if len(want) == 0 {
		return nil
	}
	_, err = c.sqs.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{QueueUrl: at, Attributes: want})
	return err
}

// ensureQueueTags brings about that the queue is the owner's, and has the declared tags and no others but those of AWS.
func (c *clients) ensureQueueTags(ctx context.Context, t *declared.Thing, at *string) error {
	got, err := c.sqs.ListQueueTags(ctx, &sqs.ListQueueTagsInput{QueueUrl: at})
	if err != nil {
		return err
	}
	if err := claim(t, "queue", got.Tags); err != nil {
		return err
	}
	want := wantedTags(t)
	exceeds := slices.Sorted(maps.Keys(got.Tags))
	exceeds = slices.DeleteFunc(exceeds, func(key string) bool { _, wanted := want[key]; return wanted || others(key) })
	maps.DeleteFunc(want, func(key, value string) bool { return got.Tags[key] == value })
	if len(want) > 0 {
		if _, err := c.sqs.TagQueue(ctx, &sqs.TagQueueInput{QueueUrl: at, Tags: want}); err != nil {
			return err
		}
	}
	if len(exceeds) == 0 {
		return nil
	}
	_, err = c.sqs.UntagQueue(ctx, &sqs.UntagQueueInput{QueueUrl: at, TagKeys: exceeds})
	return err
}

func (c *clients) removeQueue(ctx context.Context, t *declared.Thing) error {
	at, err := c.queue(ctx, nameOf(t.Declaration))
	if err != nil || at == nil {
		return err
	}
	got, err := c.sqs.ListQueueTags(ctx, &sqs.ListQueueTagsInput{QueueUrl: at})
	if err != nil || got.Tags[declared.OwnerKey] != ownerTag(t) {
		return err
	}
	if t.Retain {
		_, err := c.sqs.UntagQueue(ctx, &sqs.UntagQueueInput{QueueUrl: at, TagKeys: []string{declared.OwnerKey}})
		return err
	}
	_, err = c.sqs.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: at})
	if isNoQueue(err) {
		return nil
	}
	return err
}
