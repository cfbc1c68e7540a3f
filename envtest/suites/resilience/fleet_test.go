package resilience_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
)

var _ = Describe("Two hundred kinds", Ordered, func() {
	const count = 200
	var (
		names, entries []string
		o              *operator
		before         goleak.Option
	)
	// fleet is the Katalog of the first entry, which stays, and of so many others.
	fleet := func(others int) string { return katalogText("fleet", entries[:1+others]...) }
	allRun := func() int {
		running := 0
		for _, state := range o.engines[0].States() {
			if state.Running {
				running++
			}
		}
		return running
	}

	BeforeAll(func(ctx SpecContext) {
		definitions := make([]*apiextensionsv1.CustomResourceDefinition, 0, count+1)
		for i := range count + 1 {
			name := fmt.Sprintf("fleet%03d", i)
			names = append(names, name)
			entries = append(entries, entryText(name, name+".example.com", ""))
			definitions = append(definitions, widgets(name+".example.com"))
		}
		install(ctx, definitions...)
		o = start(fleet(0))
		o.awaitRunning(names[0])
	}, NodeTimeout(5*time.Minute))

	It("run soon, and take little memory each", func() {
		heapBefore, residentBefore := heap(), resident()
		begin := time.Now()
		Expect(o.replace(fleet(count))).To(Succeed())
		Eventually(allRun, time.Minute, 20*time.Millisecond).Should(Equal(count + 1))
		took := time.Since(begin)
		perKind := func(bytes int64) int64 { return bytes / count / 1024 }
		heapOfOne, residentOfOne := perKind(heap()-heapBefore), perKind(resident()-residentBefore)
		AddReportEntry("scale", fmt.Sprintf("%d kinds ran after %.1f s; each takes %d KiB of heap and %d KiB of resident memory",
			count, took.Seconds(), heapOfOne, residentOfOne))
		// The goals are 20 s and 1 MiB. The limits are twice that, for a machine that has other work.
		Expect(took).To(BeNumerically("<", 40*time.Second))
		Expect(heapOfOne).To(BeNumerically("<", 2048), "KiB of heap")
		Expect(residentOfOne).To(BeNumerically("<", 2048), "KiB of resident memory")
	})

	It("leave nothing behind when they are removed, a thousand times", func(ctx SpecContext) {
		Expect(o.replace(fleet(0))).To(Succeed())
		nothingRecorded(ctx, names[1:])
		before = goleak.IgnoreCurrent()
		heapBefore := heap()
		begin := time.Now()
		for range 5 {
			Expect(o.replace(fleet(count))).To(Succeed())
			Eventually(allRun, time.Minute, 20*time.Millisecond).Should(Equal(count + 1))
			Expect(o.replace(fleet(0))).To(Succeed())
		}
		AddReportEntry("scale", fmt.Sprintf("%d kinds started and ended five times in %.1f s", count, time.Since(begin).Seconds()))
		nothingRecorded(ctx, names[1:])
		nothingLeft(before, names[1:])
		grown := heap() - heapBefore
		AddReportEntry("scale", fmt.Sprintf("%d KiB more heap after that", grown/1024))
		Expect(grown).To(BeNumerically("<", 8<<20), "bytes of heap")
	})

	It("leave nothing behind either when one is removed while it starts", func(ctx SpecContext) {
		for range 100 {
			Expect(o.replace(fleet(1))).To(Succeed())
			Expect(o.replace(fleet(0))).To(Succeed())
		}
		nothingRecorded(ctx, names[1:])
		nothingLeft(before, names[1:])
		Expect(o.running(names[0])()).To(BeTrue())
		Expect(o.logbook.errors()).To(BeEmpty())
	})
})

// nothingRecorded waits until the removals of entries are at their end: the record of what there was names them no more.
func nothingRecorded(ctx context.Context, names []string) {
	GinkgoHelper()
	Eventually(func() ([]string, error) {
		var record corev1.ConfigMap
		err := admin.Get(ctx, client.ObjectKey{Namespace: "default", Name: "orkestra-inventory"}, &record)
		var found []string
		for _, name := range names {
			if _, ok := record.Data["fleet."+name+"_entry"]; ok {
				found = append(found, name)
			}
		}
		return found, err
	}, time.Minute, 100*time.Millisecond).Should(BeEmpty())
}

// nothingLeft waits until there are no other goroutines, and so no informer and no worker of a queue, and no series that name an entry.
func nothingLeft(before goleak.Option, names []string) {
	GinkgoHelper()
	Eventually(func() error { return goleak.Find(before, ignoreOwnConnections()) }, 20*time.Second, 500*time.Millisecond).Should(Succeed())
	Expect(seriesOf(names)).To(BeEmpty())
}

// seriesOf are the metrics that have a series with one of the names in a label.
func seriesOf(names []string) []string {
	GinkgoHelper()
	families, err := ctrlmetrics.Registry.Gather()
	Expect(err).NotTo(HaveOccurred())
	var found []string
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if slices.Contains(names, label.GetValue()) && !slices.Contains(found, family.GetName()) {
					found = append(found, family.GetName())
				}
			}
		}
	}
	return found
}

// resident is how many bytes of the process are in memory.
func resident() int64 {
	GinkgoHelper()
	status, err := os.ReadFile("/proc/self/status")
	Expect(err).NotTo(HaveOccurred())
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	kibibytes, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	Expect(err).NotTo(HaveOccurred())
	return kibibytes * 1024
}
