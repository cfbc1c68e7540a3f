package image

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/distribution/reference"
)

// Builder builds images. It is safe for concurrent use.
type Builder interface {
	// Build builds an image, and pushes it where that is asked for. It ends with the context. An error names the step that failed.
	Build(ctx context.Context, r Request) (Result, error)
}

// BuilderFunc is a Builder as a function.
type BuilderFunc func(context.Context, Request) (Result, error)

// Build calls the function.
func (f BuilderFunc) Build(ctx context.Context, r Request) (Result, error) { return f(ctx, r) }

// Request is an image that is wanted.
type Request struct {
	// Image is its whole name, with registry and tag, as Name returns it.
	Image string
	// Folder is what it is built from: a folder that nobody else writes to or has links into.
	Folder string
	// Dockerfile is the path of the file in Folder, with slashes.
	Dockerfile string
	// Push sends the image to its registry.
	Push bool
	// Credentials of registries: a Builder uses these and no others.
	Credentials Credentials
	// Labels of the image.
	Labels map[string]string
}

// Result is an image that was built.
type Result struct {
	// Digest of its manifest. Empty where nobody knows it: some builders tell it only of an image that is pushed.
	Digest string
}

// maxName bounds the name of an image, in bytes.
const maxName = 512

// Name is the whole name of an image, with the registry and the tag that people may leave out. What is no name of an image that can be
// built is an error: one with a digest, with letters that a registry does not take, or something else altogether.
func Name(text string) (string, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxName {
		return "", fmt.Errorf("the name of the image has %d characters, more than %d", len(text), maxName)
	}
	if text == "" {
		return "", errors.New("the name of the image is empty")
	}
	named, err := reference.ParseNormalizedNamed(text)
	if err != nil {
		return "", fmt.Errorf("%q is no name of an image: %w; want registry/repository:tag in lower case", text, err)
	}
	// A first part in capitals is taken for a registry.
	if domain := reference.Domain(named); domain != strings.ToLower(domain) {
		return "", fmt.Errorf("%q is no name of an image: want registry/repository:tag in lower case", text)
	}
	if _, ok := named.(reference.Digested); ok {
		return "", fmt.Errorf("%q has a digest, which only the build tells; name a tag", text)
	}
	return reference.TagNameOnly(named).String(), nil
}

// Registry is the host, and the port if there is one, that an image of a whole name is pushed to.
func Registry(name string) string {
	named, err := reference.ParseNormalizedNamed(name)
	if err != nil {
		return ""
	}
	return reference.Domain(named)
}

// Within is the path of a file or folder in another, with slashes, for a path that is relative to it or lies below it. A path that leads
// outside is an error. What symbolic links do, it does not know.
func Within(base, name string) (string, error) {
	clean := path.Clean(strings.TrimSpace(name))
	if strings.TrimSpace(name) == "" {
		clean = "."
	}
	if strings.ContainsFunc(clean, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", fmt.Errorf("%q has a control character in it", clean)
	}
	if path.IsAbs(clean) {
		below, ok := strings.CutPrefix(clean+"/", strings.TrimSuffix(path.Clean(base), "/")+"/")
		if !ok || base == "" {
			return "", fmt.Errorf("%q lies outside of what may be built; name it relative to the repository", clean)
		}
		clean = path.Clean("./" + below)
	}
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return "", fmt.Errorf("%q leads outside", name)
	}
	return clean, nil
}
