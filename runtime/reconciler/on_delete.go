package reconciler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// runOnDelete brings the stages of onDelete to their ends, one after the other, from the one that the last cycle waited for. When that is
// late, the cycle is a failure, and looks at all of them anew.
func (d *Declarative) runOnDelete(ctx context.Context, s *scope) error {
	onDelete := s.Box.OnDelete
	if onDelete == nil {
		return nil
	}
	known := stageOf(s.Object.GetAnnotations(), len(onDelete.Stages))
	if known.over() {
		return nil
	}
	d.readForDeletion(ctx, s)
	if pass, err := d.enter(ctx, s, &onDelete.Block); err != nil {
		return fmt.Errorf("onDelete: %w", err)
	} else if !pass {
		return nil
	}
	first, called := known.index, len(onDelete.Calls) > 0
	late := known.late(d.Now(), onDelete.Stages[first].Timeout)
	if late {
		first = 0
	}
	for i := first; i < len(onDelete.Stages); i++ {
		one := &onDelete.Stages[i]
		c := cleaner{Declarative: d, scope: s, ordered: onDelete.Ordered}
		left, err := c.stage(ctx, one)
		switch {
		case err != nil:
			if called { // by an earlier stage, to which the next try must not go back
				_, kept := d.keepStage(ctx, s, known, stage{index: i, of: len(onDelete.Stages)})
				err = errors.Join(err, kept)
			}
			return fmt.Errorf("onDelete: %s%w", title(onDelete, i), err)
		case len(left) == 0:
			called = called || len(one.Calls) > 0
			continue
		case late && i <= known.index:
			return fmt.Errorf("onDelete: %snot done after %s: %s", title(onDelete, i), orkv1.Duration{Duration: onDelete.Stages[known.index].Timeout},
				strings.Join(left, ", "))
		}
		fresh := len(s.changes) > 0
		if onDelete.Ordered || c.runs {
			at, err := d.keepStage(ctx, s, known, stage{index: i, of: len(onDelete.Stages)})
			if err != nil {
				return err
			}
			s.deadline, fresh = at.since.Add(one.Timeout), false
		}
		s.awaitEnd(title(onDelete, i), left, fresh)
		return nil
	}
	s.stagesOver = called
	return nil
}

// enter makes the calls of a block of onDelete and tells whether its gate passes. One that is closed keeps the calls from being made, unless
// it reads what they come to.
func (d *Declarative) enter(ctx context.Context, s *scope, block *box.Block) (pass bool, err error) {
	passes := func() bool { return s.passes(block.Gate, s.facts, func() string { return block.Name }) }
	if !block.GateWaits && !passes() {
		return false, nil
	}
	if err := d.call(ctx, s, block.Calls); err != nil {
		return false, err
	}
	return !block.GateWaits || passes(), nil
}

// readForDeletion has onDelete and a hook read what the other blocks read: the resource as rules make it, and its children. What fails of that is
// left out: it must not keep the resource from going.
func (d *Declarative) readForDeletion(ctx context.Context, s *scope) {
	if s.readDeleted {
		return
	}
	s.readDeleted = true
	leave := func(err error) {
		logf.FromContext(ctx).Info("onDelete reads the resource as it is", "reason", err.Error())
	}
	if _, err := d.normalize(ctx, s); err != nil {
		leave(err)
	}
	d.mutate(ctx, s)
	d.lookAcross(ctx, s, false) // whoever is asked may never answer
	if !s.Box.DeletionReadsChildren() {
		return
	}
	view, err := d.view(s)
	if err != nil {
		leave(err)
		view = map[string]any{}
	}
	s.facts = s.facts.With("children", view)
}

// cleaner does one stage of a deletion.
type cleaner struct {
	*Declarative
	*scope
	ordered bool
	// runs tells that the stage runs a job.
	runs bool
}

// stage makes the calls of a stage, runs its jobs and deletes its other children. Where there is an order, the jobs come first: they may need what is
// deleted. Left names what is not done yet.
func (c *cleaner) stage(ctx context.Context, one *box.Stage) (left []string, err error) {
	if pass, err := c.enter(ctx, c.scope, &one.Block); err != nil || !pass {
		return nil, err
	}
	names := apply.Wanted{}
	alive := c.liveJobs(one)
	for i := range one.Children {
		child := &one.Children[i]
		for _, facts := range c.elements(ctx, child) {
			objects, err := c.named(child, c.owner, facts)
			if err != nil {
				c.leave(ctx, child, err)
				continue
			}
			object := objects[0] // of a job the only one
			if _, declared := alive[apply.IDOf(object)]; !child.Runs() || declared {
				for _, object := range objects {
					names.Add(object)
				}
				continue
			}
			done, err := c.run(ctx, child, facts)
			if err != nil {
				return nil, err
			}
			if !done {
				left = append(left, nameOf(object.GetKind(), object.GetName()))
			}
		}
	}
	if c.ordered && len(left) > 0 {
		return left, nil
	}
	named, err := c.Applier.Named(c.owner, c.kinds(c.scope), names)
	if err != nil {
		return nil, err
	}
	remove := c.Applier.Delete
	if c.ordered {
		remove = c.Applier.DeleteForeground
	}
	deleted, err := remove(ctx, named)
	c.changes = append(c.changes, deleted...)
	return append(left, namesOf(named)...), err
}

