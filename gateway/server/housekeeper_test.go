package server

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/auth"
	"github.com/orkestra-runtime/orkestra/gateway/certs"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
)

// house is a housekeeper of a Katalog that protects what has the label, and that nothing wakes.
func house(certify func(context.Context) (time.Duration, error), c client.Client, bundle func() []byte) *housekeeper {
	plan := &registration.Plan{
		Namespace: "shop", Service: "gate", Port: 443, Protected: true,
		Mutated: []registration.Resource{{GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "sites"}}},
	}
	served := &state{plan: plan, watches: &watches{}}
	keeper := registration.NewKeeper(c, func() *registration.Plan { return plan }, bundle)
	return &housekeeper{
		certify: certify, keeper: keeper, current: func() *state { return served }, serving: func() error { return nil }, end: func() {},
		protect: (&ownNamespace{client: c, name: "shop", protected: func() bool { return plan.Protected }}).keep,
		leaving: &leaving{client: c, keeper: keeper, namespace: "shop", service: "gate"}, trigger: make(chan struct{}, 1),
	}
}

// TestFirstRound shows that a gateway which can't be set up ends with the error, and one that was set up once does not end for a failure.
func TestFirstRound(t *testing.T) {
	const none = -1
	down := errors.New("down")
	cases := map[string]struct {
		reason string
		// From and to are the rounds that fail, without the first and with the last of them.
		from, to int
		// ends is about when the housekeeper ends by itself. None: it goes on.
		ends time.Duration
		want string
	}{
		"Always": {reason: "it can't be set up", to: 1e9, ends: firstLimit, want: "set up the gateway: keep the certificate: down"},
		"Moment": {reason: "the API server is away for a moment", to: 20, ends: none},
		"Later":  {reason: "what is registered serves on", from: 1, to: 1e9, ends: none},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*firstLimit)
				defer cancel()
				rounds := 0
				h := house(func(context.Context) (time.Duration, error) {
					rounds++
					if rounds > tc.from && rounds <= tc.to {
						return 0, down
					}
					return time.Second, nil
				}, fake.NewClientBuilder().WithScheme(scheme()).Build(), func() []byte { return []byte("bundle") })
				began := time.Now()
				err := h.Start(ctx)
				took := time.Since(began)
				if tc.ends == none {
					if err != nil || took < 10*firstLimit {
						t.Errorf("\n%s\nStart(...): %v after %s, want it to go on", tc.reason, err, took)
					}
					return
				}
				if err == nil || err.Error() != tc.want || !errors.Is(err, down) || took < tc.ends || took > tc.ends+2*retry {
					t.Errorf("\n%s\nStart(...): %v after %s, want %q after %s", tc.reason, err, took, tc.want, tc.ends)
				}
			})
		})
	}
}

// TestUnreadToken shows that a token which can't be read, from the start on or later, holds up neither the gateway nor its registrations, and is read again.
func TestUnreadToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*firstLimit)
		defer cancel()
		var granted atomic.Bool
		c := fake.NewClientBuilder().WithScheme(scheme()).WithInterceptorFuncs(interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				if key.Name == "portal" && !granted.Load() {
					return apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, key.Name, errors.New("no"))
				}
				return c.Get(ctx, key, o, opts...)
			},
		}).Build()
		h := house(func(context.Context) (time.Duration, error) { return time.Minute, nil }, c, func() []byte { return []byte("bundle") })
		static := &auth.Static{}
		h.current().tokens = &tokens{
			static: static, secrets: &auth.Secrets{Client: c, Namespace: "shop"}, getenv: func(string) (string, bool) { return "other", true },
			declared: []orkv1.GatewayToken{
				{Name: "portal", SecretRef: &orkv1.TokenSecret{SecretKey: orkv1.SecretKey{Name: "portal", Key: "token"}}}, {Name: "other", Token: "${OTHER}"},
			},
		}
		ended := make(chan error, 1)
		go func() { ended <- h.Start(ctx) }()
		time.Sleep(2 * firstLimit) //nolint:forbidigo // of the bubble
		if err := c.Get(ctx, client.ObjectKey{Name: registration.DeletionProtection}, &admissionregistrationv1.ValidatingWebhookConfiguration{}); err != nil {
			t.Errorf("nothing is registered: %v", err)
		}
		if _, err := static.Authenticate(ctx, "other"); err != nil {
			t.Errorf("another token is not accepted: %v", err)
		}
		granted.Store(true)
		time.Sleep(unreadAgain + retry) //nolint:forbidigo // of the bubble
		made := &corev1.Secret{}
		if err := c.Get(ctx, client.ObjectKey{Namespace: "shop", Name: "portal"}, made); err != nil {
			t.Errorf("the token is not read again: %v", err)
		}
		if _, err := static.Authenticate(ctx, string(made.Data["token"])); err != nil {
			t.Errorf("it is not accepted: %v", err)
		}
		if err := <-ended; err != nil {
			t.Errorf("Start(...): %v, want it to go on until it is told to end", err)
		}
	})
}

