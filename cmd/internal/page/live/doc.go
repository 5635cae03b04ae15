// Package live follows a stream of readings for a page that shows them as they come. The stream carries readings, which
// are assimilated into compiled physics, or it is the log of bpielm-edge, whose estimates are shown as they are.
//
//	f := live.New(live.Config{Physics: func() (*posterior.Prior, error) { ... }})
//	go func() { err = f.Follow(source, "standard input", stop) }()
//	for range f.Changed() {
//		show(f.Estimate()) // its state: the page may miss any number of them
//	}
//
// However long the stream is, what is kept is bounded: the readings that count, the last 200 with what was expected of
// them, and the sensors of package feed.
//
// Begin reading at live.go; readings.go and log.go are the two kinds of streams, tail.go follows a file that grows.
package live
