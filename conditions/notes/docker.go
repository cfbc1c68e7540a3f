package notes

import (
	"fmt"
	"strings"

	"github.com/distribution/reference"
)

func dockerFamily() []Function {
	part := func(name, doc, example, result string, of func(image) string) Function {
		return Function{
			Name: name, Signature: "image", Result: "text", Doc: doc, Examples: []Example{{example, result}},
			Code: func(value any) (string, error) {
				i, err := imageOf(name, value)
				if err != nil || i.name == "" {
					return "", err
				}
				return of(i), nil
			},
		}
	}
	return []Function{
		part("dockerRegistry", "the registry, `docker.io` by default", "{{ dockerRegistry .spec.image }}", "ghcr.io", func(i image) string { return reference.Domain(i.named) }),
		part("dockerRepo", "the repository in its registry", "{{ dockerRepo .spec.image }}", "acme/shop", func(i image) string { return reference.Path(i.named) }),
		part("dockerTag", "the tag; `latest` when there is neither a tag nor a digest", "{{ dockerTag .spec.image }}", "1.4.2", image.defaultTag),
		part("dockerNoTag", "the image without tag and digest", "{{ dockerNoTag .spec.image }}", "ghcr.io/acme/shop", func(i image) string { return i.name }),
		part("dockerName", "the last part of the repository", "{{ dockerName .spec.image }}", "shop", func(i image) string { return i.name[strings.LastIndexByte(i.name, '/')+1:] }),
		{
			Name: "dockerWithTag", Signature: "image tag", Result: "text", Doc: "the image with another tag, without a digest",
			Code:     func(value, tag any) (string, error) { return withPart("dockerWithTag", value, ":", tag) },
			Examples: []Example{{`{{ dockerWithTag .spec.image "2.0.0" }}`, "ghcr.io/acme/shop:2.0.0"}},
		},
		{
			Name: "dockerWithDigest", Signature: "image digest", Result: "text", Doc: "the image with a digest in the place of tag and digest",
			Code:     func(value, digest any) (string, error) { return withPart("dockerWithDigest", value, "@", digest) },
			Examples: []Example{{`{{ dockerWithDigest "shop:1" .docker.digest }}`, "shop@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}},
		},
		{
			Name: "dockerCommitTag", Signature: "registry repo commit", Result: "text", Code: dockerCommitTag, Doc: "the image whose tag is the short commit",
			Examples: []Example{{`{{ dockerCommitTag "ghcr.io" "acme/shop" .git.commit }}`, "ghcr.io/acme/shop:4f2d9c1"}},
		},
		{
			Name: "dockerBuildSucceeded", Signature: "s", Result: "bool", Code: func(s any) bool { return saysYes(s, "buildSucceeded") }, Doc: "whether `.docker`, or `.docker.buildSucceeded`, says that the build succeeded",
			Examples: []Example{{"{{ dockerBuildSucceeded .docker }}", "true"}},
		},
		{
			Name: "dockerHasDigest", Signature: "s", Result: "bool", Doc: "whether the image has a digest",
			Code: func(s any) bool {
				i, err := imageOf("dockerHasDigest", s)
				return err == nil && i.digest
			},
			Examples: []Example{{"{{ dockerHasDigest .spec.image }}", "false"}},
		},
	}
}

// maxImage bounds the text of an image, in bytes: more than a registry takes.
const maxImage = 1024

// image is a reference of an image taken apart. All of it is empty for a missing one.
type image struct {
	named  reference.Named
	name   string // as written, without tag and digest
	tag    string
	digest bool
}

func imageOf(function string, value any) (image, error) {
	text := strings.TrimSpace(Text(value))
	if text == "" {
		return image{}, nil
	}
	named, err := reference.ParseNormalizedNamed(text[:min(len(text), maxImage)])
	if err != nil || len(text) > maxImage {
		return image{}, fmt.Errorf("%s: %s is not an image: use registry/repository:tag in lower case, such as ghcr.io/acme/shop:1.4.2", function, quote(value))
	}
	i := image{named: named}
	_, i.digest = named.(reference.Digested)
	if tagged, ok := named.(reference.Tagged); ok {
		i.tag = tagged.Tag()
	}
	i.name, _, _ = strings.Cut(text, "@")
	i.name = strings.TrimSuffix(i.name, ":"+i.tag)
	return i, nil
}

func (i image) defaultTag() string {
	if i.tag == "" && !i.digest {
		return "latest"
	}
	return i.tag
}

// withPart leaves the image as it is when the tag or digest is missing.
func withPart(function string, value any, mark string, part any) (string, error) {
	i, err := imageOf(function, value)
	if err != nil || i.name == "" {
		return "", err
	}
	if missing(part) {
		return strings.TrimSpace(Text(value)), nil
	}
	text := i.name + mark + Text(part)
	if len(text) > maxImage || !reference.ReferenceRegexp.MatchString(text) {
		return "", fmt.Errorf("%s: %s is not a %s", function, quote(part), map[string]string{":": "tag: use up to 128 letters, digits, _, . and -", "@": "digest: use sha256: and 64 hexadecimal digits"}[mark])
	}
	return text, nil
}

func dockerCommitTag(registry, repo, sha any) (string, error) {
	name := strings.Trim(Text(repo), "/")
	if host := strings.Trim(Text(registry), "/"); host != "" && name != "" {
		name = host + "/" + name
	}
	return withPart("dockerCommitTag", name, ":", shortCommit(Text(sha)))
}
