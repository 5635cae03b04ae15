//go:build unix

package shelf

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestPipesAreNotWaitedFor: nobody might ever write to them.
func TestPipesAreNotWaitedFor(t *testing.T) {
	root := folder(t, map[string]string{"problem.toml": problem("", "pipe.csv")})
	for _, name := range []string{"pipe.csv", "pipe.toml"} {
		if err := syscall.Mkfifo(filepath.Join(root, name), 0o600); err != nil {
			t.Skip(err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s, err := Open(root)
		if err != nil {
			t.Error(err)
			return
		}
		if files, _, err := s.Take("problem.toml"); err != nil || len(files) != 1 {
			t.Errorf("%v: %s", err, names(files))
		}
		if _, err := Open(filepath.Join(root, "pipe.toml")); err == nil {
			t.Error("a pipe is opened")
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("it waits")
	}
}
