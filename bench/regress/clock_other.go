//go:build !unix

package regress

import "time"

// processorTime is not available on this platform.
func processorTime() (time.Duration, bool) { return 0, false }
