package reload

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// quiet is how long contents must have been the same before they count: who writes a file may be in the middle of it.
const quiet = 200 * time.Millisecond

// Watcher tells when files have other contents than when it was made.
type Watcher struct {
	// Look is how often files are read without a notification, which network file systems do not send, and how long it takes until changed is called
	// again. Ten seconds.
	Look time.Duration

	notifier *fsnotify.Watcher
	paths    []string
	watched  map[string]bool // directories
	// last is the fingerprint of what changed has been called for, and seen the one before the pause.
	last, seen string
}

// New returns a Watcher of files and directories, by what they hold now. Of a directory the names count.
func New(paths []string) *Watcher {
	return &Watcher{Look: 10 * time.Second, paths: paths, watched: map[string]bool{}, last: fingerprint(paths)}
}

// Run calls changed each time the contents are others than before, until ctx ends. A change is noticed within half a second where the
// file system tells of it, and within ten seconds elsewhere. Links are followed, also when they are exchanged, as those of a mounted
// ConfigMap are. Changed returns what to watch from then on, and again where it could not take what it read for a reason that is not in
// the files: then it is called once more ten seconds later. It is not called concurrently. Run is called once.
func (w *Watcher) Run(ctx context.Context, changed func() (paths []string, again bool)) {
	notifier, err := fsnotify.NewWatcher()
	if err != nil { // there may be no more of them than the system allows
		logf.FromContext(ctx).Info("files send no notifications and are looked at now and then", "interval", w.Look.String(), "reason", err.Error())
		notifier = &fsnotify.Watcher{}
	} else {
		defer func() { _ = notifier.Close() }()
		w.notifier = notifier
	}
	w.follow(ctx)
	polling := time.NewTicker(w.Look)
	defer polling.Stop()
	pause := time.NewTimer(quiet)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-notifier.Events:
			pause.Reset(quiet)
			continue
		case err := <-notifier.Errors:
			logf.FromContext(ctx).V(1).Info("notifications of files were lost", "reason", fmt.Sprint(err))
		case <-polling.C:
		case <-pause.C:
		}
		w.follow(ctx)
		switch now := fingerprint(w.paths); now {
		case w.last:
		case w.seen:
			before := w.paths
			paths, again := changed()
			w.paths = paths
			w.follow(ctx)
			w.last = fingerprint(w.paths)
			w.seen = w.last
			switch {
			case fingerprint(before) != now: // once more while changed was reading
				w.last = ""
				pause.Reset(quiet)
			case again: // when they are looked at next
				w.last = ""
			}
		default:
			w.seen = now
			pause.Reset(quiet)
		}
	}
}

// follow watches the directories in which a change would be seen, and no others.
func (w *Watcher) follow(ctx context.Context) {
	if w.notifier == nil {
		return
	}
	wanted := map[string]bool{}
	for _, path := range w.paths {
		for _, directory := range directories(path) {
			wanted[directory] = true
		}
	}
	for directory := range w.watched {
		if !wanted[directory] {
			_ = w.notifier.Remove(directory) // fails for one that is gone, which is as well
			delete(w.watched, directory)
		}
	}
	for _, directory := range slices.Sorted(maps.Keys(wanted)) {
		// One that was removed and made anew is no longer watched, and adding one again changes nothing.
		if err := w.notifier.Add(directory); err != nil {
			if !w.watched[directory] {
				logf.FromContext(ctx).V(1).Info("directory sends no notifications and is looked at now and then", "directory", directory, "reason", err.Error())
			}
		}
		w.watched[directory] = true
	}
}

// linksAtMost bounds how many links one path may lead through.
const linksAtMost = 40

// directories are those that a path leads through: its own or, if that is not there, the next one above, those of links, and the path
// itself if it is one.
func directories(path string) []string {
	var found []string
	for range linksAtMost {
		found = append(found, existing(filepath.Dir(path)))
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		found = append(found, path)
	}
	// A link may stand anywhere on the way.
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		found = append(found, filepath.Dir(resolved))
	}
	return found
}

func existing(directory string) string {
	for {
		if _, err := os.Stat(directory); err == nil || directory == filepath.Dir(directory) {
			return directory
		}
		directory = filepath.Dir(directory)
	}
}
