package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	kerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// An operator that has controllers of its own runs a Katalog beside them.
func ExampleNew() { //nolint:testableexamples // it runs until it is interrupted, in a cluster
	if err := operate(ctrl.SetupSignalHandler()); err != nil {
		fmt.Println(err)
	}
}

func operate(ctx context.Context) error {
	result, err := katalog.Load(katalog.Options{FilesOptional: true, Env: os.Getenv}, "katalog.yaml")
	if err != nil {
		return err // every error of the file, with its position
	}
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{LeaderElection: true, LeaderElectionID: "my-operator"})
	if err != nil {
		return fmt.Errorf("make the manager: %w", err)
	}
	// Here the operator adds its own controllers.

	katalogs := make([]*orkv1.Katalog, 0, len(result.Documents))
	for _, document := range result.Documents {
		katalogs = append(katalogs, document.Katalog)
	}
	if _, err := engine.New(mgr, engine.Options{Katalogs: katalogs, Namespace: "my-operator"}); err != nil {
		return err // every error of a template or condition
	}
	return mgr.Start(ctx)
}

// New compiles the Katalogs and asks the API server nothing, so that what is wrong is known before anything starts.
func ExampleNew_wrongKatalog() {
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(`
apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: website}
spec:
  crds:
    website:
      apiTypes: {group: web.example.com, version: v1, kind: Website}
      operatorBox:
        onReconcile:
          deployments:
            - image: "{{ lowr .spec.image }}"
            - image: nginx
              when: [{field: spec.public, greaterThan: many}]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	mgr, err := ctrl.NewManager(&rest.Config{Host: "https://127.0.0.1:1"}, ctrl.Options{
		Metrics: metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = engine.New(mgr, engine.Options{Katalogs: []*orkv1.Katalog{result.Documents[0].Katalog}})
	if wrong, ok := errors.AsType[kerrors.Aggregate](err); ok {
		for _, one := range wrong.Errors() {
			fmt.Println(one)
		}
	}
	// Output:
	// spec.crds[website].operatorBox.onReconcile.deployments[0].image: Invalid value: "{{ lowr .spec.image }}": 1:4: unknown function "lowr": did you mean "lower"?
	// spec.crds[website].operatorBox.onReconcile.deployments[1].when[0].greaterThan: Invalid value: "many": "many" is not a number
}
