package examples_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/jsonpath"
)

// stories are what the READMEs tell to try, in order. The operator runs meanwhile.
var stories = map[string][]step{
	"website": {
		{
			reason: "a change by another hand is undone",
			change: object{"Deployment", "default", "hello"}, patch: `{"spec":{"replicas":5}}`,
			then: []fact{{object{"Deployment", "default", "hello"}, "{.spec.replicas}", "2"}},
		},
		{
			reason: "the Ingress goes with the host, and so does the URL",
			change: object{"Website", "default", "hello"}, patch: `{"spec":{"host":null}}`,
			then: []fact{
				{object{"Ingress", "default", "hello"}, "", gone},
				{object{"Website", "default", "hello"}, "{.status.observedGeneration} {.status.url}", "2 "},
			},
		},
	},
	"gateway": {
		{
			reason: "without a gateway it is stored, and the operator applies nothing of it",
			change: object{"Market", "shops", "books"}, patch: `{"spec":{"replicas":7}}`,
			then: []fact{
				{object{"Market", "shops", "books"}, `{.status.conditions[?(@.type=="ValidationFailed")].reason}`, "DenyRuleViolation"},
				{object{"ConfigMap", "shops", "books-config"}, "{.data.replicas}", "2"},
			},
		},
	},
	"gates": {
		{
			reason: "what is created once belongs to whoever changes it",
			change: object{"ConfigMap", "staging", "mailer-notes"}, patch: `{"data":{"notes":"mine"}}`,
			then: []fact{{object{"ConfigMap", "staging", "mailer-notes"}, "{.data.notes}", "mine"}},
		},
		{
			reason: "what is kept as declared does not",
			change: object{"ConfigMap", "staging", "mailer-version"}, patch: `{"data":{"version":"mine"}}`,
			then: []fact{
				{object{"ConfigMap", "staging", "mailer-version"}, "{.data.version}", "1.4.2"},
				{object{"ConfigMap", "staging", "mailer-notes"}, "{.data.notes}", "mine"},
			},
		},
		{
			reason: "the gate of the block removes what the block keeps, and nothing else",
			change: object{"App", "staging", "mailer"}, patch: `{"spec":{"stopped":true}}`,
			then: []fact{
				{object{"Deployment", "staging", "mailer"}, "", gone},
				{object{"Service", "staging", "mailer"}, "", gone},
				{object{"ConfigMap", "staging", "mailer-version"}, "{.data.version}", "1.4.2"},
			},
		},
		{
			reason: "one of two variants of an object takes the place of the other",
			change: object{"App", "staging", "checkout"}, patch: `{"spec":{"exposed":true}}`,
			then: []fact{{object{"Service", "staging", "checkout"}, "{.spec.type}", "NodePort"}},
		},
		{
			reason: "behind the gate of the box nothing changes but the status",
			change: object{"App", "staging", "checkout"}, patch: `{"spec":{"frozen":true,"replicas":9}}`,
			then: []fact{
				{object{"App", "staging", "checkout"}, "{.status.observedGeneration} {.status.state}", "3 Frozen"},
				{object{"Deployment", "staging", "checkout"}, "{.spec.replicas}", "2"},
			},
		},
	},
	"fan-out": {{
		reason: "a key that goes takes its child with it, through the chain; one that comes brings its own",
		change: object{"Shop", "default", "books"}, patch: `{"spec":{"regions":{"us":null,"ap":{"replicas":3}}}}`,
		then: []fact{
			{object{"Storefront", "default", "books-us"}, "", gone},
			{object{"Deployment", "default", "books-us"}, "", gone},
			{object{"Deployment", "default", "books-ap"}, "{.spec.replicas}", "3"},
			{object{"Shop", "default", "books"}, "{.status.storefronts} {.status.waiting}", "2 "},
		},
	}},
	"pipeline": {{
		reason: "a new revision goes through all phases, then it is what runs",
		change: object{"Pipeline", "default", "shop-api"}, patch: `{"spec":{"revision":"9d03e5b"}}`,
		then: []fact{
			{object{"Pipeline", "default", "shop-api"}, "{.status.phase} {.status.live}", "Live 9d03e5b"},
			{
				object{"Deployment", "default", "shop-api"},
				"{.spec.template.spec.containers[0].image}",
				"registry.example.com/shop-api:9d03e5b",
			},
			{object{"Job", "default", "shop-api-publish-4f2a91c"}, "{.status.succeeded}", "1"},
		},
	}},
	"scheduled": {{
		reason: "the schedule is suspended, and the job that has run stays",
		change: object{"Backup", "default", "orders"}, patch: `{"spec":{"suspended":true}}`,
		then: []fact{
			{object{"CronJob", "default", "orders"}, "{.spec.suspend}", "true"},
			{object{"Job", "default", "orders-first"}, "{.status.succeeded}", "1"},
		},
	}},
	"tenant": {{
		reason: "a copy goes when its namespace is no longer in the list",
		change: object{"Notice", "platform", "maintenance"}, patch: `{"spec":{"namespaces":["acme-dev"]}}`,
		then: []fact{
			{object{"ConfigMap", "acme-prod", "notice-maintenance"}, "", gone},
			{object{"ConfigMap", "acme-dev", "notice-maintenance"}, "{.data.text}", "The cluster is upgraded on Sunday."},
			{object{"Notice", "platform", "maintenance"}, "{.metadata.finalizers}", `["orkestra.konductor.io/cleanup"]`},
			{object{"Tenant", "", "acme"}, "{.metadata.finalizers}", `["tenancy.example.com/tenant"]`},
		},
	}},
	"targets": {
		{
			reason: "what both targets declare is the same object, and the rest of the one that is left goes",
			change: object{"Cache", "default", "sessions"}, patch: `{"metadata":{"annotations":{"orkestra.konductor.io/serve-target":"preview"}}}`,
			then: []fact{
				{object{"Service", "default", "sessions"}, "", gone},
				{object{"Deployment", "default", "sessions"}, "{.spec.replicas}", "1"},
				{object{"ConfigMap", "default", "sessions-preview"}, "{.data.notes}", "kubectl port-forward deployment/sessions 6379"},
			},
		},
		{
			reason: "without a target the CRD's own box holds again",
			change: object{"Cache", "default", "sessions"}, patch: `{"metadata":{"annotations":{"orkestra.konductor.io/serve-target":null}}}`,
			then: []fact{
				{object{"ConfigMap", "default", "sessions-preview"}, "", gone},
				{object{"Deployment", "default", "sessions"}, "{.spec.replicas}", "2"},
			},
		},
	},
	"operators": {{
		reason: "a comparison is made anew when what it looks at changes",
		change: object{"Sample", "default", "none"}, patch: `{"spec":{"text":"release-1.4"}}`,
		then: []fact{{object{"Sample", "default", "none"}, "{.status.passes.equals} {.status.passes.notEquals}", "yes "}},
	}},
	"every-kind": {{
		reason: "what bounds the namespace goes, and the namespace stays",
		change: object{"Stack", "default", "all"}, patch: `{"spec":{"bounded":false}}`,
		then: []fact{
			{object{"ResourceQuota", "all-scratch", "all-quota"}, "", gone},
			{object{"LimitRange", "all-scratch", "all-limits"}, "", gone},
			{object{"Namespace", "", "all-scratch"}, "{.status.phase}", "Active"},
			{object{"Stack", "default", "all"}, "{.metadata.finalizers}", `["orkestra.konductor.io/cleanup"]`},
		},
	}},
	"builtin": {{
		reason: "a second replica is worth a budget",
		change: object{"Deployment", "default", "single"}, patch: `{"spec":{"replicas":2}}`,
		then: []fact{{object{"PodDisruptionBudget", "default", "single"}, "{.spec.selector.matchLabels.app}", "single"}},
	}},
}

