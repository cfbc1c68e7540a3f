package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/gateway/cli"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
	"github.com/orkestra-runtime/orkestra/internal/command"
)

var _ = Describe("ork gate", func() {
	It("is ready once it answers, and ends when it is told to", func(ctx SpecContext) {
		namespace, in := newNamespace(ctx), newNamespace(ctx)
		install(ctx, "Cabin", "cabins")
		file := filepath.Join(GinkgoT().TempDir(), "katalog.yaml")
		write := func(entry string) {
			Expect(os.WriteFile(file, []byte(fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: cabins}
gateway: {}
security: {webhooks: {admission: {}}}
spec:
  crds:
    cabin:
      apiTypes: {group: %s, version: v1, kind: Cabin, plural: cabins}
      %s
`, group, entry)), 0o600)).To(Succeed())
		}
		write(fmt.Sprintf("serve: {enabled: true, namespace: %s, fields: {size: {required: true, label: The size}}}", in))

		port, probes, metrics := freePort(), freePort(), freePort()
		log := gbytes.NewBuffer()
		opts := cli.Options{In: &bytes.Buffer{}, Out: log, Err: log}
		root := command.Root(command.Streams{In: opts.In, Out: opts.Out, Err: opts.Err}, cli.Commands(opts)...)
		root.SetArgs([]string{
			"gate", "-f", file, "--kubeconfig", env.Kubeconfig(), "--namespace", namespace, fmt.Sprintf("--url=https://127.0.0.1:%d", port),
			fmt.Sprintf("--bind-address=127.0.0.1:%d", port), fmt.Sprintf("--health-probe-bind-address=127.0.0.1:%d", probes),
			fmt.Sprintf("--metrics-bind-address=127.0.0.1:%d", metrics), "--shutdown-timeout=10s",
		})
		running, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		ended := make(chan error, 1)
		go func() { ended <- root.ExecuteContext(running) }()

		Eventually(func() string { return answerOf(ctx, fmt.Sprintf("http://127.0.0.1:%d/readyz", probes)) }).Should(Equal("200 OK"), "%s", log.Contents())
		Expect(string(log.Contents())).To(ContainSubstring("spec.crds[cabin].serve.enabled: is offered to nobody without gateway.api.enabled; the rules that follow from serve hold all the same"))
		Eventually(func() error {
			return cluster.Create(ctx, resource("v1", "Cabin", in, "a", "{}"), client.DryRunAll)
		}).Should(MatchError(ContainSubstring("The size is required")))
		Expect(cluster.Create(ctx, resource("v1", "Cabin", in, "a", "{size: 5}"))).To(Succeed())

		By("serving what its file says now, once that is right")
		write(`validation: {rules: [{field: spec.size, max: many, message: wrong}]}`)
		Consistently(func() error {
			return cluster.Create(ctx, resource("v1", "Cabin", in, "b", "{}"), client.DryRunAll)
		}).WithTimeout(2 * time.Second).Should(MatchError(ContainSubstring("The size is required")))
		const atMost = `validation: {rules: [{field: spec.size, max: "4", message: at most four}]}`
		write(atMost + `
      mutation: {rules: [{field: spec.size, default: 3}]}`)
		Eventually(func(g Gomega) {
			made := resource("v1", "Cabin", in, "b", "{}")
			g.Expect(cluster.Create(ctx, made, client.DryRunAll)).To(Succeed())
			g.Expect(made.Object["spec"]).To(HaveKeyWithValue("size", int64(3)))
		}).Should(Succeed())
		Expect(cluster.Create(ctx, resource("v1", "Cabin", in, "b", "{size: 5}"), client.DryRunAll)).To(MatchError(ContainSubstring("at most four")))

		By("registering nothing for what is no longer declared")
		write(atMost)
		Eventually(func() error {
			return cluster.Get(ctx, client.ObjectKey{Name: registration.AdmissionMutation}, &admissionregistrationv1.MutatingWebhookConfiguration{})
		}).Should(MatchError(apierrors.IsNotFound, "IsNotFound"))
		Expect(cluster.Create(ctx, resource("v1", "Cabin", in, "b", "{size: 5}"), client.DryRunAll)).To(MatchError(ContainSubstring("at most four")))

		By("telling beside its metrics what it did")
		var told struct {
			Security struct {
				Validation bool `json:"validation"`
				Mutation   bool `json:"mutation"`
			} `json:"security"`
			Statistics map[string]map[string]struct {
				Total  int `json:"total"`
				Denied int `json:"denied"`
			} `json:"statistics"`
		}
		beside := fmt.Sprintf("http://127.0.0.1:%d/", metrics)
		Expect(json.Unmarshal(bodyOf(ctx, beside+"katalog/cabin"), &told)).To(Succeed())
		Expect(told.Security.Validation).To(BeTrue())
		Expect(told.Security.Mutation).To(BeFalse(), "its file says so no more")
		validate := told.Statistics[group+"/v1/cabins"]["validate"]
		Expect(validate.Denied).To(BeNumerically(">=", 4), "of all its files")
		Expect(validate.Total).To(BeNumerically(">=", validate.Denied))
		Expect(answerOf(ctx, beside+"katalog/cottage")).To(HavePrefix("404"))
		Expect(answerOf(ctx, beside+"ready")).To(HavePrefix("200"))
		Expect(string(bodyOf(ctx, beside+"metrics"))).To(And(
			MatchRegexp(`orkestra_webhook_reconciled_total\{source="start"\} [1-9]`), MatchRegexp(`orkestra_webhook_reconciled_total\{source="change"\} [1-9]`),
			ContainSubstring(`orkestra_webhook_reconciliation_failure_total{webhook="orkestra-admission-validation"}`),
		))

		cancel()
		var err error
		Eventually(ended).WithTimeout(15 * time.Second).Should(Receive(&err))
		code, message := command.ExitCode(err)
		Expect(code).To(BeZero(), message)
		Expect(answerOf(ctx, fmt.Sprintf("http://127.0.0.1:%d/readyz", probes))).To(ContainSubstring("refused"))
	})
})

// bodyOf is what a URL answers.
func bodyOf(ctx context.Context, url string) []byte {
	GinkgoHelper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	Expect(err).NotTo(HaveOccurred())
	response, err := http.DefaultClient.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	return body
}

// answerOf is the status of the answer of a URL, or why there is none.
func answerOf(ctx context.Context, url string) string {
	GinkgoHelper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	Expect(err).NotTo(HaveOccurred())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err.Error()
	}
	_ = response.Body.Close()
	return strings.TrimSpace(response.Status)
}
