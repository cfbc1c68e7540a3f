package controller_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/orkestra-runtime/orkestra/hack/bench/handwritten/controller"
)

// halfManager has what is asked for before the mode is looked at.
type halfManager struct{ manager.Manager }

func (halfManager) GetClient() client.Client   { return nil }
func (halfManager) GetScheme() *runtime.Scheme { return nil }

func TestSetupRefusesUnknownMode(t *testing.T) {
	err := controller.Setup(halfManager{}, "patch", 1)
	if err == nil || !strings.Contains(err.Error(), `unknown mode "patch"; valid: createorupdate, apply`) {
		t.Errorf("want an error that names the valid modes, got %v", err)
	}
}
