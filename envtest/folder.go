package envtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	temporaryPrefix = "orkestra-envtest-"

	// sweepAge is how old an abandoned folder is before another start removes it. It is longer than any start needs between
	// making its folder and locking it.
	sweepAge = time.Minute

	// lockGrace is how long a start waits for a lock. Processes that were killed with their parent hold theirs until the
	// kernel has taken them down.
	lockGrace = time.Second
)

// folder is the state of one environment on disk. It is locked: by this process and by every child that is given the lock,
// so that the folder is free only when the last of them is gone.
type folder struct {
	path      string
	temporary bool
	lock      *os.File
}

// openFolder locks the folder at path, or a new temporary one when path is empty.
func openFolder(ctx context.Context, path string) (*folder, error) {
	f := &folder{path: path}
	var err error
	if path == "" {
		sweep(os.TempDir(), time.Now().Add(-sweepAge))
		f.temporary = true
		f.path, err = os.MkdirTemp("", temporaryPrefix)
	} else if f.path, err = filepath.Abs(path); err == nil {
		err = os.MkdirAll(f.path, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("make the environment's folder: %w", err)
	}

	f.lock, err = awaitLock(ctx, f.join("lock"))
	switch {
	case errors.Is(err, errInUse):
		return nil, fmt.Errorf("the folder %s is in use by another live environment%s: stop that one or choose another Dir", f.path, holder(f.join("lock")))
	case err != nil:
		return nil, errors.Join(err, f.close())
	}
	if err := errors.Join(f.lock.Truncate(0), writeAt(f.lock, strconv.Itoa(os.Getpid()))); err != nil {
		return nil, errors.Join(fmt.Errorf("note the process in the lock: %w", err), f.close())
	}
	// A log tells of one run of the environment.
	if err := errors.Join(os.RemoveAll(f.join("logs")), os.MkdirAll(f.join("logs"), 0o700), os.MkdirAll(f.join("pki"), 0o700), os.MkdirAll(f.join("etcd"), 0o700)); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare the environment's folder: %w", err), f.close())
	}
	return f, nil
}

// join returns the path of a file in the folder.
func (f *folder) join(elements ...string) string {
	return filepath.Join(append([]string{f.path}, elements...)...)
}

// close removes a temporary folder and gives the lock back.
func (f *folder) close() error {
	var errs []error
	if f.temporary {
		errs = append(errs, os.RemoveAll(f.path))
	}
	if f.lock != nil {
		errs = append(errs, f.lock.Close())
	}
	return errors.Join(errs...)
}

// port returns the port that the folder's API server has always had, or 0.
func (f *folder) port() (int, error) {
	text, err := os.ReadFile(f.join("port"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the API server's port: %w", err)
	}
	port, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 16)
	if err != nil || port == 0 {
		return 0, fmt.Errorf("%s holds %q, which is no port: remove the file to have one chosen", f.join("port"), text)
	}
	return int(port), nil
}

// reservePort reserves the folder's port, a free one the first time, and returns it with the socket that holds it.
func (f *folder) reservePort() (*os.File, int, error) {
	wanted, err := f.port()
	if err != nil {
		return nil, 0, err
	}
	socket, port, err := reservePort(wanted)
	if err != nil && wanted != 0 {
		return nil, 0, fmt.Errorf("the API server's port %d is taken (%w): free it, or remove %s to have another one chosen, which makes older kubeconfigs and tokens useless",
			wanted, err, f.join("port"))
	}
	if err != nil {
		return nil, 0, fmt.Errorf("reserve a port for the API server: %w", err)
	}
	if err := os.WriteFile(f.join("port"), []byte(strconv.Itoa(port)), 0o600); err != nil {
		return nil, 0, errors.Join(fmt.Errorf("keep the API server's port: %w", err), socket.Close())
	}
	return socket, port, nil
}

// awaitLock takes the lock as lockFile does, and gives a holder that is about to end the time to do so.
func awaitLock(ctx context.Context, path string) (*os.File, error) {
	var lock *os.File
	var err error
	_ = wait.PollUntilContextTimeout(ctx, pollInterval, lockGrace, true, func(context.Context) (bool, error) {
		lock, err = lockFile(path)
		return !errors.Is(err, errInUse), nil
	})
	return lock, err
}

// sweep removes the temporary folders that were abandoned before the given time: those of processes that were killed.
// What can't be removed, another user's for example, is left.
func sweep(parent string, before time.Time) {
	paths, _ := filepath.Glob(filepath.Join(parent, temporaryPrefix+"*", "lock"))
	for _, path := range paths {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.ModTime().After(before) {
			continue
		}
		if lock, err := lockFile(path); err == nil {
			_ = os.RemoveAll(filepath.Dir(path))
			_ = lock.Close()
		}
	}
}

// holder names the process that wrote itself into a lock.
func holder(path string) string {
	pid, err := os.ReadFile(path) //nolint:gosec // the path is the environment's own
	if err != nil || len(pid) == 0 {
		return ""
	}
	return fmt.Sprintf(" (of process %s)", pid)
}

func writeAt(file *os.File, text string) error {
	_, err := file.WriteAt([]byte(text), 0)
	return err
}
