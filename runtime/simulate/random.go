package simulate

import (
	"math/rand/v2"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/core"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// Generated is printed in place of data that is another one each time, such as a key or what a random function gives.
const Generated = "<generated>"

// chance is what the random functions of a scene draw from: the same in each run, so that what is printed can be compared.
func chance() func([]byte) {
	source := rand.NewChaCha8([32]byte{})
	return func(p []byte) { _, _ = source.Read(p) } // it never fails
}

// noteRandom notes which data of a child is another one each time.
func (a *actor) noteRandom(child *box.Child, object *unstructured.Unstructured) {
	var keys []string
	if secret, ok := child.Declaration.Value.(orkv1.Secret); ok && secret.TLS != nil {
		keys = core.CertificateKeys()
	}
	for _, path := range child.Value.Random() {
		if key, ok := strings.CutPrefix(path, child.String()+".data["); ok {
			keys = append(keys, strings.TrimSuffix(key, "]"))
		}
	}
	if len(keys) > 0 {
		a.random[apply.IDOf(object)] = keys
	}
}

// steady has a child say the same in each run.
func (a *actor) steady(child *unstructured.Unstructured) *unstructured.Unstructured {
	data, _ := child.Object["data"].(map[string]any)
	keys := a.random[apply.IDOf(child)]
	for key := range data {
		if slices.Contains(keys, key) {
			data[key] = Generated
		}
	}
	return child
}