// TestTick shows that what somebody deletes or changes is repaired within 30 seconds although no watch tells of it.
func TestTick(t *testing.T) {
	const tick = 30 * time.Second
	validating := func(name string) client.Object {
		return &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	protection := func() client.Object { return validating(registration.DeletionProtection) }
	secret := func() client.Object {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: orkv1.SecretTLS}}
	}
	cases := map[string]struct {
		reason string
		object func() client.Object
		damage func(ctx context.Context, c client.Client, o client.Object) error
	}{
		"Validating": {"a configuration", protection, remove},
		"Mutating": {"of the other type", func() client.Object {
			return &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: registration.AdmissionMutation}}
		}, remove},
		"Changed": {"its policy", protection, func(ctx context.Context, c client.Client, o client.Object) error {
			o.(*admissionregistrationv1.ValidatingWebhookConfiguration).Webhooks[0].FailurePolicy = new(admissionregistrationv1.Ignore)
			return c.Update(ctx, o)
		}},
		"Certificate": {"the Secret, from memory", secret, remove},
		"Authority": {"that of the authority too", func() client.Object {
			return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: orkv1.SecretAuthority}}
		}, remove},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				c := fake.NewClientBuilder().WithScheme(scheme()).Build()
				keeper := certs.New(certs.Options{Client: c, Namespace: "shop", Service: "gate"})
				h := house(keeper.Keep, c, keeper.Bundle)
				ended := make(chan error, 1)
				go func() { ended <- h.Start(ctx) }()
				content := func() any {
					t.Helper()
					o := tc.object()
					if err := c.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
						return err.Error()
					}
					switch o := o.(type) {
					case *corev1.Secret:
						return o.Data
					case *admissionregistrationv1.ValidatingWebhookConfiguration:
						return o.Webhooks
					case *admissionregistrationv1.MutatingWebhookConfiguration:
						return o.Webhooks
					}
					return nil
				}
				synctest.Wait()
				before := content()
				o := tc.object()
				if err := c.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
					t.Fatal(err)
				}
				if err := tc.damage(ctx, c, o); err != nil {
					t.Fatal(err)
				}
				time.Sleep(tick - time.Second) //nolint:forbidigo // of the bubble
				synctest.Wait()
				if cmp.Equal(before, content()) {
					t.Errorf("\n%s\nit is repaired although nobody looked: is the damage one?", tc.reason)
				}
				time.Sleep(2 * time.Second) //nolint:forbidigo // of the bubble
				synctest.Wait()
				if diff := cmp.Diff(before, content()); diff != "" {
					t.Errorf("\n%s\nafter a tick: -want, +got:\n%s", tc.reason, diff)
				}
				cancel()
				if err := <-ended; err != nil {
					t.Errorf("Start(...) of one that is told to end: %v", err)
				}
			})
		})
	}
}

// TestWoken shows that many changes are no more than two rounds, the first of which begins at once.
func TestWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var at []string
		began := time.Now()
		h := house(func(context.Context) (time.Duration, error) {
			at = append(at, time.Since(began).String())
			return time.Hour, nil
		}, fake.NewClientBuilder().WithScheme(scheme()).Build(), func() []byte { return nil })
		ended := make(chan error, 1)
		go func() { ended <- h.Start(ctx) }()
		time.Sleep(5 * time.Second) //nolint:forbidigo // of the bubble
		for range 10 {
			h.wake()
		}
		synctest.Wait()
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		// What changes while a round goes on is for the one after it.
		if got := strings.Join(at, " "); got != "0s 5s" && got != "0s 5s 5s" {
			t.Errorf("rounds at %s, want one or two at 5s", got)
		}
	})
}

func remove(ctx context.Context, c client.Client, o client.Object) error { return c.Delete(ctx, o) }
