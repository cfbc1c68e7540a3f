package box

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// DefaultDeleteTimeout is how long a stage of a deletion may take.
const DefaultDeleteTimeout = 5 * time.Minute

// Deletion is what happens before a deleted resource goes: jobs run, and children are deleted and gone.
type Deletion struct {
	// Gate of the whole; while it is false, nothing of it happens.
	Gate *conditions.Program
	// Ordered has each stage begin when the one before it is done. Without it there is one stage.
	Ordered bool
	Stages  []Stage
	// ReadsChildren tells whether a gate or a template of it reads .children.
	ReadsChildren bool
}

// Stage is one step of a Deletion.
type Stage struct {
	// Block has the name onDelete, or onDelete.groups[0] and so on.
	Block
	// Title is the name that the group was given. Empty: none.
	Title string
	// Timeout is how long the stage may take.
	Timeout time.Duration
}

// blocks are those of all stages. A nil Deletion has none.
func (d *Deletion) blocks() []Block {
	if d == nil {
		return nil
	}
	blocks := make([]Block, 0, len(d.Stages))
	for i := range d.Stages {
		blocks = append(blocks, d.Stages[i].Block)
	}
	return blocks
}

// onDelete compiles the stages. What is deleted needs no more than a name; a job is run, and checked as one that is made.
func (c *compiler) onDelete(declared *orkv1.Block, at *field.Path) *Deletion {
	if declared == nil {
		return nil
	}
	deletion := &Deletion{Gate: c.gate(declared.Conditions, at), Ordered: declared.Ordered}
	timeout := timeoutOf(declared, DefaultDeleteTimeout)
	if len(declared.Groups) == 0 { // the gate is that of the whole
		flat := c.stage(declared, at)
		flat.Name, flat.Timeout = "onDelete", timeout
		deletion.Stages = []Stage{flat}
		return deletion
	}
	for i := range declared.Groups {
		group, here := &declared.Groups[i], at.Child("groups").Index(i)
		stage := c.stage(group, here)
		stage.Name, stage.Title = fmt.Sprintf("onDelete.groups[%d]", i), group.Name
		stage.Gate, stage.Timeout = c.gate(group.Conditions, here), timeoutOf(group, timeout)
		deletion.Stages = append(deletion.Stages, stage)
	}
	return deletion
}

// stage compiles what a block lists.
func (c *compiler) stage(declared *orkv1.Block, at *field.Path) Stage {
	var stage Stage
	c.noCalls(declared, at)
	c.noGit(declared, at)
	for _, declaration := range c.registry.Declarations(declared, at) {
		if isJob(declaration.Kind) {
			c.report(declaration.Check()...)
		}
		c.report(noDependencies(declaration)...)
		stage.Children = append(stage.Children, c.child(declaration, false, at))
	}
	return stage
}

func timeoutOf(block *orkv1.Block, otherwise time.Duration) time.Duration {
	if block.Timeout != nil && block.Timeout.Duration > 0 {
		return block.Timeout.Duration
	}
	return otherwise
}

// noteReads finds out whether the deletion reads children.
func (d *Deletion) noteReads(note func(children *bool, references [][]string)) {
	if d == nil {
		return
	}
	note(&d.ReadsChildren, d.Gate.References())
	for _, block := range d.blocks() {
		note(&d.ReadsChildren, block.Gate.References())
		for _, child := range block.Children {
			note(&d.ReadsChildren, child.Gate.References())
			note(&d.ReadsChildren, child.Value.References())
			if child.ForEach != nil {
				note(&d.ReadsChildren, [][]string{child.ForEach.Field})
			}
		}
	}
}

// Finalizers are those that the Katalog declares for any of the boxes.
func (s *Set) Finalizers() []string {
	var all []string
	for _, b := range s.Boxes() {
		for _, finalizer := range b.Finalizers {
			if !slices.Contains(all, finalizer) {
				all = append(all, finalizer)
			}
		}
	}
	slices.Sort(all)
	return all
}

// Runs tells whether the child is a job, which in a Deletion is run and not deleted.
func (c *Child) Runs() bool { return isJob(c.Kind) }

func isJob(kind controllers.Kind) bool { return kind.Key == "jobs" }

// stages are the blocks of an onDelete that list children.
func stages(onDelete *orkv1.Block) []*orkv1.Block {
	if onDelete == nil {
		return nil
	}
	list := []*orkv1.Block{onDelete}
	for i := range onDelete.Groups {
		list = append(list, &onDelete.Groups[i])
	}
	return list
}
