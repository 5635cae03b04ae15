//go:build linux

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// --out writes to a device, and follows a link. It replaces neither.
func TestOutIsADeviceOrALink(t *testing.T) {
	root := t.TempDir()
	problem := writeExample(t, "beam", "--neurons=20")
	succeed(t, "solve", problem, "--out", root, "--quiet")
	model, points := filepath.Join(root, "model.bpielm"), filepath.Join(root, "solution.csv")
	device, link, file := filepath.Join(root, "null"), filepath.Join(root, "link"), filepath.Join(root, "file")
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	outs := map[string]fs.FileMode{link: fs.ModeSymlink}
	if err := syscall.Mknod(device, syscall.S_IFCHR|0o666, 1<<8|3); err == nil {
		if f, err := os.OpenFile(device, os.O_WRONLY, 0); err == nil {
			f.Close()
			outs[device] = fs.ModeCharDevice
		}
	}
	for out, kind := range outs {
		for _, args := range [][]string{{"predict", model, points, "--out", out}, {"place", model, points, "--out", out}, {"compile", problem, "--quiet", "--out", out}} {
			succeed(t, args...)
			if info, err := os.Lstat(out); err != nil || info.Mode()&kind == 0 {
				t.Fatalf("after %s, %s has become %v, %v", args[0], out, info, err)
			}
		}
	}
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		t.Errorf("behind the link: %v, %v", info, err)
	}
}
