package katalog

import (
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// docker checks what is known of a build before it is rendered. Fetched tells that it is built from a repository.
func (c *checker) docker(docker *orkv1.Docker, fetched bool, role blockRole, at *field.Path) {
	if docker == nil {
		return
	}
	if role == blockDelete {
		c.errorf(at, "an image is built in onCreate or onReconcile alone")
		return
	}
	for name, text := range map[string]orkv1.Template{"workingDirectory": docker.WorkingDirectory, "dockerfile": docker.Dockerfile} {
		clean := path.Clean(strings.TrimSpace(string(text)))
		switch {
		case text == "" || !isStatic(text):
		case clean == ".." || strings.HasPrefix(clean, "../"):
			c.errorf(at.Child(name), "%s leads outside of what may be built", quote(string(text)))
		case fetched && path.IsAbs(clean):
			c.errorf(at.Child(name), "%s lies outside of what may be built; name it relative to the repository", quote(string(text)))
		}
	}
	if secret := docker.PullSecret; secret != nil {
		c.secretName(secret.Name, secret.Namespace, at.Child("pullSecret"))
	}
}
