package reconciler

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/providers/image"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// Images is what images are built with.
type Images struct {
	Builds *image.Builds
	// Builders by their names in a Katalog. The one of the empty name builds what names none.
	Builders map[orkv1.DockerBuilder]image.Builder
	// Registries are where images may be pushed to.
	Registries *image.Registries
	// Root is the folder that may be built from where no repository was fetched. Empty: none.
	Root string
	// Secret reads the data of a Secret, and Namespace is where one is that names no namespace.
	Secret    func(context.Context, types.NamespacedName) (map[string][]byte, error)
	Namespace string
	// Wake has work gone on with whose build has ended, or whose turn has come.
	Wake func(work.Work)
	// Recorder is told of the builds.
	Recorder image.Recorder
}

// forget cancels what is built for a resource that goes.
func (i *Images) forget(w work.Work) {
	if i == nil {
		return
	}
	for _, block := range w.Set.BuildBlocks {
		i.Builds.Forget(blockOf(w, block))
	}
}

// BuildError is an image that could not be built. It is built again when a cycle comes after Again.
type BuildError struct {
	Step  string
	Err   error
	Again time.Time
}

func (e *BuildError) Error() string { return e.Step + ": " + inside(e.Err.Error()) }

// Unwrap returns the cause.
func (e *BuildError) Unwrap() error { return e.Err }

// inside cuts a text in the middle, so that a condition has the step that failed, at its beginning, and what it said last, at its end.
func inside(text string) string {
	const head, tail = 110, 100
	if len(text) <= head+tail {
		return text
	}
	return strings.ToValidUTF8(text[:head], "") + " ... " + strings.ToValidUTF8(text[len(text)-tail:], "")
}

// builds tells whether an error is a BuildError.
func builds(err error) bool {
	_, ok := errors.AsType[*BuildError](err)
	return ok
}

// noteNoBuild shows that nothing is built yet to whatever reads it.
func (d *Declarative) noteNoBuild(s *scope) {
	if _, given := d.Roots[roots.Docker]; !given && s.Box.Builds() {
		s.noteBuild("", "", false, nil, false)
	}
}

// noteBuild shows what a build has come to.
func (s *scope) noteBuild(name, digest string, succeeded bool, err error, called bool) {
	said := ""
	if err != nil {
		said = err.Error()
	}
	result := map[string]any{
		roots.DockerImage: name, roots.DockerDigest: digest, roots.DockerSucceeded: "", roots.DockerError: said,
		roots.DockerCalled: fmt.Sprint(called),
	}
	if called {
		result[roots.DockerSucceeded] = fmt.Sprint(succeeded)
	}
	s.facts = s.facts.With(roots.Docker, result)
}

