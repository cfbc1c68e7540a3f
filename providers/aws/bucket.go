package aws

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/declared"
)

// buckets is the kind s3Bucket.
func (p *Provider) buckets() declared.Kind {
	return declared.Kind{
		Identity: []string{"name"}, Optional: []string{"region", "versioning", "policy", "forceDestroy", "tags.*"},
		Check: checkBucket,
		Ensure: func(ctx context.Context, t *declared.Thing) error {
			return p.use(ctx, t, "s3Endpoint", func(c *clients) error { return c.ensureBucket(ctx, t) })
		},
		Remove: func(ctx context.Context, t *declared.Thing) error {
			if checkBucketName(t.Declaration) != nil || checkRegion(t.Declaration) != nil {
				return nil // it cannot have been made
			}
			return p.use(ctx, t, "s3Endpoint", func(c *clients) error { return c.removeBucket(ctx, t) })
		},
	}
}

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

func checkBucketName(d providers.Declaration) error {
	name := d.Fields["name"]
	_, notAddress := netip.ParseAddr(name)
	if !bucketName.MatchString(name) || strings.Contains(name, "..") || notAddress == nil {
		return declared.Wrong(d, "name", "is %s: a bucket's name has 3 to 63 small letters, digits, hyphens and single points, and is no address", declared.Name(name))
	}
	return nil
}

func checkBucket(d providers.Declaration) error {
	_, notBool := declared.Bool(d, "versioning")
	_, noForce := declared.Bool(d, "forceDestroy")
	var noPolicy error
	if policy := d.Fields["policy"]; policy != "" && !json.Valid([]byte(policy)) {
		noPolicy = declared.Wrong(d, "policy", "is no JSON")
	}
	return errors.Join(checkBucketName(d), checkRegion(d), notBool, noForce, noPolicy, checkTags(d))
}

func (c *clients) ensureBucket(ctx context.Context, t *declared.Thing) error {
	name := aws.String(t.Fields["name"])
	there, err := c.bucketIsThere(ctx, name)
	if err != nil {
		return err
	}
	if !there {
		if err := c.createBucket(ctx, name, wantedTags(t)); err != nil {
			return err
		}
	} else if err := c.ensureBucketTags(ctx, t); err != nil {
		return err
	}
	if err := c.ensureVersioning(ctx, t); err != nil {
		return err
	}
	return c.ensurePolicy(ctx, t)
}

func (c *clients) bucketIsThere(ctx context.Context, name *string) (bool, error) {
	_, err := c.s3.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: name})
	if codes(err, "NotFound", "NoSuchBucket") {
		return false, nil
	}
	if codes(err, "Forbidden", "MovedPermanently", "PermanentRedirect") {
		// It is there, in another account or another region; or the credential is wrong. HEAD has no text that would tell, GET has.
		_, get := c.s3.GetBucketLocation(ctx, &s3.GetBucketLocationInput{Bucket: name})
		return false, cmpErr(get, err)
	}
	return err == nil, err
}

// cmpErr is the first error that there is.
func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *clients) createBucket(ctx context.Context, name *string, tags map[string]string) error {
	in := &s3.CreateBucketInput{Bucket: name}
	if c.region != defaultRegion {
		in.CreateBucketConfiguration = &types.CreateBucketConfiguration{LocationConstraint: types.BucketLocationConstraint(c.region)}
	}
	if _, err := c.s3.CreateBucket(ctx, in); err != nil {
		return err
	}
	return c.putBucketTags(ctx, name, tags)
}

func (c *clients) bucketTags(ctx context.Context, name *string) (map[string]string, error) {
	tags := map[string]string{}
	got, err := c.s3.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: name})
	if codes(err, "NoSuchTagSet", "NoSuchTagSetError") {
		return tags, nil
	}
	if err != nil {
		return nil, err
	}
	for _, tag := range got.TagSet {
		tags[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	return tags, nil
}

func (c *clients) putBucketTags(ctx context.Context, name *string, tags map[string]string) error {
	set := make([]types.Tag, 0, len(tags))
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		set = append(set, types.Tag{Key: aws.String(key), Value: aws.String(tags[key])})
	}
	if len(set) == 0 {
		_, err := c.s3.DeleteBucketTagging(ctx, &s3.DeleteBucketTaggingInput{Bucket: name})
		return err
	}
	_, err := c.s3.PutBucketTagging(ctx, &s3.PutBucketTaggingInput{Bucket: name, Tagging: &types.Tagging{TagSet: set}})
	return err
}

// ensureBucketTags brings about that the bucket is the owner's, and has the declared tags and no others but those of AWS.
func (c *clients) ensureBucketTags(ctx context.Context, t *declared.Thing) error {
	name := aws.String(t.Fields["name"])
	have, err := c.bucketTags(ctx, name)
	if err != nil {
		return err
	}
	if err := claim(t, "bucket", have); err != nil {
		return err
	}
	want := wantedTags(t)
	for key, value := range have {
		if others(key) {
			want[key] = value
		}
	}
	if maps.Equal(want, have) {
		return nil
	}
	return c.putBucketTags(ctx, name, want)
}

