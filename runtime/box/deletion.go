package box

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/internal/call"
)

// DefaultDeleteTimeout is how long a stage of a deletion may take.
const DefaultDeleteTimeout = 5 * time.Minute

// Deletion is what happens before a deleted resource goes: jobs run, and children are deleted and gone.
type Deletion struct {
	// Block is onDelete itself: while its gate is false, nothing happens, and its calls are made before the first stage. Its children are
	// those of the stages.
	Block
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

// calls are those of all stages, and those before them. A nil Deletion makes none.
func (d *Deletion) calls() call.List {
	if d == nil {
		return nil
	}
	all := d.Calls
	for i := range d.Stages {
		all = append(slices.Clip(all), d.Stages[i].Calls...)
	}
	return all
}

// onDelete compiles the stages. What is deleted needs no more than a name; a job is run, and checked as one that is made.
func (c *compiler) onDelete(declared *orkv1.Block, at *field.Path) *Deletion {
	if declared == nil {
		return nil
	}
	deletion := &Deletion{Block: Block{Name: "onDelete"}, Ordered: declared.Ordered}
	c = c.enter(&deletion.Block, declared, at)
	timeout := timeoutOf(declared, DefaultDeleteTimeout)
	if len(declared.Groups) == 0 { // gate and calls are those of the whole
		deletion.Stages = []Stage{{Block: Block{Name: deletion.Name, Children: c.going(declared, at)}, Timeout: timeout}}
		return deletion
	}
	for i := range declared.Groups {
		group, here := &declared.Groups[i], at.Child("groups").Index(i)
		stage := Stage{Block: Block{Name: fmt.Sprintf("onDelete.groups[%d]", i)}, Title: group.Name, Timeout: timeoutOf(group, timeout)}
		stage.Children = c.enter(&stage.Block, group, here).going(group, here)
		deletion.Stages = append(deletion.Stages, stage)
	}
	return deletion
}

// deleting returns a compiler of texts of a deletion, which makes no calls but its own.
func (c *compiler) deleting() *compiler {
	deleting := c.seeing(c.known.WithoutExternal())
	deleting.called = nil
	return deleting
}

// enter compiles the calls and the gate of a block of onDelete, and returns a compiler of what is in it.
func (c *compiler) enter(block *Block, declared *orkv1.Block, at *field.Path) *compiler {
	block.Calls, c = c.calls(declared.External, block.Name, at)
	block.Gate = c.gate(declared.Conditions, at)
	block.GateWaits = reads(block.Gate, externalRoot) // the children are known before
	return c
}

// going compiles what a block of onDelete lists.
func (c *compiler) going(declared *orkv1.Block, at *field.Path) []Child {
	c.noGit(declared, at)
	c.noBuild(declared, at)
	declarations := c.registry.Declarations(declared, at)
	children := make([]Child, 0, len(declarations))
	for _, declaration := range declarations {
		if isJob(declaration.Kind) {
			c.report(declaration.Check()...)
		}
		c.report(noDependencies(declaration)...)
		children = append(children, c.child(declaration, false, at))
	}
	return children
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
	for _, block := range append(d.blocks(), d.Block) {
		note(&d.ReadsChildren, block.Gate.References())
		note(new(bool), block.Calls.References())
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
