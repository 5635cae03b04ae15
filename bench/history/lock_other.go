//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package history

import "os"

// lock does nothing here: a line is still written in one piece, at the end.
func lock(*os.File) error { return nil }