// ensureVersioning turns versioning on or off. A bucket for which it is not declared is left as it is.
func (c *clients) ensureVersioning(ctx context.Context, t *declared.Thing) error {
	if t.Fields["versioning"] == "" {
		return nil
	}
	name := aws.String(t.Fields["name"])
	want := types.BucketVersioningStatusSuspended
	if t.Fields["versioning"] == "true" {
		want = types.BucketVersioningStatusEnabled
	}
	have, err := c.s3.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: name})
	if err != nil {
		return err
	}
	never := have.Status == "" && want == types.BucketVersioningStatusSuspended
	if have.Status == want || never {
		return nil
	}
	_, err = c.s3.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{
		Bucket: name, VersioningConfiguration: &types.VersioningConfiguration{Status: want},
	})
	return err
}

// ensurePolicy sets the policy when that of the bucket means something else. One that is not declared is left as it is.
func (c *clients) ensurePolicy(ctx context.Context, t *declared.Thing) error {
	want := t.Fields["policy"]
	if want == "" {
		return nil
	}
	name := aws.String(t.Fields["name"])
	have, err := c.s3.GetBucketPolicy(ctx, &s3.GetBucketPolicyInput{Bucket: name})
	if err != nil && !codes(err, "NoSuchBucketPolicy") {
		return err
	}
	if err == nil && samePolicy(want, aws.ToString(have.Policy)) {
		return nil
	}
	_, err = c.s3.PutBucketPolicy(ctx, &s3.PutBucketPolicyInput{Bucket: name, Policy: &want})
	return err
}

// samePolicy compares two policies as AWS reads them: a list of one is as good as the one, and lists have no order.
func samePolicy(a, b string) bool {
	var one, other any
	if json.Unmarshal([]byte(a), &one) != nil || json.Unmarshal([]byte(b), &other) != nil {
		return false
	}
	return reflect.DeepEqual(plain(one), plain(other))
}

func plain(value any) any {
	switch value := value.(type) {
	case []any:
		all := make([]any, len(value))
		for i := range value {
			all[i] = plain(value[i])
		}
		if len(all) == 1 {
			return all[0]
		}
		slices.SortFunc(all, func(a, b any) int { return strings.Compare(text(a), text(b)) })
		return all
	case map[string]any:
		all := make(map[string]any, len(value))
		for key := range value {
			all[key] = plain(value[key])
		}
		return all
	default:
		return value
	}
}

func text(value any) string {
	written, _ := json.Marshal(value) //nolint:errchkjson // it came from JSON
	return string(written)
}

func (c *clients) removeBucket(ctx context.Context, t *declared.Thing) error {
	force, err := declared.Bool(t.Declaration, "forceDestroy")
	if err != nil {
		return err
	}
	name := aws.String(t.Fields["name"])
	there, err := c.bucketIsThere(ctx, name)
	if err != nil || !there {
		return err
	}
	tags, err := c.bucketTags(ctx, name)
	if err != nil || tags[declared.OwnerKey] != ownerTag(t) {
		return err
	}
	if t.Retain {
		delete(tags, declared.OwnerKey)
		return c.putBucketTags(ctx, name, tags)
	}
	if force {
		if err := c.emptyBucket(ctx, name); err != nil {
			return err
		}
	}
	_, err = c.s3.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: name})
	switch {
	case codes(err, "NoSuchBucket", "NotFound"):
		return nil
	case codes(err, "BucketNotEmpty", "VersionedBucketNotEmpty"):
		return &serviceError{`the bucket is not empty; empty it, or set forceDestroy: "true" to lose what it holds`}
	}
	return err
}

// emptyBucket removes all versions of all objects.
func (c *clients) emptyBucket(ctx context.Context, name *string) error {
	for {
		page, err := c.s3.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: name})
		if err != nil {
			return err
		}
		all := make([]types.ObjectIdentifier, 0, len(page.Versions)+len(page.DeleteMarkers))
		for i := range page.Versions {
			all = append(all, types.ObjectIdentifier{Key: page.Versions[i].Key, VersionId: page.Versions[i].VersionId})
		}
		for i := range page.DeleteMarkers {
			all = append(all, types.ObjectIdentifier{Key: page.DeleteMarkers[i].Key, VersionId: page.DeleteMarkers[i].VersionId})
		}
		if len(all) == 0 {
			return nil
		}
		gone, err := c.s3.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: name, Delete: &types.Delete{Objects: all, Quiet: aws.Bool(true)}})
		if err != nil {
			return err
		}
		if len(gone.Errors) > 0 {
			return &serviceError{"an object cannot be deleted: " + aws.ToString(gone.Errors[0].Code) + ": " + aws.ToString(gone.Errors[0].Message)}
		}
	}
}
