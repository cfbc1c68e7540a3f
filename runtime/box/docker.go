package box

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/providers/image"
)

// Build is an image that a block builds, compiled.
type Build struct {
	// Block is the name of the block, and At the place in the document.
	Block string
	At    *field.Path
	// Gate has it built while it passes. Nil: always.
	Gate *conditions.Program
	// Texts are what is rendered of it.
	Texts *template.Of[BuildTexts]
	// Builder is the name of what builds it, empty for what the operator has.
	Builder orkv1.DockerBuilder
	// Push sends the image to its registry.
	Push bool
	// Reconcile builds anew when what is built from changes.
	Reconcile bool
	// ContinueOnError has the cycle go on when it fails.
	ContinueOnError bool
	// PullSecret has the credentials of registries, an empty namespace standing for the operator's. Nil: there are none.
	PullSecret *orkv1.PullSecret
}

// BuildTexts are the texts of a Build, by the keys of the Katalog.
type BuildTexts struct {
	Image            orkv1.Template `json:"image"`
	WorkingDirectory orkv1.Template `json:"workingDirectory,omitempty"`
	Dockerfile       orkv1.Template `json:"dockerfile,omitempty"`
}

// String names the step for people.
func (b *Build) String() string { return b.Block + ".docker" }

func (b *Build) references() [][]string {
	if b == nil {
		return nil
	}
	return append(b.Gate.References(), b.Texts.References()...)
}

// builds compiles the images of a box, by the names of their blocks, and returns a compiler of texts that see what they come to.
func (c *compiler) builds(declared *orkv1.OperatorBox, at *field.Path) (map[string]*Build, *compiler) {
	all, in := map[string]*Build{}, c.seeing(c.known.InBuild())
	for name, block := range cycleOrder(declared) {
		if block.Docker != nil {
			all[name] = in.build(block.Docker, name, at.Child(name))
		}
	}
	if len(all) == 0 {
		return nil, c
	}
	return all, c.seeing(c.known.WithDocker())
}

func (c *compiler) build(declared *orkv1.Docker, block string, at *field.Path) *Build {
	here := at.Child("docker")
	if text := declared.Image; text != "" && isStatic(text) {
		if _, err := image.Name(string(text)); err != nil {
			c.report(field.Invalid(here.Child("image"), string(text), err.Error()))
		}
	}
	texts, errs := template.CompileOf(c.language.Under(at).Steady("another image would be built in each cycle"), BuildTexts{
		Image: declared.Image, WorkingDirectory: declared.WorkingDirectory, Dockerfile: declared.Dockerfile,
	}, field.NewPath("docker"))
	c.report(errs...)
	return &Build{
		Block: block, At: here, Gate: c.gate(declared.Conditions, here), Texts: texts, Builder: declared.Builder, Push: declared.Push,
		Reconcile: declared.Reconcile, ContinueOnError: declared.ContinueOnError, PullSecret: declared.PullSecret,
	}
}

// readsBuild tells whether a gate can only be asked when the images are built.
func readsBuild(program *conditions.Program) bool {
	return reads(program, roots.Docker, "children")
}

// Builds tells whether the box builds images.
func (b *Box) Builds() bool {
	return slices.ContainsFunc(b.Blocks, func(block Block) bool { return block.Build != nil })
}

// Builds are the images of all boxes.
func (s *Set) Builds() []*Build {
	var all []*Build
	for _, b := range s.Boxes() {
		for i := range b.Blocks {
			if one := b.Blocks[i].Build; one != nil {
				all = append(all, one)
			}
		}
	}
	return all
}

func (s *Set) buildBlocks() []string {
	var names []string
	for _, name := range []string{onReconcile, onCreate} {
		if slices.ContainsFunc(s.Builds(), func(one *Build) bool { return one.Block == name }) {
			names = append(names, name)
		}
	}
	return names
}

func (s *Set) pullSecrets() []*orkv1.PullSecret {
	var all []*orkv1.PullSecret
	for _, one := range s.Builds() {
		if one.PullSecret != nil {
			all = append(all, one.PullSecret)
		}
	}
	return all
}

// MissingBuilder tells why the builder of an image is not to be had, empty when it is. Has are those that there are, with an empty name
// among them for what builds what names no builder.
func (b *Build) MissingBuilder(has func(orkv1.DockerBuilder) bool) string {
	switch {
	case b.Builder == orkv1.BuilderKaniko || b.Builder == orkv1.BuilderBuildah:
		return fmt.Sprintf("builder %s is a program that would have to be started, which is never done; use buildkit", b.Builder)
	case has(b.Builder):
		return ""
	case b.Builder == "":
		return "there is nothing that builds images; run a BuildKit daemon and name it with --buildkit-addr or BUILDKIT_HOST"
	case b.Builder == orkv1.BuilderBuildKit:
		return "builder buildkit is not configured; name its daemon with --buildkit-addr or BUILDKIT_HOST"
	case b.Builder == orkv1.BuilderDocker:
		return "builder docker is not configured; name its daemon with --docker-host or DOCKER_HOST"
	default:
		return fmt.Sprintf("builder %s is not configured; name its daemon with --%[1]s-host or CONTAINER_HOST", b.Builder)
	}
}
