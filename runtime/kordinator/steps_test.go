package kordinator_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/runtime/flight"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// What a cycle did outside of the cluster is among its records, for whoever asks ork explain.
func TestStepsAreRecorded(t *testing.T) {
	f := newFixture(t, nil, 0, nil)
	recorder := flight.New(time.Now)
	f.Flight = recorder.Of("website")
	f.Resources = memory{resource()}
	f.Reconciler = work.Func(func(context.Context, work.Work) (work.Outcome, error) {
		return work.Outcome{Steps: []string{"provider store is to bring about bucket"}}, nil
	})
	fate(t, f.Kordinator)
	o := resource()
	records := recorder.Of("website").Records(types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()})
	if !slices.ContainsFunc(records, func(r flight.Record) bool {
		return r.Kind == flight.Step && r.Message == "provider store is to bring about bucket"
	}) {
		t.Errorf("recorded is %+v", records)
	}
}
