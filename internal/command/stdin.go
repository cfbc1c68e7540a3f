package command

import (
	"bytes"
	"io"
	"slices"

	"github.com/orkestra-runtime/orkestra/api/katalog"
)

// Remember returns a standard input that can be read again, as often as files are, when it is one of them: first is read once, and again gives what
// was read of it.
func Remember(in io.Reader, files []string) (first io.Reader, again func() io.Reader) {
	if !slices.Contains(files, katalog.Stdin) || in == nil {
		return in, func() io.Reader { return in }
	}
	read := &bytes.Buffer{}
	return io.TeeReader(in, read), func() io.Reader { return bytes.NewReader(read.Bytes()) }
}
