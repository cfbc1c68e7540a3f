package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/internal/reload"
	"github.com/orkestra-runtime/orkestra/runtime/katalogs"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
)

// reloader has the files run as they are now, whenever they change.
type reloader struct {
	opts       Options
	in         func() io.Reader
	files      []string
	watcher    *reload.Watcher
	sources    []string
	collection *katalogs.Collection
	series     *metrics.Reloads
	// written is told what the files have, and documents are what runs of them.
	written   written
	documents []*katalog.Document
	// dev applies what the files name besides, outside a cluster.
	dev devMode
}

// run watches until ctx ends.
func (r *reloader) run(ctx context.Context) {
	r.watcher.Run(ctx, func() ([]string, bool) {
		err := r.reload(ctx)
		if ctx.Err() == nil {
			r.series.Reloaded(err)
		}
		_, wrong := errors.AsType[katalog.Findings](err)
		return r.sources, err != nil && !wrong
	})
}

// reload reads the files. When they are wrong, what ran last goes on, and so it does when they can't be taken now, which is tried again.
func (r *reloader) reload(ctx context.Context) error {
	log := logf.FromContext(ctx)
	opts := r.opts
	opts.In = r.in()
	l, err := load(opts, r.files, toRun())
	if l == nil {
		return err
	}
	r.sources = l.sources
	for _, warning := range l.warnings {
		log.Info("Katalog files: warning", "warning", warning.String())
	}
	if err == nil {
		err = r.take(ctx, l)
	}
	if findings, wrong := errors.AsType[katalog.Findings](err); wrong {
		for _, finding := range findings {
			log.Error(errors.New(finding.String()), "Katalog files are wrong, what they said before runs on")
		}
		return err
	}
	if err != nil {
		log.Error(err, "Katalog files are not taken and are tried again, what they said before runs on")
		return err
	}
	log.Info("Katalog files have changed and run as they are now", "katalogs", names(l.katalogs()))
	return nil
}

// take has the engine run what was read.
func (r *reloader) take(ctx context.Context, l *loaded) error {
	dev := devMode{config: r.dev.config, documents: l.documents}
	if !command.InCluster() {
		if err := dev.prepare(ctx); err != nil {
			return err
		}
	}
	r.written.add(l.documents) // whoever asks while they are taken sees either
	err := r.collection.SetFiles(l.katalogs())
	if err == nil {
		r.documents = l.documents
	}
	r.written.keep(r.documents)
	if err != nil {
		return err //nolint:wrapcheck // names the Katalog
	}
	if !command.InCluster() {
		if _, err := dev.applyResources(ctx); err != nil {
			return fmt.Errorf("the Katalogs run, their crFiles are not applied: %w", err)
		}
	}
	return nil
}

// katalogs are those of the documents.
func (l *loaded) katalogs() []*orkv1.Katalog {
	all := make([]*orkv1.Katalog, 0, len(l.documents))
	for _, document := range l.documents {
		all = append(all, document.Katalog)
	}
	return all
}

func names(all []*orkv1.Katalog) []string {
	list := make([]string, 0, len(all))
	for _, one := range all {
		list = append(list, one.Name)
	}
	return list
}
