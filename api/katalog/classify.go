package katalog

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

const (
	kindKatalog   = "Katalog"
	apiVersion    = orkv1.Group + "/" + orkv1.Version
	legacyVersion = "orkestra.konductor.io/v1Alpha"
)

// laterKinds are of our groups and not read by Load.
var laterKinds = []string{"Komposer", "E2E", "Simulate"}

// verdict is what classify tells of a document.
type verdict struct {
	Finding
	kind     string
	katalog  bool
	motif    bool
	misspelt bool // it is of our groups, and its kind is not
}

// classify tells whether a document is a Katalog, was meant to be one, or is something else.
func classify(root *node) verdict {
	v := verdict{Finding: Finding{Position: root.pos}}
	if root.kind != kindMap {
		v.Message = "the document is no Katalog: want a map, got " + root.describe()
		return v
	}
	kindNode := root.get("kind")
	if kindNode == nil || !kindNode.isText() {
		v.Message = "the document is no Katalog: it has no kind"
		return v
	}
	name := kindNode.text
	if name == kindKatalog {
		return verdict{katalog: true}
	}
	v.Position, v.kind = kindNode.pos, name
	v.Message = fmt.Sprintf("the document is no Katalog: its kind is %s", name)
	if !isOurs(root.get("apiVersion")) {
		return v
	}
	if name == kindMotif {
		v.motif = true
		v.Message = "a Motif is a part of Katalogs; name a Katalog that imports it"
		return v
	}
	if slices.Contains(laterKinds, name) {
		v.Message = fmt.Sprintf("the kind %s is %s", name, notYet)
		return v
	}
	v.misspelt = true
	v.Path, v.Message = "kind", "unknown kind "+quote(name)
	v.Valid = append([]string{kindKatalog, kindMotif}, laterKinds...)
	return v
}

// kindsOf names the kinds of documents for the end of a message.
func kindsOf(others []verdict) string {
	var kinds []string
	for _, v := range others {
		if v.kind != "" && !slices.Contains(kinds, v.kind) {
			kinds = append(kinds, v.kind)
		}
	}
	if len(kinds) == 0 {
		return ""
	}
	slices.Sort(kinds)
	return "; it holds " + strings.Join(kinds, ", ")
}

func isOurs(version *node) bool {
	if version == nil || !version.isText() {
		return false
	}
	group, _, _ := strings.Cut(version.text, "/")
	legacy, _, _ := strings.Cut(legacyVersion, "/")
	return group == orkv1.Group || group == legacy
}

// checkVersion reports an apiVersion that is not ours and rewrites an older one.
func checkVersion(log *log, root *node) {
	version := root.get("apiVersion")
	switch {
	case version == nil || !version.isText():
		log.errors = append(log.errors, Finding{
			Position: root.pos, Path: "apiVersion", Message: "required", Valid: []string{apiVersion},
		})
	case version.text == legacyVersion:
		log.warnf(version.pos, "apiVersion", "%s is an older version; write %s", version.text, apiVersion)
		version.text = apiVersion
	case version.text != apiVersion:
		log.errors = append(log.errors, Finding{
			Position: version.pos, Path: "apiVersion", Message: "unknown version " + quote(version.text),
			Valid: []string{apiVersion, legacyVersion},
		})
	}
}

// decodeKatalog decodes the root of a document. The status of an object of the cluster is not read.
func (d *decoder) decodeKatalog(root *node, katalog *orkv1.Katalog) {
	root.take("status")
	d.includer.imports(d, root)
	d.value(root, reflect.ValueOf(katalog).Elem(), "")
}

// withoutEchoes drops what was found after decoding about values that could not be decoded, for it follows from that.
func withoutEchoes(errs Findings, decoded int, undecoded map[string]bool) Findings {
	for _, err := range errs[:decoded] {
		undecoded[err.Path] = err.Path != ""
	}
	return append(errs[:decoded:decoded], slices.DeleteFunc(errs[decoded:], func(err Finding) bool {
		for path := err.Path; path != ""; path = path[:max(0, strings.LastIndexAny(path, ".["))] {
			if undecoded[path] {
				return true
			}
		}
		return false
	})...)
}