// elements are the facts of those elements of a declaration whose gate passes.
func (c *cleaner) elements(ctx context.Context, child *box.Child) []template.Facts {
	elements, err := expand(child, c.facts)
	if err != nil {
		c.leave(ctx, child, err)
		return nil
	}
	return slices.DeleteFunc(elements, func(facts template.Facts) bool {
		return !c.passes(child.Gate, facts, func() string {
			if objects, err := c.named(child, c.owner, facts); err == nil {
				return fmt.Sprintf("onDelete %s %s", child, objects[0].GetName())
			}
			return "onDelete " + child.String()
		})
	})
}

// leave passes a declaration over that says nothing: it must not keep the resource from going. If it has a child, garbage collection or
// the inventory takes it.
func (c *cleaner) leave(ctx context.Context, child *box.Child, err error) {
	logf.FromContext(ctx).Info("onDelete leaves a child to garbage collection", "declaration", child.String(), "reason", err.Error())
}

// liveJobs are the jobs that the resource has while it lives. An onDelete that names one of them deletes it.
func (c *cleaner) liveJobs(one *box.Stage) apply.Wanted {
	names := apply.Wanted{}
	if !slices.ContainsFunc(one.Children, func(child box.Child) bool { return child.Runs() }) {
		return names
	}
	for _, block := range c.Box.Blocks {
		for i := range block.Children {
			child := &block.Children[i]
			if !child.Runs() {
				continue
			}
			elements, err := expand(child, c.facts)
			if err != nil {
				continue
			}
			for _, facts := range elements {
				if objects, err := c.named(child, c.owner, facts); err == nil {
					names.Add(objects[0])
				}
			}
		}
	}
	return names
}

// run makes a job, and tells whether it has succeeded. One that failed is an error; one that can't be made is passed over.
func (c *cleaner) run(ctx context.Context, child *box.Child, facts template.Facts) (done bool, err error) {
	object, err := c.build(child, c.owner, facts)
	if err != nil {
		c.leave(ctx, child, err)
		return true, nil
	}
	if !c.Set.Namespaces.Allows(namespaces.OfObject(object)) {
		c.leave(ctx, child, fmt.Errorf("the Katalog leaves namespace %s alone", namespaces.OfObject(object)))
		return true, nil
	}
	if slices.Contains(c.Object.GetFinalizers(), metav1.FinalizerDeleteDependents) {
		unbind(object)
	}
	change, err := c.Applier.Apply(ctx, c.owner, apply.Desired{Object: object, CreateOnce: true})
	if _, going := errors.AsType[*apply.TerminatingError](err); going {
		c.runs = true
		return false, nil
	}
	if impossible(err) {
		c.leave(ctx, child, err)
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", child, err)
	}
	if change.Action != apply.Unchanged {
		c.changes = append(c.changes, change)
	}
	return c.finished(change.Object)
}

// unbind makes a job one that garbage collection leaves alone: when a resource is deleted in the foreground, what belongs to it is
// deleted at once. Uncollected knows it by the annotation.
func unbind(job *unstructured.Unstructured) {
	job.SetOwnerReferences(nil)
	annotations := job.GetAnnotations()
	annotations[orkv1.AnnotationDeletion] = "job"
	job.SetAnnotations(annotations)
}

// impossible tells of a job that there can't be: nothing can run in a namespace that is going or gone, or be of a kind that is not there.
func impossible(err error) bool {
	if _, missing := errors.AsType[*children.MissingKindError](err); missing {
		return true
	}
	if _, unreadable := errors.AsType[*children.UnreadableKindError](err); unreadable {
		return true
	}
	answer, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok {
		return false
	}
	details := answer.Status().Details
	return apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) ||
		apierrors.IsNotFound(err) && details != nil && details.Kind == "namespaces"
}

// finished reads from a job whether it has succeeded.
func (c *cleaner) finished(job *unstructured.Unstructured) (bool, error) {
	name := nameOf(job.GetKind(), job.GetNamespace()+"/"+job.GetName())
	if job.GetLabels()[orkv1.LabelOwner] != c.owner.Hash() {
		return false, &apply.NotOwnedError{GVK: job.GroupVersionKind(), Namespace: job.GetNamespace(), Name: job.GetName(), Owner: "somebody else"}
	}
	conditions := status.Conditions(job.Object)
	if one := status.Find(conditions, string(batchv1.JobFailed)); one != nil && one.Status == metav1.ConditionTrue {
		return false, fmt.Errorf("%s failed: %s: %s; delete it to have it run again", name, one.Reason, strings.TrimSuffix(one.Message, "."))
	}
	if one := status.Find(conditions, string(batchv1.JobComplete)); one != nil && one.Status == metav1.ConditionTrue {
		return true, nil
	}
	c.runs = true
	return false, nil
}
