package declared

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orkestra-runtime/orkestra/providers"
)

// Kind is what a Provider has of one name.
type Kind struct {
	// Identity are the fields that tell one thing from another. The first one is required.
	Identity []string
	// Required and Optional are further fields, those of maps by their paths. A field that ends in .* stands for any below it. The fields
	// that Common names are fields of every Kind.
	Required, Optional []string
	// Check finds what is wrong in the fields without asking anybody. Nil finds nothing.
	Check func(providers.Declaration) error
	// Ensure brings the thing about. It writes nothing where nothing differs.
	Ensure func(context.Context, *Thing) error
	// Remove takes the thing away, if it is the owner's. One that is not there, or is not the owner's, is as good as removed. Its fields were
	// not checked: those besides the identity may be anything.
	Remove func(context.Context, *Thing) error
}

// Thing is a declaration of one request.
type Thing struct {
	providers.Declaration
	Request *providers.Request
	// Adopt: what nobody owns may be taken over.
	Adopt bool
	// Retain: when the resource goes, the thing stays, as nobody's.
	Retain bool

	secrets []string
}

// Common are fields of every Kind: adopt, deletionPolicy and the Secret with the credential, in place of the claim's.
func Common() []string {
	return []string{"adopt", "deletionPolicy", "authSecret.name", "authSecret.namespace"}
}

// Kinds are those of a Provider, by name.
type Kinds map[string]Kind

// Known are the kinds and their fields, as a providers.Checker tells them.
func (k Kinds) Known() map[string]providers.Kind {
	known := make(map[string]providers.Kind, len(k))
	for name, kind := range k {
		known[name] = providers.Kind{
			Required: slices.Concat(kind.Identity[:1], kind.Required),
			Optional: slices.Concat(kind.Identity[1:], kind.Optional, Common()),
		}
	}
	return known
}

// Reconcile brings about what is declared, in its order. Nothing is done while a declaration has a mistake. One that is refused does not keep
// the others from being looked at, any other failure does: they would meet it as well.
func (k Kinds) Reconcile(ctx context.Context, r *providers.Request) error {
	if err := k.check(r.Declarations); err != nil {
		return err
	}
	var errs []error
	for _, declaration := range r.Declarations {
		err := k.do(ctx, r, declaration, Kind.ensure)
		errs = append(errs, err)
		if err != nil && !refused(err) {
			break
		}
	}
	return one(errs)
}

// Delete takes away what is declared, in reverse order.
func (k Kinds) Delete(ctx context.Context, r *providers.Request) error {
	var errs []error
	for _, declaration := range slices.Backward(r.Declarations) {
		kind, ok := k[declaration.Kind]
		if !ok || declaration.Fields[kind.Identity[0]] == "" {
			continue // of these there never was anything
		}
		err := k.do(ctx, r, declaration, Kind.remove)
		errs = append(errs, err)
		if err != nil && !refused(err) {
			break
		}
	}
	return one(errs)
}

func (k Kind) ensure(ctx context.Context, t *Thing) error { return k.Ensure(ctx, t) }

func (k Kind) remove(ctx context.Context, t *Thing) error { return k.Remove(ctx, t) }

// one is the first error as it is when there are no others.
func one(errs []error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

func (k Kinds) do(ctx context.Context, r *providers.Request, d providers.Declaration, do func(Kind, context.Context, *Thing) error) error {
	kind := k[d.Kind]
	thing := &Thing{Declaration: d, Request: r}
	var err error
	if thing.Adopt, err = Bool(d, "adopt"); err != nil {
		return err
	}
	if thing.Retain, err = retain(d); err != nil {
		return err
	}
	thing.Hide(slices.Collect(maps.Values(r.Auth))...)
	err = do(kind, ctx, thing)
	if _, mistake := errors.AsType[*providers.FieldError](err); mistake {
		return err
	}
	return d.Failed(thing.told(kind, err))
}

// check finds the mistakes of all declarations.
func (k Kinds) check(declarations []providers.Declaration) error {
	var errs []error
	seen := map[string]bool{}
	for _, d := range declarations {
		kind, ok := k[d.Kind]
		if !ok {
			errs = append(errs, &providers.FieldError{
				Kind: d.Kind, Err: fmt.Errorf("is no kind of this provider (valid: %s)", strings.Join(slices.Sorted(maps.Keys(k)), ", ")),
			})
			continue
		}
		if err := kind.check(d); err != nil {
			errs = append(errs, err)
			continue
		}
		same := d.Kind
		for _, field := range kind.Identity {
			same += "\x00" + d.Fields[field]
		}
		if seen[same] {
			errs = append(errs, Wrong(d, kind.Identity[0], "is declared twice: %s", Name(d.Fields[kind.Identity[0]])))
		}
		seen[same] = true
	}
	return one(errs)
}

func (k Kind) check(d providers.Declaration) error {
	for _, field := range slices.Concat(k.Identity[:1], k.Required) {
		if _, err := d.Require(field); err != nil {
			return err
		}
	}
	known := slices.Concat(k.Identity, k.Required, k.Optional, Common())
	for _, field := range slices.Sorted(maps.Keys(d.Fields)) {
		if !slices.ContainsFunc(known, func(one string) bool { return covers(one, field) }) {
			slices.Sort(known)
			return Wrong(d, field, "is unknown (valid: %s)", strings.Join(known, ", "))
		}
	}
	if _, err := retain(d); err != nil {
		return err
	}
	if _, err := Bool(d, "adopt"); err != nil {
		return err
	}
	if k.Check == nil {
		return nil
	}
	return k.Check(d)
}

// covers tells whether a field, which may stand for any below it, is that of a path. A list may be given by its elements.
func covers(field, path string) bool {
	above, open := strings.CutSuffix(field, ".*")
	return field == path || open && strings.HasPrefix(path, above+".")
}
