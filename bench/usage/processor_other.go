//go:build !unix

package usage

import "time"

// Processor is not available on this platform.
func Processor() (time.Duration, bool) { return 0, false }
