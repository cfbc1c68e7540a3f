package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/reconciler"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// constructed is a reconciler that a constructor made for the boxes that name it with the same args.
type constructed struct {
	function   *box.GoFunction
	reconciler reconcile.Reconciler
}

// checkCode tells of all Go code that the entries name and that was not registered, or does not fit.
func (e *Engine) checkCode(entries map[string]*entry) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		one := entries[name]
		checked := map[string]bool{}
		check := func(functions []*box.GoFunction, check func(name string) error) {
			for _, function := range functions {
				if err := check(function.Name); err != nil && !checked[function.Name] {
					errs = append(errs, fmt.Errorf("CRD %s of katalog %s: %w", name, one.set.Katalog, err))
				}
				checked[function.Name] = true
			}
		}
		check(one.set.Hooked(), func(name string) error { return e.checkHook(name, one.set.GVK) })
		check(one.set.Constructed(), e.checkConstructor)
		if err := e.checkGit(one); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (e *Engine) checkHook(name string, gvk schema.GroupVersionKind) error {
	registered, ok := e.opts.Hooks[name]
	if !ok {
		return unregistered("hook", name, "Hooks", slices.Sorted(maps.Keys(e.opts.Hooks)))
	}
	if err := registered.Check(gvk, e.manager.GetScheme()); err != nil {
		return fmt.Errorf("hook %s %w", name, err)
	}
	return nil
}

func (e *Engine) checkConstructor(name string) error {
	registered, ok := e.opts.Constructors[name]
	switch {
	case !ok:
		return unregistered("constructor", name, "Constructors", slices.Sorted(maps.Keys(e.opts.Constructors)))
	case registered == nil:
		return fmt.Errorf("constructor %s is nil; want a constructor.Func", name)
	}
	return nil
}

// unregistered is the error of code that the binary does not have.
func unregistered(what, name, option string, known []string) error {
	var remedy strings.Builder
	fmt.Fprintf(&remedy, "add it to %s of engine.Options under this name, or take it out of the Katalog", option)
	if near := nearest.Word(name, known); near != "" {
		fmt.Fprintf(&remedy, "; did you mean %s?", near)
	} else if len(known) > 0 {
		fmt.Fprintf(&remedy, "; registered are %s", strings.Join(known, ", "))
	}
	return fmt.Errorf("%s %s is not registered in this program: %s", what, name, &remedy)
}

// tellUnusedCode warns of what was registered for nothing.
func (e *Engine) tellUnusedCode() {
	used := map[string]bool{}
	for _, one := range e.entries {
		for _, function := range append(one.set.Hooked(), one.set.Constructed()...) {
			used[function.Name] = true
		}
	}
	for _, name := range append(slices.Sorted(maps.Keys(e.opts.Hooks)), slices.Sorted(maps.Keys(e.opts.Constructors))...) {
		if !used[name] {
			e.log.Info("warning: Go code is registered, and no Katalog names it", "function", name)
		}
	}
}

// construct makes the reconcilers of the entries that have none yet. A constructor is called once for each box that has args of its own.
func (e *Engine) construct(entries map[string]*entry) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		one := entries[name]
		if one.constructed != nil {
			continue
		}
		for _, function := range one.set.Constructed() {
			made, err := e.opts.Constructors[function.Name](goManager{e.manager, one.goClient()}, reconciler.ArgsOf(one.set, function, e.opts.Now))
			if err == nil && made == nil {
				err = errors.New("returned no reconciler")
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("CRD %s of katalog %s: constructor %s: %w", name, one.set.Katalog, function.Name, err))
			}
			one.constructed = append(one.constructed, constructed{function, made})
		}
	}
	return errors.Join(errs...)
}

// reconciler is what does the entry's work: the declarative one, or for the resources of a box with a constructor what that has made.
func (e *entry) reconciler(declarative *reconciler.Declarative) work.Reconciler {
	if len(e.constructed) == 0 {
		return declarative
	}
	own := make([]*reconciler.Constructor, 0, len(e.constructed))
	for _, one := range e.constructed {
		own = append(own, reconciler.NewConstructor(declarative, one.reconciler))
	}
	return work.Func(func(ctx context.Context, w work.Work) (work.Outcome, error) {
		if function := w.Box.Constructor; function != nil {
			of := slices.IndexFunc(e.constructed, func(one constructed) bool { return one.function.Same(function) })
			return own[of].Reconcile(ctx, w)
		}
		return declarative.Reconcile(ctx, w)
	})
}
