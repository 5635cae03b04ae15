package main

import (
	"context"
	"fmt"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// watched runs a job, and gives it up if for the time patience no file is new in the folder where its tasks leave what they
// found. A runner need not notice that a worker has died: Prism often waits for it for ever. Files that come late, from a job that
// was given up, have the same bytes. No patience is any.
func watched(ctx context.Context, folder string, patience time.Duration, run func(context.Context) error) error {
	if patience <= 0 {
		return run(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	look := time.NewTicker(max(patience/20, time.Millisecond))
	defer look.Stop()
	files, since := -1, time.Now()
	for {
		select {
		case err := <-ended:
			return err
		case <-look.C:
			if n := filesIn(ctx, folder); n != files {
				files, since = n, time.Now()
			} else if time.Since(since) > patience {
				return fmt.Errorf("nothing was done for %s (see --patience): has a worker died?", patience)
			}
		}
	}
}

// filesIn counts the files of a folder; 0 if it is not there yet.
func filesIn(ctx context.Context, folder string) int {
	disk, err := filesystem.New(ctx, folder)
	if err != nil {
		return 0
	}
	defer disk.Close()
	paths, _ := disk.List(ctx, folder+"/*")
	return len(paths)
}
