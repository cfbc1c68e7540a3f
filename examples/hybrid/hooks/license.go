// Package hooks signs and revokes licenses, which templates can't.
package hooks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	licensev1 "github.com/orkestra-runtime/orkestra/examples/hybrid/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/hook"
)

// Config is what the Katalog hands to the hook.
type Config struct {
	// Key is the name of the Secret with the signing key, in its data as key.
	Key string `json:"key"`
	// Seats are how many people may use the product.
	Seats       int         `json:"seats"`
	Revocations Revocations `json:"revocations"`
}

// Revocations tell where revoked licenses are listed.
type Revocations struct {
	ConfigMap string `json:"configMap"`
}

// Licenses is the hook of License resources.
func Licenses() *hook.Hook {
	return hook.New(hook.Hooks[*licensev1.License]{OnReconcile: sign, OnDelete: revoke})
}

// sign keeps the license, signed, in a Secret.
func sign(ctx context.Context, r *hook.Request[*licensev1.License]) (reconcile.Result, error) {
	var config Config
	if err := r.Args.Bind(&config); err != nil {
		return reconcile.Result{}, reconcile.TerminalError(err)
	}
	var key corev1.Secret
	if err := r.Client.Get(ctx, client.ObjectKey{Namespace: r.Object.Namespace, Name: config.Key}, &key); err != nil {
		return reconcile.Result{}, fmt.Errorf("read the signing key: %w", err)
	}
	text := fmt.Sprintf("%s/%s/%d", r.Object.Spec.Product, r.Object.Spec.Customer, config.Seats)
	sum := hmac.New(sha256.New, key.Data["key"])
	sum.Write([]byte(text))
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: r.Object.Namespace, Name: r.Object.Name + "-license"}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error {
		secret.Data = map[string][]byte{"license": []byte(text), "signature": []byte(hex.EncodeToString(sum.Sum(nil)))}
		return controllerutil.SetControllerReference(r.Object, secret, r.Client.Scheme())
	})
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("keep the license: %w", err)
	}
	return reconcile.Result{}, nil
}

// revoke lists the license among those that hold no more. Called twice, it does nothing the second time.
func revoke(ctx context.Context, r *hook.Request[*licensev1.License]) (reconcile.Result, error) {
	name := r.Args.Sub("revocations").String("configMap")
	revoked := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: r.Object.Namespace, Name: name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, revoked, func() error {
		if revoked.Data == nil {
			revoked.Data = map[string]string{}
		}
		revoked.Data[string(r.Object.UID)] = r.Object.Spec.Customer
		return nil
	})
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("revoke the license: %w", err)
	}
	return reconcile.Result{}, nil
}
