package reload

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
)

// fingerprint differs when one of the paths has other contents. Pipes and devices have none: to read them would change them.
func fingerprint(paths []string) string {
	sum := sha256.New()
	for _, path := range paths {
		fmt.Fprintf(sum, "\x00%s\x00", path)
		add(sum, path)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func add(sum hash.Hash, path string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		fmt.Fprint(sum, "absent")
	case info.IsDir():
		entries, err := os.ReadDir(path)
		fmt.Fprint(sum, "directory", err)
		for _, entry := range entries {
			fmt.Fprintf(sum, "\x00%s", entry.Name())
		}
	case info.Mode().IsRegular():
		file, err := os.Open(path) //nolint:gosec // the user names them
		if err != nil {
			fmt.Fprint(sum, "closed")
			return
		}
		defer func() { _ = file.Close() }()
		fmt.Fprint(sum, "file")
		_, _ = io.Copy(sum, file) // what can't be read now has another fingerprint when it can
	}
}
