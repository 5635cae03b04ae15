package web

import (
	"context"
	"slices"
	"sync"
)

// A gate lets so many in at a time. The others wait in a queue.
type gate struct {
	places int

	mu     sync.Mutex
	inside int
	queue  []*waiting
}

// waiting is one who waits.
type waiting struct {
	come  chan struct{} // closed when it is inside
	moved chan struct{} // has a value when somebody before it has left
}

// enter waits for a place. It tells the one who waits how many come before, whenever that changes. It fails when ctx ends.
func (g *gate) enter(ctx context.Context, tell func(before int)) (leave func(), err error) {
	g.mu.Lock()
	if g.inside < g.places && len(g.queue) == 0 {
		g.inside++
		g.mu.Unlock()
		return sync.OnceFunc(g.leave), nil
	}
	me := &waiting{come: make(chan struct{}), moved: make(chan struct{}, 1)}
	g.queue = append(g.queue, me)
	before := g.inside + len(g.queue) - 1
	g.mu.Unlock()
	for {
		tell(before)
		select {
		case <-me.come:
			return sync.OnceFunc(g.leave), nil
		case <-me.moved:
		case <-ctx.Done():
			g.mu.Lock()
			defer g.mu.Unlock()
			if i := slices.Index(g.queue, me); i >= 0 {
				g.queue = slices.Delete(g.queue, i, i+1)
				g.announce()
			} else { // it has come at the same moment
				g.inside--
				g.next()
			}
			return nil, ctx.Err()
		}
		g.mu.Lock()
		before = g.inside + max(slices.Index(g.queue, me), 0)
		g.mu.Unlock()
	}
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.next()
}

// next lets the first of the queue in.
func (g *gate) next() {
	if len(g.queue) > 0 && g.inside < g.places {
		close(g.queue[0].come)
		g.queue = slices.Delete(g.queue, 0, 1)
		g.inside++
	}
	g.announce()
}

func (g *gate) announce() {
	for _, w := range g.queue {
		select {
		case w.moved <- struct{}{}:
		default:
		}
	}
}
