package observe_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/runtime/observe"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

func TestResync(t *testing.T) {
	type set struct {
		at    time.Duration
		every time.Duration
	}
	cases := map[string]struct {
		reason string
		sets   []set
		want   []time.Duration
	}{
		"Idle":    {reason: "nothing happens before it has an interval", want: nil},
		"Even":    {reason: "each interval", sets: []set{{0, 4 * time.Second}}, want: []time.Duration{4 * time.Second, 8 * time.Second}},
		"Shorter": {reason: "another interval begins when it is set", sets: []set{{0, 10 * time.Second}, {5 * time.Second, 2 * time.Second}}, want: []time.Duration{7 * time.Second, 9 * time.Second}},
		"Longer":  {reason: "nothing is left of the shorter one", sets: []set{{0, 2 * time.Second}, {3 * time.Second, 6 * time.Second}}, want: []time.Duration{2 * time.Second, 9 * time.Second}},
		"Off":     {reason: "0 is idle", sets: []set{{0, 3 * time.Second}, {4 * time.Second, 0}}, want: []time.Duration{3 * time.Second}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := queue.New("", nil, queue.Options{})
				defer q.ShutDown()
				resync := observe.NewResync(path(t, q), func() []*unstructured.Unstructured { return []*unstructured.Unstructured{object("1")} })
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan struct{})
				go func() { defer close(done); resync.Run(ctx) }()
				var got []time.Duration
				for at := time.Duration(0); at < 10*time.Second; at += time.Second {
					synctest.Wait()
					if q.Len() > 0 {
						got = append(got, at)
						item, _ := q.Get()
						if source := q.Facts(item).Source; source != queue.SourceResync {
							t.Errorf("the source is %s, want resync", source)
						}
						q.Done(item)
					}
					for _, one := range tc.sets {
						if one.at == at {
							resync.Set(one.every)
						}
					}
					<-time.After(time.Second)
				}
				cancel()
				<-done
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("\n%s\nofferings: -want, +got:\n%s", tc.reason, diff)
				}
			})
		})
	}
}
