package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	ctrl "sigs.k8s.io/controller-runtime"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/server"
	websitev1 "github.com/orkestra-runtime/orkestra/hack/bench/handwritten/api/v1"
	handwritten "github.com/orkestra-runtime/orkestra/hack/bench/handwritten/webhook"
)

// startGateway starts a gateway, and waits until the API server asks it. Stop has it take its webhooks along.
func (b *bench) startGateway(ctx context.Context, config *rest.Config) (stop func() error, err error) {
	loaded, err := katalog.Parse(katalog.Options{Gateway: true}, "gated.yaml", gatedFile)
	if err != nil {
		return nil, fmt.Errorf("read the gateway's Katalog: %w", err)
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return nil, fmt.Errorf("make the gateway's manager: %w", err)
	}
	if _, err := server.New(mgr, server.Options{
		Katalogs: []*orkv1.Katalog{loaded.Documents[0].Katalog}, Namespace: gatewayNamespace, Host: "127.0.0.1", Port: port,
		URL: fmt.Sprintf("https://127.0.0.1:%d", port),
	}); err != nil {
		return nil, fmt.Errorf("make the gateway: %w", err)
	}
	return b.serve(ctx, mgr, func(context.Context) error { return nil }) // it takes its registrations along
}

// startHandwritten starts the webhooks that are written by hand, and registers them.
func (b *bench) startHandwritten(ctx context.Context, config *rest.Config) (stop func() error, err error) {
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "orkestra-bench-webhooks-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the certificate: %w", err)
	}
	bundle, err := writeCertificate(folder)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	scheme := runtime.NewScheme()
	if err := websitev1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("build the scheme: %w", err)
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: folder}),
	})
	if err != nil {
		return nil, fmt.Errorf("make the manager of the webhooks: %w", err)
	}
	if err := handwritten.Setup(mgr); err != nil {
		return nil, err //nolint:wrapcheck // says what it does
	}
	if err := b.register(ctx, fmt.Sprintf("https://127.0.0.1:%d", port), bundle); err != nil {
		return nil, err
	}
	return b.serve(ctx, mgr, func(ctx context.Context) error { return errors.Join(b.unregister(ctx), os.RemoveAll(folder)) })
}

// serve runs a Manager with webhooks until stop.
func (b *bench) serve(ctx context.Context, mgr ctrl.Manager, after func(context.Context) error) (stop func() error, err error) {
	running, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(running) }()
	end := func() error {
		cancel()
		return errors.Join(<-ended, after(context.WithoutCancel(ctx)))
	}
	if err := b.awaitWebhooks(ctx, true); err != nil {
		return nil, errors.Join(err, end())
	}
	return func() error { return errors.Join(end(), b.awaitWebhooks(ctx, false)) }, nil
}

// writeCertificate puts a certificate of 127.0.0.1 and its key into the folder, and returns what the API server trusts.
func writeCertificate(folder string) (bundle []byte, err error) {
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	for name, content := range map[string][]byte{"tls.crt": certificate, "tls.key": key} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return nil, fmt.Errorf("write the certificate: %w", err)
		}
	}
	return certificate, nil
}

// handwrittenName names the registrations of the hand-written webhooks.
const handwrittenName = "bench-handwritten"

// register has the API server ask the hand-written webhooks about Websites, as kubebuilder does it.
func (c *cluster) register(ctx context.Context, url string, bundle []byte) error {
	called := func(path string) admissionregistrationv1.WebhookClientConfig {
		return admissionregistrationv1.WebhookClientConfig{URL: new(url + path), CABundle: bundle}
	}
	asked := []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{websites.Group}, APIVersions: []string{websites.Version}, Resources: []string{websites.Resource}},
	}}
	meta := metav1.ObjectMeta{Name: handwrittenName}
	none, versions := new(admissionregistrationv1.SideEffectClassNone), []string{"v1"}
	api := c.clients.AdmissionregistrationV1()
	_, err := api.MutatingWebhookConfigurations().Create(ctx, &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: meta, Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "mutate.web.example.com", ClientConfig: called(handwritten.PathMutate), Rules: asked, SideEffects: none, AdmissionReviewVersions: versions,
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("register the defaulter: %w", err)
	}
	_, err = api.ValidatingWebhookConfigurations().Create(ctx, &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: meta, Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "validate.web.example.com", ClientConfig: called(handwritten.PathValidate), Rules: asked, SideEffects: none, AdmissionReviewVersions: versions,
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("register the validator: %w", err)
	}
	return nil
}

func (c *cluster) unregister(ctx context.Context) error {
	api := c.clients.AdmissionregistrationV1()
	return errors.Join(
		api.MutatingWebhookConfigurations().Delete(ctx, handwrittenName, metav1.DeleteOptions{}),
		api.ValidatingWebhookConfigurations().Delete(ctx, handwrittenName, metav1.DeleteOptions{}))
}

// awaitWebhooks waits until the API server asks both webhooks about Websites, or neither.
func (c *cluster) awaitWebhooks(ctx context.Context, asks bool) error {
	return poll(ctx, "the API server does not ask the webhooks, or does not cease to", func(ctx context.Context) (bool, error) {
		try := func(replicas int64) (*unstructured.Unstructured, error) {
			one := website(0)
			one.Object["spec"].(map[string]any)["replicas"] = replicas
			//nolint:wrapcheck // nobody sees it
			return c.objects.Resource(websites).Namespace(namespace).Create(ctx, one, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		}
		mutated, mutateErr := try(2)
		_, validateErr := try(99)
		if !asks {
			return mutateErr == nil && validateErr == nil && len(mutated.GetLabels()) == 0, nil
		}
		return mutateErr == nil && len(mutated.GetLabels()) > 0 && apierrors.IsInvalid(validateErr), nil
	})
}

func freePort(ctx context.Context) (int, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
