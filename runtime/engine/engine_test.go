package engine_test

import (
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

// newManager returns a Manager whose server must not be asked for anything.
func newManager(t *testing.T) manager.Manager {
	t.Helper()
	config := &rest.Config{Host: "http://192.0.2.1"}
	config.Wrap(func(http.RoundTripper) http.RoundTripper { return untouchable{t} })
	mgr, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	return mgr
}

type untouchable struct{ t *testing.T }

func (u untouchable) RoundTrip(request *http.Request) (*http.Response, error) {
	u.t.Errorf("%s %s: New asks the server", request.Method, request.URL)
	return nil, http.ErrServerClosed
}

// declaring is a Katalog that declares one CRD whose ConfigMap has a name.
func declaring(name, crd string, configMap orkv1.Template) *orkv1.Katalog {
	k := &orkv1.Katalog{ObjectMeta: metav1.ObjectMeta{Name: name}}
	k.Spec.CRDs = map[string]orkv1.CRD{crd: {
		APITypes:    orkv1.APITypes{Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets"},
		OperatorBox: orkv1.OperatorBox{OnReconcile: &orkv1.Block{ConfigMaps: []orkv1.ConfigMap{{Entry: orkv1.Entry{Name: configMap}}}}},
	}}
	return k
}

func TestNewRefuses(t *testing.T) {
	cases := map[string]struct {
		reason   string
		katalogs []*orkv1.Katalog
		want     []string
	}{
		"Nothing": {reason: "there must be something to run", want: []string{"no Katalog to run"}},
		"DoesNotCompile": {
			reason:   "what is wrong is told with its place",
			katalogs: []*orkv1.Katalog{declaring("good", "one", "fine"), declaring("bad", "two", "{{ .metadata.name")},
			want:     []string{"katalog bad: ", "spec.crds[two].operatorBox.onReconcile.configMaps[0].name"},
		},
		"DeclaredTwice": {
			reason:   "an entry belongs to one Katalog",
			katalogs: []*orkv1.Katalog{declaring("first", "one", "fine"), declaring("second", "one", "fine")},
			want:     []string{"CRD one is declared by katalog first and by katalog second"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := engine.New(newManager(t), engine.Options{Katalogs: tc.katalogs})
			for _, want := range tc.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s\nNew(...) = %v, want %q", tc.reason, err, want)
				}
			}
		})
	}
}

// An engine that waits to lead asks for nothing, runs nothing, and tells that it has not started.
func TestNewOnlyPrepares(t *testing.T) {
	mgr := newManager(t)
	before := goleak.IgnoreCurrent()
	e, err := engine.New(mgr, engine.Options{Katalogs: []*orkv1.Katalog{declaring("shop", "one", "fine")}})
	if err != nil {
		t.Fatal(err)
	}
	states := e.States()
	if len(states) != 1 || states[0].Name != "one" || states[0].Katalog != "shop" || states[0].Running || states[0].Health.State != health.NotStarted {
		t.Errorf("States() = %+v, want one that has not started", states)
	}
	if e.Leads() {
		t.Error("two engines would do everything twice")
	}
	if err := goleak.Find(before, goleak.IgnoreAnyFunction("k8s.io/client-go/tools/record.(*recorderImpl).Event")); err != nil {
		t.Error(err)
	}
}
