package box

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// DefaultRollbackFailures is how many failures in a row lead to a rollback when the Katalog does not say.
const DefaultRollbackFailures = 3

// Rollback tells when a resource goes back to the spec that succeeded last, and what is applied then.
type Rollback struct {
	// Failures in a row of one generation lead to it, if no more than Within lies between the first and the last. Zero: any time.
	Failures int
	Within   time.Duration
	// Block is onRollback. Nil: the children of the box that are kept as declared, made of the earlier spec.
	Block *Block
}

// Declared are all blocks that declare children which a resource may have: onCreate, onReconcile and onRollback.
func (b *Box) Declared() []Block {
	if b.Rollback == nil || b.Rollback.Block == nil {
		return b.Blocks
	}
	return append(slices.Clip(b.Blocks), *b.Rollback.Block)
}

// WrittenOnce tells whether the child, once it is there, is not made of the spec again.
func (c *Child) WrittenOnce() bool {
	secret, ok := c.Declaration.Value.(orkv1.Secret)
	return c.CreateOnce || ok && secret.Once
}

func (c *compiler) rollback(declared *orkv1.OperatorBox, at *field.Path) *Rollback {
	if declared.Rollback == nil && !declared.RollBackOnError {
		return nil
	}
	r := &Rollback{Failures: DefaultRollbackFailures}
	if declared.Rollback == nil {
		return r
	}
	if trigger := declared.Rollback.Trigger; trigger != nil {
		if trigger.ConsecutiveFailures != nil {
			r.Failures = max(1, int(*trigger.ConsecutiveFailures))
		}
		if trigger.WithinDuration != nil {
			r.Within = trigger.WithinDuration.Duration
		}
	}
	onRollback := declared.Rollback.OnRollback
	c.noGit(onRollback, at.Child("rollback", "onRollback"))
	c.noBuild(onRollback, at.Child("rollback", "onRollback"))
	if onRollback == nil {
		return r
	}
	calls, seeing := c.recalling().calls(onRollback.External, "onRollback", at.Child("rollback", "onRollback"))
	r.Block = &seeing.block(onRollback, "onRollback", true, at.Child("rollback"))[0]
	r.Block.Calls, r.Block.GateWaits = calls, readsResults(r.Block.Gate)
	return r
}

// recalling returns a compiler of texts that see the spec that succeeded last, which has the fields of the spec.
func (c *compiler) recalling() *compiler {
	previous := &roots.Props{Type: "object", Properties: map[string]roots.Props{"spec": {}}}
	if spec := c.known.At(template.Path{"spec"}); spec != nil {
		previous.Properties["spec"] = *spec
	}
	return c.seeing(c.known.With("previous", previous))
}

func onRollback(declared *orkv1.OperatorBox) *orkv1.Block {
	if declared.Rollback == nil {
		return nil
	}
	return declared.Rollback.OnRollback
}
