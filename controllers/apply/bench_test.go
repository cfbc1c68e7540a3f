package apply

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/json"
)

// deployment is a child of the usual size.
const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels: {app: web, tier: front, app.kubernetes.io/managed-by: orkestra, orkestra.konductor.io/owner: 0123456789abcdef0123}
  annotations: {orkestra.konductor.io/owner: Website.web.example.com/shop/blog}
  ownerReferences: [{apiVersion: web.example.com/v1, kind: Website, name: blog, uid: u, controller: true, blockOwnerDeletion: true}]
spec:
  replicas: 3
  selector: {matchLabels: {orkestra.konductor.io/resource: 0123456789abcdef0123, orkestra.konductor.io/workload: web}}
  template:
    metadata: {labels: {app: web, tier: front, orkestra.konductor.io/resource: 0123456789abcdef0123, orkestra.konductor.io/workload: web}}
    spec:
      serviceAccountName: web
      containers:
        - name: web
          image: registry.example.com/web:1.2.3
          ports: [{containerPort: 8080, protocol: TCP}]
          env: [{name: A, value: "1"}, {name: B, value: "2"}, {name: C, valueFrom: {secretKeyRef: {name: s, key: k}}}]
          resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {memory: 256Mi}}
          readinessProbe: {httpGet: {path: /healthz, port: 8080, scheme: HTTP}, periodSeconds: 10, failureThreshold: 3}
          volumeMounts: [{name: tmp, mountPath: /tmp}]
      volumes: [{name: tmp, emptyDir: {}}]
`

// decode reads a JSON object as the dynamic client does.
func decode(text string) (map[string]any, bool) {
	var value map[string]any
	if err := json.Unmarshal([]byte(text), &value); err != nil || value == nil {
		return nil, false
	}
	return value, true
}

func BenchmarkHolds(b *testing.B) {
	desired, observed := parse(b, deployment), parse(b, deployment)
	b.ReportAllocs()
	for b.Loop() {
		if !holds(desired, observed) {
			b.Fatal("it does not hold")
		}
	}
}

func BenchmarkHash(b *testing.B) {
	object := parse(b, deployment)
	b.ReportAllocs()
	for b.Loop() {
		_ = hashOf(object)
	}
}

func BenchmarkDifferences(b *testing.B) {
	desired, observed := parse(b, deployment), parse(b, deployment)
	b.ReportAllocs()
	for b.Loop() {
		_ = differences(deploymentKind, desired, observed)
	}
}
