package box

import (
	"iter"
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/internal/call"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/runtime/gate"
)

// calls compiles the external calls of a list, each of which sees the results of those before it, and returns a compiler of texts that see
// them all. Above is where the list stands, for people, and at its place in the document.
func (c *compiler) calls(declared []orkv1.ExternalCall, above string, at *field.Path) (call.List, *compiler) {
	if len(declared) == 0 {
		return nil, c
	}
	behind := call.Compiler{Language: c.language, Known: c.known, Called: c.called, Retry: c.tries}
	list := behind.Compile(declared, above, at)
	c.report(behind.Errors...)
	seeing := *c
	seeing.known, seeing.language, seeing.called = behind.Known, behind.Language, behind.Called
	return list, &seeing
}

// url checks what can be known of a URL before it is rendered.
func (c *compiler) url(declared orkv1.Template, protocol orkv1.Protocol, at *field.Path) {
	c.report(call.CheckURL(c.language, declared, protocol, at)...)
}

// tries compiles a retryBackoff, whose tries are all within one cycle.
func (c *compiler) tries(declared *orkv1.RetryBackoff, at *field.Path) *external.Retry {
	resync := DefaultResync
	if r := c.entry.OperatorBox.Reconciler; r != nil && r.Resync != nil && r.Resync.Duration > 0 {
		resync = r.Resync.Duration
	}
	r := c.retry(declared, resync, at)
	if r == nil {
		return nil
	}
	return &external.Retry{Attempts: r.Attempts, Delay: r.Delay}
}

// externalRoot is that of the results of external calls.
const externalRoot = roots.External

// outside is what the blocks of a box have to do with the world outside of the cluster, by the names of the blocks.
type outside struct {
	gits   map[string]*Git
	calls  map[string]call.List
	builds map[string]*Build
}

// The names of the blocks.
const (
	onCreate    = "onCreate"
	onReconcile = "onReconcile"
)

// cycleOrder goes through the declared blocks in the order in which a cycle goes through what they have to do with the outside.
func cycleOrder(declared *orkv1.OperatorBox) iter.Seq2[string, *orkv1.Block] {
	return func(yield func(string, *orkv1.Block) bool) {
		if declared.OnReconcile != nil && !yield(onReconcile, declared.OnReconcile) {
			return
		}
		if declared.OnCreate != nil {
			yield(onCreate, declared.OnCreate)
		}
	}
}

// externals compiles the cross reads, the repositories and the calls of a box, in the order in which a cycle makes them, and returns those of
// the blocks, and a compiler of texts that see all results. Those of hooks are made before the rules are obeyed, and see no results but
// their own.
func (c *compiler) externals(b *Box, declared *orkv1.OperatorBox, at *field.Path) (outside, *compiler) {
	seen := c
	if r := declared.Reconciler; r != nil && r.Hooks != nil && r.Constructor == nil {
		own := c.seeing(c.beforeRules)
		b.HookCalls, own = own.calls(r.Hooks.External, "hooks", at.Child("reconciler", "hooks"))
		seen = c.seeing(c.known.WithExternal(b.HookCalls.Names()...))
		seen.called = own.called
	}
	seen = seen.cross(b, declared.Cross, at.Child("cross"))
	gits, seen := seen.gits(declared, at)
	lists := map[string]call.List{}
	for name, block := range cycleOrder(declared) {
		lists[name], seen = seen.calls(block.External, name, at.Child(name))
	}
	return outside{gits: gits, calls: lists}, seen
}

// take hands what is outside to the blocks that declare it, and notes which gates can only be asked afterwards.
func (b *Box) take(o outside) {
	for i := range b.Blocks {
		block := &b.Blocks[i]
		block.Git, block.GateWaitsForGit = o.gits[block.Name], readsFetched(block.Gate)
		block.Calls, block.GateWaits = o.calls[block.Name], readsResults(block.Gate)
		block.Build, block.BuildWaits = o.builds[block.Name], readsBuild(block.Gate)
	}
	b.GateWaitsForGit, b.GateWaits, b.BuildWaits = readsFetched(b.Gate), readsResults(b.Gate), readsBuild(b.Gate)
}