// step is a change by a person, and what must come of it.
type step struct {
	reason string
	change object
	patch  string
	then   []fact
}

// fact is what a JSONPath shows of an object.
type fact struct {
	object
	path, want string
}

// gone is what an object that does not exist shows.
const gone = "gone"

// tell takes one step after the other.
func (c *cluster) tell(t *testing.T, story []step) {
	t.Helper()
	for _, step := range story {
		_, err := c.resource(t, step.change).Patch(t.Context(), step.change.name, types.MergePatchType, []byte(step.patch), metav1.PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, fact := range step.then {
			gomega.NewWithT(t).Eventually(func() string { return c.show(t, fact) }).
				WithTimeout(30*time.Second).WithPolling(100*time.Millisecond).
				Should(gomega.Equal(fact.want), "%s: %v %s", step.reason, fact.object, fact.path)
		}
	}
}

// show returns what there is to see, or why nothing is.
func (c *cluster) show(t *testing.T, f fact) string {
	t.Helper()
	path := jsonpath.New("").AllowMissingKeys(true)
	if err := path.Parse(f.path); err != nil {
		t.Fatal(err)
	}
	found, err := c.resource(t, f.object).Get(t.Context(), f.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return gone
	}
	var shown bytes.Buffer
	if err == nil {
		err = path.Execute(&shown, found.Object)
	}
	if err != nil {
		return fmt.Sprint(err)
	}
	return shown.String()
}
