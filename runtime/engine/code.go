package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	"github.com/orkestra-runtime/orkestra/runtime/reconciler"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// checkCode tells of all Go code that the entries name and that was not registered, or does not fit.
func (e *Engine) checkCode(entries map[string]*entry) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		one := entries[name]
		for _, function := range one.set.Hooked() {
			registered, ok := e.opts.Hooks[function.Name]
			if !ok {
				errs = append(errs, one.unregistered("hook", function.Name, "Hooks", slices.Sorted(maps.Keys(e.opts.Hooks))))
			} else if err := registered.Check(one.set.GVK, e.manager.GetScheme()); err != nil {
				errs = append(errs, fmt.Errorf("CRD %s of katalog %s: hook %s %w", name, one.set.Katalog, function.Name, err))
			}
		}
		for _, function := range one.set.Constructed() {
			registered, ok := e.opts.Constructors[function.Name]
			if !ok {
				errs = append(errs, one.unregistered("constructor", function.Name, "Constructors", slices.Sorted(maps.Keys(e.opts.Constructors))))
			} else if registered == nil {
				errs = append(errs, fmt.Errorf("CRD %s of katalog %s: constructor %s is nil; want a constructor.Func", name, one.set.Katalog, function.Name))
			}
		}
	}
	return errors.Join(errs...)
}

// unregistered is the error of code that the binary does not have.
func (e *entry) unregistered(what, name, option string, known []string) error {
	var remedy strings.Builder
	fmt.Fprintf(&remedy, "add it to %s of engine.Options under this name, or take it out of the Katalog", option)
	if near := nearest.Word(name, known); near != "" {
		fmt.Fprintf(&remedy, "; did you mean %s?", near)
	} else if len(known) > 0 {
		fmt.Fprintf(&remedy, "; registered are %s", strings.Join(known, ", "))
	}
	return fmt.Errorf("CRD %s of katalog %s names the %s %s, which is not registered in this program: %s", e.set.Name, e.set.Katalog, what, name, &remedy)
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

// construct makes the reconcilers of the entries that have none yet. A constructor is called once for each.
func (e *Engine) construct(entries map[string]*entry) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		one := entries[name]
		for _, function := range one.set.Constructed() {
			if _, made := one.constructed[function.Name]; made {
				continue
			}
			made, err := e.opts.Constructors[function.Name](goManager{e.manager, one.goClient()}, reconciler.ArgsOf(one.set, function, e.opts.Now))
			if err == nil && made == nil {
				err = errors.New("returned no reconciler")
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("CRD %s of katalog %s: constructor %s: %w", name, one.set.Katalog, function.Name, err))
				continue
			}
			if one.constructed == nil {
				one.constructed = map[string]reconcile.Reconciler{}
			}
			one.constructed[function.Name] = made
		}
	}
	return errors.Join(errs...)
}

// reconciler is what does the entry's work: the declarative one, or the one that its constructor made.
func (e *entry) reconciler(declarative *reconciler.Declarative) work.Reconciler {
	function := e.set.Effective("").Constructor
	if function == nil {
		return declarative
	}
	return reconciler.NewConstructor(declarative, e.constructed[function.Name])
}
