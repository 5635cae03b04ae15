//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// outliveLog makes a log whose reader has gone an error of writing, not the end.
func outliveLog() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
