//go:build unix

package spec

import "syscall"

// withoutWaiting opens a named pipe at once, even if nobody writes to it.
const withoutWaiting = syscall.O_NONBLOCK
