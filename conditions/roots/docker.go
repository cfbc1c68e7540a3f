package roots

import "github.com/orkestra-runtime/orkestra/conditions/template"

// Docker is the root of what a build came to.
const Docker = "docker"

// The keys of what a build came to.
const (
	DockerImage     = "image"
	DockerDigest    = "digest"
	DockerSucceeded = "buildSucceeded"
	DockerError     = "error"
	DockerCalled    = "called"
)

// WithDocker returns the roots of a place that sees what a build came to.
func (r *Known) WithDocker() *Known {
	fields := map[string]Props{}
	for _, name := range []string{DockerImage, DockerDigest, DockerSucceeded, DockerError, DockerCalled} {
		fields[name] = *ofType("string")
	}
	return r.With(Docker, object(fields))
}

// InBuild returns the roots of a build, which comes before there are children to see.
func (r *Known) InBuild() *Known {
	return r.without("is there after the image is built", "children", Docker)
}

// checkDocker tells that nothing is built here.
func (r *Known) checkDocker() *template.Misread {
	if r.roots[Docker] != nil {
		return nil
	}
	return &template.Misread{Problem: "there is no docker step here, so it is always empty", Warning: true}
}
