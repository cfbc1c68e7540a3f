package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/certs"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
)

// leaving takes away what the Katalogs want gone when the gateway stops, unless another replica needs it.
type leaving struct {
	client    client.Client
	keeper    *registration.Keeper
	namespace string
	service   string
	// pod is the name of this replica.
	pod string
	// configurations are those that go. Without one, nothing does.
	configurations []string
	// looks is how often it is looked for other replicas, which may be on their way out as well, and pause how long in between.
	looks int
	pause time.Duration
	// tries is how often it is tried, and retry how long after one that failed.
	tries int
	retry time.Duration
}

// leaving is what this gateway takes along.
func (g *Gateway) leaving() *leaving {
	return &leaving{
		client: g.direct, keeper: g.house.keeper, namespace: g.opts.Namespace, service: g.opts.Service, pod: g.opts.Pod,
		looks: 3, pause: time.Second, tries: 5, retry: 5 * time.Second,
	}
}

// leavingConfigurations are the configurations that go: each with the flag of its own, in every Katalog that has it. Strict mode goes with the
// protection from deletion, and the guard of provenance with admission.
func leavingConfigurations(katalogs []*orkv1.Katalog) []string {
	type flag struct{ declared, cleanup bool }
	flags := map[string]flag{}
	add := func(name string, cleanup bool) {
		f, known := flags[name]
		flags[name] = flag{declared: true, cleanup: cleanup && (!known || f.cleanup)}
	}
	for _, katalog := range katalogs {
		s := katalog.Security
		if s == nil {
			continue
		}
		if s.Webhooks != nil {
			for _, name := range []string{registration.AdmissionValidation, registration.AdmissionMutation, registration.ProvenanceGuard} {
				add(name, s.Webhooks.CleanupOnShutdown)
			}
		}
		if s.DeletionProtection != nil {
			add(registration.DeletionProtection, s.DeletionProtection.CleanupOnShutdown)
			add(registration.StrictProtection, s.DeletionProtection.CleanupOnShutdown)
		}
		if s.NamespaceProtection != nil {
			add(registration.NamespaceProtection, s.NamespaceProtection.CleanupOnShutdown)
		}
	}
	var all []string
	for _, name := range registration.Names {
		if flags[name].cleanup {
			all = append(all, name)
		}
	}
	return all
}

// leave takes it away. The authority stays: the next gateway is trusted as this one was.
func (l *leaving) leave(ctx context.Context) {
	if len(l.configurations) == 0 {
		return
	}
	log := logf.FromContext(ctx)
	var err error
	for try := range l.tries {
		if try > 0 && !sleep(ctx, l.retry) {
			break
		}
		var needed bool
		if needed, err = l.needed(ctx); err != nil {
			continue
		}
		if needed {
			log.Info("another replica serves: nothing is taken away")
			return
		}
		if err = errors.Join(l.keeper.Remove(ctx, l.configurations), l.removeSecret(ctx)); err == nil {
			log.Info("what should not stay without a gateway is taken away", "configurations", l.configurations)
			return
		}
	}
	log.Error(err, "what should not stay without a gateway stays", "configurations", l.configurations)
}

// needed tells whether another replica is ready. One that is on its way out as well is not, as soon as the API server knows.
func (l *leaving) needed(ctx context.Context) (bool, error) {
	for look := range l.looks {
		if look > 0 && !sleep(ctx, l.pause) {
			break
		}
		others, err := l.others(ctx)
		if err != nil || !others {
			return false, err
		}
	}
	return true, nil
}

func (l *leaving) others(ctx context.Context) (bool, error) {
	list := &discoveryv1.EndpointSliceList{}
	if err := l.client.List(ctx, list, client.InNamespace(l.namespace), client.MatchingLabels{discoveryv1.LabelServiceName: l.service}); err != nil {
		return false, fmt.Errorf("look for other replicas: %w", err)
	}
	for i := range list.Items {
		for _, one := range list.Items[i].Endpoints {
			ready := one.Conditions.Ready == nil || *one.Conditions.Ready
			if ready && (one.TargetRef == nil || one.TargetRef.Name != l.pod) {
				return true, nil
			}
		}
	}
	return false, nil
}

// removeSecret takes the certificate away, if it is the gateway's own.
func (l *leaving) removeSecret(ctx context.Context) error {
	secret := &corev1.Secret{}
	err := l.client.Get(ctx, client.ObjectKey{Namespace: l.namespace, Name: orkv1.SecretTLS}, secret)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("read Secret %s: %w", orkv1.SecretTLS, err)
	case !certs.Ours(secret):
		return nil
	}
	// Only what was read: somebody may take it over meanwhile.
	same := client.Preconditions{UID: &secret.UID, ResourceVersion: &secret.ResourceVersion}
	if err := client.IgnoreNotFound(l.client.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: l.namespace, Name: orkv1.SecretTLS}}, same)); err != nil {
		return fmt.Errorf("delete Secret %s: %w", orkv1.SecretTLS, err)
	}
	return nil
}

// sleep waits, and tells whether there is time left.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
