package engine

import "sync"

// joint does something for many at once: those who ask while it is being done wait for the next time, which is one for all of them. So an
// object that many entries write is not fought over, and nobody is answered with what was so before he asked. The zero joint is ready.
type joint[T any] struct {
	doing sync.Mutex // held while it is done

	mu   sync.Mutex // guards next, and the value of it
	next *turn[T]
}

// turn is one time that it is done.
type turn[T any] struct {
	value T
	err   error
	done  chan struct{}
}

// do has join add to the value of the next turn what the caller wants of it, and returns when that turn is done. The value is shared.
func (j *joint[T]) do(join func(*T), do func(*T) error) (T, error) {
	j.mu.Lock()
	mine, first := j.next, j.next == nil
	if first {
		mine = &turn[T]{done: make(chan struct{})}
		j.next = mine
	}
	join(&mine.value)
	j.mu.Unlock()
	if !first {
		<-mine.done
		return mine.value, mine.err
	}
	defer close(mine.done)
	j.doing.Lock()
	defer j.doing.Unlock()
	j.mu.Lock()
	j.next = nil
	j.mu.Unlock()
	mine.err = do(&mine.value)
	return mine.value, mine.err
}
