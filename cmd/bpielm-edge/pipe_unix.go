//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// outliveLog keeps the program alive when the reader of its log is gone: writing then
// fails, instead of killing it.
func outliveLog() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
