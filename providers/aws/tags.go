package aws

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/declared"
)

// Bounds of AWS for tags. One of them is the owner's.
const (
	mostTags       = 49
	longestKey     = 128
	longestValue   = 256
	reservedPrefix = "aws:"
)

// tagText is what a tag may hold.
var tagText = regexp.MustCompile(`^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$`)

// checkTags finds what is wrong with the tags of a declaration.
func checkTags(d providers.Declaration) error {
	declaredTags := declared.Below(d, "tags")
	if len(declaredTags) > mostTags {
		return declared.Wrong(d, "tags", "are %d: AWS takes %d besides the owner's", len(declaredTags), mostTags)
	}
	for _, key := range slices.Sorted(maps.Keys(declaredTags)) {
		value := declaredTags[key]
		switch {
		case utf8.RuneCountInString(key) > longestKey || utf8.RuneCountInString(value) > longestValue:
			return declared.Wrong(d, "tags", "has %s: a key has at most %d characters, a value %d", declared.Name(key), longestKey, longestValue)
		case !tagText.MatchString(key) || !tagText.MatchString(value):
			return declared.Wrong(d, "tags", "has %s: letters, digits, spaces and _.:/=+-@ make a tag", declared.Name(key))
		case strings.HasPrefix(strings.ToLower(key), reservedPrefix) || key == declared.OwnerKey || key == "":
			return declared.Wrong(d, "tags", "has %s, which is reserved", declared.Name(key))
		}
	}
	return nil
}

// wantedTags are those of a thing, with the owner's.
func wantedTags(t *declared.Thing) map[string]string {
	tags := declared.Below(t.Declaration, "tags")
	tags[declared.OwnerKey] = ownerTag(t)
	return tags
}

// notInTags are the characters of an owner that a tag cannot hold.
var notInTags = regexp.MustCompile(`[^\p{L}\p{Z}\p{N}_.:/=+\-@]`)

// ownerTag is the owner as a tag may hold it. Names of Kubernetes hold nothing else.
func ownerTag(t *declared.Thing) string { return notInTags.ReplaceAllString(t.Mark(), "_") }

// claim is declared.Thing.Claim for an owner in a tag.
func claim(t *declared.Thing, what string, tags map[string]string) error {
	if tags[declared.OwnerKey] == ownerTag(t) {
		return nil
	}
	_, err := t.Claim(what, tags[declared.OwnerKey])
	return err
}

// others are tags that nobody but AWS may change.
func others(key string) bool { return strings.HasPrefix(strings.ToLower(key), reservedPrefix) }

// regionName is the form of a region.
var regionName = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

func checkRegion(d providers.Declaration) error {
	if region := d.Fields["region"]; region != "" && !regionName.MatchString(region) {
		return declared.Wrong(d, "region", "is %s, which is no region such as eu-central-1", declared.Name(region))
	}
	return nil
}