// buildImages has the images of the blocks built, that of onReconcile first. While one is not done, the cycle ends: the children stay as they
// are.
func (d *Declarative) buildImages(ctx context.Context, s *scope) (done bool, err error) {
	if d.Images == nil {
		return false, nil
	}
	for _, block := range s.Set.BuildBlocks {
		build := s.wantedBuild(block)
		if build == nil { // neither is the one that is on its way, if there is: what it pushes would be the newest there
			d.Images.Builds.Forget(blockOf(s.Work, block))
			continue
		}
		if done, err := d.buildImage(ctx, s, build); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

// wantedBuild is what a block has built at the moment, nil when that is nothing.
func (s *scope) wantedBuild(name string) *box.Build {
	at := slices.IndexFunc(s.Box.Blocks, func(block box.Block) bool { return block.Name == name })
	if at < 0 || s.Box.Blocks[at].Build == nil || !s.calls(s.Box.Gate, s.Box.BuildWaits) {
		return nil
	}
	block := &s.Box.Blocks[at]
	if !s.calls(block.Gate, block.BuildWaits) || !s.passes(block.Build.Gate, s.facts, block.Build.String) {
		return nil
	}
	return block.Build
}

// buildImage has one image built, unless it is.
func (d *Declarative) buildImage(ctx context.Context, s *scope, build *box.Build) (done bool, err error) {
	order, source, err := d.order(s, build)
	name := order.Request.Image
	known := lastBuilds(s.Object.GetAnnotations())[build.Block]
	unknown := errors.Is(err, errNothing) // without a working copy nothing has changed
	if same := !build.Reconcile || err == nil && known.source == source || unknown; same && name != "" && known.image == name {
		if !unknown { // the resource may have wanted another one meanwhile
			d.Images.Builds.Forget(order.Owner)
		}
		s.noteBuild(name, known.digest, true, nil, true)
		return false, nil
	}
	if err != nil {
		s.noteBuild(name, "", false, err, true)
		if build.ContinueOnError {
			s.unbuilt = true
			return false, nil
		}
		return false, fmt.Errorf("%s: %w", build, err)
	}
	state := d.Images.Builds.Ask(ctx, order)
	switch state.Progress {
	case image.Succeeded:
		s.noteBuild(name, state.Result.Digest, true, nil, true)
		return d.recordBuild(ctx, s, build.Block, order.Owner, lastBuild{image: name, digest: state.Result.Digest, source: source})
	case image.Failed:
		s.noteBuild(name, "", false, state.Err, true)
		if !build.ContinueOnError {
			return false, &BuildError{Step: build.String(), Err: state.Err, Again: state.Again}
		}
		s.unbuilt = true
		s.lookAgain(state.Again)
		return false, nil
	default:
		s.noteBuild(name, "", false, nil, true)
		s.waiting = &waiting{reason: orkv1.ReasonBuilding, message: fmt.Sprintf("%s: the image %s is being built", build, name)}
		if state.Progress == image.Queued {
			s.waiting.message = fmt.Sprintf("%s: the image %s is built when others are done", build, name)
		}
		return true, nil
	}
}

// errNothing is a build without a folder.
var errNothing = errors.New("there is nothing to build from: the git step has fetched no repository, or there is none and the operator has no --build-root")

// order renders what is to be built, and tells the state of what it is built from, where the image follows that. With an error it has the
// image, as far as that is known.
func (d *Declarative) order(s *scope, build *box.Build) (order image.Order, source string, err error) {
	texts, err := build.Texts.Render(s.facts)
	if err != nil {
		return order, "", err //nolint:wrapcheck // names the text
	}
	order = image.Order{
		Owner: blockOf(s.Work, build.Block), By: d.Images.Builders[build.Builder], Recorder: d.Images.Recorder,
		Wake: func() { d.Images.Wake(s.Work) },
	}
	if order.Request.Image, err = image.Name(string(texts.Image)); err != nil {
		return order, "", err //nolint:wrapcheck // says what is wrong
	}
	if order.By == nil {
		return order, "", errors.New(build.MissingBuilder(func(orkv1.DockerBuilder) bool { return false }))
	}
	order.Request.Push = build.Push
	if err := d.Images.Registries.Check(order.Request); err != nil {
		return order, "", err //nolint:wrapcheck // names the registry
	}
	commit := s.git("commit")
	order.Source.Base = s.git("path")
	if s.git("called") == "" { // there is no git step: one that did not fetch must not have something else built
		order.Source.Base = d.Images.Root
	}
	if order.Source.Base == "" {
		return order, "", errNothing
	}
	if order.Source.Directory, err = image.Within(order.Source.Base, string(texts.WorkingDirectory)); err != nil {
		return order, "", fmt.Errorf("workingDirectory: %w", err)
	}
	folder := strings.TrimSuffix(order.Source.Base, "/") + "/" + order.Source.Directory
	if order.Request.Dockerfile, err = image.Within(folder, cmp.Or(strings.TrimSpace(string(texts.Dockerfile)), "Dockerfile")); err != nil {
		return order, "", fmt.Errorf("dockerfile: %w", err)
	}
	if commit != "" {
		order.Request.Labels = map[string]string{"org.opencontainers.image.revision": commit}
	}
	if build.PullSecret != nil {
		order.Credentials = func(ctx context.Context) (image.Credentials, error) {
			return d.Images.credentials(ctx, build.PullSecret)
		}
	}
	if build.Reconcile {
		if source, err = sourceOf(order, commit); err != nil {
			return order, "", err
		}
	}
	order.Identity = order.Request.Image + " " + source
	return order, source, nil
}

// git is a field of what the git step came to.
func (s *scope) git(name string) string {
	value, _ := template.Path{"git", name}.Lookup(s.facts)
	text, _ := value.(string)
	return text
}

// sourceOf changes with what an image is built from: the commit or, without git, the files.
func sourceOf(o image.Order, commit string) (string, error) {
	state := commit
	if state == "" {
		var err error
		if state, err = o.Source.Fingerprint(); err != nil {
			return "", err //nolint:wrapcheck // names the folder
		}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %t", state, o.Source.Directory, o.Request.Dockerfile, o.Request.Push))
	return hex.EncodeToString(sum[:8]), nil
}

// credentials reads those of registries.
func (i *Images) credentials(ctx context.Context, secret *orkv1.PullSecret) (image.Credentials, error) {
	name := types.NamespacedName{Namespace: cmp.Or(secret.Namespace, i.Namespace), Name: secret.Name}
	data, err := i.Secret(ctx, name)
	switch {
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("there is no Secret %s", name)
	case apierrors.IsForbidden(err):
		return nil, fmt.Errorf("the operator may not get the Secret %s: grant what ork validate --full prints", name)
	case err != nil:
		return nil, fmt.Errorf("read Secret %s: %w", name, err)
	}
	config, ok := data[corev1.DockerConfigJsonKey]
	if !ok {
		return nil, fmt.Errorf("the Secret %s has no key %s: it must be of the type %s", name, corev1.DockerConfigJsonKey, corev1.SecretTypeDockerConfigJson)
	}
	credentials, err := image.ParseCredentials(config)
	if err != nil {
		return nil, fmt.Errorf("the Secret %s: %s %w", name, corev1.DockerConfigJsonKey, err)
	}
	return credentials, nil
}

// lastBuild is what was built last for a block of a resource.
type lastBuild struct{ image, digest, source string }

// noText stands in the annotation where there is nothing.
const noText = "-"

// lastBuilds reads the annotation, by the blocks. What nobody can read was not built.
func lastBuilds(annotations map[string]string) map[string]lastBuild {
	all := map[string]lastBuild{}
	for one := range strings.SplitSeq(annotations[orkv1.AnnotationLastBuild], ";") {
		parts := strings.Fields(one)
		if len(parts) != 4 {
			continue
		}
		for i := range parts {
			if parts[i] == noText {
				parts[i] = ""
			}
		}
		all[parts[0]] = lastBuild{image: parts[1], digest: parts[2], source: parts[3]}
	}
	return all
}

// recordBuild writes down what was built, so that it is not built again: not by the next cycle, and not after a restart.
func (d *Declarative) recordBuild(ctx context.Context, s *scope, block, owner string, built lastBuild) (gone bool, err error) {
	all := lastBuilds(s.Object.GetAnnotations())
	all[block] = built
	var texts []string
	for _, block := range slices.Sorted(maps.Keys(all)) {
		if one := all[block]; s.declaresBuild(block) {
			texts = append(texts, strings.Join([]string{block, one.image, cmp.Or(one.digest, noText), cmp.Or(one.source, noText)}, " "))
		}
	}
	if err := d.annotate(ctx, s, map[string]any{orkv1.AnnotationLastBuild: strings.Join(texts, "; ")}); err != nil {
		return false, err
	}
	d.Images.Builds.Forget(owner)
	return s.gone, nil
}

func (s *scope) declaresBuild(block string) bool {
	return slices.ContainsFunc(s.Box.Blocks, func(one box.Block) bool { return one.Name == block && one.Build != nil })
}
