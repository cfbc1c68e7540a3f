package corpus

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

//go:embed beside
var beside embed.FS

// Before is the file, among those that stand beside a pack, of objects that must be there before its resources are.
const Before = "before.yaml"

// Made is the file, among those that stand beside a pack, of objects that Go code makes, as far as they are to be told by it.
const Made = "made.yaml"

// Beside writes the files that the tests add to a pack into a folder, and tells whether there are any: a Katalog with its definition and
// its resource for a pack that is a Motif alone, more resources, and what the resources of a pack take for granted. PACK in a text is the pack's folder.
func Beside(root, folder string, one Pack) (bool, error) {
	files, err := beside.ReadDir(path.Join("beside", one.Name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("what stands beside %s: %w", one.Name, err)
	}
	place, err := filepath.Abs(filepath.Join(root, one.Path))
	if err != nil {
		return false, fmt.Errorf("what stands beside %s: %w", one.Name, err)
	}
	for _, file := range files {
		text, err := beside.ReadFile(path.Join("beside", one.Name, file.Name()))
		if err != nil {
			return false, fmt.Errorf("what stands beside %s: %w", one.Name, err)
		}
		filled := strings.ReplaceAll(string(text), "PACK", place)
		if err := os.WriteFile(filepath.Join(folder, file.Name()), []byte(filled), 0o600); err != nil {
			return false, fmt.Errorf("what stands beside %s: %w", one.Name, err)
		}
	}
	return true, nil
}
