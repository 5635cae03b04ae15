//go:build linux

package spec

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe, whose writer may never come, a socket or a device is refused at once, also behind a link.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	folder := directory(t, map[string]string{"p.toml": strings.Replace(sandboxed, "FILE", "pipe", 1), "device.toml": strings.Replace(sandboxed, "FILE", "/dev/zero", 1)})
	pipe := filepath.Join(folder, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for name, read := range map[string]func() error{
		"readings":     func() error { _, err := Read(filepath.Join(folder, "p.toml"), nil); return err },
		"sandboxed":    func() error { _, err := ReadSandboxed(filepath.Join(folder, "p.toml"), nil, Limits{}); return err },
		"device":       func() error { _, err := Read(filepath.Join(folder, "device.toml"), nil); return err },
		"problem file": func() error { _, err := Read(pipe, nil); return err },
		"points":       func() error { _, err := ReadPoints(pipe, plane); return err },
		"OpenFile":     func() error { _, err := OpenFile(pipe); return err },
	} {
		ended := make(chan error, 1)
		go func() { ended <- read() }()
		select {
		case err := <-ended:
			if err == nil || !strings.Contains(err.Error(), "only regular files are read") {
				t.Errorf("%s: error %v", name, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: it waits", name)
		}
	}
}
