//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package usage

// peak is not known on this platform.
func peak() int64 { return 0 }
