package engine

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Those who come while a turn is under way share the next one, with its error.
func TestJoint(t *testing.T) {
	var j joint[[]int]
	var turns [][]int // written by the one whose turn it is
	failure := errors.New("no luck")
	begun, goOn := make(chan struct{}), make(chan struct{})
	var joined, asking sync.WaitGroup
	ask := func(number int, members int, want error) {
		asking.Go(func() {
			got, err := j.do(func(all *[]int) { *all = append(*all, number); joined.Done() }, func(all *[]int) error {
				begun <- struct{}{}
				<-goOn
				slices.Sort(*all)
				turns = append(turns, *all)
				if len(*all) > 1 {
					return failure
				}
				return nil
			})
			if !errors.Is(err, want) || len(got) != members {
				t.Errorf("do(%d) = %v, %v; want %d of them, %v", number, got, err, members, want)
			}
		})
	}
	joined.Add(4)
	ask(0, 1, nil)
	<-begun
	for number := 1; number < 4; number++ {
		ask(number, 3, failure)
	}
	joined.Wait()
	goOn <- struct{}{}
	<-begun
	goOn <- struct{}{}
	asking.Wait()
	if diff := cmp.Diff([][]int{{0}, {1, 2, 3}}, turns); diff != "" {
		t.Errorf("turns: -want, +got:\n%s", diff)
	}
}
