//go:build !unix

package regress

import "time"

// processorTime is not told on this platform.
func processorTime() (time.Duration, bool) { return 0, false }
