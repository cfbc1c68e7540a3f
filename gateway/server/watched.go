package server

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	toolscache "k8s.io/client-go/tools/cache"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
)

// watched is one object that the housekeeper keeps.
type watched struct {
	schema.GroupVersionResource
	namespace, name string
}

// watches has the housekeeper woken when one of some objects changes. Each is watched by its name, so that the right to see others, such as all Secrets
// of a namespace, is not needed. Only metadata is held in memory.
type watches struct {
	client  metadata.Interface
	objects []watched
}

// start starts to watch. The watches end with ctx, and wait waits for that.
func (w *watches) start(ctx context.Context, wake func()) (wait func(), err error) {
	var running sync.WaitGroup
	for _, one := range w.objects {
		informer := metadatainformer.NewFilteredMetadataInformer(w.client, one.GroupVersionResource, one.namespace, 0, toolscache.Indexers{},
			func(o *metav1.ListOptions) {
				o.FieldSelector = fields.OneTermEqualSelector("metadata.name", one.name).String()
			}).Informer()
		handler := toolscache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { wake() }, DeleteFunc: func(any) { wake() },
			UpdateFunc: func(before, after any) {
				a, _ := before.(metav1.Object)
				b, _ := after.(metav1.Object)
				if a == nil || b == nil || a.GetResourceVersion() != b.GetResourceVersion() {
					wake()
				}
			},
		}
		if _, err := informer.AddEventHandler(handler); err != nil {
			return running.Wait, fmt.Errorf("watch %s %s: %w", one.Resource, one.name, err)
		}
		running.Go(func() { informer.RunWithContext(ctx) })
	}
	return running.Wait, nil
}

// watched are everything that the gateway keeps.
func (s *state) watched() (*watches, error) {
	client, err := metadata.NewForConfigAndClient(s.mgr.GetConfig(), s.mgr.GetHTTPClient())
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	w := &watches{client: client}
	add := func(resource schema.GroupVersionResource, namespace, name string) {
		w.objects = append(w.objects, watched{GroupVersionResource: resource, namespace: namespace, name: name})
	}
	secrets := corev1.SchemeGroupVersion.WithResource("secrets")
	switch {
	case s.opts.Files != nil:
	case s.opts.Secret != "":
		add(secrets, s.opts.Namespace, s.opts.Secret)
	default:
		add(secrets, s.opts.Namespace, orkv1.SecretTLS)
		add(secrets, s.opts.Namespace, orkv1.SecretAuthority)
	}
	var tokens []orkv1.GatewayToken
	if s.tokens != nil {
		tokens = s.tokens.declared
	}
	for i := range tokens {
		if ref := tokens[i].SecretRef; ref != nil {
			add(secrets, cmp.Or(ref.Namespace, s.opts.Namespace), ref.Name)
		}
	}
	for _, name := range registration.Names {
		resource := "validatingwebhookconfigurations"
		if name == registration.AdmissionMutation {
			resource = "mutatingwebhookconfigurations"
		}
		add(admissionregistrationv1.SchemeGroupVersion.WithResource(resource), "", name)
	}
	for _, name := range s.definitions() {
		add(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"), "", name)
	}
	return w, nil
}