// readsResults tells whether a gate can only be asked when the external calls are made.
func readsResults(program referring) bool {
	return reads(program, externalRoot, roots.Docker, "children")
}

// noBuild refuses an image in a block that builds none.
func (c *compiler) noBuild(declared *orkv1.Block, at *field.Path) {
	if declared != nil && declared.Docker != nil {
		c.report(field.Forbidden(at.Child("docker"), "an image is built in onCreate or onReconcile alone"))
	}
}

// referring is a gate or a text, which tells what it reads.
type referring interface{ References() [][]string }

// reads tells whether a gate or a text reads one of the roots.
func reads(program referring, names ...string) bool {
	return slices.ContainsFunc(program.References(), func(path []string) bool {
		return len(path) == 0 || slices.Contains(names, path[0])
	})
}

// Calls are all that a cycle of the box may make, those of the entry's rules included.
func (s *Set) Calls(b *Box) call.List {
	all := slices.Concat(b.HookCalls, s.MutationCalls, s.ValidationCalls, b.OnDelete.calls())
	for _, block := range b.Blocks {
		all = append(all, block.Calls...)
	}
	if r := b.Rollback; r != nil && r.Block != nil {
		all = append(all, r.Block.Calls...)
	}
	return all
}

// gatesBeforeQueue are those between an event and the queue.
func (b *Box) gatesBeforeQueue() []*gate.Gate {
	gates := make([]*gate.Gate, 0, 1+len(b.Watches)+len(b.EventWatches))
	gates = append(gates, b.EnqueueGate)
	for _, one := range b.Watches {
		gates = append(gates, one.Gate)
	}
	for _, one := range b.EventWatches {
		gates = append(gates, one.Gate)
	}
	return gates
}

// everyCall lists all calls of the entry, those of its gates too.
func (s *Set) everyCall() call.List {
	var all call.List
	for _, b := range s.Boxes() {
		all = append(all, s.Calls(b)...)
		for _, one := range append(b.gatesBeforeQueue(), b.ReconcileGate) {
			all = append(all, one.External()...)
		}
	}
	return all
}

// CheckCalls tells of the calls of the entry that the clients of a program will not make, as List.Check does.
func (s *Set) CheckCalls(clients external.Registry) (missing, refused field.ErrorList) {
	return s.everyCall().Check(clients)
}

// CallNames are the names of all calls of the entry, sorted.
func (s *Set) CallNames() []string {
	names := s.everyCall().Names()
	slices.Sort(names)
	return slices.Compact(names)
}

// CallsBeforeQueue tells whether a gate between an event and the queue makes calls.
func (s *Set) CallsBeforeQueue() bool {
	return slices.ContainsFunc(s.Boxes(), func(b *Box) bool {
		return slices.ContainsFunc(b.gatesBeforeQueue(), func(g *gate.Gate) bool { return len(g.External()) > 0 })
	})
}

// credentials is the right to read the Secrets that calls and repositories name, and no others.
func (s *Set) credentials() []rbacv1.PolicyRule {
	names := map[string]bool{}
	for _, one := range append(s.everyCall().Credentials(), s.crossCredentials()...) {
		names[one.Name] = true
	}
	for _, one := range s.Gits() {
		if one.Auth != nil && one.Auth.SecretRef != nil {
			names[one.Auth.SecretRef.Name] = true
		}
	}
	for _, one := range s.pullSecrets() {
		names[one.Name] = true
	}
	if len(names) == 0 {
		return nil
	}
	return []rbacv1.PolicyRule{{
		APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: slices.Sorted(maps.Keys(names)), Verbs: []string{"get"},
	}}
}
